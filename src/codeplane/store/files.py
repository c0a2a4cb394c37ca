"""Files as the index knows them, for comparing with the working tree: all of them, quickly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row, Value


class StoredFile(NamedTuple):
    """What decides whether a file changed. Numbers beyond 63 bits come back as `codec.signed64` of what was put."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int
    observed_at_ns: int
    digest: str | None
    text_digest: str | None
    state: str
    """A FileState by value."""


class RowSource(Protocol):
    def rows(self, sql: str, parameters: Sequence[Value] = (), /) -> list[Row]: ...


def list_stored(source: RowSource) -> Iterator[tuple[RepoPath, StoredFile]]:
    """Every file with its path. A file that must be read again has size -1 and no digest.

    Read by the thousand: of a million files the rows alone would take hundreds of megabytes.
    """
    last = -1
    while found := source.rows(_KNOWN, (last, _AT_ONCE)):
        for _, path, *stat, digest, text_digest, state in found:
            yield path_from_text(path), StoredFile._make((*stat, digest, text_digest or digest, state))
        last = found[-1][0]


_AT_ONCE = 10_000
_KNOWN = (
    "SELECT file_id, path, size, mtime_ns, ctime_ns, inode, device, observed_at_ns, nullif(lower(hex(digest)), ''),"
    " nullif(lower(hex(text_digest)), ''), state FROM files WHERE file_id > ? ORDER BY file_id LIMIT ?"
)
