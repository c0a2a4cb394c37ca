"""Sessions: the client of a call, and the task that its calls belong to.

A session belongs to one principal: a connection or the holder of a token, never the token itself. A session id is not
a credential: it is useless to another principal. Every session has an implicit task without limits; explicit tasks
are in `open_tasks`.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.ledger.events import TaskState
from codeplane.tasks.model import UNRESTRICTED, TaskScope

IDLE_SECONDS = 1800.0
MAX_SESSIONS = 1000

_ID = re.compile(r"s_[A-Za-z0-9_-]{22,64}")


@dataclass(frozen=True)
class Session:
    """Snapshot of a session at the start of a call."""

    id: str
    principal: str
    task_id: str
    task_state: TaskState = TaskState.OPEN
    explicit: bool = False
    """True if the caller opened the task; False for the implicit task of the session."""
    fresh: bool = False
    """True for the first call of the session."""
    scope: TaskScope = UNRESTRICTED
    """Files that the task may change."""


def client_digest(principal: str) -> str:
    """Return an id by which a client is recognised after the server restarted."""
    return hashlib.sha256(principal.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass
class _LiveSession:
    session: Session
    last_used_at: float


def _ignore_opened(session: Session) -> None:
    pass


def _ignore_ended(session: Session, state: TaskState) -> None:
    pass


class Sessions:
    """All live sessions. Thread-safe. Callbacks run under the lock: they must be short and must not call back."""

    def __init__(
        self,
        clock: Callable[[], float],
        idle_seconds: float = IDLE_SECONDS,
        capacity: int = MAX_SESSIONS,
        *,
        opened: Callable[[Session], None] = _ignore_opened,
        ended: Callable[[Session, TaskState], None] = _ignore_ended,
    ) -> None:
        """`opened` and `ended` are called for each session; `ended` gets the final state of its implicit task."""
        self._clock = clock
        self._idle_seconds = idle_seconds
        self._capacity = capacity
        self._opened = opened
        self._ended = ended
        self._lock = Lock()
        # In LRU order: idle sessions are at the front.
        self._sessions: OrderedDict[str, _LiveSession] = OrderedDict()
        self._defaults: dict[str, str] = {}

    def resolve(self, principal: str, session_id: str | None = None) -> Session:
        """Return the session of a call: the one it names, or the default session of its principal."""
        if session_id is not None and not _ID.fullmatch(session_id):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "session_id is not one that this server issued",
                expected="a session_id of an earlier answer, or none",
                received=display(session_id[:40]),
            )
        with self._lock:
            now = self._clock()
            self._end_idle(now)
            if session_id is None:
                return self._default(principal, now)
            live = self._sessions.get(session_id)
            if live is None:
                raise CodePlaneError(
                    ErrorCode.HANDLE_EXPIRED,
                    "the session has ended or never existed",
                    remedy="Leave session_id out; the answer names the new session.",
                )
            if live.session.principal != principal:
                raise CodePlaneError(
                    ErrorCode.HANDLE_NOT_YOURS,
                    "the session belongs to another client",
                    remedy="Leave session_id out; the answer names your own session.",
                )
            return self._use(live, now)

    def sweep(self) -> int:
        """End idle sessions; return the number of live ones."""
        with self._lock:
            self._end_idle(self._clock())
            return len(self._sessions)

    def end(self, principal: str) -> None:
        """End all sessions of a principal that disconnected."""
        with self._lock:
            gone = [live.session for live in self._sessions.values() if live.session.principal == principal]
            for session in gone:
                # Disconnecting completes the implicit task; explicit tasks left open are interrupted.
                self._end(session, TaskState.CLOSED_SUCCESS)

    def close(self) -> None:
        """End all sessions at shutdown."""
        with self._lock:
            for live in list(self._sessions.values()):
                self._end(live.session, TaskState.CLOSED_INTERRUPTED)

    def _default(self, principal: str, now: float) -> Session:
        known = self._defaults.get(principal)
        if known is not None:
            return self._use(self._sessions[known], now)
        while len(self._sessions) >= self._capacity:
            oldest = next(iter(self._sessions.values()))
            self._end(oldest.session, TaskState.CLOSED_INTERRUPTED)
        session = Session(f"s_{secrets.token_urlsafe(18)}", principal, f"t_{secrets.token_urlsafe(18)}")
        self._opened(session)
        self._sessions[session.id] = _LiveSession(session, now)
        self._defaults[principal] = session.id
        return replace(session, fresh=True)

    def _use(self, live: _LiveSession, now: float) -> Session:
        live.last_used_at = now
        self._sessions.move_to_end(live.session.id)
        return live.session

    def _end_idle(self, now: float) -> None:
        while self._sessions:
            live = next(iter(self._sessions.values()))
            if now - live.last_used_at < self._idle_seconds:
                return
            # Idle timeout completes the implicit task; explicit tasks left open are interrupted.
            self._end(live.session, TaskState.CLOSED_SUCCESS)

    def _end(self, session: Session, state: TaskState) -> None:
        del self._sessions[session.id]
        if self._defaults.get(session.principal) == session.id:
            del self._defaults[session.principal]
        self._ended(session, state)
