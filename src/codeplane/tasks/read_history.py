"""Read history of each session: read budget, searches before reads, and lines that were already shown.

In memory, for the lifetime of a session; read counts restart with each task. It only reports; callers decide what to
do. Deterministic: the same calls in the same order give the same results.
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
"""Factor of the budget beyond which reads are refused, where budgets are enforced."""
RECENT_READS = 20
"""Text shown more reads ago than this may have left the context of the client."""
RECENT_SEARCHES = 3
TOP_PATHS = 20
_MAX_FILES = 500
_MAX_SPANS = 64
_MENTION_INTERVAL = 10
_ALTERNATIVES = 3


@dataclass(frozen=True)
class ReadBudget:
    max_reads: int = 25
    max_total_lines: int = 2_500
    max_single_lines: int = 300
    max_preview_chars: int = 12_000


class BudgetState(StrEnum):
    OK = "ok"
    SOFT = "soft_limit"
    HARD = "hard_limit"


@dataclass(frozen=True)
class ReadMetrics:
    reads_count: int = 0
    reads_lines_total: int = 0
    reads_chars_total: int = 0
    search_count: int = 0
    read_after_search_ratio: float = 0.0
    """Share of reads of a file that one of the last searches had found."""
    avg_read_span: int = 0
    max_read_span: int = 0
    preview_degraded_count: int = 0

    def as_dict(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if value}


@dataclass
class _ReadCounts:
    reads: int = 0
    lines: int = 0
    chars: int = 0
    searches: int = 0
    after_search: int = 0
    longest: int = 0
    degraded: int = 0
    mentioned: BudgetState = BudgetState.OK
    mentioned_at: int = 0


class ShownLines(NamedTuple):
    """Lines, first to last, that an earlier answer of the session showed."""

    first: int
    last: int
    request_id: str


@dataclass(frozen=True)
class _ShownSpan:
    first: int
    last: int
    request_id: str
    turn: int


@dataclass
class _ShownFile:
    digest: str
    spans: list[_ShownSpan] = field(default_factory=list)
    """The latest _MAX_SPANS, oldest first."""


@dataclass
class _SessionReads:
    task_id: str
    counts: _ReadCounts = field(default_factory=_ReadCounts)
    searches: deque[tuple[str, ...]] = field(default_factory=lambda: deque(maxlen=RECENT_SEARCHES))
    served: OrderedDict[str, _ShownFile] = field(default_factory=OrderedDict)
    questioned: OrderedDict[str, None] = field(default_factory=OrderedDict)
    turn: int = 0
    last_request: str = ""
    """Digest of the previous request."""


class ReadHistory:
    """History of all sessions. Thread-safe."""

    def __init__(self, capacity: int = MAX_SESSIONS) -> None:
        self._capacity = capacity
        self._lock = Lock()
        self._states: OrderedDict[str, _SessionReads] = OrderedDict()

    def record_search(self, session: Session, paths: Iterable[str]) -> None:
        """Record the top results of a search, which the next reads are likely to be of."""
        with self._lock:
            state = self._reads_of(session)
            state.counts.searches += 1
            state.searches.append(tuple(dict.fromkeys(paths))[:TOP_PATHS])

    def begin(self, session: Session, request: str) -> bool:
        """Begin a read; True if the previous request was the same."""
        with self._lock:
            state = self._reads_of(session)
            state.turn += 1
            repeated = state.last_request == request
            state.last_request = request
            return repeated

    def budget_state(self, session: Session, budget: ReadBudget) -> BudgetState:
        with self._lock:
            counts = self._reads_of(session).counts
            used = max(counts.reads / budget.max_reads, counts.lines / budget.max_total_lines)
        if used >= HARD_FACTOR:
            return BudgetState.HARD
        return BudgetState.SOFT if used >= 1 else BudgetState.OK

    def should_mention(self, session: Session, budget_state: BudgetState) -> bool:
        """True if an answer should mention the budget: when its state changes, and from time to time after that."""
        with self._lock:
            counts = self._reads_of(session).counts
            due = budget_state is not counts.mentioned or counts.reads >= counts.mentioned_at + _MENTION_INTERVAL
            if due:
                counts.mentioned, counts.mentioned_at = budget_state, counts.reads
            return due and budget_state is not BudgetState.OK

    def record_read(self, session: Session, path: str, lines: int, chars: int, *, degraded: bool) -> None:
        with self._lock:
            state = self._reads_of(session)
            counts = state.counts
            counts.reads += 1
            counts.lines += lines
            counts.chars += chars
            counts.longest = max(counts.longest, lines)
            counts.degraded += degraded
            counts.after_search += any(path in found for found in state.searches)

    def metrics(self, session: Session) -> ReadMetrics:
        with self._lock:
            counts = self._reads_of(session).counts
            reads = max(1, counts.reads)
            return ReadMetrics(
                counts.reads,
                counts.lines,
                counts.chars,
                counts.searches,
                round(counts.after_search / reads, 2),
                round(counts.lines / reads),
                counts.longest,
                counts.degraded,
            )

    def suggest_instead(self, session: Session, path: str) -> tuple[str, ...]:
        """Return files to read instead of one that is unrelated to the last searches; empty if it is related.

        Files beside a search result, and files read before, are related. Each file is questioned only once.
        """
        with self._lock:
            state = self._reads_of(session)
            found = [other for paths in reversed(state.searches) for other in paths]
            near = any(other == path or parent(other) == parent(path) for other in found)
            if not found or near or path in state.served or path in state.questioned:
                return ()
            state.questioned[path] = None
            while len(state.questioned) > _MAX_FILES:
                state.questioned.popitem(last=False)
            return tuple(dict.fromkeys(found))[:_ALTERNATIVES]

    def find_shown(self, session: Session, path: str, digest: str, first: int, last: int) -> tuple[ShownLines, ...]:
        """Return the lines of a range that recent answers showed of this content: disjoint and in order.

        One answer that showed all of them is preferred; otherwise each line belongs to the latest that showed it.
        """
        with self._lock:
            state = self._reads_of(session)
            served = state.served.get(path)
            if served is None or served.digest != digest:
                return ()
            recent = [span for span in reversed(served.spans) if state.turn - span.turn <= RECENT_READS]
        whole = next((span for span in recent if span.first <= first and last <= span.last), None)
        if whole is not None:
            return (ShownLines(first, last, whole.request_id),)
        missing, found = [(first, last)], list[ShownLines]()
        for span in recent:
            rest: list[tuple[int, int]] = []
            for start, end in missing:
                left, right = max(start, span.first), min(end, span.last)
                if left > right:
                    rest.append((start, end))
                    continue
                found.append(ShownLines(left, right, span.request_id))
                rest += [(start, left - 1)] if start < left else []
                rest += [(right + 1, end)] if right < end else []
            missing = rest
        return tuple(sorted(found))

    def record_shown(self, session: Session, path: str, digest: str, first: int, last: int, request_id: str) -> None:
        with self._lock:
            state = self._reads_of(session)
            served = state.served.get(path)
            if served is None or served.digest != digest:
                served = state.served[path] = _ShownFile(digest)
            state.served.move_to_end(path)
            # Spans within the new one are superseded.
            served.spans = [span for span in served.spans if not (first <= span.first and span.last <= last)]
            served.spans.append(_ShownSpan(first, last, request_id, state.turn))
            del served.spans[:-_MAX_SPANS]
            while len(state.served) > _MAX_FILES:
                state.served.popitem(last=False)

    def reset(self, session: Session) -> None:
        """Restart the counts and clear the shown lines."""
        with self._lock:
            self._states.pop(session.id, None)

    def drop(self, session_id: str) -> None:
        with self._lock:
            self._states.pop(session_id, None)

    def _reads_of(self, session: Session) -> _SessionReads:
        state = self._states.get(session.id)
        if state is None:
            state = self._states[session.id] = _SessionReads(session.task_id)
            while len(self._states) > self._capacity:
                self._states.popitem(last=False)
        self._states.move_to_end(session.id)
        if state.task_id != session.task_id:
            state.task_id, state.counts = session.task_id, _ReadCounts()
        return state
