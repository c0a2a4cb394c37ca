"""`cpl map` and `cpl ls`: a repository at a glance, and the files of a directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import lines_reply


def map_repo(
    invocation: Invocation, *, include: Sequence[str], depth: int | None, tokens: int | None, json: bool
) -> int:
    given = {"include": list(include), "depth": depth, "max_tokens": tokens}
    return answer("map", lambda: tool_answer(invocation, "map_repo", given, as_json=json), json=False)


def tool_answer(invocation: Invocation, tool: str, arguments: Mapping[str, object], *, as_json: bool) -> Reply:
    from codeplane.cli.connect import call_lines, call_tool

    assembly = assemble(invocation)
    given = {name: value for name, value in arguments.items() if value}
    if as_json:
        found, _ = call_tool(assembly.context, invocation, tool, given)
        return tool_reply(found)
    status, lines = call_lines(assembly.context, invocation, tool, given)
    return lines_reply(status, lines, assembly.warnings)
