"""One epoch to ask: a read transaction and the text index that belongs to it.

Open it for the length of one answer and close it; while it is open it holds old pages back.
Every other module of this package takes a Snapshot as its first argument.
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
    """At most `limit` rows in their total order, and how many there are in all."""

    rows: tuple[T, ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.rows)


class Snapshot:
    """Belongs to one thread. `refresh` moves it to the newest epoch."""

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
        """Keep it open but let go of the epoch; `refresh` before the next question."""
        self.reader.release()

    def close(self) -> None:
        self.reader.close()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def open_snapshot(generation: Generation, *, lexical: bool = True, wait_seconds: float = WAIT_SECONDS) -> Snapshot:
    """The newest epoch of a generation; without `lexical`, text search is not available and opening is cheaper."""
    return Snapshot(open_reader(generation, lexical=lexical, wait_seconds=wait_seconds))


def open_current(state: StateDirectory, *, lexical: bool = True) -> Snapshot:
    """The newest epoch of the current generation, also when it is switched meanwhile."""
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
