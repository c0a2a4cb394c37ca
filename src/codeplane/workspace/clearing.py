"""Remove the index, or everything that is kept in a repository. Sources are never touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeplane.store.layout import StateDirectory, open_state, remove_state
from codeplane.store.registry import remove_binding, remove_settings

KEPT = (
    "config.yaml",
    "contexts.yaml",
    "contexts.yaml",
    "ledger",
    "ledger.db",
    "ledger.db-wal",
    "ledger.db-shm",
    "lock",
    "logs",
    "txn",
    ".gitignore",
)
"""What clearing leaves unless it is told to remove everything."""


@dataclass(frozen=True)
class ClearPlan:
    paths: tuple[Path, ...]
    bytes: int


@dataclass(frozen=True)
class ClearReport:
    removed: tuple[str, ...]
    bytes: int


def plan_removal(root: Path, everything: bool) -> ClearPlan:
    """What clearing would remove; STATE_DIRECTORY_UNSAFE when that cannot be said safely."""
    state = open_state(root)
    if state is None:
        return ClearPlan((), 0)
    if everything:
        return ClearPlan((state.path,), state.size_bytes())
    names = state.names(keep=KEPT)
    return ClearPlan(tuple(state.path / name for name in names), state.size_bytes(names))


def remove_index(state: StateDirectory, user_state: Path, root: Path, everything: bool) -> ClearReport:
    """Remove it. Only under the lock, which goes with everything."""
    size = plan_removal(root, everything).bytes
    if not everything:
        return ClearReport(tuple(state.clear(keep=KEPT)), size)
    remove_binding(user_state, root)
    remove_settings(user_state, root)
    remove_state(state)
    return ClearReport((state.path.name,), size)
