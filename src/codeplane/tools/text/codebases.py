"""Text form of list_codebases."""

from __future__ import annotations

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import spaced


def render_list_codebases(arguments: Arguments, answer: Answer) -> list[TextLine]:
    """Print one path per line, with the state if the index is not ready."""
    lines = []
    for state, paths in answer.result.items():
        assert isinstance(paths, list)
        lines += [text(display(path) if state == "ready" else f"{display(path)} {spaced(state)}") for path in paths]
    return lines or [text("no repositories")]
