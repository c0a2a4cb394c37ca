"""Definitions without a known use in the repository, each with reasons why it may still be used.

A repository alone cannot prove that a definition is unused: a framework, reflection or a dependent project may use it.
Every row is a candidate with its reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath
from codeplane.facts.links import uid_number, uid_text, unpack_uses
from codeplane.facts.model import ReferenceRole
from codeplane.query.relations import Symbol, find_symbols, list_hierarchy
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text, path_to_text

KINDS = ("function", "method", "class", "interface", "struct", "enum", "trait", "record", "object", "type")

REASONS = {
    "public": "public: code outside the repository may use it",
    "exported": "exported by its module",
    "overrides": "overrides a member and may be called through it",
    "open_base": "a base class outside the repository may call it",
    "decorated": "its decorator may register it",
    "convention": "found by its name or as a test",
    "unresolved": "uses of members with this name could not be resolved",
    "named": "other files use this name, unresolved or for another definition",
}
"""Reasons why a definition without a known use may still be used"""

_ENTRY_POINTS = frozenset({"main", "init", "setup", "teardown", "handler"})
_EXPLICIT_EXPORTS = ("__all__literal", "explicit_export", "module_exports", "re_export")


class UnusedDef(NamedTuple):
    symbol: Symbol
    reasons: tuple[str, ...]
    """Keys of REASONS, in their order; empty if only its definition has its name, and nothing outside can see it"""


class _Candidate(NamedTuple):
    number: int
    file_id: int
    path: RepoPath
    role: str
    kind: str
    name: str
    start_line: int
    end_line: int
    visibility: str
    decorators: tuple[str, ...]
    owner: int | None
    exported: bool


def list_unused(
    snapshot: Snapshot, limit: int, *, languages: Collection[str], under: RepoPath | None = None
) -> Page[UnusedDef]:
    """List definitions without a known use: fewest reasons first, then by path and line.

    `languages`: those whose names are resolved.
    """
    check_limit(limit)
    require_links(snapshot)
    where = {
        target: (count, file_id)
        for target, count, file_id in snapshot.reader.rows(
            "SELECT target, COUNT(*), MAX(file_id) FROM def_references GROUP BY target"
        )
    }
    families = _Families(snapshot)
    found: list[tuple[int, str, int, int, tuple[str, ...]]] = []
    for each in _candidates(snapshot, languages, under):
        count, file_id = where.get(each.number, (0, each.file_id))
        if count > 1 or file_id != each.file_id or (count and _is_used_in_own_file(snapshot, each)):
            continue
        reasons = tuple(_reasons(snapshot, each, families))
        found.append((len(reasons), each.path, each.start_line, each.number, reasons))
    found.sort()
    symbols = find_symbols(snapshot, [number for _, _, _, number, _ in found[:limit]])
    return Page(tuple(UnusedDef(symbols[number], reasons) for _, _, _, number, reasons in found[:limit]), len(found))


def _candidates(snapshot: Snapshot, languages: Collection[str], under: RepoPath | None) -> Iterator[_Candidate]:
    sql = (
        "SELECT d.def_uid, files.file_id, path, role, d.kind, d.name, d.start_line, d.end_line, d.visibility,"
        " d.decorators, o.def_uid,"
        " EXISTS (SELECT 1 FROM export_entries WHERE target_def = d.def_id"
        f" AND evidence_kind IN ({_marks(_EXPLICIT_EXPORTS)}))"
        " FROM files JOIN defs AS d ON d.def_id BETWEEN files.file_id << 20 AND files.file_id << 20 | 1048575"
        " LEFT JOIN defs AS o ON o.def_id = (files.file_id << 20 | d.parent)"
        f" WHERE language IN ({_marks(languages)}) AND d.kind IN ({_marks(KINDS)})"
    )
    values: list[str] = [*_EXPLICIT_EXPORTS, *sorted(languages), *KINDS]
    if under is not None:
        text = path_to_text(under)
        sql += " AND (path = ? OR substr(path, 1, length(?)) = ?)"
        values += [text, f"{text}/", f"{text}/"]
    for (
        uid,
        file_id,
        path,
        role,
        kind,
        name,
        start,
        end,
        visibility,
        decorators,
        owner,
        exported,
    ) in snapshot.reader.rows(sql, values):
        yield _Candidate(
            uid_number(uid),
            file_id,
            path_from_text(path),
            role,
            kind,
            name,
            start,
            end,
            visibility,
            tuple(orjson.loads(decorators)) if decorators else (),
            uid_number(owner) if owner is not None else None,
            bool(exported),
        )


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


def _is_used_in_own_file(snapshot: Snapshot, each: _Candidate) -> bool:
    """True if its own file uses it outside of its body."""
    row = snapshot.reader.row(
        "SELECT places FROM def_references WHERE target = ? AND file_id = ?", (each.number, each.file_id)
    )
    return row is not None and any(
        use.role != ReferenceRole.DEFINITION and not each.start_line <= use.line <= each.end_line
        for use in unpack_uses(row[0])
    )


def _reasons(snapshot: Snapshot, each: _Candidate, families: _Families) -> Iterator[str]:
    is_test = each.role == "test"
    if each.visibility == "public" and not is_test:
        yield "public"
    if each.exported:
        yield "exported"
    if each.owner is not None and not is_test:
        overrides, is_open = families.above(each.owner, each.name)
        if overrides:
            yield "overrides"
        if is_open:
            yield "open_base"
    if each.decorators:
        yield "decorated"
    if is_test or each.name in _ENTRY_POINTS or (each.name.startswith("__") and each.name.endswith("__")):
        yield "convention"
    if snapshot.reader.row("SELECT 1 FROM unresolved_members WHERE token = ? LIMIT 1", (each.name,)) is not None:
        yield "unresolved"
    elsewhere = snapshot.reader.row(
        "SELECT 1 FROM name_files WHERE name = ? AND file_id != ? LIMIT 1", (each.name, each.file_id)
    )
    if elsewhere is not None:
        yield "named"


class _Families:
    """Cache of class hierarchies and member names."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._above: dict[int, tuple[list[int], bool]] = {}
        self._members: dict[int, frozenset[str]] = {}

    def above(self, owner: int, name: str) -> tuple[bool, bool]:
        """Return two flags: a base has a member of this name; a base is outside of the repository."""
        if owner not in self._above:
            self._above[owner] = list_hierarchy(self._snapshot, owner, up=True)
        bases, is_open = self._above[owner]
        return any(name in self._names(base) for base in bases), is_open

    def _names(self, number: int) -> frozenset[str]:
        if number not in self._members:
            rows = self._snapshot.reader.rows(
                "SELECT m.name FROM defs AS d JOIN defs AS m ON m.def_id >> 20 = d.def_id >> 20"
                " AND m.def_id BETWEEN d.def_id >> 20 << 20 AND (d.def_id >> 20 << 20) + 1048575"
                " WHERE d.def_uid = ? AND m.parent = d.def_id & 1048575",
                (uid_text(number),),
            )
            self._members[number] = frozenset(name for (name,) in rows)
        return self._members[number]
