"""By what a change and a failure are known again: the same for the same, whenever and wherever it happens.

Of a failure the parts that differ from run to run are left out: line numbers, addresses, times,
directories. What goes in cannot be read from what comes out.
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
    """Of a failure that would come again: which tests, what was raised, by what way, how the program ended."""
    return _digest([sorted(set(tests)), _steady(exception), _steady(trace[:_MAX_TRACE_CHARS]), exit_code])


def _steady(text: str) -> str:
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text.strip()


def _digest(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_CHARS]
