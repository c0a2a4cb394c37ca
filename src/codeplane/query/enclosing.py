"""The innermost definition around a place of a file.

Where the definitions of a file begin and end may be kept, since many searches ask for the same files: in few bytes,
and for as many definitions as there is room for.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_from_text, path_to_text, row_range

Place = tuple[int, int]
"""Line and column; lines count from 1, columns from 0."""
MAX_KEPT_SPANS = 250_000
"""Definitions, and files; each takes 32 bytes, and a file some hundreds more."""


class Enclosing(NamedTuple):
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
    """Where the definitions of a file begin and end, outer before inner; a place is one number."""

    starts: array[int]
    ends: array[int]
    outer: array[int]
    """The one that each lies in, as an index; -1 where there is none."""
    ids: array[int]


class _File(NamedTuple):
    file_id: int
    path: str
    language: str | None
    digest: bytes | None


class KeptSpans:
    """Spans of the files that were asked for last. Safe from many threads."""

    def __init__(self, limit: int = MAX_KEPT_SPANS) -> None:
        self._limit = limit
        self._files: OrderedDict[tuple[str, str, bytes], Spans] = OrderedDict()
        self._count = 0
        self._lock = threading.Lock()

    @property
    def files(self) -> int:
        return len(self._files)

    def read(self, snapshot: Snapshot, file: _File) -> Spans:
        """Those of a file; the same path and text have the same in all epochs of a generation."""
        key = (snapshot.generation.name, file.path, file.digest or b"")
        with self._lock:
            known = self._files.get(key)
            if known is not None:
                self._files.move_to_end(key)
                return known
        spans = _read_spans(snapshot, file.file_id)
        with self._lock:
            if key not in self._files:
                self._files[key] = spans
                self._count += len(spans.starts) + 1
            while self._count > self._limit:
                self._count -= len(self._files.popitem(last=False)[1].starts) + 1
        return spans


def enclose_all(
    snapshot: Snapshot, places: Mapping[RepoPath, Sequence[Place]], kept: KeptSpans | None = None
) -> Iterator[tuple[RepoPath, str, list[Enclosing | None]]]:
    """Path, language and what encloses each place of each file that is indexed."""
    kept = kept or KeptSpans(0)
    wanted = orjson.dumps([path_to_text(path) for path in places]).decode("utf-8")
    files = {path_from_text(row[1]): _File._make(row) for row in snapshot.reader.rows(_FILES, (wanted,))}
    around: dict[RepoPath, list[int | None]] = {}
    for path, asked in places.items():
        if path in files:
            spans = kept.read(snapshot, files[path])
            around[path] = [_innermost(spans, place) for place in asked]
    ids = orjson.dumps(sorted({def_id for found in around.values() for def_id in found if def_id is not None}))
    rows = snapshot.reader.rows(_DEFINITIONS, (ids.decode("ascii"),))
    definitions: dict[int | None, Enclosing] = {row[0]: Enclosing._make(row[1:]) for row in rows}
    for path, found in around.items():
        yield path, files[path].language or "", [definitions.get(def_id) for def_id in found]


def _innermost(spans: Spans, place: Place) -> int | None:
    at = _number(*place)
    index = bisect_right(spans.starts, at) - 1
    while index >= 0 and spans.ends[index] <= at:
        index = spans.outer[index]
    return spans.ids[index] if index >= 0 else None


def _read_spans(snapshot: Snapshot, file_id: int) -> Spans:
    rows = sorted(snapshot.reader.rows(_SPANS, row_range(file_id)))
    starts = array("q", (_number(line, column) for line, column, *_ in rows))
    ends = array("q", (_number(-line, -column) for _, _, line, column, _ in rows))
    outer = array("q")
    for index, start in enumerate(starts):
        around = index - 1
        while around >= 0 and ends[around] <= start:
            around = outer[around]
        outer.append(around)
    return Spans(starts, ends, outer, array("q", (row[4] for row in rows)))


def _number(line: int, column: int) -> int:
    return line << _COLUMN_BITS | min(column, _MAX_COLUMN)


_COLUMN_BITS = 24
_MAX_COLUMN = (1 << _COLUMN_BITS) - 1
_FILES = "SELECT file_id, path, language, digest FROM files WHERE path IN (SELECT value FROM json_each(?))"
_SPANS = "SELECT start_line, start_col, -end_line, -end_col, def_id FROM defs WHERE def_id BETWEEN ? AND ?"
_DEFINITIONS = (
    "SELECT def_id, kind, name, qualified_name, lexical_path, signature, visibility, def_uid, start_line, start_col,"
    " end_line, end_col FROM defs WHERE def_id IN (SELECT value FROM json_each(?))"
)
