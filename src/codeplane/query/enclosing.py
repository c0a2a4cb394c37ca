"""The innermost definition around a position in a file.

Spans of definitions can be cached compactly, since many searches hit the same files.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import orjson

from codeplane.base.paths import RepoPath
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import ORDINAL_BITS, ORDINAL_MASK, path_from_text, path_to_text

Place = tuple[int, int]
"""Line and column; lines count from 1, columns from 0."""
MAX_CACHED_SPANS = 250_000
"""Definitions plus files; a definition takes 32 bytes, a file some hundreds more."""


class EnclosingDef(NamedTuple):
    kind: str
    name: str
    qualified_name: str
    lexical_path: str
    signature: str
    visibility: str
    def_uid: str
    start_line: int
    start_col: int
    end_line: int
    end_col: int


class Spans(NamedTuple):
    """Spans of the definitions of a file, outer before inner. A position is one number."""

    starts: array[int]
    ends: array[int]
    outer: array[int]
    """Index of the enclosing definition, or -1"""
    ids: array[int]


class SpanFile(Protocol):
    """A file whose spans can be read."""

    @property
    def file_id(self) -> int: ...
    @property
    def path(self) -> RepoPath: ...
    @property
    def digest(self) -> bytes | None: ...


class _File(NamedTuple):
    file_id: int
    path: RepoPath
    language: str | None
    digest: bytes | None


class SpanCache:
    """LRU cache of the spans of files. Thread-safe."""

    def __init__(self, limit: int = MAX_CACHED_SPANS) -> None:
        self._limit = limit
        self._files: OrderedDict[tuple[str, RepoPath, bytes], Spans] = OrderedDict()
        self._count = 0
        self._lock = threading.Lock()

    @property
    def files(self) -> int:
        return len(self._files)

    def read(self, snapshot: Snapshot, files: Sequence[SpanFile]) -> list[Spans]:
        """Return the spans of each file; they depend on its path and content only, in one generation."""
        generation = snapshot.generation.name
        keys = [(generation, file.path, file.digest or b"") for file in files]
        found: list[Spans | None] = []
        with self._lock:
            for key in keys:
                found.append(self._files.get(key))
                if found[-1] is not None:
                    self._files.move_to_end(key)
        missing = {key: file.file_id for key, file, spans in zip(keys, files, found, strict=True) if spans is None}
        if not missing:
            return [spans for spans in found if spans is not None]
        read = _read_spans(snapshot, missing.values())
        with self._lock:
            for key, file_id in missing.items():
                if key not in self._files:
                    self._files[key] = read[file_id]
                    self._count += len(read[file_id].starts) + 1
            while self._count > self._limit:
                self._count -= len(self._files.popitem(last=False)[1].starts) + 1
        return [spans or read[file.file_id] for spans, file in zip(found, files, strict=True)]


def find_enclosing(
    snapshot: Snapshot, places: Mapping[RepoPath, Sequence[Place]], cache: SpanCache | None = None
) -> Iterator[tuple[RepoPath, str, list[EnclosingDef | None]]]:
    """Yield the path, the language and the definitions around each place, of each indexed file."""
    cache = cache or SpanCache(0)
    wanted = orjson.dumps([path_to_text(path) for path in places]).decode("utf-8")
    rows = snapshot.reader.rows(_FILES, (wanted,))
    files = {path: _File(row[0], path, *row[2:]) for row in rows for path in (path_from_text(row[1]),)}
    indexed = [files[path] for path in places if path in files]
    spans = cache.read(snapshot, indexed)
    innermost = {file.path: find_innermost(own, places[file.path]) for file, own in zip(indexed, spans, strict=True)}
    definitions = read_enclosing_defs(snapshot, {def_id for found in innermost.values() for def_id in found})
    for path, found in innermost.items():
        yield path, files[path].language or "", [definitions.get(def_id) for def_id in found]


def find_innermost(spans: Spans, places: Sequence[Place]) -> list[int | None]:
    """Return the id of the innermost definition around each place, or None."""
    starts, ends, outer, ids = spans
    if not starts:
        return [None] * len(places)
    found: list[int | None] = []
    inner: int | None = None
    since, until = 0, 0
    for line, column in places:
        at = line << _COLUMN_BITS | (column if column < _MAX_COLUMN else _MAX_COLUMN)
        # Places are mostly in order, and many lie between the same two boundaries.
        if not since <= at < until:
            index = bisect_right(starts, at) - 1
            until = starts[index + 1] if index + 1 < len(starts) else _FAR
            while index >= 0 and ends[index] <= at:
                index = outer[index]
            inner = ids[index] if index >= 0 else None
            since, until = at, min(until, ends[index]) if index >= 0 else until
        found.append(inner)
    return found


def read_enclosing_defs(snapshot: Snapshot, def_ids: Collection[int | None]) -> dict[int | None, EnclosingDef]:
    """Read definitions by id."""
    ids = orjson.dumps(sorted(def_id for def_id in def_ids if def_id is not None)).decode("ascii")
    return {row[0]: EnclosingDef._make(row[1:]) for row in snapshot.reader.rows(_DEFINITIONS, (ids,))}


def _read_spans(snapshot: Snapshot, file_ids: Iterable[int]) -> dict[int, Spans]:
    found: dict[int, list[tuple[int, ...]]] = {file_id: [] for file_id in file_ids}
    for row in snapshot.reader.rows(_SPANS, (orjson.dumps(sorted(found)).decode("ascii"),)):
        found[row[4] >> ORDINAL_BITS].append(row)
    return {file_id: _spans(sorted(rows)) for file_id, rows in found.items()}


def _spans(rows: Sequence[tuple[int, ...]]) -> Spans:
    starts = array("q", (_position(line, column) for line, column, *_ in rows))
    ends = array("q", (_position(-line, -column) for _, _, line, column, _ in rows))
    outer = array("q")
    for index, start in enumerate(starts):
        parent = index - 1
        while parent >= 0 and ends[parent] <= start:
            parent = outer[parent]
        outer.append(parent)
    return Spans(starts, ends, outer, array("q", (row[4] for row in rows)))


def _position(line: int, column: int) -> int:
    return line << _COLUMN_BITS | min(column, _MAX_COLUMN)


_COLUMN_BITS = 24
_MAX_COLUMN = (1 << _COLUMN_BITS) - 1
_FAR = 1 << 62
_FILES = "SELECT file_id, path, language, digest FROM files WHERE path IN (SELECT value FROM json_each(?))"
_SPANS = (
    "SELECT start_line, start_col, -end_line, -end_col, def_id FROM json_each(?) CROSS JOIN defs"
    f" WHERE def_id BETWEEN value << {ORDINAL_BITS} AND value << {ORDINAL_BITS} | {ORDINAL_MASK}"
)
_DEFINITIONS = (
    "SELECT def_id, kind, name, qualified_name, lexical_path, signature, visibility, def_uid, start_line, start_col,"
    " end_line, end_col FROM defs WHERE def_id IN (SELECT value FROM json_each(?))"
)
