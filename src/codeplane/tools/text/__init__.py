"""The text form of every answer: one renderer per tool, and the lines that all tools share.

A renderer turns an `Answer` into lines. It works on the same result as the JSON form, unless the handler has built the
lines itself (`Answer.lines`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.text_lines import TextLine
from codeplane.tools.text.codebases import render_list_codebases
from codeplane.tools.text.common import render_result, trailing_lines
from codeplane.tools.text.describe import render_describe
from codeplane.tools.text.health import render_health_check
from codeplane.tools.text.list_files import render_list_files
from codeplane.tools.text.manage_index import render_manage_index
from codeplane.tools.text.read import render_read, render_read_file_full, render_reset_budget
from codeplane.tools.text.task import render_task
from codeplane.tools.text.write_source import render_write_source

Renderer = Callable[[Mapping[str, Any], Answer], list[TextLine]]

RENDERERS: Mapping[str, Renderer] = {
    "describe": render_describe,
    "health_check": render_health_check,
    "list_codebases": render_list_codebases,
    "list_files": render_list_files,
    "manage_index": render_manage_index,
    "read": render_read,
    "read_file_full": render_read_file_full,
    "reset_budget": render_reset_budget,
    "task": render_task,
    "rollback": render_write_source,
    "write_source": render_write_source,
}


def render_answer(tool: str, arguments: Mapping[str, Any], answer: Answer) -> list[TextLine]:
    """The whole answer: what the tool prints, then stale paths and warnings."""
    lines = list(answer.lines) if answer.lines is not None else RENDERERS.get(tool, render_result)(arguments, answer)
    return [*lines, *trailing_lines(answer, {line.path for line in lines})]
