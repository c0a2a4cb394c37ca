"""Files whose content can be searched, in the text index or not."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import ORDINAL_BITS, path_from_text
from codeplane.store.database import Row

BINARY = "binary"
TOO_LARGE = "too_large"


class SearchableFile(NamedTuple):
    file_id: int
    path: RepoPath
    language: str | None
    family: str | None
    size: int
    encoding: str | None
    lines: int
    state: str
    reason: str | None
    digest: bytes | None
    lexical: int
    """1 if its text is in the text index; `reason` says why not"""
    role: str


def list_searchable_files(snapshot: Snapshot, file_ids: Collection[int] | None = None) -> list[SearchableFile]:
    """List files that are not known to be binary, by path; of the text index only `file_ids`."""
    if file_ids is None:
        return _select_files(snapshot, "lexical OR reason IS NOT ?", (BINARY,))
    wanted = orjson.dumps(sorted(file_ids)).decode("ascii")
    where = "(lexical AND file_id IN (SELECT value FROM json_each(?))) OR (NOT lexical AND reason IS NOT ?)"
    return _select_files(snapshot, where, (wanted, BINARY))


def list_files_with_name(snapshot: Snapshot, name: str) -> list[SearchableFile]:
    """List parsed files in which an identifier occurs, by path."""
    return _select_files(snapshot, "file_id IN (SELECT file_id FROM name_files WHERE name = ?)", (name,))


def list_files_by_id(snapshot: Snapshot, file_ids: Collection[int]) -> list[SearchableFile]:
    wanted = orjson.dumps(sorted(file_ids)).decode("ascii")
    return _select_files(snapshot, "file_id IN (SELECT value FROM json_each(?))", (wanted,))


def list_file_ids_with_kinds(snapshot: Snapshot, kinds: Collection[str]) -> frozenset[int]:
    """Return the ids of files with a definition of one of the kinds."""
    wanted = orjson.dumps(sorted(kinds)).decode("utf-8")
    sql = f"SELECT DISTINCT def_id >> {ORDINAL_BITS} FROM defs WHERE kind IN (SELECT value FROM json_each(?))"
    return frozenset(file_id for (file_id,) in snapshot.reader.rows(sql, (wanted,)))


def _select_files(snapshot: Snapshot, where: str, parameters: tuple[str, ...]) -> list[SearchableFile]:
    rows = map(_make, snapshot.reader.rows(f"SELECT {_COLUMNS} FROM files WHERE {where}", parameters))
    return sorted(rows, key=lambda row: row.path)


def _make(row: Row) -> SearchableFile:
    file = SearchableFile._make(row)
    return file if file.path.isascii() else file._replace(path=path_from_text(file.path))


_COLUMNS = "file_id, path, language, family, size, encoding, lines, state, reason, digest, lexical, role"
