"""`cpl unused`: definitions without a known use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import click

from codeplane.base.paths import RepoPath, display
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option, limit_option
from codeplane.cli.paths import repository_path
from codeplane.cli.terminal import Style, columns, fit, number, plural, wrapped

if TYPE_CHECKING:
    from codeplane.query.snapshot import Page
    from codeplane.query.unused import UnusedDef


_NO_REASON = "no other use of this name in the repository"


@click.command()
@click.argument("path", required=False)
@limit_option(50)
@json_option
@click.pass_context
def unused(context: click.Context, path: str | None, limit: int, json: bool) -> None:
    """List definitions without a known use, at or under PATH.

    Each comes with the reasons why it may be used all the same.
    """
    context.exit(answer("unused", lambda: _unused(context.obj, path, limit), json=json))


def _unused(invocation: Invocation, path: str | None, limit: int) -> Reply:
    from codeplane.cli.connect import reading
    from codeplane.operations.unused import find_unused
    from codeplane.query.unused import REASONS

    assembly = assemble(invocation)
    under = RepoPath(repository_path(assembly.context.root, invocation.start, path)) if path is not None else None
    with reading(assembly.context, invocation) as reads:
        read = find_unused(reads, limit, under or None)
    page: Page[UnusedDef] = read.value
    return Reply(
        result={
            "candidates": [
                {
                    "symbol_ref": row.symbol.reference,
                    "path": row.symbol.path,
                    "line_start": row.symbol.start_line,
                    "kind": row.symbol.kind,
                    "reasons": list(row.reasons),
                }
                for row in page.rows
            ],
            "total": page.total,
            "reasons": REASONS,
        },
        text="\n".join(_unused_lines(page, REASONS, Style.of(sys.stdout))),
        message=plural(page.total, "candidate"),
        meta={"epoch": read.epoch},
        warnings=(*assembly.warnings, *(notice.as_line() for notice in read.notices)),
    )


def _unused_lines(page: Page[UnusedDef], words: dict[str, str], style: Style) -> Iterator[str]:
    rows = sorted(page.rows, key=lambda row: (len(row.reasons), row.reasons))
    for reasons, group in groupby(rows, key=lambda row: row.reasons):
        yield from map(style.bold, wrapped("; ".join(words[reason] for reason in reasons) or _NO_REASON))
        for path, found in groupby(group, key=lambda row: row.symbol.path):
            if sys.stdout.isatty():
                yield f"  {display(path)}"
            for symbol in (row.symbol for row in found):
                if sys.stdout.isatty():
                    room = columns() - len(symbol.kind) - 14
                    yield f"  {symbol.start_line:>8}  {fit(symbol.lexical_path, room)}  {style.dim(symbol.kind)}"
                else:
                    yield f"{display(path)}:{symbol.start_line}:{display(symbol.lexical_path)}  {symbol.kind}"
    if page.total > len(page.rows):
        yield style.dim(f"{number(page.total)} in all; the most likely ones are shown")
    if page.rows:
        yield style.dim("Names built at run time and uses outside the repository are not seen.")
    else:
        yield style.dim("No unused definitions.")
