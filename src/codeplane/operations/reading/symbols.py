"""Which symbol is meant: one, several, or none. Never a guess.

Whatever form of reference an answer gave is taken here: `path#name@line`, `path#name`, `path:line`, a name, the end
of a qualified name, an identity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath, normalize
from codeplane.base.symbols import parse_symbol_ref, symbol_ref
from codeplane.operations.reading.targets import find_place, names_member
from codeplane.operations.signatures import telling_signature
from codeplane.query.defs import (
    DefRow,
    get_def,
    list_defs_by_name,
    list_defs_by_prefix,
    list_defs_called,
    name_parts,
)
from codeplane.query.files import get_file
from codeplane.query.imports import list_imports
from codeplane.query.outline import OutlineRow, list_outline_rows
from codeplane.query.relations import Symbol, find_symbols_in, list_attributes_named
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import storable

MAX_CANDIDATES = 20
MAX_SIMILAR = 5
_MAX_SIGNATURE = 100
_MAX_NAMED = 200
_MAX_IMPORTS = 200
_MAX_PARENTS = 10
_IDENTITY = re.compile(r"[0-9a-f]{16,64}")


class Span(NamedTuple):
    """A symbol and where it stands."""

    path: RepoPath
    lexical_path: str
    kind: str
    name: str
    signature: str
    first: int
    last: int

    @property
    def reference(self) -> str:
        return symbol_ref(self.path, self.lexical_path, self.first)

    def as_candidate(self) -> dict[str, object]:
        """Enough to choose by, and to ask with."""
        fields: dict[str, object] = {"symbol_ref": self.reference, "kind": self.kind, "line_end": self.last}
        signature = telling_signature(self.signature, self.name, _MAX_SIGNATURE)
        return fields | ({"signature": signature} if signature else {})


@dataclass(frozen=True)
class Matches:
    spans: tuple[Span, ...]
    total: int
    similar: tuple[str, ...] = ()
    """Names or references of what may have been meant, where there is none."""
    declarations: tuple[str, ...] = ()
    """Where what was found is declared besides."""

    @property
    def only(self) -> Span | None:
        return self.spans[0] if self.total == 1 else None


def find_spans(snapshot: Snapshot, what: str, within: str = "") -> Matches:
    """Symbols that `what` names; `within` leaves out those of other files, or beneath other directories."""
    text = what.strip()
    if _IDENTITY.fullmatch(text) and (known := get_def(snapshot, text)) is not None:
        return _matches([_of_def(known)])
    if "#" in text and not (names_member(text) and get_file(snapshot, text.partition("#")[0]) is None):
        named = parse_symbol_ref(text)
        found = _in_file(snapshot, named.path, named.lexical_path or "")
        found = [span for span in found if span.first == named.line] or found
        return _matches(found) if found else Matches((), 0, _alike(snapshot, named.path, named.lexical_path or ""))
    place = find_place(text)
    path = _path(place.path) if place is not None else None
    if place is not None and path is not None and get_file(snapshot, path) is not None:
        return _matches(_around(snapshot, path, place.first))
    found = _called(snapshot, storable(text), within)
    if found or not text:
        return _matches(found)
    return Matches((), 0, _near(snapshot, storable(text)))


def parents_of(snapshot: Snapshot, span: Span) -> list[dict[str, object]]:
    """What a symbol is nested in, the outermost first."""
    rows = {row.ordinal: row for row in list_outline_rows(snapshot, span.path)}
    own = next(
        (row for row in rows.values() if (row.lexical_path, row.start_line) == (span.lexical_path, span.first)), None
    )
    chain: list[dict[str, object]] = []
    while own is not None and own.parent is not None and len(chain) < _MAX_PARENTS:
        own = rows.get(own.parent)
        if own is not None:
            fields: dict[str, object] = {"kind": own.kind, "name": own.name, "line_start": own.start_line}
            signature = telling_signature(own.signature, own.name)
            chain.append(fields | ({"signature": signature} if signature else {}))
    return chain[::-1]


def imports_of(snapshot: Snapshot, path: RepoPath) -> list[str]:
    """What a file imports, a line for each source: `typing: Any, cast as c`."""
    named: dict[str, list[str]] = {}
    for row in list_imports(snapshot, path, _MAX_IMPORTS).rows:
        names = named.setdefault(row.source_literal or row.imported_name, [])
        alias = f" as {row.alias}" if row.alias and row.alias != row.imported_name else ""
        if row.source_literal and (row.imported_name != row.source_literal or alias):
            names.append(f"{row.imported_name}{alias}")
        elif alias:
            names.append(alias.strip())
    return [f"{source}: {', '.join(dict.fromkeys(names))}" if names else source for source, names in named.items()]


def _alike(snapshot: Snapshot, path: RepoPath, name: str) -> tuple[str, ...]:
    """Symbols of a file that are called nearly so."""
    spans = {span.lexical_path: span for span in (_of_row(path, row) for row in list_outline_rows(snapshot, path))}
    by_name = {span.name: span for span in reversed(spans.values()) if span.name}
    close = get_close_matches(name, [*spans, *by_name], MAX_SIMILAR)
    return tuple(dict.fromkeys((spans.get(one) or by_name[one]).reference for one in close))


def _near(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    """What has the name elsewhere, or without what stands before it; or else names that begin so."""
    parts = name_parts(text) or [text]
    bare = list_defs_by_name(snapshot, parts[-1], MAX_SIMILAR).rows
    if bare:
        return tuple(_of_def(row).reference for row in bare)
    near = list_defs_by_prefix(snapshot, parts[-1], 100).rows
    return tuple(dict.fromkeys(row.name for row in near))[:MAX_SIMILAR]


def _matches(found: Sequence[Span]) -> Matches:
    """What is nested least comes first: it is meant more often."""
    distinct = sorted(
        dict.fromkeys(found),
        key=lambda span: (span.lexical_path.count("."), span.path, span.first, span.last, span.lexical_path),
    )
    return Matches(tuple(distinct[:MAX_CANDIDATES]), len(distinct))


def _in_file(snapshot: Snapshot, path: RepoPath, name: str) -> list[Span]:
    """By its whole lexical path, or else by the end of one."""
    exact = [_of_symbol(symbol) for symbol in find_symbols_in(snapshot, path, storable(name))]
    return exact or (_called(snapshot, storable(name), path) if get_file(snapshot, path) is not None else [])


def _around(snapshot: Snapshot, path: RepoPath, line: int) -> list[Span]:
    rows = [row for row in list_outline_rows(snapshot, path) if row.name and row.start_line <= line <= row.end_line]
    # Of nested symbols the innermost begins last, and of those that begin together it ends first.
    innermost = sorted(rows, key=lambda row: (-row.start_line, -row.start_col, row.end_line, row.ordinal))[:1]
    return [_of_row(path, row) for row in innermost]


def _called(snapshot: Snapshot, text: str, within: str) -> list[Span]:
    pieces = name_parts(text)
    if not pieces:
        return []
    rows = list_defs_called(snapshot, text, _MAX_NAMED, directory=within).rows
    found = [_of_def(row) for row in _without_constructors(rows)]
    for attribute in list_attributes_named(snapshot, pieces[-1]):
        if attribute.lexical_path.split(".")[-len(pieces) :] == pieces and _is_within(attribute.path, within):
            found.append(_of_symbol(attribute))
    return found


def _without_constructors(rows: Iterable[DefRow]) -> list[DefRow]:
    """A constructor that is called like its type gives way to it."""
    kept = list(rows)
    types = {(row.path, row.ordinal) for row in kept}
    return [row for row in kept if row.kind != "constructor" or (row.path, row.parent) not in types]


def _path(written: str) -> RepoPath | None:
    try:
        return normalize(written)
    except CodePlaneError:
        return None


def _is_within(path: str, within: str) -> bool:
    return not within or path == within or path.startswith(f"{within}/")


def _of_def(row: DefRow) -> Span:
    return Span(row.path, row.lexical_path, row.kind, row.name, row.signature, row.start_line, row.end_line)


def _of_symbol(symbol: Symbol) -> Span:
    lines = symbol.start_line, symbol.end_line
    return Span(symbol.path, symbol.lexical_path, symbol.kind, symbol.name, symbol.signature, *lines)


def _of_row(path: RepoPath, row: OutlineRow) -> Span:
    return Span(path, row.lexical_path, row.kind, row.name, row.signature, row.start_line, row.end_line)
