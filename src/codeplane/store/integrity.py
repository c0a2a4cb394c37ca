"""Read-only checks of an index.

Every process checks with `open` before it uses an index; `pages` also reads every page of the database, `full` compares
all rows. A verdict of corruption that leads to a removal must be repeated under the lock.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store import epochs
from codeplane.store.database import open_for_reading, rows
from codeplane.store.errors import REBUILD_REMEDY, corrupt
from codeplane.store.fingerprint import Fingerprint, differences, is_newer, parse_fingerprint
from codeplane.store.layout import Generation, StateDirectory
from codeplane.store.reader import EpochReader, open_reader
from codeplane.store.records import EpochRow
from codeplane.store.registry import Binding
from codeplane.store.schema import DOCUMENT_DIGEST, FACT_TABLES
from codeplane.store.segments import RecordedSegments, agrees, check_files, check_footers, read_segments

Depth = Literal["open", "pages", "full"]

_ATTEMPTS = 20
_CHECKS = {"pages": "PRAGMA quick_check(5)", "full": "PRAGMA integrity_check(5)"}


class Verdict(StrEnum):
    OK = "ok"
    ABSENT = "absent"
    BUILDING = "building"
    REQUIRES_REINDEX = "requires_reindex"
    NEWER = "newer"
    CORRUPT = "corrupt"


@dataclass(frozen=True)
class IndexCheck:
    verdict: Verdict
    reason: str | None = None
    generation: Generation | None = None
    epoch: EpochRow | None = None
    repo_uuid: str | None = None
    differences: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Differing fields of the fingerprint: the value in the index and the current value."""
    needs_repair: bool = False
    """True if a publish was interrupted: open the index for writing and sync before reading."""

    def require_usable(self) -> None:
        """Raise the error for a reader of an unusable index."""
        error = _ERRORS.get(self.verdict)
        if error is not None:
            code, message, remedy = error
            text = f"{message}: {self.reason}" if self.reason else message
            raise CodePlaneError(code, text, details={"differences": dict(self.differences)}, remedy=remedy)


def verify(
    state: StateDirectory | None, runtime: Fingerprint, binding: Binding | None, depth: Depth = "open"
) -> IndexCheck:
    """Return the verdict on the current generation. Raises only if it cannot be checked."""
    if state is None:
        return IndexCheck(Verdict.ABSENT)
    for _ in range(_ATTEMPTS):
        before = _stamp(state)
        found = _verify_current(state, runtime, binding, depth)
        # A publish meanwhile replaces files: then it was not corruption.
        if found.verdict is not Verdict.CORRUPT or _stamp(state) == before:
            break
    return found


def _stamp(state: StateDirectory) -> tuple[object, ...]:
    """Return a value that changes with every switch, publish and merge."""
    stamps: list[object] = []
    try:
        name = state.read_current() or ""
        for path in (state.path / "CURRENT", state.generation(name).lexical / "meta.json"):
            status = os.lstat(path)
            stamps += (status.st_ino, status.st_mtime_ns, status.st_size)
    except (OSError, CodePlaneError):
        stamps.append(None)
    return tuple(stamps)


def _verify_current(state: StateDirectory, runtime: Fingerprint, binding: Binding | None, depth: Depth) -> IndexCheck:
    generation: Generation | None = None
    try:
        generation = state.current()
        if generation is None:
            return IndexCheck(Verdict.BUILDING if state.generations() else Verdict.ABSENT)
        return _verify_generation(generation, runtime, binding, depth)
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_CORRUPT:
            raise
        return IndexCheck(Verdict.CORRUPT, error.message, generation)


