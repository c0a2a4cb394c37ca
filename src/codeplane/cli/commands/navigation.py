"""`cpl map` and `cpl ls`: a repository at a glance, and the files of a directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.commands.lookup import repository_path
from codeplane.cli.lines import lines_reply

MAX_ENTRIES = 1000


def map_repo(
    invocation: Invocation, *, include: Sequence[str], depth: int | None, tokens: int | None, json: bool
) -> int:
    given = {"include": list(include), "depth": depth, "max_tokens": tokens}
    return answer("map", lambda: _reply(invocation, "map_repo", given, as_json=json), json=False)


@dataclass(frozen=True)
class ListOptions:
    """Options of `cpl ls`."""

    path: str | None = None
    depth: int | None = None
    pattern: str | None = None
    everything: bool = False
    limit: int | None = None


def list_files(invocation: Invocation, options: ListOptions, *, json: bool) -> int:
    return answer("ls", lambda: _list(invocation, options, as_json=json), json=False)


def _list(invocation: Invocation, options: ListOptions, *, as_json: bool) -> Reply:
    root = assemble(invocation).context.root
    arguments = {
        # Without a path, the working directory is listed.
        "path": repository_path(root, invocation.start, options.path or "."),
        "depth": options.depth,
        "pattern": options.pattern,
        "include_ignored": options.everything,
        "limit": options.limit or MAX_ENTRIES,
    }
    return _reply(invocation, "list_files", arguments, as_json=as_json)


def _reply(invocation: Invocation, tool: str, arguments: Mapping[str, object], *, as_json: bool) -> Reply:
    from codeplane.cli.reach import call_lines, call_tool

    assembly = assemble(invocation)
    given = {name: value for name, value in arguments.items() if value}
    if as_json:
        found, _ = call_tool(assembly.context, invocation, tool, given)
        return tool_reply(found)
    status, lines = call_lines(assembly.context, invocation, tool, given)
    return lines_reply(status, lines, assembly.warnings)
