"""Read access of the resolvers to the index that is being written.

Every look-up is recorded as a dependency: the links that follow from it are invalidated when its result changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol

import orjson

from codeplane.base.paths import parent
from codeplane.facts.links import uid_number
from codeplane.facts.summary import unpack_summary
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.registry import resolved_languages
from codeplane.index.resolve.types import Site, SiteKind
from codeplane.store.codec import path_from_text, path_to_text, row_range, split_row_id
from codeplane.store.database import Row, Value

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Limit on the estimated memory of the files that are kept after one is resolved."""


class Readable(Protocol):
    """An index, or a writer of one."""

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]: ...


class StoreLibrary:
    def __init__(self, index: Readable, paths: Iterable[str]) -> None:
        self._index = index
        self._paths = paths
        self.note: Callable[[int], None] = lambda key: None
        """Takes every dependency; the evaluator that uses the library sets it."""
        self._files: dict[str, tuple[int, FileScope | None]] = {}
        self._uids: dict[tuple[str, SiteKind], list[int]] = {}
        self._directories: dict[str, list[str]] | None = None
        self.cached_bytes = 0

    def trim(self) -> None:
        """Drop the least recently used files until the rest fits into the limit."""
        while self.cached_bytes > MAX_FILE_BYTES:
            path = next(iter(self._files))
            _, file = self._files.pop(path)
            self.cached_bytes -= _memory_bytes(file)
            for kind in SiteKind:
                self._uids.pop((path, kind), None)

    def paths(self) -> Iterable[str]:
        return self._paths

    def file(self, path: str) -> FileScope | None:
        known = self._files.pop(path, None) or self._load(path)
        # The dictionary is ordered by the last use.
        self._files[path] = known
        self.note(known[0])
        return known[1]

    def file_key(self, path: str) -> int:
        return self.file_id(path) or 0

    def definitions_named(self, name: str) -> Sequence[tuple[str, int]]:
        self.note(dependency_key("name", name))
        rows = self._index.rows(
            "SELECT path, def_id FROM defs JOIN files ON file_id = def_id >> 20"
            " WHERE lower(defs.name) = lower(?1) AND defs.name = ?1 ORDER BY path, def_id",
            (name,),
        )
        return [(path_from_text(path), split_row_id(def_id)[1]) for path, def_id in rows]

    def definitions_at(self, lexical_path: str) -> Sequence[tuple[str, int]]:
        self.note(dependency_key("nesting", lexical_path))
        rows = self._index.rows(
            "SELECT path, def_id FROM defs JOIN files ON file_id = def_id >> 20"
            " WHERE lower(defs.name) = lower(?1) AND lexical_path = ?2 ORDER BY path, def_id",
            (lexical_path.rpartition(".")[2], lexical_path),
        )
        return [(path_from_text(path), split_row_id(def_id)[1]) for path, def_id in rows]

    def files_extending(self, owner: str) -> Sequence[str]:
        self.note(dependency_key("owner", owner))
        rows = self._index.rows(
            "SELECT path FROM out_of_line_members JOIN files USING (file_id) WHERE owner = ? ORDER BY path", (owner,)
        )
        return [path_from_text(path) for (path,) in rows]

    def directory(self, path: str) -> Sequence[str]:
        self.note(dependency_key("directory", path))
        if self._directories is None:
            self._directories = {}
            for known in sorted(self._paths):
                self._directories.setdefault(parent(known), []).append(known)
        return self._directories.get(path, ())

    def configuration(self, path: str) -> Mapping[str, object] | None:
        rows = self._index.rows("SELECT content FROM configurations WHERE path = ?", (path_to_text(path),))
        return orjson.loads(rows[0][0]) if rows else None

    def file_id(self, path: str) -> int | None:
        known = self._files.get(path)
        if known is None:
            known = self._files[path] = self._load(path)
        key, found = known
        return key if found is not None else None

    def stored_id(self, path: str) -> int | None:
        """The id of a file in any language."""
        rows = self._index.rows("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),))
        return int(rows[0][0]) if rows else None

    def uid(self, site: Site) -> int | None:
        """Numeric uid of a definition or an attribute."""
        known = self._uids.get((site.path, site.kind))
        if known is None:
            known = self._uids[site.path, site.kind] = self._read_uids(site.path, site.kind)
        return known[site.number] if site.number < len(known) else None

    def _load(self, path: str) -> tuple[int, FileScope | None]:
        """Read a file. A missing one may appear later: the caller then depends on its directory."""
        found = self._read(path) or (dependency_key("directory", parent(path)), None)
        self.cached_bytes += _memory_bytes(found[1])
        return found

    def _read(self, path: str) -> tuple[int, FileScope] | None:
        rows = self._index.rows(
            "SELECT file_id, language, summary FROM files LEFT JOIN file_summaries USING (file_id) WHERE path = ?",
            (path_to_text(path),),
        )
        if not rows or rows[0][1] not in resolved_languages():
            return None
        file_id, language, summary = rows[0]
        return file_id, FileScope(path, language, *unpack_summary(summary or b""))

    def _read_uids(self, path: str, kind: SiteKind) -> list[int]:
        file_id = self.stored_id(path)
        if file_id is None:
            return []
        table, column = ("defs", "def_id") if kind is SiteKind.DEFINITION else ("instance_attributes", "attribute_id")
        sql = f"SELECT def_uid FROM {table} WHERE {column} BETWEEN ? AND ? ORDER BY {column}"
        return [uid_number(uid) for (uid,) in self._index.rows(sql, row_range(file_id))]


def _memory_bytes(file: FileScope | None) -> int:
    return file.memory_bytes if file is not None else 256


def dependency_key(kind: str, text: str) -> int:
    """Key of a look-up among the dependencies of links: negative, since the ids of files are positive."""
    digest = blake2b(f"{kind}\0{text}".encode("utf-8", "surrogateescape"), digest_size=7).digest()
    return -1 - int.from_bytes(digest)
