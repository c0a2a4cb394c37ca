"""The changes of files that the ledger knows, and which of them can be undone. Writes nothing."""

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
from codeplane.disk.batch import parse_batch
from codeplane.disk.kept import TXN_NAME
from codeplane.ledger.events import INTERRUPTED
from codeplane.ledger.queries import list_mutations
from codeplane.store.layout import open_state


@dataclass(frozen=True)
class Mutation:
    mutation_id: str
    at_ms: int
    state: str
    """done, undone, failed, interrupted, or running while nobody has said how it ended."""
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


def list_changes(root: Path, limit: int) -> list[Mutation]:
    """Newest first."""
    state = open_state(root)
    if state is None:
        return []
    kept = set[str]()
    with suppress(OSError):
        kept = set(os.listdir(state.path / TXN_NAME))
    found: list[Mutation] = []
    taken_back: set[str] = set()
    for row in list_mutations(state.path, MAX_LIMIT):
        try:
            batch = parse_batch(row.plan)
        except CodePlaneError:
            continue
        undoes = batch.about.get("undoes")
        word = {"ok": "done", INTERRUPTED: "interrupted", None: "running"}.get(row.status, "failed")
        if word == "done" and row.mutation_id in taken_back:
            word = "undone"
        if word == "done" and isinstance(undoes, str):
            taken_back.add(undoes)
        stats = json.loads(row.diff_stats) if row.diff_stats else {}
        found.append(
            Mutation(
                mutation_id=row.mutation_id,
                at_ms=row.at_ms,
                state=word,
                paths=batch.paths,
                insertions=stats.get("insertions", 0),
                deletions=stats.get("deletions", 0),
                undoes=undoes if isinstance(undoes, str) else None,
                can_undo=word == "done" and row.mutation_id in kept,
            )
        )
    return found[:limit]


def last_undoable(changes: Sequence[Mutation]) -> Mutation | None:
    """The last change that can be undone and is no undoing itself."""
    return next((change for change in changes if change.can_undo and change.undoes is None), None)
