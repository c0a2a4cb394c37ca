"""What each session has read: how much, how it came by it, and which lines it was given already.

Kept in memory and for as long as the session lives; counts of reads begin anew with each task. It observes and judges;
what follows from a judgement is for the caller. The same calls in the same order give the same judgements.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Lock
from typing import NamedTuple

from codeplane.base.paths import parent
from codeplane.tasks.sessions import MAX_SESSIONS, Session

HARD_FACTOR = 2
"""Beyond the budget by this factor, where budgets are enforced, nothing is read any more."""
RECENT_READS = 20
"""What was given longer ago may be forgotten by whoever got it."""
RECENT_SEARCHES = 3
TOP_PATHS = 20
_MAX_FILES = 500
_MAX_SPANS = 64
_ADVISE_AGAIN = 10
_ALTERNATIVES = 3


@dataclass(frozen=True)
class Budget:
    max_reads: int = 25
    max_total_lines: int = 2_500
    max_single_lines: int = 300
    max_preview_chars: int = 12_000


class Standing(StrEnum):
    OK = "ok"
    SOFT = "soft_limit"
    HARD = "hard_limit"


@dataclass(frozen=True)
class Metrics:
    reads_count: int = 0
    reads_lines_total: int = 0
    reads_chars_total: int = 0
    search_count: int = 0
    read_after_search_ratio: float = 0.0
    """Of the reads, those of a file that one of the last searches had found."""
    avg_read_span: int = 0
    max_read_span: int = 0
    preview_degraded_count: int = 0

    def as_dict(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if value}


@dataclass
class _Counts:
    reads: int = 0
    lines: int = 0
    chars: int = 0
    searches: int = 0
    after_search: int = 0
    longest: int = 0
    degraded: int = 0
    told: Standing = Standing.OK
    told_at: int = 0


class GivenLines(NamedTuple):
    """Lines, first to last, that an earlier answer of the session showed."""

    first: int
    last: int
    request_id: str


@dataclass(frozen=True)
class _Given:
    first: int
    last: int
    request_id: str
    turn: int


@dataclass
class _Served:
    digest: str
    spans: list[_Given] = field(default_factory=list)
    """The latest _MAX_SPANS, oldest first."""


@dataclass
class _State:
    task_id: str
    counts: _Counts = field(default_factory=_Counts)
    searches: deque[tuple[str, ...]] = field(default_factory=lambda: deque(maxlen=RECENT_SEARCHES))
    served: OrderedDict[str, _Served] = field(default_factory=OrderedDict)
    doubted: OrderedDict[str, None] = field(default_factory=OrderedDict)
    turn: int = 0
    asked: str = ""
    """Digest of the request before."""


class Readings:
    """Of all sessions. Safe to use from many threads."""

    def __init__(self, capacity: int = MAX_SESSIONS) -> None:
        self._capacity = capacity
        self._lock = Lock()
        self._states: OrderedDict[str, _State] = OrderedDict()

    def note_search(self, session: Session, paths: Iterable[str]) -> None:
        """What a search found first: the next reads are likely to be of it."""
        with self._lock:
            state = self._of(session)
            state.counts.searches += 1
            state.searches.append(tuple(dict.fromkeys(paths))[:TOP_PATHS])

    def begin(self, session: Session, request: str) -> bool:
        """A read begins; returns whether the very same was asked for just before."""
        with self._lock:
            state = self._of(session)
            state.turn += 1
            repeated = state.asked == request
            state.asked = request
            return repeated

    def standing(self, session: Session, budget: Budget) -> Standing:
        with self._lock:
            counts = self._of(session).counts
            used = max(counts.reads / budget.max_reads, counts.lines / budget.max_total_lines)
        if used >= HARD_FACTOR:
            return Standing.HARD
        return Standing.SOFT if used >= 1 else Standing.OK

    def is_worth_saying(self, session: Session, standing: Standing) -> bool:
        """Whether the budget is to be mentioned: when it stands differently than before, and now and then after."""
        with self._lock:
            counts = self._of(session).counts
            due = standing is not counts.told or counts.reads >= counts.told_at + _ADVISE_AGAIN
            if due:
                counts.told, counts.told_at = standing, counts.reads
            return due and standing is not Standing.OK

    def note_read(self, session: Session, path: str, lines: int, chars: int, *, degraded: bool) -> None:
        with self._lock:
            state = self._of(session)
            counts = state.counts
            counts.reads += 1
            counts.lines += lines
            counts.chars += chars
            counts.longest = max(counts.longest, lines)
            counts.degraded += degraded
            counts.after_search += any(path in found for found in state.searches)

    def metrics(self, session: Session) -> Metrics:
        with self._lock:
            counts = self._of(session).counts
            reads = max(1, counts.reads)
            return Metrics(
                counts.reads,
                counts.lines,
                counts.chars,
                counts.searches,
                round(counts.after_search / reads, 2),
                round(counts.lines / reads),
                counts.longest,
                counts.degraded,
            )

    def unrelated(self, session: Session, path: str) -> tuple[str, ...]:
        """Files to look at instead of one that has nothing to do with the last searches; none where it has, and of
        each file only once. What lies beside a file that was found, or was read before, is related."""
        with self._lock:
            state = self._of(session)
            found = [other for paths in reversed(state.searches) for other in paths]
            near = any(other == path or parent(other) == parent(path) for other in found)
            if not found or near or path in state.served or path in state.doubted:
                return ()
            state.doubted[path] = None
            while len(state.doubted) > _MAX_FILES:
                state.doubted.popitem(last=False)
            return tuple(dict.fromkeys(found))[:_ALTERNATIVES]

    def find_given(self, session: Session, path: str, digest: str, first: int, last: int) -> tuple[GivenLines, ...]:
        """Lines of this range that recent answers showed of this very text: disjoint and in order.

        One answer that showed all of them is preferred; otherwise each line counts for the latest that showed it.
        """
        with self._lock:
            state = self._of(session)
            served = state.served.get(path)
            if served is None or served.digest != digest:
                return ()
            recent = [span for span in reversed(served.spans) if state.turn - span.turn <= RECENT_READS]
        whole = next((span for span in recent if span.first <= first and last <= span.last), None)
        if whole is not None:
            return (GivenLines(first, last, whole.request_id),)
        missing, found = [(first, last)], list[GivenLines]()
        for span in recent:
            rest: list[tuple[int, int]] = []
            for start, end in missing:
                left, right = max(start, span.first), min(end, span.last)
                if left > right:
                    rest.append((start, end))
                    continue
                found.append(GivenLines(left, right, span.request_id))
                rest += [(start, left - 1)] if start < left else []
                rest += [(right + 1, end)] if right < end else []
            missing = rest
        return tuple(sorted(found))

    def note_served(self, session: Session, path: str, digest: str, first: int, last: int, request_id: str) -> None:
        with self._lock:
            state = self._of(session)
            served = state.served.get(path)
            if served is None or served.digest != digest:
                served = state.served[path] = _Served(digest)
            state.served.move_to_end(path)
            # What the new answer shows as a whole no longer needs the older one.
            served.spans = [span for span in served.spans if not (first <= span.first and span.last <= last)]
            served.spans.append(_Given(first, last, request_id, state.turn))
            del served.spans[:-_MAX_SPANS]
            while len(state.served) > _MAX_FILES:
                state.served.popitem(last=False)

    def reset(self, session: Session) -> None:
        """Begin to count anew, and forget what was given."""
        with self._lock:
            self._states.pop(session.id, None)

    def drop(self, session_id: str) -> None:
        with self._lock:
            self._states.pop(session_id, None)

    def _of(self, session: Session) -> _State:
        state = self._states.get(session.id)
        if state is None:
            state = self._states[session.id] = _State(session.task_id)
            while len(self._states) > self._capacity:
                self._states.popitem(last=False)
        self._states.move_to_end(session.id)
        if state.task_id != session.task_id:
            state.task_id, state.counts = session.task_id, _Counts()
        return state
