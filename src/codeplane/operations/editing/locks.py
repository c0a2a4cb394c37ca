"""Turns at names: whoever wants some of the same names waits, in the order of coming; all others go on.

All names of one batch are taken at once, so that two batches never wait for each other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from codeplane.base.errors import CodePlaneError, ErrorCode

_LOOK_SECONDS = 0.05


class Turns:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._wishes: dict[int, frozenset[str]] = {}
        """Of those who have their turn and those who wait, in the order in which they came."""
        self._next = 0

    @contextmanager
    def taken(self, names: Iterable[str], cancelled: Callable[[], bool]) -> Iterator[None]:
        """For as long as the block; CANCELLED for whoever gives up waiting."""
        wanted = frozenset(names)
        with self._changed:
            number = self._next = self._next + 1
            self._wishes[number] = wanted
        try:
            with self._changed:
                while not self._is_free(number):
                    self._changed.wait(_LOOK_SECONDS)
                    if cancelled():
                        raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled while it waited")
            yield
        finally:
            with self._changed:
                del self._wishes[number]
                self._changed.notify_all()

    def _is_free(self, number: int) -> bool:
        mine = self._wishes[number]
        return all(other.isdisjoint(mine) for earlier, other in self._wishes.items() if earlier < number)
