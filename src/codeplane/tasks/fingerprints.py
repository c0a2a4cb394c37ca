"""Fingerprint of a test failure: equal for equal failures, whenever and wherever they occur.

Parts that differ between runs are left out: line numbers, addresses, times, directories. The input cannot be
recovered from the fingerprint.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence

_CHARS = 16
_MAX_TRACE_CHARS = 100_000
_VARYING = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"(?:/[^\s/:\"']+)+/"), ""),
    (re.compile(r"[0-9]+"), "0"),
    (re.compile(r"[ \t]+"), " "),
)


def failure_fingerprint(tests: Iterable[str], exception: str, trace: str, exit_code: int | None) -> str:
    """Return the fingerprint of the failing tests, the exception, the trace and the exit code."""
    return _digest([sorted(set(tests)), _normalize(exception), _normalize(trace[:_MAX_TRACE_CHARS]), exit_code])


def _normalize(text: str) -> str:
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text.strip()


def _digest(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_CHARS]
