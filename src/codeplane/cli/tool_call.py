"""Commands that call one tool: its text form for people, its envelope with --json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import Mark, lines_reply, plain_mark

if TYPE_CHECKING:
    from pathlib import Path

    from codeplane.base.text_lines import TextLine

Arguments = Mapping[str, object]
STRICT: Arguments = {"freshness_policy": "strict"}
"""Arguments of commands that wait until the index is up to date."""


def run_tool(
    command: str,
    invocation: Invocation,
    tool: str,
    arguments: Callable[[Path], Arguments],
    *,
    json: bool,
    make_mark: Callable[[], Mark] = lambda: plain_mark,
) -> int:
    """Call a tool and print its answer. `arguments` gets the root; arguments that are None or empty are not sent."""
    return answer(
        command, lambda: call_reply(invocation, tool, arguments, as_json=json, make_mark=make_mark), json=json
    )


def call_reply(
    invocation: Invocation,
    tool: str,
    arguments: Callable[[Path], Arguments],
    *,
    as_json: bool,
    make_mark: Callable[[], Mark] = lambda: plain_mark,
    status_of: Callable[[str, list[TextLine]], str] = lambda status, lines: status,
) -> Reply:
    from codeplane.cli.connect import call_lines, call_tool

    assembly = assemble(invocation)
    context = assembly.context
    given = {name: value for name, value in arguments(context.root).items() if value not in (None, (), [], "")}
    if as_json:
        return tool_reply(call_tool(context, invocation, tool, given)[0])
    status, lines = call_lines(context, invocation, tool, given)
    return lines_reply(status_of(status, lines), lines, assembly.warnings, make_mark())
