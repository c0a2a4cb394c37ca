"""Receipt of a task: what it searched, read, changed and ran, and what its answers cost.

Based on ledger rows alone, which hold names and counts, no content. A file counts once, however many parts of it were
read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeplane.base.limits import MAX_LIMIT
from codeplane.ledger.queries import OperationFilter, OperationRow, TaskRow, find_operations

_SEARCHING = ("search", "recon")


@dataclass(frozen=True)
class Receipt:
    task: TaskRow
    calls: int = 0
    duration_ms: int = 0
    """From its start to its end, or to its last call."""
    searches: int = 0
    reads: int = 0
    files_read: tuple[str, ...] = ()
    mutations: int = 0
    files_changed: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0
    mutation_ids: tuple[str, ...] = ()
    test_runs: int = 0
    failed_runs: int = 0
    failing_tests: tuple[str, ...] = ()
    """Failing tests of the last run."""
    other: Mapping[str, int] = field(default_factory=dict)
    """Other calls, by tool."""
    failed: Mapping[int, int] = field(default_factory=dict)
    """Failed calls, by error number."""
    interrupted: int = 0
    repeated_mutations: int = 0
    limits_triggered: tuple[str, ...] = ()
    tokens_given: int = 0
    tokens_read: int = 0
    """Tokens of answers that returned file text."""
    whole_tokens: int = 0
    """Tokens of those files, each read whole once."""


def make_receipt(directory: Path, task: TaskRow, canonical: Mapping[str, str]) -> Receipt:
    """Make a receipt. `canonical` maps older tool names to current ones."""
    sums = _ReceiptBuilder(canonical)
    last_ms = task.opened_at
    for row in _operations(directory, task.task_id):
        sums.add(row)
        last_ms = row.timestamp
    ended = task.closed_at if task.closed_at is not None else last_ms
    return sums.receipt(task, max(0, ended - task.opened_at))


def _operations(directory: Path, task_id: str) -> Iterator[OperationRow]:
    """Yield the calls of a task, oldest first."""
    after = 0
    while page := find_operations(directory, MAX_LIMIT, OperationFilter(after=after, task_id=task_id), oldest=True):
        yield from page
        after = page[-1].op_id


class _ReceiptBuilder:
    def __init__(self, canonical: Mapping[str, str]) -> None:
        self._canonical = canonical
        self._counts: Counter[str] = Counter()
        self._other: Counter[str] = Counter()
        self._failed: Counter[int] = Counter()
        # In order of first occurrence.
        self._read: dict[str, None] = {}
        self._changed: dict[str, None] = {}
        self._mutation_ids: dict[str, None] = {}
        self._limits: dict[str, None] = {}
        self._failing: tuple[str, ...] = ()
        self._fingerprints: set[str] = set()

    def add(self, row: OperationRow) -> None:
        counts = self._counts
        counts["calls"] += 1
        counts["tokens_given"] += row.tokens_given or 0
        if row.limit_triggered is not None:
            self._limits[row.limit_triggered] = None
        if row.error_code is not None:
            self._failed[row.error_code] += 1
            return
        counts["interrupted"] += row.status == "INTERRUPTED"
        tool = self._canonical.get(row.tool or "", row.tool or "unknown")
        paths = _parse_list(row.paths)
        if tool in _SEARCHING:
            counts["searches"] += 1
        elif row.op_type == "mutation" or row.changed_paths is not None:
            self._add_mutation(row)
        elif row.op_type == "test_run":
            counts["test_runs"] += 1
            counts["failed_runs"] += row.failure_fingerprint is not None
            self._failing = _parse_list(row.failing_tests)
        elif paths:
            counts["reads"] += 1
        else:
            self._other[tool] += 1
        if paths:
            self._add_read(row, paths)

    def receipt(self, task: TaskRow, duration_ms: int) -> Receipt:
        return Receipt(
            task,
            duration_ms=duration_ms,
            files_read=tuple(self._read),
            files_changed=tuple(self._changed),
            mutation_ids=tuple(self._mutation_ids),
            failing_tests=self._failing,
            other=dict(sorted(self._other.items())),
            failed=dict(sorted(self._failed.items())),
            limits_triggered=tuple(self._limits),
            **self._counts,
        )

    def _add_read(self, row: OperationRow, paths: tuple[str, ...]) -> None:
        distinct = dict.fromkeys(paths)
        new = [path for path in distinct if path not in self._read]
        self._read.update(dict.fromkeys(new))
        self._counts["tokens_read"] += row.tokens_given or 0
        # A row has one total for all of its files.
        self._counts["whole_tokens"] += (row.whole_tokens or 0) * len(new) // len(distinct)

    def _add_mutation(self, row: OperationRow) -> None:
        self._counts["mutations"] += 1
        self._changed.update(dict.fromkeys(_parse_list(row.changed_paths)))
        stats = parse_json_column(row.diff_stats)
        for name in ("insertions", "deletions"):
            count = stats.get(name) if isinstance(stats, dict) else None
            self._counts[name] += count if isinstance(count, int) else 0
        if row.mutation_id is not None:
            self._mutation_ids[row.mutation_id] = None
        fingerprint = row.mutation_fingerprint
        if fingerprint is not None:
            self._counts["repeated_mutations"] += fingerprint in self._fingerprints
            self._fingerprints.add(fingerprint)


def parse_json_column(text: str | None) -> object:
    """Parse a JSON column; None if it is invalid."""
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None


def _parse_list(text: str | None) -> tuple[str, ...]:
    found = parse_json_column(text)
    return tuple(str(item) for item in found) if isinstance(found, list) else ()
