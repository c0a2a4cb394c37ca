"""`cpl defs`, `cpl outline`, `cpl languages`: a look at what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codeplane.base.limits import MAX_LIMIT
from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import lines_reply
from codeplane.cli.paths import repository_path

if TYPE_CHECKING:
    pass


def outline(invocation: Invocation, file: str, *, ref: str | None = None, symbol: str | None = None, json: bool) -> int:
    return answer("outline", lambda: _outline(invocation, file, ref, symbol, as_json=json), json=False)


def _outline(invocation: Invocation, file: str, ref: str | None, symbol: str | None, *, as_json: bool) -> Reply:
    from codeplane.cli.connect import call_lines, call_tool

    assembly = assemble(invocation)
    path = repository_path(assembly.context.root, invocation.start, file)
    arguments = {"file": path, "limit_symbols": MAX_LIMIT, "ref": ref, "symbol": symbol}
    arguments = {name: value for name, value in arguments.items() if value}
    if as_json:
        found, _ = call_tool(assembly.context, invocation, "file_outline", arguments)
        return tool_reply(found)
    status, lines = call_lines(assembly.context, invocation, "file_outline", arguments)
    return lines_reply(status, lines, assembly.warnings)
