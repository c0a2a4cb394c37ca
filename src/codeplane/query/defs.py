"""Definitions by uid, name, prefix or file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath, subtree_range
from codeplane.query.rows import fetch_first, fetch_page, file_row_range, json_list
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import ORDINAL_MASK, path_from_text, path_to_text
from codeplane.store.database import Row, Value


class DefRow(NamedTuple):
    def_id: int
    path: RepoPath
    unit_id: int | None
    language: str | None
    def_uid: str
    parent: int | None
    """Ordinal of the enclosing definition in the file"""
    scope: int
    kind: str
    name: str
    qualified_name: str
    lexical_path: str
    start_line: int
    start_col: int
    end_line: int
    end_col: int
    name_line: int
    name_col: int
    signature: str
    signature_hash: str
    doc: str | None
    visibility: str
    decorators: tuple[str, ...]

    @property
    def display_name(self) -> str:
        return self.signature or self.name

    @property
    def ordinal(self) -> int:
        return self.def_id & ORDINAL_MASK


def get_def(snapshot: Snapshot, def_uid: str) -> DefRow | None:
    """Return the definition with a uid; if copies of a file share it, that of the first path."""
    return fetch_first(snapshot, _make, _SELECT, f"{_FROM} WHERE def_uid = ?", _ORDER, (def_uid,))


def split_name(name: str) -> list[str]:
    """Split a qualified name in the syntax of any language: `Cart.total`, `shop::Cart::total()`,
    `Shop\\Cart::total`, `Cart#total`, `$cart->total`, `(*Cart).Total`."""
    text = _RECEIVER.sub(r"\1", name.strip())
    if text.endswith("()") and not text.endswith("operator()"):
        text = text[:-2]
    return [part for part in _BOUNDARY.split(text) if part]


def find_defs(snapshot: Snapshot, name: str, limit: int, kind: str | None = None, directory: str = "") -> Page[DefRow]:
    """Find definitions by a plain name, or by the end of a qualified name.

    If there are none, find those whose own qualified name of at least two parts is the end of the given one: paths do
    not always tell the name of a package or namespace (`gin.Context.Next`).
    """
    parts = split_name(name)
    if len(parts) > 1:
        wanted = ".".join(parts)
        for search in (list_defs_by_qualified_name, _list_defs_by_suffix):
            found = search(snapshot, wanted, limit, kind, directory)
            if found.total:
                return found
    text = name.strip()
    plain = parts[0] if len(parts) == 1 and text.startswith(parts[0]) else text
    return list_defs_by_name(snapshot, plain, limit, kind=kind, directory=directory)


def list_defs_by_name(
    snapshot: Snapshot, name: str, limit: int, kind: str | None = None, directory: str = ""
) -> Page[DefRow]:
    """List definitions of exactly this name, optionally of one kind or under one directory."""
    where, parameters = _filter(_BY_NAME, [name, name], kind, directory)
    return _page(snapshot, where, parameters, limit)


def list_defs_by_qualified_name(
    snapshot: Snapshot, qualified_name: str, limit: int, kind: str | None = None, directory: str = ""
) -> Page[DefRow]:
    """List definitions whose qualified name is this or ends with it: `Model.save`, `db.models.Model`."""
    wanted = ".".join(split_name(qualified_name))
    name = wanted.rpartition(".")[2]
    where = f"{_BY_NAME} AND substr('.' || {_DOTTED}, -length(?)) IN (?, ?)"
    ends = [f".{wanted}", f".{wanted}", f"#{wanted}"]  # keys of data follow the path of their file and a `#`
    where, parameters = _filter(where, [name, name, *ends], kind, directory)
    return _page(snapshot, where, parameters, limit)


def _list_defs_by_suffix(
    snapshot: Snapshot, wanted: str, limit: int, kind: str | None = None, directory: str = ""
) -> Page[DefRow]:
    """List definitions whose qualified name of at least two parts is the end of `wanted`."""
    name = wanted.rpartition(".")[2]
    where = f"{_BY_NAME} AND instr({_DOTTED}, '.') AND substr(?, -length({_DOTTED}) - 1) = '.' || {_DOTTED}"
    where, parameters = _filter(where, [name, name, f".{wanted}"], kind, directory)
    return _page(snapshot, where, parameters, limit)


def list_defs_by_prefix(snapshot: Snapshot, prefix: str, limit: int) -> Page[DefRow]:
    """List definitions whose name has a prefix, ignoring the case of ASCII letters; shorter names first."""
    check_limit(limit)
    if not prefix:
        return Page((), 0)
    where = "WHERE lower(defs.name) >= lower(?) AND lower(defs.name) < lower(?) || char(1114111)"
    return _page(snapshot, where, [prefix, prefix], limit, f"length(defs.name), defs.name, {_ORDER}")


def list_defs_ignoring_case(
    snapshot: Snapshot, names: Collection[str], containers: Collection[str] | None, limit: int
) -> tuple[DefRow, ...]:
    """List definitions with one of these names, ignoring the case of ASCII letters; with `containers`, only members of
    a class, module or package with one of those names."""
    check_limit(limit)
    where = "WHERE lower(defs.name) IN (SELECT lower(value) FROM json_each(?))"
    parameters: list[Value] = [_json(names)]
    if containers is not None:
        where += f" AND lower({_CONTAINER}) IN (SELECT lower(value) FROM json_each(?))"
        parameters.append(_json(containers))
    sql = f"SELECT {_SELECT} {_FROM} {where} ORDER BY {_ORDER} LIMIT {int(limit)}"
    return tuple(map(_make, snapshot.reader.rows(sql, parameters)))


def list_kinds(snapshot: Snapshot) -> tuple[str, ...]:
    """List the kinds of definitions in the index, by name."""
    return tuple(kind for (kind,) in snapshot.reader.rows("SELECT DISTINCT kind FROM defs ORDER BY kind"))


def list_defs_in_file(snapshot: Snapshot, path: str, limit: int) -> Page[DefRow]:
    """List the definitions of a file in source order."""
    check_limit(limit)
    span = file_row_range(snapshot, path)
    return Page((), 0) if span is None else _page(snapshot, "WHERE def_id BETWEEN ? AND ?", span, limit)


def _filter(where: str, parameters: list[Value], kind: str | None, directory: str) -> tuple[str, list[Value]]:
    if kind is not None:
        where += " AND defs.kind = ?"
        parameters.append(kind)
    if directory:
        stored = path_to_text(directory)
        where += " AND (files.path = ? OR (files.path > ? AND files.path < ?))"
        parameters += [stored, *subtree_range(stored)]
    return where, parameters


def _page(
    snapshot: Snapshot, where: str, parameters: Sequence[Value], limit: int, order: str | None = None
) -> Page[DefRow]:
    return fetch_page(snapshot, _make, _SELECT, f"{_FROM} {where}", order or _ORDER, parameters, limit)


def _json(names: Collection[str]) -> str:
    return orjson.dumps(list(names)).decode()


def _make(row: Row) -> DefRow:
    return DefRow._make((row[0], path_from_text(row[1]), *row[2:-1], json_list(row[-1])))


_SELECT = (
    "def_id, files.path, files.unit_id, files.language, def_uid, parent, scope, kind, defs.name, qualified_name,"
    " lexical_path, start_line, start_col, end_line, end_col, name_line, name_col, signature, signature_hash, doc,"
    " visibility, decorators"
)
_BY_NAME = "WHERE lower(defs.name) = lower(?) AND defs.name = ?"
"""One SQL index serves case-sensitive and case-insensitive look-ups."""
_BOUNDARY = re.compile(r"[.:/\\]+|(?<=\w)#|(?<=\w)->(?=\w)")
"""A `#` after a separator is part of the name (`Counter.#value`)."""
_RECEIVER = re.compile(r"^\(?\*(\w+)\)?(?=\.)")
_DOTTED = "replace(replace(replace(qualified_name, '::', '.'), '/', '.'), '\\', '.')"
_OWNER = f"substr({_DOTTED}, 1, length({_DOTTED}) - length(defs.name) - 1)"
_CONTAINER = f"replace({_OWNER}, rtrim({_OWNER}, replace({_OWNER}, '.', '')), '')"
"""Last part of the qualified name before the name itself"""
_FROM = "FROM defs JOIN files ON files.file_id = def_id >> 20"
_ORDER = "files.path, start_line, start_col, def_id"
