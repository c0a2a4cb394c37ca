"""Remove the index, or the whole state directory of a repository. Sources are never touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeplane.ledger.anchor import LedgerAnchor
from codeplane.store.layout import StateDirectory, open_state, remove_state
from codeplane.store.registry import remove_binding, remove_settings

KEPT = (
    "config.yaml",
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
"""Names that stay unless everything is removed."""


@dataclass(frozen=True)
class ClearPlan:
    paths: tuple[Path, ...]
    bytes: int


@dataclass(frozen=True)
class ClearReport:
    removed: tuple[str, ...]
    bytes: int


def plan_removal(root: Path, everything: bool) -> ClearPlan:
    """Return what a clear would remove. Raises STATE_DIRECTORY_UNSAFE."""
    state = open_state(root)
    if state is None:
        return ClearPlan((), 0)
    if everything:
        return ClearPlan((state.path,), state.size_bytes())
    names = state.names(keep=KEPT)
    return ClearPlan(tuple(state.path / name for name in names), state.size_bytes(names))


def remove_index(state: StateDirectory, user_state: Path, root: Path, everything: bool) -> ClearReport:
    """Remove the index. The caller holds the lock, which `everything` removes, too."""
    size = plan_removal(root, everything).bytes
    if not everything:
        return ClearReport(tuple(state.clear(keep=KEPT)), size)
    remove_binding(user_state, root)
    remove_settings(user_state, root)
    LedgerAnchor(user_state, root).remove()
    remove_state(state)
    return ClearReport((state.path.name,), size)
