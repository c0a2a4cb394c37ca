"""`cpl refs`: references of a symbol, and how many are unresolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import display
from codeplane.base.symbols import short_name
from codeplane.base.text_lines import TextLine, heading, match, note, text
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import lines_reply
from codeplane.cli.options import json_option, limit_option
from codeplane.cli.paths import typed_symbol
from codeplane.cli.terminal import number, plural
from codeplane.facts.model import Tier

if TYPE_CHECKING:
    from codeplane.operations.refs import SymbolUses
    from codeplane.operations.symbols.model import SymbolNotFound
    from codeplane.query.overrides import OverrideFamily
    from codeplane.query.refs import UseRow
    from codeplane.query.relations import Symbol


@click.command()
@click.argument("what", metavar="NAME|PATH:LINE")
@limit_option(100)
@json_option
@click.pass_context
def refs(context: click.Context, what: str, limit: int, json: bool) -> None:
    """Find the uses of a symbol.

    Write the symbol as name, Class.member, path:line, path:line:column or path#name.
    """
    context.exit(answer("refs", lambda: _refs(context.obj, what, limit), json=json))


def _refs(invocation: Invocation, written: str, limit: int) -> Reply:
    from codeplane.cli.connect import reading
    from codeplane.operations.refs import find_uses
    from codeplane.operations.symbols.model import SymbolNotFound

    assembly = assemble(invocation)
    root = assembly.context.root
    with reading(assembly.context, invocation) as reads:
        read = find_uses(reads, typed_symbol(root, invocation.start, written), limit)
    warnings = (*assembly.warnings, *(notice.as_line() for notice in read.notices))
    if isinstance(read.value, SymbolNotFound):
        return _not_found(read.value, {"symbols": []}, read.epoch, warnings)
    found: list[SymbolUses] = read.value
    lines = [line for uses in found for line in _uses_lines(root, uses, several=len(found) > 1)]
    return replace(
        lines_reply("ok", lines, warnings),
        result={"symbols": [_uses_json(uses) for uses in found]},
        message=plural(sum(uses.total for uses in found), "reference"),
        meta={"epoch": read.epoch},
    )


def _not_found(missing: SymbolNotFound, result: Mapping[str, object], epoch: int, warnings: Sequence[str]) -> Reply:
    from codeplane.operations.symbols.presenter import not_found_lines, not_found_message

    similar = {"similar": list(missing.suggestions)} if missing.suggestions else {}
    return replace(
        lines_reply("not_found", not_found_lines(missing), warnings),
        result={**result, **similar},
        message=not_found_message(missing),
        meta={"epoch": epoch},
    )


def _uses_lines(root: Path, uses: SymbolUses, *, several: bool) -> Iterator[TextLine]:
    """Yield the lines that use a symbol, by file; unresolved uses are counted."""
    if several:
        yield note(f"{display(uses.symbol.reference)}: {plural(uses.total, 'reference')}")
    elif not uses.total:
        yield text(f"no references of {display(uses.symbol.reference)}")
    by_path: dict[str, list[UseRow]] = {}
    for row in uses.rows:
        by_path.setdefault(row.path, []).append(row)
    for path, rows in by_path.items():
        yield heading(path)
        texts = _lines_of(root / path)
        for row in rows:
            source = texts[row.start_line - 1].rstrip("\r") if row.start_line <= len(texts) else ""
            yield match(path, row.start_line, _printable(source), _use_suffix(row))
    yield from map(note, _uses_notes(uses))


def _use_suffix(row: UseRow) -> str:
    via = [f"via {short_name(row.via.lexical_path)}"] if row.via is not None else []
    return "  ".join([*via, *([row.tier.name.lower()] if row.tier < Tier.STRONG else [])])


def _printable(source: str) -> str:
    return "\t".join(display(part) for part in source.split("\t"))


def _uses_notes(uses: SymbolUses) -> Iterator[str]:
    left = uses.total - len(uses.rows)
    if left:
        yield f"more: {number(left)} (--limit {min(uses.total, MAX_LIMIT)})"
    if uses.renamed:
        shown = ", ".join(f"{display(use.path)}:{use.start_line}" for use in uses.renamed[:3])
        yield f"under another name: {number(len(uses.renamed))} ({shown}{', ...' if len(uses.renamed) > 3 else ''})"
    if uses.unresolved:
        name = quote(uses.symbol.name)
        yield f"unresolved: {number(uses.unresolved)} possible (cpl search {name} --mode references)"
    family = _family_line(uses.family)
    if family:
        yield family


def _family_line(family: OverrideFamily | None) -> str:
    if family is None:
        return ""
    parts = []
    if family.overrides:
        parts.append("overrides " + ", ".join(display(member.lexical_path) for member in family.overrides[:5]))
    if family.overridden_by:
        shown = ", ".join(display(member.lexical_path) for member in family.overridden_by[:5])
        more = len(family.overridden_by) - 5
        parts.append(f"overridden by {shown}" + (f" and {number(more)} more" if more > 0 else ""))
    if family.open:
        parts.append("a base outside of the repository may declare it")
    return "; ".join(parts)


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return []


def _symbol_json(symbol: Symbol | None) -> dict[str, object]:

    if symbol is None:
        return {"kind": "file"}
    row: dict[str, object] = {
        "symbol_ref": symbol.reference,
        "path": symbol.path,
        "line_start": symbol.start_line,
        "line_end": symbol.end_line,
        "kind": symbol.kind,
        "name": symbol.name,
    }
    return row | ({"signature": symbol.signature} if symbol.signature else {})


def _use_json(use: UseRow) -> dict[str, object]:
    row: dict[str, object] = {"path": use.path, "line": use.start_line, "column": use.start_col + 1}
    row |= {"tier": use.tier.name.lower()} | ({"calls": True} if use.calls else {})
    if use.via is not None:
        row["via"] = use.via.reference
    return row


def _uses_json(uses: SymbolUses) -> dict[str, object]:
    row: dict[str, object] = {
        **_symbol_json(uses.symbol),
        "references": [_use_json(use) for use in uses.rows],
        "total": uses.total,
        "tiers": dict(uses.tiers),
        "unresolved": uses.unresolved,
    }
    if uses.renamed:
        row["under_another_name"] = [_use_json(use) for use in uses.renamed]
    if uses.groups:
        row["unresolved_groups"] = [
            {
                "receiver": group.receiver_shape,
                "count": group.total_count,
                "exemplars": [f"{place.path}:{place.line}" for place in group.exemplars],
            }
            for group in uses.groups
        ]
    if uses.family is not None:
        row["family"] = {
            "overrides": [_symbol_json(member) for member in uses.family.overrides],
            "overridden_by": [_symbol_json(member) for member in uses.family.overridden_by],
            "base_outside": uses.family.open,
        }
    return row
