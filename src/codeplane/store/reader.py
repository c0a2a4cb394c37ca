"""Consistent reads of one epoch: a read transaction, and the commit of the text index that belongs to it.

A reader belongs to one thread and never writes. While it is open, the write-ahead log cannot be truncated; `refresh`
moves it to the newest epoch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.store import epochs
from codeplane.store.database import Row, Value, open_for_reading, row, rows
from codeplane.store.errors import corrupt, from_sqlite, sqlite_errors
from codeplane.store.layout import Generation
from codeplane.store.lexical_reader import LexicalReader
from codeplane.store.records import EpochRow
from codeplane.store.segments import agrees, check_files, read_segments

WAIT_SECONDS = 2.0
_PAUSE_SECONDS = 0.01


class EpochReader:
    """Reads one epoch of one generation; made by `open_reader`."""

    def __init__(
        self, generation: Generation, connection: apsw.Connection, *, lexical: bool, wait_seconds: float
    ) -> None:
        self.generation = generation
        self._connection = connection
        self._wants_lexical = lexical
        self._wait_seconds = wait_seconds
        self._lexical: LexicalReader | None = None
        self._verified: set[str] = set()
        self._meta_digest = ""
        self.epoch = self._align()

    def refresh(self) -> EpochRow:
        """Move to the newest epoch."""
        self.epoch = self._align()
        return self.epoch

    def release(self) -> None:
        """Release the epoch, so that an idle reader does not hold back the log. `refresh` before the next use."""
        with sqlite_errors():
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        return rows(self._connection, sql, parameters)

    def row(self, sql: str, parameters: Sequence[Value] = ()) -> Row | None:
        return row(self._connection, sql, parameters)

    def stream(self, sql: str, parameters: Sequence[Value] = ()) -> Iterator[Row]:
        """Yield rows one by one, for results too large for memory."""
        try:
            yield from self._connection.execute(sql, parameters)
        except apsw.Error as error:
            raise from_sqlite(error) from error

    def count(self, sql: str, parameters: Sequence[Value] = ()) -> int:
        found = self.row(sql, parameters)
        return 0 if found is None else int(found[0])

    def meta(self, key: str) -> str | None:
        return epochs.read_meta(self._connection, key)

    def documents(self) -> Iterator[tuple[int, str, RepoPath]]:
        """Yield (file_id, digest, path) of every file document of the text index."""
        return self.lexical.documents()

    def close(self) -> None:
        self._lexical = None
        with sqlite_errors():
            self._connection.close()

    def __enter__(self) -> EpochReader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def load_lexical(self) -> bool:
        """Open the text index of this epoch in a reader that was opened without it.

        False while the text index on disk belongs to another epoch.
        """
        return self._lexical is not None or self._load_lexical(self.epoch)

    @property
    def lexical(self) -> LexicalReader:
        if self._lexical is None:
            raise CodePlaneError(ErrorCode.INTERNAL, "this reader was opened without the text index")
        return self._lexical

    def _align(self) -> EpochRow:
        """Begin a read transaction whose epoch names the text index on disk; retry during a publish."""
        deadline = time.monotonic() + self._wait_seconds
        while True:
            epoch = self._begin()
            if not self._wants_lexical:
                # A text index loaded on demand belongs to the previous epoch.
                self._lexical, self._meta_digest = None, ""
                return epoch
            if self._load_lexical(epoch):
                return epoch
            if time.monotonic() > deadline:
                raise CodePlaneError(
                    ErrorCode.NOT_READY,
                    "the text index does not match the published epoch: an update is running or was interrupted",
                    remedy="try again, or run 'cpl init' to bring the index up to date",
                )
            time.sleep(_PAUSE_SECONDS)

    def _begin(self) -> EpochRow:
        with sqlite_errors():
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
            self._connection.execute("BEGIN")
        # The transaction takes its snapshot at the first read.
        epoch = epochs.read_epoch(self._connection)
        if epoch is None:
            raise CodePlaneError(ErrorCode.NOT_READY, "the index has no published epoch yet")
        return epoch

    def _load_lexical(self, epoch: EpochRow) -> bool:
        directory = self.generation.lexical
        recorded = epochs.read_recorded(self._connection, epoch.epoch)
        segments = read_segments(directory)
        if not agrees(segments, recorded):
            return False
        if self._lexical is not None and segments.meta_digest == self._meta_digest:
            return True
        try:
            check_files(directory, segments, recorded, self._verified)
            if self._lexical is None:
                self._lexical = LexicalReader(directory)
            else:
                self._lexical.reload()
        except CodePlaneError:
            # A commit or a merge may have replaced the files meanwhile.
            if read_segments(directory).meta_digest != segments.meta_digest:
                return False
            raise
        if read_segments(directory).meta_digest != segments.meta_digest:
            return False
        if self._lexical.document_count != recorded.documents:
            raise corrupt("the text index and its epoch have different numbers of documents")
        self._verified.intersection_update(segments.files)
        self._meta_digest = segments.meta_digest
        return True


def open_reader(generation: Generation, *, lexical: bool = True, wait_seconds: float = WAIT_SECONDS) -> EpochReader:
    """Open a reader of the newest epoch. Raises NOT_READY if the two halves do not agree in time."""
    connection = open_for_reading(generation.database)
    try:
        return EpochReader(generation, connection, lexical=lexical, wait_seconds=wait_seconds)
    except BaseException:
        with suppress(apsw.Error):
            connection.close()
        raise
