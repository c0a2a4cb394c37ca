"""Remove the index, or everything that CodePlane keeps in a repository. Sources are never touched."""

from __future__ import annotations

from codeplane.disk.locks import FileLock
from codeplane.operations.context import Context
from codeplane.store.layout import open_state
from codeplane.workspace.clearing import KEPT, ClearPlan, ClearReport, plan_removal, remove_index

__all__ = ["KEPT", "ClearPlan", "ClearReport", "clear", "plan_clear"]


def plan_clear(context: Context, everything: bool) -> ClearPlan:
    """What `clear` would remove; STATE_DIRECTORY_UNSAFE when that cannot be said safely."""
    return plan_removal(context.root, everything)


def clear(context: Context, everything: bool) -> ClearReport:
    """Remove it, under the lock; clearing what is clear already is fine."""
    state = open_state(context.root)
    if state is None:
        return ClearReport((), 0)
    with FileLock(state.lock_path).acquire():
        return remove_index(state, context.user_state, context.root, everything)
