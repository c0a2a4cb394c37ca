"""Values of cells that depend on each other, as the least solution: the same whatever is asked first.

A cell is computed from others on demand. Cells that depend on each other in a circle are computed together, over and
over until nothing grows any more; only then are their values kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)

MAX_DEPTH = 300
"""Cells that wait for each other; beyond, nothing is known."""
EMPTY: frozenset[object] = frozenset()


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
        self._at: dict[Key, int] = {}
        """Cells under way, by their place on the stack."""
        self._low: list[int] = [0]
        """For each cell under way the lowest place that it depends on; the first is whoever asks."""
        self._hit: list[bool] = [False]
        """Whether something depends on it while it is under way."""
        self._pending: list[Key] = []
        """Computed, but as part of a circle that is still under way."""
        self._pending_low: dict[Key, int] = {}
        self._grown = 0
        self._depth = 0
        self._once: dict[Hashable, tuple[Any, set[int]]] = {}
        self._meanwhile: list[dict[Hashable, tuple[Any, set[int], int]]] = [{}]
        """For each cell under way what was made for it and is not final; and the lowest place that this depends on."""
        self._kept: dict[Hashable, tuple[Any, set[int]]] = {}
        self.noted: list[set[int]] = [set()]
        """What each cell under way depends on besides cells."""

    def note(self, what: int) -> None:
        self.noted[-1].add(what)

    def take_noted(self) -> set[int]:
        """What was noted since this was taken last, by all cells that were asked for."""
        taken, self.noted[0] = self.noted[0], set()
        return taken

    def memo_tracked(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once; whoever asks for it depends on what it was made from."""
        found = self._kept.get(key)
        if found is None:
            self.noted.append(set())
            try:
                value = make()
            finally:
                noted = self.noted.pop()
            found = self._kept[key] = (value, noted)
        self.noted[-1] |= found[1]
        return found[0]

    def memo(self, key: Hashable, make: Callable[..., Any], *of: Any, nothing: Any) -> Any:
        """What `make` gives, which asks for cells but not for itself; made once until `forget`, if what it was made
        from is final. Much cheaper than a cell. `nothing` is what is known when too much waits for each other."""
        found = self._once.get(key)
        if found is not None:
            self.noted[-1] |= found[1]
            return found[0]
        lows = self._low
        place = len(lows) - 1
        meanwhile = self._meanwhile[place].get(key)
        if meanwhile is not None:
            value, noted, low = meanwhile
            self.noted[-1] |= noted
            if low < lows[place]:
                lows[place] = low
            return value
        if self._depth >= MAX_DEPTH:
            return self._too_deep(nothing)
        before, lows[place] = lows[place], place + 1
        noted = set()
        self.noted.append(noted)
        self._depth += 1
        try:
            value = make(*of)
        finally:
            self._depth -= 1
            self.noted.pop()
            low, lows[place] = lows[place], before
        self.noted[-1] |= noted
        if low > place:
            self._once[key] = (value, noted)
        else:
            self._meanwhile[place][key] = (value, noted, low)
            if low < before:
                lows[place] = low
        return value

    def forget(self) -> None:
        """What was made once may be made again."""
        self._once.clear()
        self._meanwhile[0].clear()

    def close(self) -> None:
        self.forget()
        self._done.clear()
        self._kept.clear()

    def _too_deep(self, nothing: Any) -> Any:
        """It counts as something that the first cell under way may still change, so it is kept for that one alone."""
        first = min(1, len(self._low) - 1)
        self._low[-1] = first
        self._hit[first] = True
        return nothing

    def get(self, key: Key) -> frozenset[Value]:
        done = self._done.get(key)
        if done is not None:
            self.noted[-1] |= done[1]
            return done[0]
        at = self._at.get(key)
        if at is not None:
            self._hit[at] = True
            if at < self._low[-1]:
                self._low[-1] = at
            return self._values.get(key, frozenset())
        low = self._pending_low.get(key)
        if low is not None:
            if low < self._low[-1]:
                self._low[-1] = low
            return self._values[key]
        place = len(self._low)
        if self._depth >= MAX_DEPTH:
            return self._too_deep(frozenset())  # type: ignore[no-any-return]
        self._depth += 1
        try:
            return self._solve(key, place)
        finally:
            self._depth -= 1

    def _solve(self, key: Key, place: int) -> frozenset[Value]:
        self._at[key] = place
        self._low.append(place)
        self._hit.append(False)
        self.noted.append(set())
        pending = len(self._pending)
        while True:
            self._meanwhile.append({})
            grown = self._grown
            before = self._values.get(key, frozenset())
            value = self._bounded(key, before | self._compute(key))
            if value != before:
                self._values[key] = value
                self._grown += 1
            self._meanwhile.pop()
            if self._low[place] < place or not self._hit[place] or self._grown == grown:
                break
            self._drop_pending(pending)
        low, noted = self._low.pop(), self.noted.pop()
        self._hit.pop()
        del self._at[key]
        self.noted[-1] |= noted
        if low < place:
            if low < self._low[-1]:
                self._low[-1] = low
            self._pending.append(key)
            self._pending_low[key] = low
            self._values.setdefault(key, value)
            return value
        memo_tracked = frozenset(noted)
        self._done[key] = (value, memo_tracked)
        self._values.pop(key, None)
        for other in self._pending[pending:]:
            self._done[other] = (self._values.pop(other), memo_tracked)
            del self._pending_low[other]
        del self._pending[pending:]
        return value

    def _drop_pending(self, since: int) -> None:
        """They are computed again, from what they are known to hold."""
        for other in self._pending[since:]:
            del self._pending_low[other]
        del self._pending[since:]
