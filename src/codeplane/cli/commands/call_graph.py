"""`cpl calls`: callers and callees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import lines_reply
from codeplane.cli.paths import typed_symbol

if TYPE_CHECKING:
    pass


def calls(
    invocation: Invocation, what: str, *, direction: str | None, depth: int, limit: int | None, json: bool
) -> int:
    return answer("calls", lambda: _calls(invocation, what, direction, depth, limit, as_json=json), json=False)


def _calls(
    invocation: Invocation, what: str, direction: str | None, depth: int, limit: int | None, *, as_json: bool
) -> Reply:
    from codeplane.cli.connect import call_lines, call_tool

    assembly = assemble(invocation)
    context = assembly.context
    given = {"direction": direction, "limit": limit}
    arguments: dict[str, object] = {"symbol": typed_symbol(context.root, invocation.start, what), "depth": depth}
    arguments |= {name: value for name, value in given.items() if value is not None}
    if as_json:
        return tool_reply(call_tool(context, invocation, "call_graph", arguments)[0])
    status, lines = call_lines(context, invocation, "call_graph", arguments)
    return lines_reply(status, lines, assembly.warnings)
