"""Handles: opaque names for what the server keeps between two calls of a session.

A handle is random, expires, and works only in the session that it was given to. What is kept
is bounded in number and in bytes, for each session and in all; the least recently used goes
first, so that a client which never comes back for its handles costs nothing.
"""

from __future__ import annotations

import re
import secrets
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from threading import Lock

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

TTL_SECONDS = 3600.0
MAX_PER_SESSION = 100
MAX_IN_ALL = 10_000
MAX_BYTES = 64 * 1024 * 1024

_PREFIXES = {"cursor": "c_", "plan": "p_", "batch": "b_"}
_BODY = re.compile(r"[A-Za-z0-9_-]{12}")
_BODY_BYTES = 9
_TTL_SECONDS = {"batch": 600.0}
"""Of kinds that live shorter than others."""
_OVERHEAD_BYTES = 600
_SESSION_SHARE = 4
_SAMPLE = 16
_MAX_DEPTH = 6


@dataclass(frozen=True)
class _Kept:
    handle: str
    session_id: str
    value: object
    size: int
    dies_at: float


class Handles:
    """All that is kept, whoever it is for. Safe to use from many threads."""

    def __init__(
        self,
        clock: Callable[[], float],
        ttl: float = TTL_SECONDS,
        capacity: int = MAX_PER_SESSION,
        *,
        total: int = MAX_IN_ALL,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._clock = clock
        self._ttl = ttl
        self._capacity = capacity
        self._total = total
        self._max_bytes = max_bytes
        self._lock = Lock()
        # Both least recently used first.
        self._all: OrderedDict[str, _Kept] = OrderedDict()
        self._of_session: dict[str, OrderedDict[str, None]] = {}
        self._session_bytes: dict[str, int] = {}
        self._bytes = 0

    @property
    def count(self) -> int:
        return len(self._all)

    @property
    def kept_bytes(self) -> int:
        """What is kept, by estimate."""
        return self._bytes

    def mint(self, kind: str, session_id: str, value: object) -> str:
        """A new handle for a value that nobody changes any more; older ones make room for it."""
        size = _OVERHEAD_BYTES + estimate_bytes(value)
        share = self._max_bytes // _SESSION_SHARE
        if size > share:
            raise CodePlaneError(
                ErrorCode.TOO_BUSY,
                "the rest of this answer is too large to keep for a next page",
                remedy="Ask for less: a narrower question, or fewer paths.",
            )
        handle = f"{_PREFIXES[kind]}{secrets.token_urlsafe(_BODY_BYTES)}"
        with self._lock:
            now = self._clock()
            ttl = min(self._ttl, _TTL_SECONDS.get(kind, self._ttl))
            self._all[handle] = _Kept(handle, session_id, value, size, now + ttl)
            own = self._of_session.setdefault(session_id, OrderedDict())
            own[handle] = None
            self._bytes += size
            self._session_bytes[session_id] = self._session_bytes.get(session_id, 0) + size
            while len(own) > self._capacity or self._session_bytes[session_id] > share:
                self._forget(self._all[next(iter(own))])
            while len(self._all) > self._total or self._bytes > self._max_bytes:
                self._forget(next(iter(self._all.values())))
        return handle

    def take(self, kind: str, session_id: str, handle: str) -> object:
        """What a handle stands for. It stays, so that an answer that was lost can be asked for again."""
        prefix = _PREFIXES[kind]
        if not handle.startswith(prefix) or not _BODY.fullmatch(handle, len(prefix)):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"this is not a {kind} that this server gave",
                expected=f"a {kind} of an earlier answer, as it was given ('{prefix}…')",
                received=display(handle[:40]),
            )
        with self._lock:
            kept = self._all.get(handle)
            if kept is not None and kept.session_id != session_id:
                raise CodePlaneError(
                    ErrorCode.HANDLE_NOT_YOURS,
                    f"the {kind} belongs to another session",
                    remedy="Ask the first question again in this session.",
                )
            if kept is not None and self._clock() >= kept.dies_at:
                self._forget(kept)
                kept = None
            if kept is None:
                raise CodePlaneError(
                    ErrorCode.HANDLE_EXPIRED,
                    f"the {kind} has expired, or there never was one",
                    remedy="Ask the first question again.",
                )
            self._all.move_to_end(handle)
            self._of_session[session_id].move_to_end(handle)
            return kept.value

    def drop(self, session_id: str) -> None:
        """Forget all that was kept for a session that ended."""
        with self._lock:
            for handle in list(self._of_session.get(session_id, ())):
                self._forget(self._all[handle])

    def sweep(self) -> int:
        """Forget what has expired; returns how many are left."""
        with self._lock:
            now = self._clock()
            for kept in [kept for kept in self._all.values() if now >= kept.dies_at]:
                self._forget(kept)
            return len(self._all)

    def _forget(self, kept: _Kept) -> None:
        del self._all[kept.handle]
        self._bytes -= kept.size
        own = self._of_session[kept.session_id]
        del own[kept.handle]
        if own:
            self._session_bytes[kept.session_id] -= kept.size
        else:
            del self._of_session[kept.session_id], self._session_bytes[kept.session_id]


def estimate_bytes(value: object, depth: int = _MAX_DEPTH) -> int:
    """About what a value costs in memory. Of a long collection some members stand for all."""
    size = sys.getsizeof(value, _OVERHEAD_BYTES)
    if isinstance(value, str | bytes | bytearray | int | float | None) or depth == 0:
        return size
    if isinstance(value, Mapping):
        return size + _members(value.items(), len(value), depth)
    if isinstance(value, list | tuple | set | frozenset):
        return size + _members(value, len(value), depth)
    if is_dataclass(value) and not isinstance(value, type):
        return size + sum(estimate_bytes(getattr(value, part.name), depth - 1) for part in fields(value))
    return size


def _members(values: Iterable[object], count: int, depth: int) -> int:
    step = max(1, count // _SAMPLE)
    sample = [estimate_bytes(member, depth - 1) for member in islice(values, 0, None, step)]
    return sum(sample) * count // len(sample) if sample else 0
