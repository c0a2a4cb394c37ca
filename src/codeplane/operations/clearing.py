"""Remove the index, or everything that CodePlane keeps in a repository. Sources are never touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeplane.disk.locks import FileLock
from codeplane.operations.context import Context
from codeplane.store.layout import StateDirectory, open_state, remove_state
from codeplane.store.registry import remove_binding

KEPT = ("config.yaml", "contexts.yaml", "ledger", "ledger.db", "lock", "logs", ".gitignore")
"""What `clear` leaves unless it is told to remove everything."""


@dataclass(frozen=True)
class ClearPlan:
    paths: tuple[Path, ...]
    bytes: int


@dataclass(frozen=True)
class ClearReport:
    removed: tuple[str, ...]
    bytes: int


def plan_clear(context: Context, everything: bool) -> ClearPlan:
    """What `clear` would remove; STATE_DIRECTORY_UNSAFE when that cannot be said safely."""
    state = open_state(context.root)
    if state is None:
        return ClearPlan((), 0)
    if everything:
        return ClearPlan((state.path,), state.size_bytes())
    names = state.names(keep=KEPT)
    return ClearPlan(tuple(state.path / name for name in names), state.size_bytes(names))


def clear(context: Context, everything: bool) -> ClearReport:
    """Remove it, under the lock; clearing what is clear already is fine."""
    state = open_state(context.root)
    if state is None:
        return ClearReport((), 0)
    plan = plan_clear(context, everything)
    with FileLock(state.lock_path).acquire():
        removed = _remove(state, everything, context)
    return ClearReport(tuple(removed), plan.bytes)


def _remove(state: StateDirectory, everything: bool, context: Context) -> list[str]:
    if not everything:
        return state.clear(keep=KEPT)
    remove_binding(context.user_state, context.root)
    remove_state(state)
    return [state.path.name]
