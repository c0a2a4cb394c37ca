"""Files as the index knows them, for comparing with the working tree: all of them, quickly."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row


class KnownFile(NamedTuple):
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


class Rows(Protocol):
    def rows(self, sql: str) -> list[Row]: ...


def load_known(source: Rows) -> dict[RepoPath, KnownFile]:
    """Every file by path. A file that must be read again has size -1 and no digest."""
    sql = (
        "SELECT path, size, mtime_ns, ctime_ns, inode, device, observed_at_ns, nullif(lower(hex(digest)), ''),"
        " nullif(lower(hex(coalesce(text_digest, digest))), ''), state FROM files"
    )
    make = KnownFile._make
    return {path_from_text(row[0]): make(row[1:]) for row in source.rows(sql)}
