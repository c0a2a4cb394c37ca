"""Symbols by name, position and def_uid: of an indexed repository, or of one parsed file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from codeplane.base.paths import RepoPath, is_inside
from codeplane.facts.links import uid_number
from codeplane.query.defs import (
    DefRow,
    find_defs,
    list_defs_by_prefix,
    list_defs_ignoring_case,
    split_name,
)
from codeplane.query.files import get_file
from codeplane.query.outline import OutlineRow, list_outline_rows, nearest_paths
from codeplane.query.relations import (
    ATTRIBUTE,
    Symbol,
    find_symbols,
    find_symbols_at,
    find_symbols_in_file,
    list_attributes_in_file,
    list_attributes_named,
    list_owned_symbols,
)
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import list_similar_names
from codeplane.store.codec import ORDINAL_BITS, storable

MAX_FILE_CANDIDATES = 2_000
"""Maximum symbols of one file that are compared with a missing name."""
_MAX_NEAR_NAMES = 12
_MAX_CONTAINERS = 5
_MAX_LIKE = 200
_MAX_MEMBERS = 500
_MAX_PREFIX = 50
_MAX_NEAREST = 3


class SymbolCandidate(NamedTuple):
    """A symbol that may have been meant by a misspelled name."""

    path: RepoPath
    name: str
    lexical_path: str
    qualified: tuple[str, ...]
    """Parts of the qualified name."""
    kind: str
    line: int
    end_line: int


class SymbolIndex(Protocol):
    """Source of symbols for the resolver."""

    def has_file(self, path: str) -> bool: ...

    def by_identity(self, uid: str) -> list[Symbol]: ...

    def at(self, path: str, line: int, column: int | None) -> list[Symbol]: ...

    def in_file(self, path: str, lexical_path: str) -> list[Symbol]: ...

    def named(self, text: str, scope: str, kind: str | None, limit: int) -> tuple[list[Symbol], int]:
        """Return the symbols of a name at or under a path, and their total."""

    def file_candidates(self, path: str) -> list[SymbolCandidate]: ...

    def candidates(self, parts: Sequence[str], scope: str) -> list[SymbolCandidate]:
        """Return symbols to compare with a missing name."""

    def nearest_files(self, path: str) -> tuple[RepoPath, ...]: ...


class IndexedSymbols:
    """Symbols of one epoch of the index."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def has_file(self, path: str) -> bool:
        return get_file(self._snapshot, path) is not None

    def by_identity(self, uid: str) -> list[Symbol]:
        if len(uid) != _UID_DIGITS:
            return []
        return list(find_symbols(self._snapshot, [uid_number(uid)]).values())

    def at(self, path: str, line: int, column: int | None) -> list[Symbol]:
        return find_symbols_at(self._snapshot, path, line, None if column is None else max(0, column - 1))

    def in_file(self, path: str, lexical_path: str) -> list[Symbol]:
        return find_symbols_in_file(self._snapshot, path, storable(lexical_path))

    def named(self, text: str, scope: str, kind: str | None, limit: int) -> tuple[list[Symbol], int]:
        text = storable(text)
        parts = split_name(text)
        page = find_defs(self._snapshot, text, limit, kind=kind, directory=scope)
        attributes: list[Symbol] = []
        if parts and kind in (None, ATTRIBUTE):
            attributes = [
                symbol
                for symbol in list_attributes_named(self._snapshot, parts[-1])
                if is_inside(symbol.path, scope) and _is_suffix_match(symbol.lexical_path.split("."), parts)
            ]
        symbols = [*map(_from_def, page.rows), *attributes]
        return symbols[:limit], page.total + len(attributes)

    def file_candidates(self, path: str) -> list[SymbolCandidate]:
        rows = list_outline_rows(self._snapshot, path)[:MAX_FILE_CANDIDATES]
        attributes = list_attributes_in_file(self._snapshot, path, _MAX_MEMBERS)
        return [*(_from_outline(RepoPath(path), row) for row in rows if row.name), *map(_from_symbol, attributes)]

    def candidates(self, parts: Sequence[str], scope: str) -> list[SymbolCandidate]:
        snapshot = self._snapshot
        *qualifiers, member = [storable(part) for part in parts]
        names = [member, *list_similar_names(snapshot, member, _MAX_NEAR_NAMES)]
        found = self.file_candidates(scope) if scope and self.has_file(scope) else []
        if qualifiers:
            near = list_similar_names(snapshot, qualifiers[-1], _MAX_NEAR_NAMES)
            found += map(_candidate, list_defs_ignoring_case(snapshot, names, [qualifiers[-1], *near], _MAX_LIKE))
            for owner in self.named(".".join(qualifiers), "", None, _MAX_CONTAINERS)[0]:
                found += map(_from_symbol, list_owned_symbols(snapshot, owner, _MAX_MEMBERS))
        found += map(_candidate, list_defs_ignoring_case(snapshot, [member], None, _MAX_LIKE))
        found += map(_candidate, list_defs_ignoring_case(snapshot, names, None, _MAX_LIKE))
        found += map(_from_symbol, list_attributes_named(snapshot, member)[:_MAX_LIKE])
        if split_name(member):
            found += map(_candidate, list_defs_by_prefix(snapshot, member, _MAX_PREFIX).rows)
        return found

    def nearest_files(self, path: str) -> tuple[RepoPath, ...]:
        return nearest_paths(self._snapshot, path, _MAX_NEAREST)


