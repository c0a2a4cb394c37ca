"""Remove the index, or all state that CodePlane keeps in a repository. Source files are never touched."""

from __future__ import annotations

from codeplane.disk.locks import FileLock
from codeplane.operations.context import Context
from codeplane.store.layout import open_state
from codeplane.workspace.clearing import KEPT, ClearPlan, ClearReport, plan_removal, remove_index

__all__ = ["KEPT", "ClearPlan", "ClearReport", "clear", "plan_clear"]


def plan_clear(context: Context, everything: bool) -> ClearPlan:
    """Return what `clear` would remove; raise STATE_DIRECTORY_UNSAFE if that is not safe to determine."""
    return plan_removal(context.root, everything)


def clear(context: Context, everything: bool) -> ClearReport:
    """Remove the index under its lock; idempotent."""
    state = open_state(context.root)
    if state is None:
        return ClearReport((), 0)
    with FileLock(state.lock_path).acquire():
        return remove_index(state, context.user_state, context.root, everything)
