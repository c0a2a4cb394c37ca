"""The one writer of a generation: it owns the write connection and the text index, and publishes epochs.

Changes gather in one transaction that no reader sees; `publish` commits the text index
first and then, in the database, the epoch that names this very commit. Whoever finds the
two apart knows that a publish was cut off, and `recovery` mends it. The caller holds the
lock of the repository. Nothing here reads the working tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

import apsw
import orjson

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_EXEMPLARS
from codeplane.base.paths import RepoPath
from codeplane.facts.model import Facts, Problem
from codeplane.store import epochs
from codeplane.store.codec import path_to_text, row_range, signed64
from codeplane.store.database import (
    checkpoint,
    close_writer,
    create_database,
    finish_bulk,
    open_for_writing,
    wal_bytes,
)
from codeplane.store.errors import sqlite_errors
from codeplane.store.fact_rows import delete_rows, insert_rows, make_rows, storable_facts
from codeplane.store.fingerprint import Fingerprint
from codeplane.store.layout import Generation
from codeplane.store.lexical import LexicalDoc, LexicalWriter
from codeplane.store.names import Names
from codeplane.store.records import AnchorGroup, Change, EpochInfo, FileRow, FileStat, RefLink
from codeplane.store.schema import INDEXES, SCHEMA_VERSION, TABLES, UNITS, unit_of
from codeplane.store.segments import RecordedSegments

Barrier = Callable[[str], None]
"""Called at the points of a publish where a kill would hurt most; tests stop the process there."""

BULK_COMMIT_FILES = 2000


class PendingChange(NamedTuple):
    change: Change
    old_path: RepoPath | None
    digest: str | None


class Writer:
    """Made by `create_writer` for a new generation (bulk) or by `recovery.open_writer` for an existing one."""

    def __init__(
        self, generation: Generation, connection: apsw.Connection, lexical: LexicalWriter, *, bulk: bool, barrier: Barrier
    ) -> None:
        self.generation = generation
        self._connection = connection
        self._lexical = lexical
        self._bulk = bulk
        self._barrier = barrier
        self._pending: dict[RepoPath, PendingChange] = {}
        self._derived_changed = False
        self._broken = False
        with sqlite_errors():
            self._names = Names(connection, complete=bulk)
            self._next_file_id = int(epochs.read_meta(connection, "next_file_id") or 1)
            self._first_epoch = int(epochs.read_meta(connection, "first_epoch") or 1)
            self._epoch = epochs.current_epoch(connection)
        self._file_ids: dict[RepoPath, int] | None = {} if bulk else None
        self._build_files = 0

    @property
    def epoch(self) -> int | None:
        """The last published epoch; None before the first."""
        return self._epoch

    @property
    def changed(self) -> bool:
        """Whether `publish` would make a new epoch."""
        return bool(self._pending) or self._derived_changed or self._epoch is None

    @property
    def connection(self) -> apsw.Connection:
        """For reading what is not yet published; only this package writes through it."""
        return self._connection

    @property
    def lexical(self) -> LexicalWriter:
        return self._lexical

    def wal_bytes(self) -> int:
        return wal_bytes(self.generation.database)

    def put_file(
        self, file: FileRow, facts: Facts, problems: Sequence[Problem] = (), lexical: LexicalDoc | None = None
    ) -> int:
        """Replace all that is known of a path; returns its file id."""
        with self._writing():
            file_id, known = self._take_file_id(file)
            unit_id = unit_of(file.family)
            rows = make_rows(file_id, unit_id, facts, problems, self._names)
            try:
                insert_rows(self._connection, rows)
            except UnicodeEncodeError:
                delete_rows(self._connection, file_id)
                rows = make_rows(file_id, unit_id, storable_facts(facts), problems, self._names)
                insert_rows(self._connection, rows)
            self._connection.execute(_PUT_FILE, self._file_values(file_id, unit_id, file, lexical is not None))
            if known:
                self._lexical.delete(file_id)
            if lexical is not None:
                self._lexical.add(file_id, unit_id, file.path, file.digest or "", file.family, lexical)
            self._note(file.path, Change.MODIFIED if known else Change.ADDED, file.digest)
        return file_id

    def touch_file(self, path: RepoPath, stat: FileStat) -> None:
        """The same content, seen again: only what the file system said changes, and no epoch follows."""
        with self._writing():
            self._connection.execute(_TOUCH_FILE, (*map(signed64, stat), path_to_text(path)))

    def touch_files(self, stats: Iterable[tuple[RepoPath, FileStat]]) -> None:
        with self._writing():
            values = [(*map(signed64, stat), path_to_text(path)) for path, stat in stats]
            self._connection.executemany(_TOUCH_FILE, values)

    def remove_file(self, path: RepoPath) -> bool:
        """Forget a path; whether it was known."""
        with self._writing():
            file_id = self._find_file_id(path)
            if file_id is None:
                return False
            self._clear_file(file_id)
            self._connection.execute("DELETE FROM files WHERE file_id = ?", (file_id,))
            self._lexical.delete(file_id)
            if self._file_ids is not None:
                self._file_ids.pop(path, None)
            self._note(path, Change.REMOVED, None)
        return True

    def rename_file(
        self,
        old: RepoPath,
        file: FileRow,
        facts: Facts,
        problems: Sequence[Problem] = (),
        lexical: LexicalDoc | None = None,
    ) -> int:
        """Remove the old path and put the new one, kept in the history as one change."""
        was_known = self.remove_file(old)
        file_id = self.put_file(file, facts, problems, lexical)
        change = self._pending.get(file.path)
        if was_known and change is not None and change.change is Change.ADDED:
            self._pending[file.path] = PendingChange(Change.RENAMED, old, file.digest)
            self._pending.pop(old, None)
        return file_id

    def link_refs(self, links: Iterable[RefLink]) -> None:
        """Say for which definitions references stand, after their files were put."""
        with self._writing():
            values = [(link.target_def, link.tier, link.certainty, link.ref_id) for link in links]
            self._connection.executemany(
                "UPDATE refs SET target_def = ?, tier = ?, certainty = ? WHERE ref_id = ?", values
            )
            self._derived_changed = self._derived_changed or bool(values)

    def put_surface(self, unit_id: int, surface_hash: str) -> None:
        """Record what a unit exports now; the entries themselves come with the files."""
        with self._writing():
            known = self._connection.execute(
                "SELECT surface_hash FROM export_surfaces WHERE surface_id = ?", (unit_id,)
            ).get
            if known != surface_hash:
                values = (unit_id, unit_id, surface_hash, self._next_epoch())
                self._connection.execute("INSERT OR REPLACE INTO export_surfaces VALUES (?, ?, ?, ?)", values)
                self._derived_changed = True

    def put_anchor_groups(self, unit_id: int, groups: Iterable[AnchorGroup]) -> None:
        """Replace the groups of a unit; exemplars beyond the cap are dropped."""
        with self._writing():
            self._connection.execute("DELETE FROM anchor_groups WHERE unit_id = ?", (unit_id,))
            values = [
                (unit_id, token, shape, total, orjson.dumps(exemplars[:MAX_EXEMPLARS]).decode())
                for token, shape, total, exemplars in groups
            ]
            self._connection.executemany("INSERT INTO anchor_groups VALUES (NULL, ?, ?, ?, ?, ?)", values)
            self._derived_changed = True

    def checkpoint_build(self) -> None:
        """In a bulk build, hand over to the disk what was loaded so far; the build stays private."""
        if self._bulk:
            with sqlite_errors():
                self._commit()

    def publish(self, info: EpochInfo) -> int:
        """Make everything since the last epoch visible as a new one. Without changes of content, the epoch stays."""
        if self._broken:
            raise CodePlaneError(ErrorCode.INTERNAL, "a write failed; this writer cannot publish")
        if not self.changed and self._epoch is not None:
            with self._writing():
                epochs.refresh_epoch(self._connection, self._epoch, info)
                self._commit()
            return self._epoch
        self._begin()
        self._lexical.commit()
        self._barrier("lexical-committed")
        with self._writing():
            if self._bulk:
                self._lexical.settle()
            return self._publish_epoch(info, self._lexical.record())

    def settle(self) -> None:
        """Wait for work that goes on behind the last publish and record its result. Worth calling when idle."""
        if self._lexical.settle() and self._epoch is not None and not self._connection.in_transaction:
            with self._writing():
                epochs.record_segments(self._connection, self._epoch, self._lexical.record())
                self._commit()

    def rollback(self) -> None:
        """Forget everything since the last publish. A bulk build has nothing to go back to."""
        if self._bulk:
            raise CodePlaneError(ErrorCode.INTERNAL, "a bulk build cannot be rolled back")
        with sqlite_errors():
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._names.forget()
        self._lexical.rollback()
        self._pending.clear()
        self._derived_changed = False
        self._broken = False

    def close(self) -> None:
        """Give up what was not published, and leave the files settled."""
        try:
            if not self._bulk and not self._broken:
                self.rollback()
                self.settle()
            with suppress(CodePlaneError):
                self._lexical.close()
        finally:
            with suppress(apsw.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            close_writer(self._connection)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _publish_epoch(self, info: EpochInfo, segments: RecordedSegments) -> int:
        epoch = self._next_epoch()
        connection = self._connection
        # The first epoch of a generation is its baseline: all files, which need not be listed twice.
        if self._epoch is not None:
            epochs.insert_changes(connection, epoch, self._pending)
        epochs.insert_epoch(connection, epoch, info, segments)
        epochs.write_meta(connection, {"next_file_id": str(self._next_file_id)})
        epochs.prune(connection, epoch)
        if self._bulk:
            connection.execute(INDEXES)
        self._commit()
        if self._bulk:
            finish_bulk(connection)
            self._bulk = False
            self._file_ids = None
            self._names = Names(connection, complete=False)
        self._epoch = epoch
        self._pending.clear()
        self._derived_changed = False
        self._barrier("published")
        checkpoint(connection, self.generation.database)
        return epoch

    def _next_epoch(self) -> int:
        return self._first_epoch if self._epoch is None else self._epoch + 1

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def _writing(self) -> _Writing:
        return _Writing(self)

    def _find_file_id(self, path: RepoPath) -> int | None:
        if self._file_ids is not None:
            return self._file_ids.get(path)
        found = self._connection.execute("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),)).get
        return None if found is None else int(found)

    def _take_file_id(self, file: FileRow) -> tuple[int, bool]:
        file_id = self._find_file_id(file.path)
        if file_id is not None:
            self._clear_file(file_id)
            return file_id, True
        file_id = self._next_file_id
        self._next_file_id += 1
        if self._file_ids is not None:
            self._file_ids[file.path] = file_id
        return file_id, False

    def _clear_file(self, file_id: int) -> None:
        if self._epoch is not None:
            self._connection.execute(_SNAPSHOT_DEFS, (*row_range(file_id), file_id, self._epoch))
        delete_rows(self._connection, file_id)

    def _file_values(self, file_id: int, unit_id: int | None, file: FileRow, lexical: bool) -> tuple[object, ...]:
        digest = bytes.fromhex(file.digest) if file.digest else None
        same = file.text_digest is None or file.text_digest == file.digest
        return (
            file_id,
            path_to_text(file.path),
            unit_id,
            file.language,
            file.family,
            *map(signed64, file.stat),
            digest,
            None if same or file.text_digest is None else bytes.fromhex(file.text_digest),
            file.encoding,
            file.lines,
            file.state.value,
            file.reason,
            int(lexical),
            self._next_epoch(),
        )

    def _note(self, path: RepoPath, change: Change, digest: str | None) -> None:
        before = self._pending.pop(path, None)
        existed = before is None if change is not Change.ADDED else before is not None
        if before is not None:
            existed = before.change in (Change.MODIFIED, Change.REMOVED)
        if change is Change.REMOVED:
            if existed:
                self._pending[path] = PendingChange(Change.REMOVED, None, None)
            return
        self._pending[path] = PendingChange(Change.MODIFIED if existed else Change.ADDED, None, digest)


class _Writing:
    """One write: begins the transaction where there is none, and marks the writer broken when it fails."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def __enter__(self) -> None:
        with sqlite_errors():
            self._writer._begin()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        self._writer._broken = True
        if isinstance(error, apsw.Error):
            with sqlite_errors():
                raise error


