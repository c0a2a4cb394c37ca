"""Memoized queries that may depend on each other in cycles, solved to their least fixpoint.

A query is computed from others on demand. The queries of a cycle are computed together, repeatedly, until none of them
grows; only then are their results stored. The result does not depend on which query is asked first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from sys import getsizeof
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)
T = TypeVar("T")

MAX_DEPTH = 300
"""Nested computations; a deeper query returns nothing."""
_RESULT_BYTES = 480
"""Estimate of the memory of a stored result with its key, without its dependencies."""


class QueryCache(Generic[Key, Value]):
    def __init__(
        self,
        compute: Callable[[Key], frozenset[Value]],
        bounded: Callable[[Key, frozenset[Value]], frozenset[Value]] = lambda _, values: values,
    ) -> None:
        self._compute = compute
        self._bounded = bounded
        self._done: dict[Key, tuple[frozenset[Value], frozenset[int]]] = {}
        self._values: dict[Key, frozenset[Value]] = {}
        self._position: dict[Key, int] = {}
        """Running queries, by their position on the stack."""
        self._low: list[int] = [0]
        """For each running query the lowest stack position that it depends on; the first entry is the caller's."""
        self._hit: list[bool] = [False]
        """For each running query: True if another one read it while it was running."""
        self._pending: list[Key] = []
        """Computed, but part of a cycle that is still running."""
        self._pending_low: dict[Key, int] = {}
        self._growth = 0
        self._depth = 0
        self._memo: dict[Hashable, tuple[object, set[int]]] = {}
        self._provisional: list[dict[Hashable, tuple[object, set[int], int]]] = [{}]
        """For each running query the memos that are not final, with the lowest position that they depend on."""
        self._tracked: dict[Hashable, tuple[object, frozenset[int]]] = {}
        self._dependency_sets: dict[frozenset[int], frozenset[int]] = {}
        """Each set once: many queries depend on the same files."""
        self._dependency_bytes = 0
        self.dependencies: list[set[int]] = [set()]
        """For each running query its dependencies on files, names and directories."""

    def note(self, dependency: int) -> None:
        self.dependencies[-1].add(dependency)

    def take_dependencies(self) -> set[int]:
        """Return and reset the dependencies of all queries since the last call."""
        found, self.dependencies[0] = self.dependencies[0], set()
        return found

    def memo_tracked(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return `make()`, called once; the caller inherits its dependencies. `make` must not ask for `key`."""
        found = self._tracked.get(key)
        if found is None:
            self.dependencies.append(set())
            try:
                value = make()
            finally:
                noted = self.dependencies.pop()
            found = self._tracked[key] = (value, self._stored_set(noted))
        self.dependencies[-1] |= found[1]
        return found[0]  # type: ignore[return-value]

    def memo(self, key: Hashable, make: Callable[..., T], *arguments: object, nothing: T) -> T:
        """Return `make(*arguments)`, which runs queries but not itself. Much cheaper than a query.

        Called once until `forget`, if the queries that it ran are final. Returns `nothing` above MAX_DEPTH.
        """
        found = self._memo.get(key)
        if found is not None:
            self.dependencies[-1] |= found[1]
            return found[0]  # type: ignore[return-value]
        lows = self._low
        position = len(lows) - 1
        provisional = self._provisional[position].get(key)
        if provisional is not None:
            known, noted, low = provisional
            self.dependencies[-1] |= noted
            if low < lows[position]:
                lows[position] = low
            return known  # type: ignore[return-value]
        if self._depth >= MAX_DEPTH:
            self._stop_descent()
            return nothing
        before, lows[position] = lows[position], position + 1
        noted = set()
        self.dependencies.append(noted)
        self._depth += 1
        try:
            value = make(*arguments)
        finally:
            self._depth -= 1
            self.dependencies.pop()
            low, lows[position] = lows[position], before
        self.dependencies[-1] |= noted
        if low > position:
            self._memo[key] = (value, noted)
        else:
            self._provisional[position][key] = (value, noted, low)
            if low < before:
                lows[position] = low
        return value

    def forget(self) -> None:
        """Drop the memos; queries and tracked memos stay."""
        self._memo.clear()
        self._provisional[0].clear()

    @property
    def stored_bytes(self) -> int:
        """Estimate of the memory of all results."""
        return _RESULT_BYTES * (len(self._done) + len(self._tracked)) + self._dependency_bytes

    def _stored_set(self, noted: set[int]) -> frozenset[int]:
        made = frozenset(noted)
        known = self._dependency_sets.setdefault(made, made)
        if known is made:
            self._dependency_bytes += getsizeof(made)
        return known

    def close(self) -> None:
        self.forget()
        self._done.clear()
        self._tracked.clear()
        self._dependency_sets.clear()

    def _stop_descent(self) -> None:
        """Mark the running query as dependent on the first one, which may still change the truncated result."""
        first = min(1, len(self._low) - 1)
        self._low[-1] = first
        self._hit[first] = True

    def get(self, key: Key) -> frozenset[Value]:
        done = self._done.get(key)
        if done is not None:
            self.dependencies[-1] |= done[1]
            return done[0]
        position = self._position.get(key)
        if position is not None:
            self._hit[position] = True
            if position < self._low[-1]:
                self._low[-1] = position
            return self._values.get(key, frozenset())
        low = self._pending_low.get(key)
        if low is not None:
            if low < self._low[-1]:
                self._low[-1] = low
            return self._values[key]
        if self._depth >= MAX_DEPTH:
            self._stop_descent()
            return frozenset()
        self._depth += 1
        try:
            return self._solve(key, len(self._low))
        finally:
            self._depth -= 1

    def _solve(self, key: Key, position: int) -> frozenset[Value]:
        self._position[key] = position
        self._low.append(position)
        self._hit.append(False)
        self.dependencies.append(set())
        pending = len(self._pending)
        while True:
            self._provisional.append({})
            growth = self._growth
            before = self._values.get(key, frozenset())
            value = self._bounded(key, before | self._compute(key))
            if value != before:
                self._values[key] = value
                self._growth += 1
            self._provisional.pop()
            if self._low[position] < position or not self._hit[position] or self._growth == growth:
                break
            self._drop_pending(pending)
        low, noted = self._low.pop(), self.dependencies.pop()
        self._hit.pop()
        del self._position[key]
        self.dependencies[-1] |= noted
        if low < position:
            if low < self._low[-1]:
                self._low[-1] = low
            self._pending.append(key)
            self._pending_low[key] = low
            self._values.setdefault(key, value)
            return value
        final = self._stored_set(noted)
        self._done[key] = (value, final)
        self._values.pop(key, None)
        for other in self._pending[pending:]:
            self._done[other] = (self._values.pop(other), final)
            del self._pending_low[other]
        del self._pending[pending:]
        return value

    def _drop_pending(self, start: int) -> None:
        """Compute them again, starting from their current values."""
        for other in self._pending[start:]:
            del self._pending_low[other]
        del self._pending[start:]
