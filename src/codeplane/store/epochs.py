"""Rows about the index itself: its metadata and its published epochs."""

from __future__ import annotations

from collections.abc import Mapping

import apsw
import orjson

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_to_text
from codeplane.store.database import row
from codeplane.store.errors import corrupt
from codeplane.store.records import EpochInfo, EpochRow, PendingChange
from codeplane.store.schema import KEPT_EPOCHS, insert_sql
from codeplane.store.segments import RecordedSegments, parse_recorded


def read_meta(connection: apsw.Connection, key: str) -> str | None:
    found = row(connection, "SELECT value FROM meta WHERE key = ?", (key,))
    return None if found is None else str(found[0])


def write_meta(connection: apsw.Connection, values: Mapping[str, str]) -> None:
    connection.executemany(insert_sql("meta", replace=True), list(values.items()))


def current_epoch(connection: apsw.Connection) -> int | None:
    found = row(connection, "SELECT max(epoch) FROM epochs")
    return None if found is None or found[0] is None else int(found[0])


def read_epoch(connection: apsw.Connection) -> EpochRow | None:
    """Return the last published epoch."""
    sql = "SELECT epoch, published_ns, merkle_root, head, repo_version, files FROM epochs ORDER BY epoch DESC LIMIT 1"
    found = row(connection, sql)
    if found is None:
        return None
    epoch, published_ns, merkle_root, head, repo_version, files = found
    try:
        return EpochRow(epoch, published_ns, merkle_root, head, orjson.loads(repo_version), files)
    except ValueError as error:
        raise corrupt("the epoch is not readable") from error


def read_recorded(connection: apsw.Connection, epoch: int) -> RecordedSegments:
    """Return the commit of the text index that belongs to the last epoch."""
    found = row(connection, "SELECT lexical_opstamp, lexical_state FROM epochs WHERE epoch = ?", (epoch,))
    if found is None:
        raise corrupt(f"epoch {epoch} is missing")
    return parse_recorded(found[0], found[1])


def insert_epoch(connection: apsw.Connection, epoch: int, info: EpochInfo, segments: RecordedSegments) -> None:
    # Only the last epoch can be opened, so only that one needs the list of segments.
    connection.execute("UPDATE epochs SET lexical_state = NULL WHERE lexical_state IS NOT NULL")
    files = connection.execute("SELECT count(*) FROM files").get
    version = orjson.dumps(info.repo_version, option=orjson.OPT_SORT_KEYS).decode()
    values = (
        epoch,
        info.published_ns,
        info.merkle_root,
        info.head,
        version,
        files,
        segments.opstamp,
        segments.as_json(),
    )
    connection.execute(insert_sql("epochs"), values)


def refresh_epoch(connection: apsw.Connection, epoch: int, info: EpochInfo) -> None:
    """Update what an epoch says about git, after a commit for example, without a change of content."""
    version = orjson.dumps(info.repo_version, option=orjson.OPT_SORT_KEYS).decode()
    values = (info.head, version, epoch, info.head, version)
    connection.execute(
        "UPDATE epochs SET head = ?, repo_version = ? WHERE epoch = ? AND (head IS NOT ? OR repo_version IS NOT ?)",
        values,
    )


def record_segments(connection: apsw.Connection, epoch: int, segments: RecordedSegments) -> None:
    values = (segments.opstamp, segments.as_json(), epoch)
    connection.execute("UPDATE epochs SET lexical_opstamp = ?, lexical_state = ? WHERE epoch = ?", values)


def insert_changes(connection: apsw.Connection, epoch: int, changes: Mapping[RepoPath, PendingChange]) -> None:
    values = [
        (
            epoch,
            path_to_text(path),
            change.change.value,
            None if change.old_path is None else path_to_text(change.old_path),
            bytes.fromhex(change.digest) if change.digest else None,
        )
        for path, change in sorted(changes.items())
    ]
    connection.executemany(insert_sql("epoch_files"), values)


def prune(connection: apsw.Connection, epoch: int, kept: int | None = None) -> None:
    """Delete the history of all epochs but the last `kept`."""
    oldest = epoch - (KEPT_EPOCHS if kept is None else kept) + 1
    for sql in (
        "DELETE FROM epochs WHERE epoch < ?",
        "DELETE FROM epoch_files WHERE epoch < ?",
        "DELETE FROM def_snapshots WHERE until_epoch < ?",
    ):
        connection.execute(sql, (oldest,))
