"""The only writer of a generation: it owns the write connection and the text index, and publishes epochs.

Changes gather in one transaction that no reader sees. `publish` commits the text index first, and then, in the
database, the epoch that names this very commit. If the two disagree, a publish was interrupted, and `open_writer`
repairs it. The caller holds the lock of the repository. Nothing here reads the working tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.facts.blocks import PackedFacts
from codeplane.facts.model import Problem
from codeplane.facts.passages import Searchable
from codeplane.store import epochs, file_rows
from codeplane.store.database import (
    PAGE_BYTES,
    Row,
    Value,
    checkpoint,
    close_writer,
    finish_bulk,
    wal_bytes,
)
from codeplane.store.errors import sqlite_errors
from codeplane.store.fact_rows import delete_rows, insert_rows, make_rows, storable_facts
from codeplane.store.layout import Generation, copy_generation
from codeplane.store.lexical_writer import LexicalWriter
from codeplane.store.link_table import SORT_REFERENCES, LinkTable
from codeplane.store.path_table import PathTable
from codeplane.store.pending import PendingChanges
from codeplane.store.records import ChangeKind, EpochInfo, EpochRow, FileRow, FileState, ObservedStat
from codeplane.store.repair import repair_documents
from codeplane.store.role_table import RoleTable
from codeplane.store.schema import INDEXES, SORT_NAMES
from codeplane.store.segments import RecordedSegments
from codeplane.store.session import WriteSession
from codeplane.store.state_files import tree_bytes
from codeplane.store.unit_table import UnitTable

Barrier = Callable[[str], None]
"""Called at the points of a publish where a kill would do most harm; tests stop the process there."""

_INDEX_OVERHEAD = 0.4
"""Share that secondary indexes add to a bulk load."""
_TEXT_OVERHEAD = 0.7
"""Size of the text index per byte of terms."""


class Writer:
    """Made by `open_writer.create_writer` for a new generation (bulk), or by `open_writer` for an existing one."""

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
        self.lexical = lexical
        self.connection = connection
        """For reads of unpublished rows; only this package writes through it."""
        self._session = WriteSession(connection, bulk=bulk)
        self.units = UnitTable(self._session)
        self.roles = RoleTable(self._session)
        self.links = LinkTable(self._session)
        self.manifests = PathTable(self._session, "manifests")
        self.attributes = PathTable(self._session, "attributes")
        self.configurations = PathTable(self._session, "configurations")
        self._barrier = barrier
        self._pending = PendingChanges()
        with sqlite_errors():
            self._next_file_id = int(epochs.read_meta(connection, "next_file_id") or 1)
            self._first_epoch = int(epochs.read_meta(connection, "first_epoch") or 1)
            self._epoch = epochs.current_epoch(connection)
        self._file_ids: dict[RepoPath, int] | None = {} if bulk else None
        """Ids by path during a bulk load, which has no index of paths yet."""
        self._lexical_ahead = False
        """True from the commit of the text index until the epoch that names it."""
        self._threads: ThreadPoolExecutor | None = None
        self._committing: Future[None] | None = None

    @property
    def epoch(self) -> int | None:
        """The last published epoch; None before the first."""
        return self._epoch

    @property
    def changed(self) -> bool:
        """True if `publish` would make a new epoch."""
        return bool(self._pending) or self._session.derived_changed or self._epoch is None

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Read published and unpublished rows."""
        return self._session.rows(sql, parameters)

    def put_file(
        self, file: FileRow, facts: PackedFacts, problems: Sequence[Problem] = (), searchable: Searchable | None = None
    ) -> int:
        """Replace everything about a path; return its file id."""
        with sqlite_errors():
            self._session.begin()
            known_id = self._find_file_id(file.path)
            file_id = self._next_file_id if known_id is None else known_id
            # Malformed facts must fail before the old rows are deleted.
            rows = make_rows(file_id, facts, problems)
        with self._session:
            if known_id is None:
                self._next_file_id += 1
                if self._file_ids is not None:
                    self._file_ids[file.path] = file_id
            else:
                self._clear_file(file_id)
                self.lexical.delete(file_id)
            try:
                insert_rows(self.connection, rows, bulk=self._session.bulk)
            except UnicodeEncodeError:
                delete_rows(self.connection, file_id)
                rows = make_rows(file_id, storable_facts(facts), problems)
                insert_rows(self.connection, rows, bulk=self._session.bulk)
            counts = {
                "scopes": facts.scope_count,
                "defs": len(facts.defs),
                "imports": len(facts.imports),
                "refs": facts.ref_count,
                "problems": len(problems),
            }
            self._put_row(file_id, file, counts, lexical=searchable is not None)
            if searchable is not None:
                self.lexical.add(file_id, file.path, file.document_digest, file.family, searchable, file.role)
            change = ChangeKind.ADDED if known_id is None else ChangeKind.MODIFIED
            self._pending.note(file.path, change, file.digest)
        return file_id

    def touch_files(self, stats: Iterable[tuple[RepoPath, ObservedStat]]) -> None:
        """Update the stats of files with unchanged content. Makes no epoch."""
        with self._session:
            file_rows.touch_files(self.connection, stats)

    def remove_file(self, path: RepoPath) -> bool:
        """Remove everything about a path. Return False if it was not indexed."""
        with self._session:
            file_id = self._find_file_id(path)
            if file_id is None:
                return False
            self._clear_file(file_id)
            self.connection.execute("DELETE FROM files WHERE file_id = ?", (file_id,))
            self.lexical.delete(file_id)
            if self._file_ids is not None:
                self._file_ids.pop(path, None)
            self._pending.note(path, ChangeKind.REMOVED, None)
        return True

    def find_text(self, path: RepoPath) -> tuple[str | None, FileState] | None:
        """Return the digest of the text with normalized line endings, and the state; None if it is not indexed."""
        with sqlite_errors():
            return file_rows.find_text(self.connection, path)

    def recode_file(self, file: FileRow) -> None:
        """Update a file with other bytes but the same text: its facts and its document stay."""
        with self._session:
            file_id = self._find_file_id(file.path)
            if file_id is None:
                raise CodePlaneError(ErrorCode.INTERNAL, f"'{file.path}' is not indexed")
            self._snapshot_definitions(file_id)
            self._put_row(file_id, file, file_rows.read_counts(self.connection, file_id), lexical=True)
            self._pending.note(file.path, ChangeKind.MODIFIED, file.digest)

    def note_rename(self, old: RepoPath, new: RepoPath) -> None:
        """Record a removal and an addition of this epoch as one rename."""
        self._pending.note_rename(old, new)

    def size_bytes(self) -> int:
        """Estimate the size of the generation on disk, including what is not committed."""
        with sqlite_errors():
            database = int(self.connection.pragma("page_count")) * PAGE_BYTES + self.wal_bytes()
        if self._session.bulk:
            database += int(database * _INDEX_OVERHEAD)
        text = int(self.lexical.uncommitted_bytes * _TEXT_OVERHEAD)
        return database + text + tree_bytes(self.generation.lexical)

    def wal_bytes(self) -> int:
        return wal_bytes(self.generation.database)

    def forget_history(self) -> None:
        """Delete the history of earlier epochs, to save space."""
        with self._session:
            epochs.prune(self.connection, self._next_epoch(), kept=2)

    def put_meta(self, values: Mapping[str, str]) -> None:
        """Store notes about the whole index with the next publish."""
        with self._session:
            epochs.write_meta(self.connection, values)

    def read_meta(self, key: str) -> str | None:
        return epochs.read_meta(self.connection, key)

    def read_epoch(self) -> EpochRow | None:
        return epochs.read_epoch(self.connection)

    def commit_links(self) -> None:
        """Make links that were resolved since the last publish part of its epoch."""
        with self._session:
            self._session.commit()
        # Here no caller waits for the checkpoint, as one would at the next publish.
        checkpoint(self.connection, self.generation.database)

    def finish_load(self) -> None:
        """End the loading of files in a bulk build: sort the rows and create the indexes."""
        if not self._session.bulk or self._committing is not None:
            return
        with sqlite_errors():
            self._session.begin()
        self._lexical_ahead = True
        # The text index commits at the same time: the two are independent.
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="lexical")
        self._committing = self._threads.submit(self._commit_lexical)
        with self._session:
            self.connection.execute(SORT_NAMES)
            self.connection.execute(INDEXES)

    def publish(self, info: EpochInfo) -> int:
        """Publish all changes as a new epoch. Without changes of content, update what the epoch says about git."""
        if self._session.is_broken:
            raise CodePlaneError(ErrorCode.INTERNAL, "a write failed; this writer cannot publish")
        if not self.changed and self._epoch is not None:
            with self._session:
                epochs.refresh_epoch(self.connection, self._epoch, info)
                self._session.commit()
            return self._epoch
        with sqlite_errors():
            self._session.begin()
        self._lexical_ahead = True
        if self._session.bulk:
            self._finish_build()
        else:
            self.lexical.commit()
        self._barrier("lexical-committed")
        with self._session:
            return self._publish_epoch(info, self.lexical.record())

    def require_epoch(self) -> None:
        """Make the next `publish` a new epoch even if no file changes."""
        self._session.derived_changed = True

    def settle(self) -> None:
        """Wait for background work of the last publish and record its result. Call it when idle."""
        if self.lexical.settle() and self._epoch is not None and not self.connection.in_transaction:
            with self._session:
                epochs.record_segments(self.connection, self._epoch, self.lexical.record())
                self._session.commit()
        if not self.connection.in_transaction:
            with sqlite_errors():
                self.connection.pragma("shrink_memory")

    def copy_to(self, target: Generation) -> None:
        """Copy the last published epoch. Raises TOO_BUSY while a reader holds an older one."""
        self.settle()
        with sqlite_errors():
            logged, moved = self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        if logged != moved:
            raise CodePlaneError(ErrorCode.TOO_BUSY, "a reader holds an older state of the index")
        copy_generation(self.generation, target)

    def reset_epochs(self, repo_uuid: str, index_id: str, first_epoch: int) -> None:
        """Turn a copied index into a new one: without epochs, and with no file counted as seen."""
        with self._session:
            for table in ("epochs", "epoch_files", "def_snapshots"):
                self.connection.execute(f"DELETE FROM {table}")
            self.connection.execute("UPDATE files SET epoch = ?, mtime_ns = -1, ctime_ns = -1", (first_epoch,))
            values = {"repo_uuid": repo_uuid, "index_id": index_id, "first_epoch": str(first_epoch)}
            epochs.write_meta(self.connection, values)
            self._session.commit()
        self._epoch, self._first_epoch = None, first_epoch

    def rollback(self) -> None:
        """Return to the last published epoch. A bulk build has none."""
        if self._session.bulk:
            raise CodePlaneError(ErrorCode.INTERNAL, "a bulk build cannot be rolled back")
        self._session.rollback()
        self.lexical.rollback()
        self._pending.clear()
        if self._lexical_ahead and self._epoch is not None:
            # A committed text index cannot be rolled back; files with other documents are read again.
            self._session.derived_changed = bool(repair_documents(self.connection, self.lexical, self._epoch))
            self._lexical_ahead = False
        self._session.is_broken = False

    def close(self) -> None:
        """Drop unpublished changes, and leave the files settled."""
        try:
            if not self._session.bulk and not self._session.is_broken:
                self.rollback()
                self.settle()
            with suppress(CodePlaneError):
                self.lexical.close()
        finally:
            self._session.abandon()
            close_writer(self.connection)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _publish_epoch(self, info: EpochInfo, segments: RecordedSegments) -> int:
        epoch, connection = self._next_epoch(), self.connection
        # The first epoch is the baseline: listing all files as changes would only repeat them.
        if self._epoch is not None:
            epochs.insert_changes(connection, epoch, self._pending)
        epochs.insert_epoch(connection, epoch, info, segments)
        epochs.write_meta(connection, {"next_file_id": str(self._next_file_id)})
        epochs.prune(connection, epoch)
        self._session.commit()
        if self._session.bulk:
            finish_bulk(connection)
            self._session.bulk = False
            self._file_ids = None
        self._epoch = epoch
        self._lexical_ahead = False
        self._pending.clear()
        self._session.derived_changed = False
        self._barrier("published")
        checkpoint(connection, self.generation.database)
        return epoch

    def _finish_build(self) -> None:
        self.finish_load()
        with self._session:
            self.connection.execute(SORT_REFERENCES)
        assert self._committing is not None and self._threads is not None
        try:
            self._committing.result()
        finally:
            self._threads.shutdown()
            self._committing = self._threads = None

    def _commit_lexical(self) -> None:
        self.lexical.commit()
        self.lexical.settle()

    def _next_epoch(self) -> int:
        return self._first_epoch if self._epoch is None else self._epoch + 1

    def _find_file_id(self, path: RepoPath) -> int | None:
        if self._file_ids is not None:
            return self._file_ids.get(path)
        return file_rows.find_file_id(self.connection, path)

    def _clear_file(self, file_id: int) -> None:
        self._snapshot_definitions(file_id)
        delete_rows(self.connection, file_id)

    def _snapshot_definitions(self, file_id: int) -> None:
        if self._epoch is not None:
            file_rows.snapshot_definitions(self.connection, file_id, self._epoch)

    def _put_row(self, file_id: int, file: FileRow, counts: Mapping[str, int], *, lexical: bool) -> None:
        epoch = self._next_epoch()
        file_rows.put_file(self.connection, file_id, file, counts, lexical=lexical, epoch=epoch)
