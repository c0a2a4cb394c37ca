"""`cpl ls`: files and directories."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.paths import repository_path

MAX_ENTRIES = 1000


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
    from codeplane.cli.commands.map_repo import tool_answer

    return tool_answer(invocation, "list_files", arguments, as_json=as_json)
