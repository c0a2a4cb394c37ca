"""What a call tells the ledger besides how it ended: names and counts, never content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CallRecord:
    paths: Sequence[str] = ()
    """Files of which something was given."""
    whole_tokens: int | None = None
    """What those files would have cost, each given whole."""
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
