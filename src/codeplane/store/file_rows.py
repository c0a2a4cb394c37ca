"""Files as rows, and what of them earlier epochs need.

The writer brings the transaction and the errors; here is the SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_to_text, row_range, signed64, storable
from codeplane.store.database import Value
from codeplane.store.records import FileRow, FileState, ObservedStat


def find_file_id(connection: apsw.Connection, path: RepoPath) -> int | None:
    found = connection.execute("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),)).get
    return None if found is None else int(found)


def put_file(
    connection: apsw.Connection, file_id: int, file: FileRow, counts: Sequence[int], *, lexical: bool, epoch: int
) -> None:
    """The row of a file, new or in place of the one that it had; `counts` as `read_counts` gives them."""
    connection.execute(_PUT_FILE, (*_values(file_id, file, lexical, epoch), *counts))


def read_counts(connection: apsw.Connection, file_id: int) -> Sequence[int]:
    """Numbers of scopes, definitions, imports, references and problems."""
    counts: Sequence[int] = connection.execute(_COUNTS, (file_id,)).get
    return counts


def touch_files(connection: apsw.Connection, stats: Iterable[tuple[RepoPath, ObservedStat]]) -> None:
    """What the file system says of them, and nothing else."""
    values = [(*map(signed64, stat), path_to_text(path)) for path, stat in stats]
    connection.executemany(_TOUCH_FILE, values)


def find_text(connection: apsw.Connection, path: RepoPath) -> tuple[str | None, FileState] | None:
    """Digest of the text with line endings made equal, and the state of a file; None when it is not known."""
    found = connection.execute(_FIND_TEXT, (path_to_text(path),)).get
    return None if found is None else (found[0], FileState(found[1]))


def keep_definitions(connection: apsw.Connection, file_id: int, epoch: int) -> None:
    """Before a file's row gets a new epoch: keep its definitions for the epochs that had them, up to this one."""
    connection.execute(_SNAPSHOT_DEFS, (*row_range(file_id), file_id, epoch))


def _values(file_id: int, file: FileRow, lexical: bool, epoch: int) -> tuple[Value, ...]:
    digest = bytes.fromhex(file.digest) if file.digest else None
    return (
        file_id,
        path_to_text(file.path),
        file.unit_id,
        file.language,
        file.family,
        *map(signed64, file.stat),
        digest,
        bytes.fromhex(file.text_digest) if file.text_digest and file.text_digest != file.digest else None,
        file.encoding,
        file.lines,
        file.state.value,
        file.reason,
        file.role.value,
        storable(file.evidence),
        None if file.header is None else storable(file.header),
        int(lexical),
        epoch,
    )


_PUT_FILE = f"INSERT OR REPLACE INTO files VALUES ({','.join('?' * 27)})"
_FIND_TEXT = "SELECT nullif(lower(hex(coalesce(text_digest, digest))), ''), state FROM files WHERE path = ?"
_COUNTS = "SELECT scopes, defs, imports, refs, problems FROM files WHERE file_id = ?"
_TOUCH_FILE = """
UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, device = ?, observed_at_ns = ? WHERE path = ?
"""
_SNAPSHOT_DEFS = """
INSERT OR REPLACE INTO def_snapshots
SELECT files.path, ?4, def_id & 1048575, files.epoch, def_uid, kind, name, lexical_path, signature_hash,
       CASE signature WHEN '' THEN name ELSE signature END, start_line, end_line
FROM defs JOIN files ON files.file_id = ?3 WHERE def_id BETWEEN ?1 AND ?2 AND files.epoch <= ?4
"""
