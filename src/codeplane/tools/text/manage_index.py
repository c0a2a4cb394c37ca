"""Text form of manage_index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import hint_lines, job_lines, spaced

Fields = Mapping[str, Any]


def render_manage_index(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Fields = answer.result
    words = _sentence(answer.message) if answer.message else spaced(answer.status)
    counts = list(_index_counts(result))
    lines = [text(f"{words}: {', '.join(counts)}" if counts else words), *job_lines(result)]
    for name in ("ignore_patterns", "custom_extensions"):
        if result.get(name):
            more = result.get(f"{name}_total", 0) - len(result[name])
            shown = ", ".join(display(str(value)) for value in result[name])
            lines.append(text(f"{spaced(name)}: {shown}" + (f" and {more:,} more" if more > 0 else "")))
    if "lock_owner" in result:
        lines.append(text(f"index held by process {result['lock_owner']}"))
    # If the index is in the requested state, no call follows.
    hints = [name for name in answer.hints if name != "preflight"] if answer.status != "ok" else []
    return [*lines, *hint_lines(answer, *hints)]


def _index_counts(result: Fields) -> Iterator[str]:
    for name in ("added", "modified", "removed", "pending"):
        count = result.get(name)
        if isinstance(count, list):
            count = len(count)
        if count:
            yield f"{count:,} {name}"
    if "files" in result:
        yield f"{result['files']:,} files"
    if result.get("bytes"):
        yield f"{result['bytes']:,} bytes"
    if result.get("reconciled_ignores"):
        yield "ignore rules changed"


def _sentence(words: str) -> str:
    """Return a sentence as the start of a line."""
    shown = words.removesuffix(".")
    return shown[:1].lower() + shown[1:]
