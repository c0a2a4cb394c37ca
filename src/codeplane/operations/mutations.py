"""List the mutations in the ledger, and which of them can be rolled back. Writes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import RepoPath
from codeplane.edits.journal import parse_entry
from codeplane.edits.undo_store import TXN_NAME
from codeplane.ledger.events import INTERRUPTED
from codeplane.ledger.queries import list_mutations
from codeplane.store.layout import open_state


@dataclass(frozen=True)
class MutationSummary:
    mutation_id: str
    at_ms: int
    state: str
    """done, undone, failed, interrupted, or running."""
    paths: tuple[RepoPath, ...]
    insertions: int
    deletions: int
    undoes: str | None
    can_undo: bool

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {
            "mutation_id": self.mutation_id,
            "at_ms": self.at_ms,
            "state": self.state,
            "paths": list(self.paths),
            "insertions": self.insertions,
            "deletions": self.deletions,
            "can_undo": self.can_undo,
        }
        return fields | ({"undoes": self.undoes} if self.undoes else {})


def list_mutation_summaries(root: Path, limit: int) -> list[MutationSummary]:
    """List mutations, newest first."""
    state = open_state(root)
    if state is None:
        return []
    stored = set[str]()
    with suppress(OSError):
        stored = set(os.listdir(state.path / TXN_NAME))
    found: list[MutationSummary] = []
    rolled_back: set[str] = set()
    for row in list_mutations(state.path, MAX_LIMIT):
        try:
            entry = parse_entry(row.plan)
        except CodePlaneError:
            continue
        undoes = entry.about.get("undoes")
        status = {"ok": "done", INTERRUPTED: "interrupted", None: "running"}.get(row.status, "failed")
        if status == "done" and row.mutation_id in rolled_back:
            status = "undone"
        if status == "done" and isinstance(undoes, str):
            rolled_back.add(undoes)
        stats = json.loads(row.diff_stats) if row.diff_stats else {}
        found.append(
            MutationSummary(
                mutation_id=row.mutation_id,
                at_ms=row.at_ms,
                state=status,
                paths=entry.paths,
                insertions=stats.get("insertions", 0),
                deletions=stats.get("deletions", 0),
                undoes=undoes if isinstance(undoes, str) else None,
                can_undo=status == "done" and row.mutation_id in stored,
            )
        )
    return found[:limit]


def last_undoable(mutations: Sequence[MutationSummary]) -> MutationSummary | None:
    """Return the newest mutation that can be rolled back and is not a rollback itself."""
    return next((found for found in mutations if found.can_undo and found.undoes is None), None)
