"""Handles: opaque names for values that the server stores between two calls of a session.

A handle is random, expires, and is valid only in the session that it was issued to. The store is bounded in entries
and bytes, per session and in total; the least recently used entry is evicted first, so a client that never uses its
handles costs nothing.
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
"""Kinds with a shorter lifetime than the default."""
_OVERHEAD_BYTES = 600
_SESSION_SHARE = 4
_SAMPLE = 16
_MAX_DEPTH = 6


@dataclass(frozen=True)
class _Entry:
    handle: str
    session_id: str
    value: object
    size: int
    expires_at: float


class HandleStore:
    """LRU store of all sessions. Thread-safe."""

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
        # Both in LRU order.
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._session_handles: dict[str, OrderedDict[str, None]] = {}
        self._session_bytes: dict[str, int] = {}
        self._bytes = 0

    @property
    def count(self) -> int:
        return len(self._entries)

    @property
    def total_bytes(self) -> int:
        """Estimated size of all stored values."""
        return self._bytes

    def mint(self, kind: str, session_id: str, value: object) -> str:
        """Return a new handle for an immutable value; older entries are evicted to make room."""
        size = _OVERHEAD_BYTES + estimate_bytes(value)
        share = self._max_bytes // _SESSION_SHARE
        if size > share:
            raise CodePlaneError(
                ErrorCode.TOO_BUSY,
                "the rest of this answer is too large to store for a next page",
                remedy="Narrow the query or the paths.",
            )
        handle = f"{_PREFIXES[kind]}{secrets.token_urlsafe(_BODY_BYTES)}"
        with self._lock:
            now = self._clock()
            ttl = min(self._ttl, _TTL_SECONDS.get(kind, self._ttl))
            self._entries[handle] = _Entry(handle, session_id, value, size, now + ttl)
            own = self._session_handles.setdefault(session_id, OrderedDict())
            own[handle] = None
            self._bytes += size
            self._session_bytes[session_id] = self._session_bytes.get(session_id, 0) + size
            while len(own) > self._capacity or self._session_bytes[session_id] > share:
                self._remove(self._entries[next(iter(own))])
            while len(self._entries) > self._total or self._bytes > self._max_bytes:
                self._remove(next(iter(self._entries.values())))
        return handle

    def take(self, kind: str, session_id: str, handle: str) -> object:
        """Return the value of a handle. The entry stays, so that a call whose answer was lost can be repeated."""
        prefix = _PREFIXES[kind]
        if not handle.startswith(prefix) or not _BODY.fullmatch(handle, len(prefix)):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"this is not a {kind} that this server issued",
                expected=f"a {kind} of an earlier answer, unchanged ('{prefix}…')",
                received=display(handle[:40]),
            )
        with self._lock:
            entry = self._entries.get(handle)
            if entry is not None and entry.session_id != session_id:
                raise CodePlaneError(
                    ErrorCode.HANDLE_NOT_YOURS,
                    f"the {kind} belongs to another session",
                    remedy="Repeat the first call in this session.",
                )
            if entry is not None and self._clock() >= entry.expires_at:
                self._remove(entry)
                entry = None
            if entry is None:
                raise CodePlaneError(
                    ErrorCode.HANDLE_EXPIRED,
                    f"the {kind} has expired or never existed",
                    remedy="Repeat the first call.",
                )
            self._entries.move_to_end(handle)
            self._session_handles[session_id].move_to_end(handle)
            return entry.value

    def discard(self, kind: str, session_id: str, handle: str) -> None:
        """Remove a handle that is not needed any more."""
        self.take(kind, session_id, handle)
        with self._lock:
            entry = self._entries.get(handle)
            if entry is not None:
                self._remove(entry)

    def drop(self, session_id: str) -> None:
        """Remove all entries of a session that ended."""
        with self._lock:
            for handle in list(self._session_handles.get(session_id, ())):
                self._remove(self._entries[handle])

    def sweep(self) -> int:
        """Remove expired entries; return the number of the remaining ones."""
        with self._lock:
            now = self._clock()
            for entry in [entry for entry in self._entries.values() if now >= entry.expires_at]:
                self._remove(entry)
            return len(self._entries)

    def _remove(self, entry: _Entry) -> None:
        del self._entries[entry.handle]
        self._bytes -= entry.size
        own = self._session_handles[entry.session_id]
        del own[entry.handle]
        if own:
            self._session_bytes[entry.session_id] -= entry.size
        else:
            del self._session_handles[entry.session_id], self._session_bytes[entry.session_id]


def estimate_bytes(value: object, depth: int = _MAX_DEPTH) -> int:
    """Estimate the memory size of a value; long collections are sampled."""
    size = sys.getsizeof(value, _OVERHEAD_BYTES)
    if isinstance(value, str | bytes | bytearray | int | float | None) or depth == 0:
        return size
    if isinstance(value, Mapping):
        return size + _estimate_members(value.items(), len(value), depth)
    if isinstance(value, list | tuple | set | frozenset):
        return size + _estimate_members(value, len(value), depth)
    if is_dataclass(value) and not isinstance(value, type):
        return size + sum(estimate_bytes(getattr(value, part.name), depth - 1) for part in fields(value))
    return size


def _estimate_members(values: Iterable[object], count: int, depth: int) -> int:
    step = max(1, count // _SAMPLE)
    sample = [estimate_bytes(member, depth - 1) for member in islice(values, 0, None, step)]
    return sum(sample) * count // len(sample) if sample else 0
