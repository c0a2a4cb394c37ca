"""Roll back an interrupted mutation from its journal entry alone."""

from __future__ import annotations

from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.edits.journal import parse_entry
from codeplane.edits.transaction import Transaction


def roll_back_interrupted(root: Path, plan: str, *, no_exchange: bool = False) -> tuple[RepoPath, ...]:
    """Restore the files of a journal entry; return those that another process has changed since, which are kept."""
    entry = parse_entry(plan)
    with Root.open(root) as opened, Transaction(opened, entry, no_exchange=no_exchange) as transaction:
        try:
            return tuple(conflict.path for conflict in transaction.roll_back())
        except CodePlaneError as error:
            if error.code in (ErrorCode.PROTECTED_PATH, ErrorCode.PATH_ESCAPE, ErrorCode.PATH_INVALID):
                # No entry that this code writes names such a path.
                raise CodePlaneError(ErrorCode.LEDGER_DAMAGED, "a journal entry names a protected path") from error
            raise
