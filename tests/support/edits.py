"""Mutations of small trees, with a real ledger and without a server."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from codeplane.base.paths import RepoPath
from codeplane.edits.delta import Delta
from codeplane.edits.journal import MutationJournal
from codeplane.edits.model import Edit, EditPlan
from codeplane.edits.mutation import Editor
from codeplane.edits.plan import PlanOptions, plan_edits
from codeplane.edits.recover import roll_back_interrupted
from codeplane.edits.undo_store import RetentionLimits
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger

CALL = Event("write_source", "r_1", op_type="write_source")


def never() -> bool:
    return False


class CallJournal(MutationJournal):
    """Journal of one call, ended as the pipeline ends it."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger, CALL, time.monotonic())
        self.ledger = ledger

    def end(self) -> None:
        """Record the outcome of a call that failed."""
        if self.intent is not None and not self.is_finished:
            self.ledger.outcome(
                Event("write_source", "r_1", op_type="write_source", intent=self.intent, status="error")
            )


class Bench:
    """An editor and its ledger on one tree."""

    def __init__(self, root: Path, ledger: Ledger, editor: Editor) -> None:
        self.root = root
        self.ledger = ledger
        self.editor = editor

    def apply(self, *edits: Edit, sensitive: bool = False) -> Delta:
        delta = self.try_apply(edits, sensitive=sensitive)
        assert isinstance(delta, Delta)
        return delta

    def try_apply(
        self, edits: Sequence[Edit], *, sensitive: bool = False, journal: CallJournal | None = None
    ) -> Delta | EditPlan:
        """Apply edits; the plan alone if it changes nothing."""
        call = journal or CallJournal(self.ledger)
        paths = [path for edit in edits for path in edit.paths]
        try:
            with self.editor.mutation(paths, call, never) as mutation:
                plan = plan_edits(mutation.root, edits, PlanOptions(sensitive, self.editor.explain_mismatch))
                return mutation.apply(plan) if plan.changes else plan
        finally:
            call.end()


@contextmanager
def bench(root: Path, *, no_exchange: bool = False, limits: RetentionLimits | None = None) -> Iterator[Bench]:
    (root / ".codeplane").mkdir(mode=0o700, parents=True, exist_ok=True)
    recover = partial(roll_back_interrupted, root, no_exchange=no_exchange)
    ledger = Ledger.open(root / ".codeplane", recover=recover)
    editor = Editor(root, ledger, limits, no_exchange=no_exchange)
    try:
        yield Bench(root, ledger, editor)
    finally:
        editor.close(5)
        ledger.close()


def sha(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def create(path: str, content: str) -> Edit:
    return Edit(RepoPath(path), "create", content=content)


def update(path: str, expected: str, new: str) -> Edit:
    return Edit(RepoPath(path), "update", old_text=expected, new_text=new)


def delete(path: str) -> Edit:
    return Edit(RepoPath(path), "delete")


def move(path: str, target: str) -> Edit:
    return Edit(RepoPath(path), "move", new_path=RepoPath(target))


def tree_of(root: Path) -> dict[str, bytes | None]:
    """Return every file and directory outside of `.codeplane` and `.git`, with the bytes of files."""
    found: dict[str, bytes | None] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name.partition("/")[0] not in (".codeplane", ".git"):
            found[name] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return found


def stored_in(root: Path) -> list[str]:
    """Return the mutation ids in the undo store."""
    txn = root / ".codeplane" / "txn"
    return sorted(entry.name for entry in txn.iterdir()) if txn.is_dir() else []
