"""The one writer of a generation: it owns the write connection and the text index, and publishes epochs.

Changes gather in one transaction that no reader sees; `publish` commits the text index
first and then, in the database, the epoch that names this very commit. Whoever finds the
two apart knows that a publish was cut off, and `recovery` mends it. The caller holds the
lock of the repository. Nothing here reads the working tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import ROOT, RepoPath
from codeplane.facts.blocks import PackedFacts
from codeplane.facts.model import Problem
from codeplane.facts.passages import Searchable
from codeplane.languages.role_paths import RoleDecision
from codeplane.store import epochs, file_rows, pending, role_rows, unit_rows
from codeplane.store.codec import path_to_text
from codeplane.store.database import (
    PAGE_BYTES,
    Row,
    Value,
    checkpoint,
    close_writer,
    create_database,
    finish_bulk,
    open_for_writing,
    rows,
    wal_bytes,
)
from codeplane.store.errors import from_sqlite, sqlite_errors
from codeplane.store.fact_rows import delete_rows, insert_rows, make_rows, storable_facts
from codeplane.store.fingerprint import Fingerprint
from codeplane.store.layout import Generation, copy_generation, tree_bytes
from codeplane.store.lexical import LexicalWriter
from codeplane.store.link_rows import CREATE_LOADED_REFERENCES, SORT_REFERENCES, FileLinks, put_links
from codeplane.store.records import (
    ChangeKind,
    EpochInfo,
    EpochRow,
    FileRow,
    FileState,
    ObservedStat,
)
from codeplane.store.repair import repair_documents
from codeplane.store.role_rows import JudgedFile
from codeplane.store.schema import INDEXES, LOADED_NAMES, SCHEMA_VERSION, SORT_NAMES, TABLES
from codeplane.store.segments import RecordedSegments
from codeplane.store.unit_rows import FamilyFile, UnitRow

Barrier = Callable[[str], None]
"""Called at the points of a publish where a kill would hurt most; tests stop the process there."""


_INDEXES_SHARE = 0.4
_TEXT_SHARE = 0.7
"""What secondary indexes add to a bulk load, and what the text index takes of the terms that it is given."""


class Writer:
    """Made by `create_writer` for a new generation (bulk) or by `recovery.open_writer` for an existing one."""

    def __init__(
        self,
        generation: Generation,
        connection: apsw.Connection,
        lexical: LexicalWriter,
        *,
        bulk: bool,
        barrier: Barrier,
    ) -> None:
        self.generation = generation
        self._connection = connection
        self._lexical = lexical
        self._bulk = bulk
        self._barrier = barrier
        self._pending: pending.Pending = {}
        self._derived_changed = False
        self._broken = False
        with sqlite_errors():
            self._next_file_id = int(epochs.read_meta(connection, "next_file_id") or 1)
            self._first_epoch = int(epochs.read_meta(connection, "first_epoch") or 1)
            self._epoch = epochs.current_epoch(connection)
        self._file_ids: dict[RepoPath, int] | None = {} if bulk else None
        self._lexical_ahead = False
        self._threads: ThreadPoolExecutor | None = None
        self._committing: Future[None] | None = None

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

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Read what is there now, published or not."""
        return rows(self._connection, sql, parameters)

    def wal_bytes(self) -> int:
        return wal_bytes(self.generation.database)

    def put_file(
        self, file: FileRow, facts: PackedFacts, problems: Sequence[Problem] = (), searchable: Searchable | None = None
    ) -> int:
        """Replace all that is known of a path; returns its file id."""
        with sqlite_errors():
            self._begin()
            known_id = self._find_file_id(file.path)
            file_id = self._next_file_id if known_id is None else known_id
            # Before the old rows go: facts of a wrong shape leave everything as it was.
            made = make_rows(file_id, facts, problems)
        with self._writing():
            if known_id is None:
                self._next_file_id += 1
                if self._file_ids is not None:
                    self._file_ids[file.path] = file_id
            else:
                self._clear_file(file_id)
                self._lexical.delete(file_id)
            try:
                insert_rows(self._connection, made, bulk=self._bulk)
            except UnicodeEncodeError:
                delete_rows(self._connection, file_id)
                made = make_rows(file_id, storable_facts(facts), problems)
                insert_rows(self._connection, made, bulk=self._bulk)
            counts = (facts.scope_count, len(facts.defs), len(facts.imports), facts.ref_count, len(problems))
            self._put_row(file_id, file, counts, lexical=searchable is not None)
            if searchable is not None:
                self._lexical.add(file_id, file.path, file.document_digest, file.family, searchable, file.role)
            change = ChangeKind.ADDED if known_id is None else ChangeKind.MODIFIED
            pending.note(self._pending, file.path, change, file.digest)
        return file_id

    def touch_files(self, stats: Iterable[tuple[RepoPath, ObservedStat]]) -> None:
        """The same content, seen again: only what the file system said changes, and no epoch follows."""
        with self._writing():
            file_rows.touch_files(self._connection, stats)

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
            pending.note(self._pending, path, ChangeKind.REMOVED, None)
        return True

    def find_text(self, path: RepoPath) -> tuple[str | None, FileState] | None:
        """Digest of the text with line endings made equal, and the state of a file; None when it is not known."""
        with sqlite_errors():
            return file_rows.find_text(self._connection, path)

    def recode_file(self, file: FileRow) -> None:
        """Other bytes, the same text: what the file is changes; its facts and its document stay."""
        with self._writing():
            file_id = self._find_file_id(file.path)
            if file_id is None:
                raise CodePlaneError(ErrorCode.INTERNAL, f"'{file.path}' is not indexed")
            self._keep_history(file_id)
            counts = file_rows.read_counts(self._connection, file_id)
            self._put_row(file_id, file, counts, lexical=True)
            pending.note(self._pending, file.path, ChangeKind.MODIFIED, file.digest)

    def size_bytes(self) -> int:
        """Bytes that the generation takes, and will take for what is not yet committed, by rule of thumb."""
        with sqlite_errors():
            database = int(self._connection.pragma("page_count")) * PAGE_BYTES + self.wal_bytes()
        if self._bulk:
            database += int(database * _INDEXES_SHARE)
        text = int(self._lexical.uncommitted_bytes * _TEXT_SHARE)
        return database + text + tree_bytes(self.generation.lexical)

    def note_rename(self, old: RepoPath, new: RepoPath) -> None:
        """Keep a removal and an addition of this epoch as the one change that they are."""
        pending.note_rename(self._pending, old, new)

    def family_files(self, families: Iterable[str], root: RepoPath = ROOT) -> Iterator[FamilyFile]:
        """Files of some families beneath a root, in no order. Nothing may be written while they are read."""
        with sqlite_errors():
            yield from unit_rows.family_files(self._connection, families, root)

    def move_file(self, path: RepoPath, unit_id: int | None) -> None:
        """Another unit owns a file; what it exports goes with it."""
        with self._writing():
            file_id = self._find_file_id(path)
            assert file_id is not None
            unit_rows.move_file(self._connection, file_id, unit_id)
            self._derived_changed = True

    def read_units(self) -> list[UnitRow]:
        with sqlite_errors():
            return unit_rows.read_units(self._connection)

    def put_units(self, gone: Iterable[int], changed: Iterable[UnitRow]) -> None:
        with self._writing():
            unit_rows.write_units(self._connection, gone, changed)
            self._derived_changed = True

    def read_manifests(self) -> list[tuple[RepoPath, str]]:
        with sqlite_errors():
            return unit_rows.read_manifests(self._connection)

    def put_manifests(self, changed: Mapping[RepoPath, str | None]) -> None:
        """What marker files declare; None for one that is gone."""
        with self._writing():
            unit_rows.write_manifests(self._connection, changed)

    def judged_files(self, directory: RepoPath) -> list[JudgedFile]:
        """Files beneath a directory with what their roles follow from, by path."""
        with sqlite_errors():
            return role_rows.judged_files(self._connection, directory)

    def put_roles(self, judged: Mapping[RepoPath, RoleDecision]) -> None:
        """Other roles for files whose documents stay as they are."""
        with self._writing():
            role_rows.write_roles(self._connection, judged)
            self._derived_changed = self._derived_changed or bool(judged)

    def read_attributes(self) -> list[tuple[RepoPath, str]]:
        with sqlite_errors():
            return role_rows.read_attributes(self._connection)

    def put_attributes(self, changed: Mapping[RepoPath, str | None]) -> None:
        """What attribute files state; None for one that states nothing."""
        with self._writing():
            role_rows.write_attributes(self._connection, changed)

    def forget_history(self) -> None:
        """Drop what earlier epochs held, to make room."""
        with self._writing():
            epochs.prune(self._connection, self._next_epoch(), kept=2)

    def put_meta(self, values: Mapping[str, str]) -> None:
        """Notes about the index as a whole; they are kept with the next publish."""
        with self._writing():
            epochs.write_meta(self._connection, values)

    def read_epoch(self) -> EpochRow | None:
        """What the last published epoch says of the repository."""
        return epochs.read_epoch(self._connection)

    def read_meta(self, key: str) -> str | None:
        return epochs.read_meta(self._connection, key)

    def put_links(self, file_id: int, found: FileLinks) -> None:
        """Say what the references of a file stand for, after all files were put."""
        with self._writing():
            put_links(self._connection, file_id, found, bulk=self._bulk)

    def leave_unresolved(self, file_ids: Iterable[int] | None) -> int:
        """References of these files, or of all, have to be resolved before anybody asks what they stand for.

        How many of them have references and were not left before.
        """
        put = "INSERT OR IGNORE INTO unresolved_files SELECT file_id FROM blocks"
        with self._writing():
            before = self._connection.total_changes()
            if file_ids is None:
                self._connection.execute(put)
            else:
                self._connection.executemany(f"{put} WHERE file_id = ?", [(id_,) for id_ in sorted(file_ids)])
            return self._connection.total_changes() - before

    def list_unresolved(self) -> list[int]:
        """By path."""
        return [
            id_ for (id_,) in self.rows("SELECT file_id FROM unresolved_files JOIN files USING (file_id) ORDER BY path")
        ]

    def keep_links(self) -> None:
        """What was resolved since the last publish becomes part of its epoch."""
        with self._writing():
            self._commit()
        # Here nobody waits for it; the next publish is waited for.
        checkpoint(self._connection, self.generation.database)

    def put_configuration(self, path: RepoPath, content: str | None) -> None:
        """What a file says that configures a build; None for nothing."""
        with self._writing():
            key = path_to_text(path)
            self._connection.execute("DELETE FROM configurations WHERE path = ?", (key,))
            if content is not None:
                self._connection.execute("INSERT INTO configurations VALUES (?, ?)", (key, content))

    def finish_load(self) -> None:
        """After the last file of a bulk load: rows can be looked up by all that they are looked up by."""
        if not self._bulk or self._committing is not None:
            return
        with sqlite_errors():
            self._begin()
        self._lexical_ahead = True
        # The text index commits beside: neither needs the other.
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="lexical")
        self._committing = self._threads.submit(self._commit_lexical)
        with self._writing():
            self._connection.execute(SORT_NAMES)
            self._connection.execute(INDEXES)

    def share_load(self) -> None:
        """Let other processes read what was loaded so far; they see nothing of what is still to come."""
        if self._bulk:
            self.finish_load()
            with sqlite_errors():
                self._commit()
                finish_bulk(self._connection)

    def publish(self, info: EpochInfo) -> int:
        """Make everything since the last epoch visible as a new one. Without changes of content, the epoch stays."""
        if self._broken:
            raise CodePlaneError(ErrorCode.INTERNAL, "a write failed; this writer cannot publish")
        if not self.changed and self._epoch is not None:
            with self._writing():
                epochs.refresh_epoch(self._connection, self._epoch, info)
                self._commit()
            return self._epoch
        with sqlite_errors():
            self._begin()
        self._lexical_ahead = True
        if self._bulk:
            self._finish_build()
        else:
            self._lexical.commit()
        self._barrier("lexical-committed")
        with self._writing():
            return self._publish_epoch(info, self._lexical.record())

    def require_epoch(self) -> None:
        """Make the next `publish` a new epoch even if no file changes."""
        self._derived_changed = True

    def settle(self) -> None:
        """Wait for work that goes on behind the last publish and record its result. Worth calling when idle."""
        if self._lexical.settle() and self._epoch is not None and not self._connection.in_transaction:
            with self._writing():
                epochs.record_segments(self._connection, self._epoch, self._lexical.record())
                self._commit()

    def copy_to(self, target: Generation) -> None:
        """A settled copy of the last published epoch; TOO_BUSY when a reader keeps the database from being settled."""
        self.settle()
        with sqlite_errors():
            logged, moved = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        if logged != moved:
            raise CodePlaneError(ErrorCode.TOO_BUSY, "a reader holds an older state of the index")
        copy_generation(self.generation, target)

    def begin_anew(self, repo_uuid: str, index_id: str, first_epoch: int) -> None:
        """Make a copied index that of another tree: no epoch of it is known there, and no file has been looked at."""
        with self._writing():
            for table in ("epochs", "epoch_files", "def_snapshots"):
                self._connection.execute(f"DELETE FROM {table}")
            self._connection.execute("UPDATE files SET epoch = ?, mtime_ns = -1, ctime_ns = -1", (first_epoch,))
            values = {"repo_uuid": repo_uuid, "index_id": index_id, "first_epoch": str(first_epoch)}
            epochs.write_meta(self._connection, values)
            self._commit()
        self._epoch, self._first_epoch = None, first_epoch

    def rollback(self) -> None:
        """Forget everything since the last publish. A bulk build has nothing to go back to."""
        if self._bulk:
            raise CodePlaneError(ErrorCode.INTERNAL, "a bulk build cannot be rolled back")
        with sqlite_errors():
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        self._lexical.rollback()
        self._pending.clear()
        self._derived_changed = False
        if self._lexical_ahead and self._epoch is not None:
            # The text index cannot go back; its documents are put right by reading those files again.
            self._derived_changed = bool(repair_documents(self._connection, self._lexical, self._epoch))
            self._lexical_ahead = False
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
        self._commit()
        if self._bulk:
            finish_bulk(connection)
            self._bulk = False
            self._file_ids = None
        self._epoch = epoch
        self._lexical_ahead = False
        self._pending.clear()
        self._derived_changed = False
        self._barrier("published")
        checkpoint(connection, self.generation.database)
        return epoch

    def _finish_build(self) -> None:
        self.finish_load()
        with self._writing():
            self._connection.execute(SORT_REFERENCES)
        assert self._committing is not None and self._threads is not None
        try:
            self._committing.result()
        finally:
            self._threads.shutdown()
            self._committing = self._threads = None

    def _commit_lexical(self) -> None:
        self._lexical.commit()
        self._lexical.settle()

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
        return file_rows.find_file_id(self._connection, path)

    def _clear_file(self, file_id: int) -> None:
        self._keep_history(file_id)
        delete_rows(self._connection, file_id)

    def _keep_history(self, file_id: int) -> None:
        """Before a file's row gets a new epoch: keep its definitions for the epochs that had them."""
        if self._epoch is not None:
            file_rows.keep_definitions(self._connection, file_id, self._epoch)

    def _put_row(self, file_id: int, file: FileRow, counts: Sequence[int], *, lexical: bool) -> None:
        epoch = self._next_epoch()
        file_rows.put_file(self._connection, file_id, file, counts, lexical=lexical, epoch=epoch)


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
            raise from_sqlite(error) from error


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
            connection.execute(LOADED_NAMES)
            connection.execute(CREATE_LOADED_REFERENCES)
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
