"""Fields of a ledger row that the tool call itself provides: names and counts, never content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CallRecord:
    paths: Sequence[str] = ()
    """Files whose text was returned."""
    whole_tokens: int | None = None
    """Token count of those files if each were returned in full."""
    repo_before_hash: str | None = None
    repo_after_hash: str | None = None
    changed_paths: Sequence[str] = ()
    diff_stats: Mapping[str, int] | None = None
    """files_changed, insertions, deletions."""
    short_diff: str | None = None
    mutation_id: str | None = None
    mutation_fingerprint: str | None = None
    failure_fingerprint: str | None = None
    failure_class: str | None = None
    failing_tests: Sequence[str] = ()
    limit_triggered: str | None = None


EMPTY_RECORD = CallRecord()
