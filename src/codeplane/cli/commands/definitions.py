"""`cpl defs`: definitions of a name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from codeplane.base.limits import MAX_LIMIT
from codeplane.base.text_lines import TextLine, note
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import lines_reply
from codeplane.cli.options import json_option, limit_option
from codeplane.cli.paths import repository_path, typed_symbol
from codeplane.cli.terminal import plural

if TYPE_CHECKING:
    from codeplane.operations.definitions import Definition, DefinitionsAnswer


@click.command()
@click.argument("name")
@click.option("-k", "--kind", metavar="KIND", help="Only this kind, such as function, class or method.")
@click.option("-p", "--path", metavar="PATH", help="Only files at or under PATH.")
@limit_option(20)
@json_option
@click.pass_context
def defs(context: click.Context, name: str, kind: str | None, path: str | None, limit: int, json: bool) -> None:
    """Find the definitions of a name."""
    context.exit(answer("defs", lambda: _defs(context.obj, name, kind, path, limit), json=json))


def _defs(invocation: Invocation, name: str, kind: str | None, path: str | None, limit: int) -> Reply:
    from codeplane.cli.connect import reading
    from codeplane.operations.definitions import find_definitions
    from codeplane.operations.symbols.presenter import not_found_lines, not_found_message, symbol_rows

    assembly = assemble(invocation)
    inside = repository_path(assembly.context.root, invocation.start, path) if path else None
    written = typed_symbol(assembly.context.root, invocation.start, name)
    with reading(assembly.context, invocation) as reads:
        found = find_definitions(reads, written, kind=kind, path=inside or None, limit=limit)
    status, warnings = "ok", (*assembly.warnings, *found.warnings)
    hints: dict[str, object] = {}
    if found.missing is not None:
        status, message = "not_found", not_found_message(found.missing)
        lines = not_found_lines(found.missing)
        hints = {"similar": list(found.missing.suggestions)} if found.missing.suggestions else {}
    else:
        message = plural(found.total, "definition")
        lines = [*symbol_rows([each.symbol for each in found.definitions]), *_left_out(found)]
    return replace(
        lines_reply(status, lines, warnings),
        result={"results": [_row(each) for each in found.definitions], "total": found.total},
        message=message,
        hints=hints,
        meta={"epoch": found.epoch, "freshness": found.freshness.as_dict()},
    )


def _left_out(found: DefinitionsAnswer) -> Iterator[TextLine]:
    left = found.total - len(found.definitions)
    if left > 0:
        how = f"--limit {found.total}" if found.total <= MAX_LIMIT else "narrow it down with --kind or --path"
        yield note(f"more: {left:,} ({how})")


def _row(definition: Definition) -> dict[str, object]:
    symbol, row = definition.symbol, definition.row
    shown: dict[str, object] = {
        "path": symbol.path,
        "line_start": symbol.start_line,
        "line_end": symbol.end_line,
        "kind": symbol.kind,
        "name": symbol.name,
    }
    if row is not None:
        shown |= {
            "qualified_name": row.qualified_name,
            "signature": row.signature,
            "language": row.language,
            "visibility": row.visibility,
            "doc": row.doc,
            "decorators": list(row.decorators),
        }
    shown |= {"symbol_ref": symbol.reference, "def_uid": symbol.def_uid}
    return {name: value for name, value in shown.items() if value not in (None, "", [])}
