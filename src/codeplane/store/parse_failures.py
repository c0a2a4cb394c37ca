"""Files that could not be parsed, as an index stores them: a note that readers report and syncs retry from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import orjson

from codeplane.base.digests import Digest
from codeplane.base.limits import PARSE_RETRIES, PARSE_RETRY_SECONDS
from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_from_text, path_to_text

PARSE_FAILURES = "parse_failures"
"""Key of the note."""


class ParseFailure(NamedTuple):
    digest: Digest
    """Content that could not be parsed."""
    syncs: int
    """Syncs in which it could not be parsed."""
    retry_at: float
    """Earliest time of the next attempt, in Unix seconds."""

    def is_due(self, now: float) -> bool:
        return self.syncs <= PARSE_RETRIES and now >= self.retry_at


def next_failure(before: ParseFailure | None, digest: Digest, now: float) -> ParseFailure:
    """Return the record of one more failure. The next sync retries at once, later ones with exponential backoff."""
    syncs = before.syncs + 1 if before is not None and before.digest == digest else 1
    delay = PARSE_RETRY_SECONDS * 3 ** (syncs - 2) if syncs > 1 else 0.0
    return ParseFailure(digest, syncs, now + delay)


def format_failures(failures: Mapping[RepoPath, ParseFailure]) -> str:
    if not failures:
        return ""
    return orjson.dumps([(path_to_text(path), *failures[path]) for path in sorted(failures)]).decode()


def parse_failures(note: str | None) -> dict[RepoPath, ParseFailure]:
    return {path_from_text(path): ParseFailure(*fields) for path, *fields in orjson.loads(note)} if note else {}
