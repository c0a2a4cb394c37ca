"""Earlier epochs: changed files, and the definitions that a file had."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.query.rows import fetch_page, file_row_range
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.database import Row
from codeplane.store.records import ChangeKind


class DefSnapshot(NamedTuple):
    path: RepoPath
    def_uid: str
    kind: str
    name: str
    lexical_path: str
    signature_hash: str
    display_name: str
    start_line: int
    end_line: int


class EpochChange(NamedTuple):
    epoch: int
    path: RepoPath
    change: ChangeKind
    old_path: RepoPath | None
    digest: str | None


def list_defs_at_epoch(snapshot: Snapshot, path: str, epoch: int, limit: int) -> Page[DefSnapshot]:
    """List the definitions that a file had in a retained epoch, in source order; empty if it did not exist."""
    check_limit(limit)
    require_epoch(snapshot, epoch)
    text = path_to_text(path)
    since = snapshot.reader.row("SELECT epoch FROM files WHERE path = ?", (text,))
    span = file_row_range(snapshot, path)
    if since is not None and span is not None and int(since[0]) <= epoch:
        select = (
            "files.path, def_uid, kind, defs.name, lexical_path, signature_hash,"
            " CASE signature WHEN '' THEN defs.name ELSE signature END, start_line, end_line"
        )
        source = "FROM defs JOIN files ON files.file_id = def_id >> 20 WHERE def_id BETWEEN ? AND ?"
        return fetch_page(snapshot, _make_def, select, source, "start_line, def_id", span, limit)
    select = "path, def_uid, kind, name, lexical_path, signature_hash, display_name, start_line, end_line"
    source = "FROM def_snapshots WHERE path = ? AND from_epoch <= ? AND until_epoch >= ?"
    return fetch_page(snapshot, _make_def, select, source, "start_line, ordinal", (text, epoch, epoch), limit)


def list_changes(snapshot: Snapshot, since_epoch: int, limit: int) -> Page[EpochChange]:
    """List changes of files after an epoch, oldest first. The first epoch of an index has none: everything is new."""
    require_epoch(snapshot, since_epoch)
    select = "epoch, path, change, old_path, nullif(lower(hex(digest)), '')"
    return fetch_page(
        snapshot, _make_change, select, "FROM epoch_files WHERE epoch > ?", "epoch, path", (since_epoch,), limit
    )


def require_epoch(snapshot: Snapshot, epoch: int) -> None:
    """Raise ARGUMENT_INVALID for an epoch that is not retained."""
    row = snapshot.reader.row("SELECT min(epoch), max(epoch) FROM epochs")
    oldest, newest = row or (0, 0)
    if not oldest <= epoch <= newest:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"epoch {epoch} is not retained",
            expected=f"{oldest} to {newest}",
            received=str(epoch),
            example=newest,
        )


def _make_def(row: Row) -> DefSnapshot:
    return DefSnapshot(path_from_text(row[0]), *row[1:])


def _make_change(row: Row) -> EpochChange:
    epoch, path, change, old, digest = row
    old_path = None if old is None else path_from_text(old)
    return EpochChange(epoch, path_from_text(path), ChangeKind(change), old_path, digest)
