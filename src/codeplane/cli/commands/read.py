"""`cpl read`: a symbol, some lines, a file or a diff, with syntax colours on a terminal."""

from __future__ import annotations

import os
from pathlib import Path

from codeplane.base.text_lines import LineKind
from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import lines_reply
from codeplane.cli.paths import repository_path


def read(invocation: Invocation, targets: tuple[str, ...], *, against: str | None, json: bool) -> int:
    return answer("read", lambda: _read(invocation, targets, against, as_json=json), json=False)


def _read(invocation: Invocation, targets: tuple[str, ...], against: str | None, *, as_json: bool) -> Reply:
    from codeplane.cli.connect import call_lines, call_tool

    assembly = assemble(invocation)
    root = assembly.context.root
    wanted = [_target(root, invocation.start, target) for target in targets]
    arguments: dict[str, object] = {"target": wanted[0]} if len(wanted) == 1 else {"targets": wanted}
    arguments |= {"mode": "diff_preview", "against": against} if against else {}
    if as_json:
        found, _ = call_tool(assembly.context, invocation, "read", arguments)
        return tool_reply(found)
    status, lines = call_lines(assembly.context, invocation, "read", arguments)
    # As with cat, one target that cannot be shown makes the command fail.
    missed = any(line.kind is LineKind.NOTE and line.path for line in lines)
    return lines_reply("not_found" if missed else status, lines, assembly.warnings)


def _target(root: Path, start: Path | None, written: str) -> str:
    """A target whose path, before a line or a name, may be relative to the working directory."""
    if os.path.lexists((start or Path()) / written):
        return repository_path(root, start, written)
    for mark in ("#", ":"):
        head, found, tail = written.partition(mark)
        if found and os.path.lexists((start or Path()) / head):
            return f"{repository_path(root, start, head)}{mark}{tail}"
    return written
