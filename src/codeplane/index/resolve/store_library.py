"""What a resolver may know of the repository, read from the index that is being written.

Every look-up is noted, so that what was concluded from it can be given up when its answer changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol

import orjson

from codeplane.base.paths import parent
from codeplane.facts.links import uid_number
from codeplane.facts.sketch import unpack_sketch
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.registry import RESOLVED
from codeplane.index.resolve.value import Site
from codeplane.store.codec import path_from_text, path_to_text, row_range, split_row_id
from codeplane.store.database import Row, Value

MAX_HELD_BYTES = 4 * 1024 * 1024
"""Of packed sketches whose tables are held; unpacked they take some thirty times as much."""


class Readable(Protocol):
    """An index, or one that is being written."""

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]: ...


class StoreLibrary:
    def __init__(self, index: Readable, paths: Iterable[str], note: Callable[[int], None]) -> None:
        self._index = index
        self._paths = paths
        self._note = note
        self._tables: dict[str, tuple[int, FileScope | None]] = {}
        self._uids: dict[tuple[str, str], list[int]] = {}
        self._directories: dict[str, list[str]] | None = None
        self.held_bytes = 0

    @property
    def is_full(self) -> bool:
        return self.held_bytes > MAX_HELD_BYTES

    def close(self) -> None:
        """Let go of all that was read."""
        self._tables.clear()
        self._uids.clear()

    def paths(self) -> Iterable[str]:
        return self._paths

    def tables(self, path: str) -> FileScope | None:
        key, found = self._tables.get(path) or self._learn(path)
        self._note(key)
        return found

    def key(self, path: str) -> int:
        return self.file_id(path) or 0

    def named(self, name: str) -> Sequence[tuple[str, int]]:
        self._note(key_of("name", name))
        rows = self._index.rows(
            "SELECT path, def_id FROM defs JOIN files ON file_id = def_id >> 20"
            " WHERE lower(defs.name) = lower(?1) AND defs.name = ?1 ORDER BY path, def_id",
            (name,),
        )
        return [(path_from_text(path), split_row_id(def_id)[1]) for path, def_id in rows]

    def defined(self, lexical_path: str) -> Sequence[tuple[str, int]]:
        self._note(key_of("nesting", lexical_path))
        rows = self._index.rows(
            "SELECT path, def_id FROM defs JOIN files ON file_id = def_id >> 20"
            " WHERE lower(defs.name) = lower(?1) AND lexical_path = ?2 ORDER BY path, def_id",
            (lexical_path.rpartition(".")[2], lexical_path),
        )
        return [(path_from_text(path), split_row_id(def_id)[1]) for path, def_id in rows]

    def detaching(self, owner: str) -> Sequence[str]:
        self._note(key_of("owner", owner))
        rows = self._index.rows(
            "SELECT path FROM out_of_line_members JOIN files USING (file_id) WHERE owner = ? ORDER BY path", (owner,)
        )
        return [path_from_text(path) for (path,) in rows]

    def directory(self, path: str) -> Sequence[str]:
        self._note(key_of("directory", path))
        if self._directories is None:
            self._directories = {}
            for known in sorted(self._paths):
                self._directories.setdefault(parent(known), []).append(known)
        return self._directories.get(path, ())

    def declared(self, path: str) -> Mapping[str, Any] | None:
        rows = self._index.rows("SELECT content FROM configurations WHERE path = ?", (path_to_text(path),))
        return orjson.loads(rows[0][0]) if rows else None

    def file_id(self, path: str) -> int | None:
        key, found = self._tables.get(path) or self._learn(path)
        return key if found is not None else None

    def uid(self, site: Site) -> int | None:
        """The number that a definition, or an attribute, goes by."""
        path, kind, ordinal = site
        known = self._uids.get((path, kind))
        if known is None:
            known = self._uids[path, kind] = self._read_uids(path, kind)
        return known[ordinal] if ordinal < len(known) else None

    def _learn(self, path: str) -> tuple[int, FileScope | None]:
        """A file that is not there yet may come: whoever asked for it depends on what its directory holds."""
        found = self._read(path)
        self._tables[path] = found or (key_of("directory", parent(path)), None)
        return self._tables[path]

    def _read(self, path: str) -> tuple[int, FileScope] | None:
        rows = self._index.rows(
            "SELECT file_id, language, summary FROM files LEFT JOIN file_summaries USING (file_id) WHERE path = ?",
            (path_to_text(path),),
        )
        if not rows or rows[0][1] not in RESOLVED:
            return None
        file_id, language, sketch = rows[0]
        self.held_bytes += len(sketch or b"") + 256
        return file_id, FileScope(path, language, unpack_sketch(sketch or b""))

    def _read_uids(self, path: str, kind: str) -> list[int]:
        rows = self._index.rows("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),))
        if not rows:
            return []
        table, column = ("defs", "def_id") if kind == "d" else ("instance_attributes", "attribute_id")
        sql = f"SELECT def_uid FROM {table} WHERE {column} BETWEEN ? AND ? ORDER BY {column}"
        return [uid_number(uid) for (uid,) in self._index.rows(sql, row_range(rows[0][0]))]


def key_of(kind: str, text: str) -> int:
    """What a look-up goes by among the things that links depend on; files go by their ids, which are positive."""
    digest = blake2b(f"{kind}\0{text}".encode("utf-8", "surrogateescape"), digest_size=7).digest()
    return -1 - int.from_bytes(digest)
