"""`cpl read`: what an agent reads, for people: the bare text through a pipe, with line numbers on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from codeplane.base.paths import display
from codeplane.cli.answer import FAILED, OK, Reply, answer, require_answer, tool_reply, warning_lines
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.commands.lookup import repository_path
from codeplane.cli.terminal import Style, columns, fit, plural

Item = Mapping[str, Any]


def read(invocation: Invocation, targets: tuple[str, ...], *, against: str | None, json: bool) -> int:
    return answer("read", lambda: _read(invocation, targets, against, as_json=json), json=False)


def _read(invocation: Invocation, targets: tuple[str, ...], against: str | None, *, as_json: bool) -> Reply:
    from codeplane.cli.reach import call_tool

    assembly = assemble(invocation)
    root = assembly.context.root
    wanted = [_target(root, invocation.start, target) for target in targets]
    arguments: dict[str, object] = {"target": wanted[0]} if len(wanted) == 1 else {"targets": wanted}
    arguments |= {"mode": "diff_preview", "against": against} if against else {}
    found, _ = call_tool(assembly.context, invocation, "read", arguments)
    if as_json:
        return tool_reply(found)
    require_answer(found)
    style, terminal = Style.of(sys.stdout), sys.stdout.isatty()
    items: list[Item] = found["result"].get("items") or [{**found["result"], "status": found["status"]}]
    parts = ["".join(_shown(item, style, terminal, alone=len(items) == 1)) for item in items]
    failed = any(item.get("status", "ok") != "ok" for item in items)
    text = "\n".join(parts).removesuffix("\n")
    return Reply(text=text, exit_code=FAILED if failed else OK, warnings=(*assembly.warnings, *warning_lines(found)))


def _target(root: Path, start: Path | None, written: str) -> str:
    """What stands in front of lines or a name may be a path from where somebody stands."""
    if os.path.lexists((start or Path()) / written):
        return repository_path(root, start, written)
    for mark in ("#", ":"):
        head, found, tail = written.partition(mark)
        if found and os.path.lexists((start or Path()) / head):
            return f"{repository_path(root, start, head)}{mark}{tail}"
    return written


def _shown(item: Item, style: Style, terminal: bool, *, alone: bool) -> Iterator[str]:
    if "content" not in item:
        yield from _absent(item, style)
        return
    if terminal or not alone:
        place = f"{item['path']}:{item['line_start']}-{item['line_end']}" if "line_start" in item else item["path"]
        about = " ".join(str(item[name]) for name in ("kind", "change", "encoding", "line_ending") if name in item)
        yield f"{style.bold(display(place))}  {style.dim(about)}".rstrip() + "\n"
    if not terminal:
        yield item["content"]
        return
    lines = item["content"].split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    width = len(str(item.get("line_end", 0)))
    for number, line in enumerate(lines, item.get("line_start", 1)):
        text = display(line.removesuffix("\r").replace("\t", "    "))
        if "line_start" in item:
            yield f"  {style.dim(str(number).rjust(width))}  {text}\n"
        else:
            yield f"  {_coloured(text, style)}\n"


def _coloured(line: str, style: Style) -> str:
    colours = {"+": style.green, "-": style.red, "@": style.dim}
    return colours[line[0]](line) if line[:1] in colours else line


def _absent(item: Item, style: Style) -> Iterator[str]:
    """Why there is no text, and what could be asked for instead."""
    name = display(str(item.get("path") or item.get("target", "")))
    yield f"{style.bold(name)}  {_REASONS.get(item['status']) or display(item.get('message', ''))}\n"
    for candidate in item.get("candidates", ()):
        about = candidate.get("signature") or candidate["kind"]
        yield f"  {fit(candidate['symbol_ref'], columns() - 4)}  {style.dim(fit(about, 60))}\n"
    if item.get("left_out"):
        yield f"  and {plural(item['left_out'], 'more', 'more')}\n"
    if item.get("similar"):
        yield f"  names like it: {', '.join(map(display, item['similar']))}\n"


_REASONS = {
    "ambiguous": "several symbols are called so:",
    "not_found": "no such symbol or file",
    "unsupported": "a binary file",
}