def _verify_generation(
    generation: Generation, runtime: Fingerprint, binding: Binding | None, depth: Depth
) -> IndexCheck:
    connection = open_for_reading(generation.database)
    try:
        # One snapshot for all reads: the epoch and its text index come from different statements.
        rows(connection, "BEGIN")
        repo_uuid = epochs.read_meta(connection, "repo_uuid")
        index_id = epochs.read_meta(connection, "index_id")
        if repo_uuid is None or index_id is None:
            raise corrupt("the index has no owner")
        if binding is None or not binding.covers(repo_uuid, index_id):
            return IndexCheck(Verdict.ABSENT, "the index was not built here by this user", generation)
        indexed = parse_fingerprint(epochs.read_meta(connection, "fingerprint") or "")
        differing = differences(indexed, runtime)
        if is_newer(indexed, runtime):
            reason = f"written by CodePlane {indexed.product}"
            return IndexCheck(Verdict.NEWER, reason, generation, None, repo_uuid, differing)
        if differing:
            reason = f"{', '.join(differing)} changed"
            epoch = None if "schema" in differing else epochs.read_epoch(connection)
            return IndexCheck(Verdict.REQUIRES_REINDEX, reason, generation, epoch, repo_uuid, differing)
        epoch = epochs.read_epoch(connection)
        if epoch is None:
            return IndexCheck(Verdict.BUILDING, None, generation, None, repo_uuid)
        inconsistent = _check_lexical(generation, epochs.read_recorded(connection, epoch.epoch))
        if depth in _CHECKS:
            found = rows(connection, _CHECKS[depth])
            if found != [("ok",)]:
                raise corrupt(f"the database is damaged: {found[0][0] if found else 'no answer'}")
    finally:
        connection.close()
    if depth == "full" and not inconsistent:
        with open_reader(generation) as reader:
            _check_rows(reader)
    return IndexCheck(Verdict.OK, None, generation, epoch, repo_uuid, needs_repair=inconsistent)


def _check_lexical(generation: Generation, recorded: RecordedSegments) -> bool:
    """True if the text index belongs to another epoch. Raises INDEX_CORRUPT if it is damaged."""
    segments = read_segments(generation.lexical)
    if agrees(segments, recorded):
        check_files(generation.lexical, segments, recorded, set())
        return False
    check_footers(generation.lexical, segments)
    return True


def _check_rows(reader: EpochReader) -> None:
    """Raise INDEX_CORRUPT if rows have no file, names miscount references, or the two halves hold different files."""
    for table, key in FACT_TABLES.items():
        sql = f"SELECT count(*) FROM {table} WHERE NOT EXISTS (SELECT 1 FROM files WHERE file_id = {key} >> 20)"
        if reader.count(sql):
            raise corrupt(f"{table} has rows without a file")
    for table in ("blocks", "name_files"):
        sql = f"SELECT count(*) FROM {table} WHERE file_id NOT IN (SELECT file_id FROM files)"
        if reader.count(sql):
            raise corrupt(f"{table} has rows without a file")
    if reader.count("SELECT coalesce(sum(count), 0) FROM name_files") != reader.count(
        "SELECT coalesce(sum(refs), 0) FROM files"
    ):
        raise corrupt("names and files count different numbers of references")
    if reader.count("SELECT count(*) FROM files") != reader.epoch.files:
        raise corrupt("the epoch counts another number of files")
    sql = f"SELECT file_id, {DOCUMENT_DIGEST} FROM files WHERE lexical ORDER BY file_id"
    documents = sorted((file_id, digest) for file_id, digest, _ in reader.documents())
    if documents != reader.rows(sql):
        raise corrupt("the text index and the database hold different files")


_ERRORS: dict[Verdict, tuple[ErrorCode, str, str]] = {
    Verdict.ABSENT: (ErrorCode.NOT_INDEXED, "this repository has no index", "run 'cpl init'"),
    Verdict.BUILDING: (ErrorCode.NOT_READY, "the index is not finished", "wait for it, or run 'cpl init'"),
    Verdict.REQUIRES_REINDEX: (ErrorCode.REQUIRES_REINDEX, "the index must be rebuilt", "run 'cpl init'"),
    Verdict.NEWER: (ErrorCode.INDEX_NEWER, "the index is newer than this CodePlane", "upgrade CodePlane"),
    Verdict.CORRUPT: (ErrorCode.INDEX_CORRUPT, "the index is damaged", REBUILD_REMEDY),
}
