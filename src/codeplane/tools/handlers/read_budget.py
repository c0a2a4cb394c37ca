"""Read budget of a session: limits on one call, and advice when a session reads too much.

Budgets are advisory by default and never shorten an answer. In a task with limits, or if the configuration enforces
them, answers are cut to a third beyond the budget, and reads are refused at twice the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import Notice, WarningCode
from codeplane.config.model import ReadingConfig
from codeplane.tasks.read_history import BudgetState, ReadBudget
from codeplane.tools.calls import Call

ADVICE = "Use search to narrow scope, then read one symbol by its symbol_ref."
_DEGRADED = 3
"""Factor by which answers are shortened beyond an enforced budget."""
_UNBOUNDED = 1 << 40


@dataclass(frozen=True)
class Allowance:
    """Limits of one call."""

    budget: ReadBudget
    budget_state: BudgetState = BudgetState.OK
    enforced: bool = False
    observed: bool = True
    """True for the session of an agent; False for a person or a single call, which have no budget."""
    resends: bool = True
    """True if lines that the session has already read are sent again."""

    def bounds(self, limit: int | None, max_chars: int | None) -> tuple[int, int]:
        """Return the maximum lines and characters of one target."""
        if not self.observed:
            return limit or _UNBOUNDED, max_chars or _UNBOUNDED
        budget = self.budget
        lines, chars = limit or budget.max_single_lines, max_chars or budget.max_preview_chars
        if not self.enforced:
            return lines, chars
        lines, chars = min(lines, budget.max_single_lines), min(chars, budget.max_preview_chars)
        if self.budget_state is BudgetState.SOFT:
            return max(1, lines // _DEGRADED), max(1, chars // _DEGRADED)
        return lines, chars


def find_allowance(call: Call, request: str, fresh: bool) -> Allowance:
    """Return the limits of a call. Raises BUDGET_EXCEEDED if an enforced budget is used up."""
    config = call.root.context.config.reading
    budget = _budget(config)
    if call.once or call.surface.everything:
        return Allowance(budget, observed=False)
    repeated = call.read_history.begin(call.session, request)
    budget_state = call.read_history.budget_state(call.session, budget)
    enforced = call.session.explicit or config.enforce
    if enforced and budget_state is BudgetState.HARD:
        raise _exceeded(call, budget)
    return Allowance(budget, budget_state, enforced, resends=fresh or repeated)


def budget_meta(call: Call, allowance: Allowance, doubts: Sequence[Notice]) -> dict[str, object]:
    """Return `stabilization`, if there is something to report: each time an enforced budget applies, and advice only
    now and then."""
    if not allowance.observed:
        return {}
    budget_state = call.read_history.budget_state(call.session, allowance.budget)
    advises = call.read_history.should_mention(call.session, budget_state)
    if not advises and not doubts and not (allowance.enforced and budget_state is not BudgetState.OK):
        return {}
    fields: dict[str, object] = {"budget_state": budget_state.value}
    if advises:
        fields["suggested_next_action"] = ADVICE
    if doubts:
        fields["warnings"] = [doubt.as_dict() for doubt in doubts]
    if advises:
        fields["metrics_snapshot"] = call.read_history.metrics(call.session).as_dict()
    return {"stabilization": fields}


def relevance_notices(call: Call, path: str) -> list[Notice]:
    """Warn about a file that is unrelated to the results of recent searches, and name related ones."""
    others = call.read_history.suggest_instead(call.session, path)
    return [Notice(WarningCode.LOW_RELEVANCE, {"path": path, "found": list(others)})] if others else []


def _budget(config: ReadingConfig) -> ReadBudget:
    return ReadBudget(config.max_reads, config.max_total_lines, config.max_single_lines, config.max_preview_chars)


def _exceeded(call: Call, budget: ReadBudget) -> CodePlaneError:
    metrics = call.read_history.metrics(call.session)
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
        remedy="Search, or reset the count with reset_budget." if call.shows("reset_budget") else ADVICE,
    )
