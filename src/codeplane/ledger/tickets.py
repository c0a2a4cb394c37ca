"""Completion of an entry in the ledger's queue."""

from __future__ import annotations

from threading import Event

from codeplane.base.errors import CodePlaneError


class Ticket:
    """Completion of one queue entry: the number of its row, or the error."""

    def __init__(self, *, settles: bool = False, commits: int | None = None) -> None:
        self.done = Event()
        self.seq = 0
        self.error: CodePlaneError | None = None
        self.settles = settles
        """True if it waits until nothing is left to roll back."""
        self.commits = commits
        """Intent whose outcome counts only if it is written now."""

    def wait(self) -> int:
        self.done.wait()
        if self.error is not None:
            raise self.error
        return self.seq

    @property
    def is_commit(self) -> bool:
        return self.commits is not None
