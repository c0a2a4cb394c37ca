"""Batches of edits on small trees, with a real ledger and without a server."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from codeplane.base.call_record import CallRecord
from codeplane.base.paths import RepoPath
from codeplane.disk.batch import Batch
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.operations.editing.editor import AppliedEdit, Editor, Request
from codeplane.operations.editing.keeping import Room
from codeplane.operations.editing.model import Edit, EditPlan
from codeplane.operations.editing.opening import open_editor
from codeplane.operations.editing.planning import PlanOptions, plan_edits
from codeplane.operations.editing.recovering import undo_plan
from codeplane.tasks.model import ANYWHERE


def never() -> bool:
    return False


class CallJournal:
    """What the ledger is told of one call, as the pipeline tells it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._intent: int | None = None
        self.is_abandoned = False

    def ensure(self) -> None:
        self._ledger.ensure_settled()

    def begin(self, batch: Batch) -> None:
        record = CallRecord(mutation_id=batch.mutation_id)
        event = Event("write_source", "r_1", op_type="write_source", plan=batch.as_text(), record=record)
        self._intent = self._ledger.intent(event)

    def commit(self, record: CallRecord, answer_chars: int) -> None:
        event = Event("write_source", "r_1", op_type="write_source", intent=self._intent, status="ok", record=record)
        self._ledger.commit(event)
        self._intent = None

    def abandon(self) -> None:
        assert self._intent is not None
        self.is_abandoned = True
        self._ledger.abandon(self._intent)
        self._intent = None

    def end(self) -> None:
        """How the pipeline ends a call that failed."""
        if self._intent is not None:
            self._ledger.outcome(
                Event("write_source", "r_1", op_type="write_source", intent=self._intent, status="error")
            )


class Bench:
    """An editor and its ledger on one tree."""

    def __init__(self, root: Path, ledger: Ledger, editor: Editor) -> None:
        self.root = root
        self.ledger = ledger
        self.editor = editor

    def apply(self, *edits: Edit, sensitive: bool = False) -> AppliedEdit:
        done = self.try_apply(edits, sensitive=sensitive)
        assert isinstance(done, AppliedEdit)
        return done

    def try_apply(self, edits: Sequence[Edit], *, sensitive: bool = False) -> AppliedEdit | EditPlan:
        options = PlanOptions(ANYWHERE, sensitive, self.editor.explain)
        journal = CallJournal(self.ledger)
        try:
            return self.editor.apply(
                Request(paths_of(edits), lambda root: plan_edits(root, edits, options)), journal, never
            )
        finally:
            journal.end()


def paths_of(edits: Sequence[Edit]) -> list[RepoPath]:
    return [path for edit in edits for path in (edit.path, edit.new_path) if path is not None]


@contextmanager
def bench(root: Path, *, plain: bool = False, room: Room | None = None) -> Iterator[Bench]:
    (root / ".codeplane").mkdir(mode=0o700, parents=True, exist_ok=True)
    ledger = Ledger.open(root / ".codeplane", recover=lambda plan: undo_plan(root, plan, plain=plain))
    editor = open_editor(root, ledger, room or Room(), plain=plain)
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
    """Every file and directory outside of our own, with the bytes of files."""
    found: dict[str, bytes | None] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name.partition("/")[0] not in (".codeplane", ".git"):
            found[name] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return found


def kept_in(root: Path) -> list[str]:
    """What lies in the directory of batches."""
    txn = root / ".codeplane" / "txn"
    return sorted(entry.name for entry in txn.iterdir()) if txn.is_dir() else []
