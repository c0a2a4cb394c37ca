"""By what a change and a failure are known again: the same for the same, whenever and wherever it happens.

Of a failure the parts that differ from run to run are left out: line numbers, addresses, times,
directories. What goes in cannot be read from what comes out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from codeplane.base.digests import Digest
from codeplane.base.record import Record

_CHARS = 16
_MAX_TRACE_CHARS = 100_000
_VARYING = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"(?:/[^\s/:\"']+)+/"), ""),
    (re.compile(r"[0-9]+"), "0"),
    (re.compile(r"[ \t]+"), " "),
)


def mutation_fingerprint(
    files: Mapping[str, Digest | None], diff_stats: Mapping[str, int], symbols: Iterable[str] = ()
) -> str:
    """Of a change: each file with what it is afterwards, None when it is gone; counts; symbols that changed."""
    return _digest([sorted(files.items()), sorted(diff_stats.items()), sorted(symbols)])


def failure_fingerprint(tests: Iterable[str], exception: str, trace: str, exit_code: int | None) -> str:
    """Of a failure that would come again: which tests, what was raised, by what way, how the program ended."""
    return _digest([sorted(set(tests)), _steady(exception), _steady(trace[:_MAX_TRACE_CHARS]), exit_code])


def record_fingerprint(record: Record) -> str | None:
    """That which a call gave, or else one of what it says to have changed."""
    if record.mutation_fingerprint is not None:
        return record.mutation_fingerprint
    if not record.changed_paths:
        return None
    return _digest([sorted(record.changed_paths), sorted((record.diff_stats or {}).items()), record.repo_after_hash])


def _steady(text: str) -> str:
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text.strip()


def _digest(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_CHARS]
