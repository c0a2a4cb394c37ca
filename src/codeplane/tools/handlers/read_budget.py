"""How much a session may read, and what it is told when it reads in circles.

Outside of a task that was opened with limits, budgets advise and never make an answer shorter. In such a task, or where
the configuration says so, answers become a third as long beyond the budget, and end at twice the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import Notice, WarningCode
from codeplane.config.model import ReadingConfig
from codeplane.tasks.reading import Budget, Standing
from codeplane.tools.calls import Call

ADVICE = "Use search to narrow scope, then read one symbol by its symbol_ref."
_DEGRADED = 3
"""Beyond a budget that holds, answers are this many times shorter."""
_UNBOUNDED = 1 << 40


@dataclass(frozen=True)
class Allowance:
    """What one call may read, as its session stands."""

    budget: Budget
    standing: Standing = Standing.OK
    enforced: bool = False
    observed: bool = True
    """Whether the session is one that goes on, of somebody who pays for what is read."""
    gives_again: bool = True
    """Whether text is given even if the session was given it before."""

    def bounds(self, limit: int | None, max_chars: int | None) -> tuple[int, int]:
        """Lines and characters of one target."""
        if not self.observed:
            return limit or _UNBOUNDED, max_chars or _UNBOUNDED
        budget = self.budget
        lines, chars = limit or budget.max_single_lines, max_chars or budget.max_preview_chars
        if not self.enforced:
            return lines, chars
        lines, chars = min(lines, budget.max_single_lines), min(chars, budget.max_preview_chars)
        if self.standing is Standing.SOFT:
            return max(1, lines // _DEGRADED), max(1, chars // _DEGRADED)
        return lines, chars


def allowance_of(call: Call, request: str, fresh: bool) -> Allowance:
    """BUDGET_EXCEEDED where nothing may be read any more."""
    config = call.root.context.config.reading
    budget = _budget(config)
    if call.once or call.surface.everything:
        return Allowance(budget, observed=False)
    repeated = call.readings.begin(call.session, request)
    standing = call.readings.standing(call.session, budget)
    enforced = call.session.explicit or config.enforce
    if enforced and standing is Standing.HARD:
        raise _exceeded(call, budget)
    return Allowance(budget, standing, enforced, gives_again=fresh or repeated)


def budget_meta(call: Call, allowance: Allowance, doubts: Sequence[Notice]) -> dict[str, object]:
    """`stabilization`, where there is something to say. That a budget holds is said in each answer that it concerns,
    and what to do about it now and then."""
    if not allowance.observed:
        return {}
    standing = call.readings.standing(call.session, allowance.budget)
    worth = call.readings.is_worth_saying(call.session, standing)
    if not worth and not doubts and not (allowance.enforced and standing is not Standing.OK):
        return {}
    told: dict[str, object] = {"budget_state": standing.value}
    if worth:
        told["suggested_next_action"] = ADVICE
    if doubts:
        told["warnings"] = [doubt.as_dict() for doubt in doubts]
    if worth:
        told["metrics_snapshot"] = call.readings.metrics(call.session).as_dict()
    return {"stabilization": told}


def relevance(call: Call, path: str) -> list[Notice]:
    """A doubt about a file that has nothing to do with what was searched for, with files that have."""
    others = call.readings.unrelated(call.session, path)
    return [Notice(WarningCode.LOW_RELEVANCE, {"path": path, "found": list(others)})] if others else []


def _budget(config: ReadingConfig) -> Budget:
    return Budget(config.max_reads, config.max_total_lines, config.max_single_lines, config.max_preview_chars)


def _exceeded(call: Call, budget: Budget) -> CodePlaneError:
    metrics = call.readings.metrics(call.session)
    return CodePlaneError(
        ErrorCode.BUDGET_EXCEEDED,
        f"Read budget exceeded. Use search to narrow scope: {metrics.reads_count} reads, "
        f"{metrics.reads_lines_total} lines.",
        details={
            "metrics": metrics.as_dict(),
            "max_reads": budget.max_reads,
            "max_total_lines": budget.max_total_lines,
            "next": call.next_call("search", {"query": "what you look for"}, "cpl search WORDS"),
        },
        remedy="Search, or begin a new count with reset_budget." if call.shows("reset_budget") else ADVICE,
    )
