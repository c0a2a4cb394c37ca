"""Symbols and their stored relations: what is at a place, calls, and class hierarchies. Nothing is resolved here."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.base.symbols import symbol_ref
from codeplane.facts.links import uid_number, uid_text
from codeplane.facts.model import Tier
from codeplane.query.enclosing import find_enclosing
from codeplane.query.rows import file_row_range, find_block, find_links
from codeplane.query.snapshot import Snapshot, check_limit
from codeplane.store.codec import path_from_text, path_to_text, row_range, split_row_id

MAX_FAMILY = 500
"""Classes of one hierarchy that are looked at"""
ATTRIBUTE = "attribute"
FILE = "file"
LAMBDA = "lambda"


class Symbol(NamedTuple):
    """A definition, an attribute that a method assigns to its object, a lambda, or the top level of a file."""

    path: RepoPath
    line: int
    column: int
    """Column of its name, 0-based"""
    kind: str
    name: str
    lexical_path: str
    signature: str
    def_uid: str
    start_line: int
    end_line: int
    parent: int | None
    """Ordinal of the enclosing definition in the file"""
    file_id: int
    row_id: int = 0
    """def_id of a definition, attribute_id of an attribute"""

    @property
    def number(self) -> int:
        return uid_number(self.def_uid)

    @property
    def reference(self) -> str:
        if self.kind == FILE:
            return f"{self.path}:1"
        if self.kind == LAMBDA:
            return f"{self.path}:{self.line}:{self.column + 1}"
        return symbol_ref(self.path, self.lexical_path, self.start_line)


class CallSites(NamedTuple):
    """A caller or callee, and the places of its calls."""

    symbol: Symbol
    path: RepoPath
    places: tuple[tuple[int, int], ...]
    tier: Tier
    via: Symbol | None = None
    """Other symbol that is called there: a base member, a constructor or its class"""


def find_symbols(snapshot: Snapshot, numbers: Collection[int]) -> dict[int, Symbol]:
    """Find symbols by the numbers of their uids."""
    found: dict[int, Symbol] = {}
    for number in sorted(set(numbers)):
        row = snapshot.reader.row(f"{DEFINITIONS} WHERE def_uid = ? ORDER BY path LIMIT 1", (uid_text(number),))
        row = row or snapshot.reader.row(
            f"{_ATTRIBUTES} WHERE a.def_uid = ? ORDER BY path LIMIT 1", (uid_text(number),)
        )
        if row is not None:
            found[number] = symbol_from_row(row)
    return found


def find_symbols_in_file(snapshot: Snapshot, path: str, lexical_path: str) -> list[Symbol]:
    """Find definitions and attributes of a file by lexical path."""
    file = snapshot.reader.row("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),))
    if file is None:
        return []
    span = row_range(int(file[0]))
    rows = snapshot.reader.rows(
        f"{DEFINITIONS} WHERE def_id BETWEEN ? AND ? AND lexical_path = ?", (*span, lexical_path)
    )
    owned = f"{_ATTRIBUTES} WHERE attribute_id BETWEEN ? AND ? AND d.lexical_path || '.' || a.name = ?"
    return [symbol_from_row(row) for row in (*rows, *snapshot.reader.rows(owned, (*span, lexical_path)))]


def list_attributes_named(snapshot: Snapshot, name: str) -> list[Symbol]:
    rows = snapshot.reader.rows(
        f"{_ATTRIBUTES} WHERE lower(a.name) = lower(?1) AND a.name = ?1 ORDER BY path, a.line, a.col", (name,)
    )
    return [symbol_from_row(row) for row in rows]


def list_owned_symbols(snapshot: Snapshot, owner: Symbol, limit: int) -> list[Symbol]:
    """List the members and attributes of a symbol in its own file, by line."""
    check_limit(limit)
    span, start = row_range(owner.file_id), f"{owner.lexical_path}."
    where = "BETWEEN ? AND ? AND substr({0}, 1, length(?)) = ? AND instr(substr({0}, length(?) + 1), '.') = 0"
    values = (*span, start, start, start)
    defined = f"{DEFINITIONS} WHERE def_id {where.format('lexical_path')} ORDER BY start_line, name LIMIT {int(limit)}"
    rows = snapshot.reader.rows(defined, values)
    assigned = f"{_ATTRIBUTES} WHERE attribute_id BETWEEN ? AND ? AND d.lexical_path = ? ORDER BY a.line, a.name"
    rows += snapshot.reader.rows(f"{assigned} LIMIT {int(limit)}", (*span, owner.lexical_path))
    return [symbol_from_row(row) for row in rows]


def list_attributes_in_file(snapshot: Snapshot, path: str, limit: int) -> list[Symbol]:
    """List the attributes that methods of a file assign to their objects, by line."""
    check_limit(limit)
    span = file_row_range(snapshot, path)
    if span is None:
        return []
    sql = f"{_ATTRIBUTES} WHERE attribute_id BETWEEN ? AND ? ORDER BY a.line, a.name LIMIT {int(limit)}"
    return [symbol_from_row(row) for row in snapshot.reader.rows(sql, span)]


def find_symbols_at(snapshot: Snapshot, path: str, line: int, column: int | None = None) -> list[Symbol]:
    """Find the symbol at a place: with a column, the target of the identifier there; otherwise the first definition
    whose name is on the line, or else the innermost definition around it."""
    span = file_row_range(snapshot, path)
    if span is None:
        return []
    if column is not None:
        found = _targets_at(snapshot, split_row_id(span[0])[0], line, column)
        found = found or _attributes_at(snapshot, span, line, column)
        if found:
            return found
        for _, _, (outer,) in find_enclosing(snapshot, {RepoPath(path): [(line, column)]}):
            if outer is not None:
                return list(find_symbols(snapshot, [uid_number(outer.def_uid)]).values())
    # The innermost definition starts last; of those that start together it ends first.
    rows = snapshot.reader.rows(
        f"{DEFINITIONS} WHERE def_id BETWEEN ?1 AND ?2 AND start_line <= ?3 AND end_line >= ?3 AND name <> ''"
        " ORDER BY name_line <> ?3, CASE WHEN name_line = ?3 THEN name_col END, start_line DESC, start_col DESC,"
        " end_line, def_id LIMIT 1",
        (*span, line),
    )
    return [symbol_from_row(row) for row in rows]


def _attributes_at(snapshot: Snapshot, span: tuple[int, int], line: int, column: int) -> list[Symbol]:
    sql = (
        f"{_ATTRIBUTES} WHERE attribute_id BETWEEN ?1 AND ?2 AND a.line = ?3"
        " AND a.col <= ?4 AND ?4 < a.col + length(a.name)"
    )
    return [symbol_from_row(row) for row in snapshot.reader.rows(sql, (*span, line, column))]


def _targets_at(snapshot: Snapshot, file_id: int, line: int, column: int) -> list[Symbol]:
    block = find_block(snapshot, file_id)
    if block is None:
        return []
    links = find_links(snapshot, file_id)
    columns, names = block.facts.refs.columns, block.facts.names
    for ref, which in zip(links.refs, links.which, strict=True):
        if columns.lines[ref] != line:
            continue
        start = columns.columns[ref]
        if start <= column < start + len(names[columns.names[ref]]):
            wanted = {links.targets[at] for other, at in zip(links.refs, links.which, strict=True) if other == ref}
            wanted.add(links.targets[which])
            return list(find_symbols(snapshot, wanted).values())
    return []


def list_bases(snapshot: Snapshot, number: int) -> tuple[list[int], bool]:
    """Return the direct bases of a class, and True if one of them is external or unknown."""
    rows = snapshot.reader.rows("SELECT DISTINCT base FROM bases WHERE derived = ? ORDER BY base", (number,))
    return [base for (base,) in rows if base], any(not base for (base,) in rows)


def list_derived(snapshot: Snapshot, number: int) -> list[int]:
    rows = snapshot.reader.rows("SELECT DISTINCT derived FROM bases WHERE base = ? ORDER BY derived", (number,))
    return [derived for (derived,) in rows]


def list_hierarchy(snapshot: Snapshot, number: int, *, up: bool) -> tuple[list[int], bool]:
    """Classes that a class inherits from, or that inherit from it, the nearest first; and whether any is unknown."""
    found: dict[int, None] = {}
    waiting, is_open = [number], False
    while waiting and len(found) < MAX_FAMILY:
        following: list[int] = []
        for each in waiting:
            if up:
                near, unknown = list_bases(snapshot, each)
                is_open = is_open or unknown
            else:
                near = list_derived(snapshot, each)
            following += [other for other in near if other != number and other not in found]
            found |= dict.fromkeys(following)
        waiting = list(dict.fromkeys(following))
    return list(found), is_open


def list_members(snapshot: Snapshot, number: int, name: str | None = None) -> list[Symbol]:
    """List the definitions directly in a class, optionally of one name."""
    row = snapshot.reader.row("SELECT def_id FROM defs WHERE def_uid = ? LIMIT 1", (uid_text(number),))
    if row is None:
        return []
    file_id, ordinal = split_row_id(int(row[0]))
    sql = f"{DEFINITIONS} WHERE def_id BETWEEN ? AND ? AND parent = ?"
    values: list[int | str] = [*row_range(file_id), ordinal]
    if name is not None:
        sql += " AND name = ?"
        values.append(name)
    return [symbol_from_row(found) for found in snapshot.reader.rows(f"{sql} ORDER BY def_id", values)]


def symbol_from_row(row: tuple[object, ...]) -> Symbol:
    return Symbol._make((path_from_text(str(row[0])), *row[1:]))


DEFINITIONS = (
    "SELECT path, name_line, name_col, kind, name, lexical_path, signature, def_uid, start_line, end_line, parent,"
    " files.file_id, def_id FROM defs JOIN files ON files.file_id = def_id >> 20"
)
_ATTRIBUTES = (
    "SELECT path, a.line, a.col, 'attribute', a.name, d.lexical_path || '.' || a.name, '', a.def_uid, a.line, a.line,"
    " a.parent, files.file_id, attribute_id FROM instance_attributes AS a"
    " JOIN files ON files.file_id = attribute_id >> 20 JOIN defs AS d ON d.def_id = (files.file_id << 20 | a.parent)"
)
