"""Stored file records, for a fast comparison with the working tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row, Value


class StoredFile(NamedTuple):
    """The fields that decide whether a file changed. Numbers beyond 63 bits are `codec.signed64` of the original."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int
    observed_at_ns: int
    digest: str | None
    text_digest: str | None
    state: str
    """Value of a FileState."""


class RowSource(Protocol):
    def rows(self, sql: str, parameters: Sequence[Value] = (), /) -> list[Row]: ...


def list_stored(source: RowSource) -> Iterator[tuple[RepoPath, StoredFile]]:
    """Yield every file with its path. A file that must be read again has size -1 and no digest.

    Reads in batches: the rows of a million files would take hundreds of megabytes.
    """
    last = -1
    while found := source.rows(_SELECT_FILES, (last, _BATCH_SIZE)):
        for _, path, *stat, digest, text_digest, state in found:
            yield path_from_text(path), StoredFile._make((*stat, digest, text_digest or digest, state))
        last = found[-1][0]


_BATCH_SIZE = 10_000
_SELECT_FILES = (
    "SELECT file_id, path, size, mtime_ns, ctime_ns, inode, device, observed_at_ns, nullif(lower(hex(digest)), ''),"
    " nullif(lower(hex(text_digest)), ''), state FROM files WHERE file_id > ? ORDER BY file_id LIMIT ?"
)
