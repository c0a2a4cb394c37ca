"""SQL for rows of `files`, and for the definitions that earlier epochs need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import apsw

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_to_text, row_range, signed64, storable
from codeplane.store.database import Value
from codeplane.store.records import FileRow, FileState, ObservedStat
from codeplane.store.schema import column_names, insert_sql

_COUNTS = ("scopes", "defs", "imports", "refs", "problems")
_FIND_TEXT = "SELECT nullif(lower(hex(coalesce(text_digest, digest))), ''), state FROM files WHERE path = ?"
_TOUCH_FILE = f"UPDATE files SET {', '.join(f'{name} = ?' for name in ObservedStat._fields)} WHERE path = ?"
_SNAPSHOT_DEFS = """
INSERT OR REPLACE INTO def_snapshots
    (path, until_epoch, ordinal, from_epoch, def_uid, kind, name, lexical_path, signature_hash, display_name,
     start_line, end_line)
SELECT files.path, ?4, def_id & 1048575, files.epoch, def_uid, kind, name, lexical_path, signature_hash,
       CASE signature WHEN '' THEN name ELSE signature END, start_line, end_line
FROM defs JOIN files ON files.file_id = ?3 WHERE def_id BETWEEN ?1 AND ?2 AND files.epoch <= ?4
"""


def find_file_id(connection: apsw.Connection, path: RepoPath) -> int | None:
    found = connection.execute("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),)).get
    return None if found is None else int(found)


def put_file(
    connection: apsw.Connection, file_id: int, file: FileRow, counts: Mapping[str, int], *, lexical: bool, epoch: int
) -> None:
    """Insert or replace the row of a file; `counts` as `read_counts` returns them."""
    values = {"file_id": file_id, "lexical": int(lexical), "epoch": epoch, **_values(file), **counts}
    connection.execute(_PUT_FILE, [values[name] for name in _FILE_COLUMNS])


def read_counts(connection: apsw.Connection, file_id: int) -> dict[str, int]:
    """Return the numbers of scopes, definitions, imports, references and problems of a file."""
    sql = f"SELECT {', '.join(_COUNTS)} FROM files WHERE file_id = ?"
    return dict(zip(_COUNTS, connection.execute(sql, (file_id,)).get, strict=True))


def touch_files(connection: apsw.Connection, stats: Iterable[tuple[RepoPath, ObservedStat]]) -> None:
    """Update the stats of unchanged files."""
    values = [(*map(signed64, stat), path_to_text(path)) for path, stat in stats]
    connection.executemany(_TOUCH_FILE, values)


def find_text(connection: apsw.Connection, path: RepoPath) -> tuple[str | None, FileState] | None:
    """Return the digest of the text with normalized line endings, and the state; None if the path is not indexed."""
    found = connection.execute(_FIND_TEXT, (path_to_text(path),)).get
    return None if found is None else (found[0], FileState(found[1]))


def snapshot_definitions(connection: apsw.Connection, file_id: int, epoch: int) -> None:
    """Keep a file's definitions for the epochs up to this one, before its row gets a new epoch."""
    connection.execute(_SNAPSHOT_DEFS, (*row_range(file_id), file_id, epoch))


def _values(file: FileRow) -> dict[str, Value]:
    values: dict[str, Value] = dict(zip(ObservedStat._fields, map(signed64, file.stat), strict=True))
    values |= {
        "path": path_to_text(file.path),
        "unit_id": file.unit_id,
        "language": file.language,
        "family": file.family,
        "digest": bytes.fromhex(file.digest) if file.digest else None,
        "text_digest": None,
        "encoding": file.encoding,
        "lines": file.lines,
        "state": file.state.value,
        "reason": file.reason,
        "role": file.role.value,
        "evidence": storable(file.evidence),
        "header": None if file.header is None else storable(file.header),
    }
    if file.text_digest and file.text_digest != file.digest:
        values["text_digest"] = bytes.fromhex(file.text_digest)
    return values


_FILE_COLUMNS = column_names("files")
_PUT_FILE = insert_sql("files", replace=True)