def create_writer(
    generation: Generation,
    fingerprint: Fingerprint,
    repo_uuid: str,
    index_id: str,
    *,
    first_epoch: int = 1,
    barrier: Barrier = lambda point: None,
) -> Writer:
    """A writer for a bulk build of a new generation; when it is published, switch to it."""
    connection = create_database(generation.database)
    try:
        with sqlite_errors():
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(TABLES)
            connection.executemany("INSERT INTO units VALUES (?, ?, ?, ?)", UNITS)
            meta = {
                "schema_version": str(SCHEMA_VERSION),
                "fingerprint": fingerprint.as_json(),
                "repo_uuid": repo_uuid,
                "index_id": index_id,
                "first_epoch": str(first_epoch),
                "next_file_id": "1",
            }
            epochs.write_meta(connection, meta)
            connection.execute("COMMIT")
        lexical = LexicalWriter(generation.lexical, create=True)
        return Writer(generation, connection, lexical, bulk=True, barrier=barrier)
    except BaseException:
        connection.close()
        raise


def reopen_writer(generation: Generation, barrier: Barrier) -> Writer:
    """A writer for an existing generation, as it is; `recovery.open_writer` also mends it."""
    connection = open_for_writing(generation.database)
    try:
        lexical = LexicalWriter(generation.lexical, create=False)
        return Writer(generation, connection, lexical, bulk=False, barrier=barrier)
    except BaseException:
        connection.close()
        raise


_PUT_FILE = f"INSERT OR REPLACE INTO files VALUES ({','.join('?' * 19)})"
_TOUCH_FILE = """
UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, device = ?, observed_at_ns = ? WHERE path = ?
"""
_SNAPSHOT_DEFS = """
INSERT OR REPLACE INTO def_snapshots
SELECT files.path, ?4, def_id & 1048575, files.epoch, def_uid, kind, name, lexical_path, signature_hash,
       CASE signature WHEN '' THEN name ELSE signature END, start_line, end_line
FROM defs JOIN files ON files.file_id = ?3 WHERE def_id BETWEEN ?1 AND ?2 AND files.epoch <= ?4
"""
