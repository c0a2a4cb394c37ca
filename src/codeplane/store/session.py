"""The write transaction of a generation, shared by the writer and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import apsw

from codeplane.store.database import Row, Value, rows
from codeplane.store.errors import from_sqlite, sqlite_errors


class WriteSession:
    """`with session:` brackets one write: it begins the transaction if none is open, and marks failures."""

    def __init__(self, connection: apsw.Connection, *, bulk: bool) -> None:
        self.connection = connection
        self.bulk = bulk
        """True while a new generation is loaded: it has no readers, and is discarded on failure."""
        self.is_broken = False
        """True after a failed write: only a rollback can follow."""
        self.derived_changed = False
        """True if rows that follow from files changed, so that the next publish makes an epoch."""

    def __enter__(self) -> None:
        with sqlite_errors():
            self.begin()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        self.is_broken = True
        if isinstance(error, apsw.Error):
            raise from_sqlite(error) from error

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Read committed and uncommitted rows."""
        return rows(self.connection, sql, parameters)

    def begin(self) -> None:
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")

    def rollback(self) -> None:
        with sqlite_errors():
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        self.derived_changed = False

    def abandon(self) -> None:
        """Roll back and ignore errors, before the connection is closed."""
        with suppress(apsw.Error):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
