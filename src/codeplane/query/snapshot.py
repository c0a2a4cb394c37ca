"""Snapshot of one epoch: a read transaction and the matching text index.

Open it for one request and close it: while it is open, SQLite cannot reuse old pages. Every other module of this
package takes a Snapshot as its first argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LIMIT
from codeplane.store.layout import Generation, StateDirectory
from codeplane.store.reader import WAIT_SECONDS, EpochReader, open_reader
from codeplane.store.records import EpochRow

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """At most `limit` rows in a total order, and the total number of rows."""

    rows: tuple[T, ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.rows)


class Snapshot:
    """Used by one thread only. `refresh` moves it to the newest epoch."""

    def __init__(self, reader: EpochReader) -> None:
        self.reader = reader

    @property
    def epoch(self) -> EpochRow:
        return self.reader.epoch

    @property
    def generation(self) -> Generation:
        return self.reader.generation

    def refresh(self) -> EpochRow:
        return self.reader.refresh()

    def release(self) -> None:
        """Release the epoch without closing; call `refresh` before the next query."""
        self.reader.release()

    def close(self) -> None:
        self.reader.close()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def open_snapshot(generation: Generation, *, lexical: bool = True, wait_seconds: float = WAIT_SECONDS) -> Snapshot:
    """Open the newest epoch of a generation; without `lexical`, text search is unavailable and opening is cheaper."""
    return Snapshot(open_reader(generation, lexical=lexical, wait_seconds=wait_seconds))


def open_current(state: StateDirectory, *, lexical: bool = True) -> Snapshot:
    """Open the newest epoch of the current generation; retry if the generation changes meanwhile."""
    while True:
        generation = state.current()
        if generation is None:
            raise CodePlaneError(
                ErrorCode.NOT_INDEXED, "this repository has no index", remedy="run 'cpl init' in the repository"
            )
        try:
            return open_snapshot(generation, lexical=lexical)
        except CodePlaneError:
            if state.read_current() == generation.name:
                raise


def check_limit(limit: int) -> int:
    if 1 <= limit <= MAX_LIMIT:
        return limit
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"limit {limit} is out of range",
        expected=f"1 to {MAX_LIMIT}",
        received=str(limit),
        example=20,
    )
