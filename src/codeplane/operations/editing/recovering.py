"""Undoing a change of files that was cut off, from its plan alone."""

from __future__ import annotations

from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.batch import parse_batch
from codeplane.disk.safe_open import Root
from codeplane.disk.transaction import Transaction


def undo_plan(root: Path, plan: str, *, plain: bool = False) -> tuple[RepoPath, ...]:
    """Put back what it had changed; the files that somebody else has changed since, which stay as they are."""
    batch = parse_batch(plan)
    with Root.open(root) as opened, Transaction(opened, batch, plain=plain) as transaction:
        try:
            return tuple(left.path for left in transaction.undo())
        except CodePlaneError as error:
            if error.code in (ErrorCode.PROTECTED_PATH, ErrorCode.PATH_ESCAPE, ErrorCode.PATH_INVALID):
                # No plan of ours names such a path.
                raise CodePlaneError(ErrorCode.LEDGER_DAMAGED, "a plan in the ledger is not one of ours") from error
            raise