class FileSymbols:
    """Symbols of one file that is not in the index, such as a file of another revision."""

    def __init__(self, path: RepoPath, rows: Sequence[OutlineRow]) -> None:
        self._path = path
        self._rows = [row for row in rows if row.name]

    def has_file(self, path: str) -> bool:
        return path == self._path

    def by_identity(self, uid: str) -> list[Symbol]:
        return self._symbols(row for row in self._rows if row.def_uid == uid)

    def at(self, path: str, line: int, column: int | None) -> list[Symbol]:
        around = [row for row in self._rows if row.start_line <= line <= row.end_line] if path == self._path else []
        return self._symbols(
            sorted(around, key=lambda row: (-row.start_line, -row.start_col, row.end_line, row.ordinal))[:1]
        )

    def in_file(self, path: str, lexical_path: str) -> list[Symbol]:
        return self._symbols(row for row in self._rows if path == self._path and row.lexical_path == lexical_path)

    def named(self, text: str, scope: str, kind: str | None, limit: int) -> tuple[list[Symbol], int]:
        parts = split_name(text)
        rows = [row for row in self._rows if kind in (None, row.kind) and is_inside(self._path, scope)]
        found = [row for row in rows if parts and row.name == parts[-1] and _is_suffix_match(_parts(row), parts)]
        symbols = self._symbols(found or (row for row in rows if row.name == text))
        return symbols[:limit], len(symbols)

    def file_candidates(self, path: str) -> list[SymbolCandidate]:
        rows = self._rows[:MAX_FILE_CANDIDATES] if path == self._path else []
        return [_from_outline(self._path, row) for row in rows]

    def candidates(self, parts: Sequence[str], scope: str) -> list[SymbolCandidate]:
        return self.file_candidates(self._path)

    def nearest_files(self, path: str) -> tuple[RepoPath, ...]:
        return ()

    def _symbols(self, rows: Iterable[OutlineRow]) -> list[Symbol]:
        return [
            Symbol(
                self._path,
                row.start_line,
                row.start_col,
                row.kind,
                row.name,
                row.lexical_path,
                row.signature,
                row.def_uid,
                row.start_line,
                row.end_line,
                row.parent,
                0,
                row.ordinal,
            )
            for row in rows
        ]


_UID_DIGITS = 16


def _is_suffix_match(own: Sequence[str], written: Sequence[str]) -> bool:
    """True if one is a suffix of the other; at least two parts of a qualified name must agree."""
    shorter = min(len(own), len(written))
    if shorter < min(2, len(written)):
        return False
    return list(own[-shorter:]) == list(written[-shorter:])


def _parts(row: OutlineRow) -> list[str]:
    return split_name(row.qualified_name) or [row.name]


def _from_def(row: DefRow) -> Symbol:
    return Symbol(
        row.path,
        row.name_line,
        row.name_col,
        row.kind,
        row.name,
        row.lexical_path,
        row.signature,
        row.def_uid,
        row.start_line,
        row.end_line,
        row.parent,
        row.def_id >> ORDINAL_BITS,
        row.def_id,
    )


def _candidate(row: DefRow) -> SymbolCandidate:
    parts = tuple(split_name(row.qualified_name)) or (row.name,)
    return SymbolCandidate(row.path, row.name, row.lexical_path, parts, row.kind, row.start_line, row.end_line)


def _from_symbol(symbol: Symbol) -> SymbolCandidate:
    parts = tuple(symbol.lexical_path.split("."))
    return SymbolCandidate(
        symbol.path, symbol.name, symbol.lexical_path, parts, symbol.kind, symbol.start_line, symbol.end_line
    )


def _from_outline(path: RepoPath, row: OutlineRow) -> SymbolCandidate:
    return SymbolCandidate(path, row.name, row.lexical_path, tuple(_parts(row)), row.kind, row.start_line, row.end_line)
