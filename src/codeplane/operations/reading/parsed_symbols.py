"""Symbols of one file that was parsed by itself, while there is no index to ask."""

from __future__ import annotations

from difflib import get_close_matches

from codeplane.base.symbols import parse_symbol_ref
from codeplane.operations.outline import Outlined
from codeplane.operations.reading.symbols import MAX_CANDIDATES, MAX_SIMILAR, Matches, Span
from codeplane.operations.reading.targets import find_place
from codeplane.query.defs import name_parts
from codeplane.query.outline import OutlineRow


def find_spans_in_file(outlined: Outlined, what: str) -> Matches:
    """Symbols of the file that a reference to it names: `path#name`, `path#name@line` or `path:line`."""
    rows = [row for row in outlined.rows if row.name]
    place = find_place(what) if "#" not in what else None
    if place is not None:
        around = [row for row in rows if row.start_line <= place.first <= row.end_line]
        # Of nested symbols the innermost begins last, and of those that begin together it ends first.
        innermost = sorted(around, key=lambda row: (-row.start_line, -row.start_col, row.end_line, row.ordinal))[:1]
        return _matches(outlined, innermost)
    named = parse_symbol_ref(what)
    written = named.lexical_path or ""
    found = [row for row in rows if row.lexical_path == written] or _ending_alike(rows, written)
    found = [row for row in found if row.start_line == named.line] or found
    if found:
        return _matches(outlined, found)
    by_name = {name: row for row in reversed(rows) for name in (row.name, row.lexical_path)}
    close = get_close_matches(written, by_name, MAX_SIMILAR)
    return Matches((), 0, tuple(dict.fromkeys(_span(outlined, by_name[name]).reference for name in close)))


def parents_in_file(outlined: Outlined, span: Span) -> list[dict[str, object]]:
    """What a symbol is nested in, the outermost first."""
    rows = {row.ordinal: row for row in outlined.rows}
    own = next(
        (row for row in rows.values() if (row.lexical_path, row.start_line) == (span.lexical_path, span.first)), None
    )
    chain: list[dict[str, object]] = []
    while own is not None and own.parent is not None and len(chain) < len(rows):
        own = rows.get(own.parent)
        if own is not None:
            chain.append({"kind": own.kind, "name": own.name, "line_start": own.start_line})
    return chain[::-1]


def _ending_alike(rows: list[OutlineRow], written: str) -> list[OutlineRow]:
    parts = name_parts(written)
    return [row for row in rows if parts and row.lexical_path.split(".")[-len(parts) :] == parts]


def _matches(outlined: Outlined, rows: list[OutlineRow]) -> Matches:
    """What is nested least comes first: it is meant more often."""
    spans = [_span(outlined, row) for row in rows]
    ordered = sorted(dict.fromkeys(spans), key=lambda span: (span.lexical_path.count("."), span.first, span.last))
    return Matches(tuple(ordered[:MAX_CANDIDATES]), len(ordered))


def _span(outlined: Outlined, row: OutlineRow) -> Span:
    return Span(outlined.path, row.lexical_path, row.kind, row.name, row.signature, row.start_line, row.end_line)
