"""FIFO locks over sets of names; disjoint sets run concurrently.

All names of one holder are acquired at once, so two holders never wait for each other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from codeplane.base.errors import CodePlaneError, ErrorCode

_POLL_SECONDS = 0.05


class NameLocks:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._names: dict[int, frozenset[str]] = {}
        """Names of holders and waiters by ticket, in the order of arrival."""
        self._last_ticket = 0

    @contextmanager
    def acquire(self, names: Iterable[str], cancelled: Callable[[], bool]) -> Iterator[int]:
        """Hold the names for the length of the block, which gets a ticket. CANCELLED if the caller stops waiting."""
        wanted = frozenset(names)
        with self._changed:
            ticket = self._last_ticket = self._last_ticket + 1
            self._names[ticket] = wanted
        try:
            with self._changed:
                while not self._is_free(ticket):
                    self._changed.wait(_POLL_SECONDS)
                    if cancelled():
                        raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled while it waited")
            yield ticket
        finally:
            with self._changed:
                del self._names[ticket]
                self._changed.notify_all()

    def extend(self, ticket: int, names: Iterable[str]) -> bool:
        """Add names to those that a ticket holds; False, with nothing changed, if others hold or want one of them."""
        with self._changed:
            added = frozenset(names) - self._names[ticket]
            if not all(other.isdisjoint(added) for number, other in self._names.items() if number != ticket):
                return False
            self._names[ticket] |= added
            return True

    def _is_free(self, ticket: int) -> bool:
        own = self._names[ticket]
        return all(other.isdisjoint(own) for earlier, other in self._names.items() if earlier < ticket)
