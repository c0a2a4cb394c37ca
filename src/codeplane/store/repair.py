"""Repair of an index whose text index belongs to another commit than its database.

Documents are compared with files by digest. Files that differ are marked, so that the next sync reads them again;
documents without a file are deleted.
"""

from __future__ import annotations

import apsw

from codeplane.base.paths import RepoPath
from codeplane.store import epochs
from codeplane.store.codec import path_from_text
from codeplane.store.database import rows, transaction
from codeplane.store.lexical_writer import LexicalWriter
from codeplane.store.schema import DOCUMENT_DIGEST

_MARK_DIRTY = """
UPDATE files SET size = -1, mtime_ns = 0, ctime_ns = 0, inode = 0, device = 0, observed_at_ns = 0,
                 digest = NULL, text_digest = NULL
WHERE file_id = ?
"""


def repair_documents(connection: apsw.Connection, lexical: LexicalWriter, epoch: int) -> tuple[RepoPath, ...]:
    """Return the files that must be read again and published. Without any, both halves agree now."""
    documents: dict[int, str] = {}
    duplicated: set[int] = set()
    for file_id, digest, _ in lexical.documents():
        if file_id in documents:
            duplicated.add(file_id)
        documents[file_id] = digest
    files = rows(connection, f"SELECT file_id, path, {DOCUMENT_DIGEST}, lexical FROM files ORDER BY path")
    dirty = [
        (file_id, path)
        for file_id, path, digest, expected in files
        if expected and (file_id in duplicated or documents.get(file_id) != digest)
    ]
    with transaction(connection):
        connection.executemany(_MARK_DIRTY, [(file_id,) for file_id, _ in dirty])
    for file_id in sorted(set(documents) - {file_id for file_id, _, _, expected in files if expected}):
        lexical.delete(file_id)
    lexical.commit()
    lexical.settle()
    if not dirty:
        with transaction(connection):
            epochs.record_segments(connection, epoch, lexical.record())
    return tuple(path_from_text(path) for _, path in dirty)
