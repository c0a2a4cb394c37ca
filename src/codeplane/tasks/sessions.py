"""Sessions: who is asking, and the task that their calls belong to.

A session belongs to one principal, which is a connection or the holder of a token, and never
the token itself. Its id is no credential: with another principal's id nothing can be done.
Every session has a task without limits of its own; those opened on purpose are in `open_tasks`.
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
from codeplane.tasks.model import ANYWHERE, Scope

IDLE_SECONDS = 1800.0
MAX_SESSIONS = 1000

_ID = re.compile(r"s_[A-Za-z0-9_-]{22,64}")


@dataclass(frozen=True)
class Session:
    """One session as it was when the call came in."""

    id: str
    principal: str
    task_id: str
    task_state: TaskState = TaskState.OPEN
    explicit: bool = False
    """Whether the task was opened by the caller, with limits, rather than with the session."""
    fresh: bool = False
    """Whether this is the first call of the session."""
    scope: Scope = ANYWHERE
    """Which files the task may change."""


def client_digest(principal: str) -> str:
    """What a client is known by when it comes back after the server was lost."""
    return hashlib.sha256(principal.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass
class _Held:
    session: Session
    used_at: float


def _nothing_opened(session: Session) -> None:
    pass


def _nothing_ended(session: Session, state: TaskState) -> None:
    pass


class Sessions:
    """All live sessions. Callbacks run under its lock: they must be short and must not call back."""

    def __init__(
        self,
        clock: Callable[[], float],
        idle_seconds: float = IDLE_SECONDS,
        capacity: int = MAX_SESSIONS,
        *,
        opened: Callable[[Session], None] = _nothing_opened,
        ended: Callable[[Session, TaskState], None] = _nothing_ended,
    ) -> None:
        """`opened` and `ended` hear of each session with its own task; the state is that in which that task closes."""
        self._clock = clock
        self._idle_seconds = idle_seconds
        self._capacity = capacity
        self._opened = opened
        self._ended = ended
        self._lock = Lock()
        # Least recently used first, so that idle ones are found at the front.
        self._sessions: OrderedDict[str, _Held] = OrderedDict()
        self._defaults: dict[str, str] = {}

    def resolve(self, principal: str, session_id: str | None = None) -> Session:
        """The session that a call belongs to: the one it names, or the default one of its principal."""
        if session_id is not None and not _ID.fullmatch(session_id):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "session_id is not one that this server gave",
                expected="a session_id of an earlier answer, or none",
                received=display(session_id[:40]),
            )
        with self._lock:
            now = self._clock()
            self._end_idle(now)
            if session_id is None:
                return self._default(principal, now)
            held = self._sessions.get(session_id)
            if held is None:
                raise CodePlaneError(
                    ErrorCode.HANDLE_EXPIRED,
                    "the session has ended, or there never was one with this id",
                    remedy="Leave session_id out; the answer names the new session.",
                )
            if held.session.principal != principal:
                raise CodePlaneError(
                    ErrorCode.HANDLE_NOT_YOURS,
                    "the session belongs to another client",
                    remedy="Leave session_id out; the answer names your own session.",
                )
            return self._use(held, now)

    def sweep(self) -> int:
        """End what is idle; returns how many sessions live."""
        with self._lock:
            self._end_idle(self._clock())
            return len(self._sessions)

    def end(self, principal: str) -> None:
        """End all sessions of a principal who is gone."""
        with self._lock:
            gone = [held.session for held in self._sessions.values() if held.session.principal == principal]
            for session in gone:
                # Whoever goes is done; what they opened themselves and did not close was cut short.
                self._end(session, TaskState.CLOSED_SUCCESS)

    def close(self) -> None:
        """End all sessions, because the server stops."""
        with self._lock:
            for held in list(self._sessions.values()):
                self._end(held.session, TaskState.CLOSED_INTERRUPTED)

    def _default(self, principal: str, now: float) -> Session:
        known = self._defaults.get(principal)
        if known is not None:
            return self._use(self._sessions[known], now)
        while len(self._sessions) >= self._capacity:
            oldest = next(iter(self._sessions.values()))
            self._end(oldest.session, TaskState.CLOSED_INTERRUPTED)
        session = Session(f"s_{secrets.token_urlsafe(18)}", principal, f"t_{secrets.token_urlsafe(18)}")
        self._opened(session)
        self._sessions[session.id] = _Held(session, now)
        self._defaults[principal] = session.id
        return replace(session, fresh=True)

    def _use(self, held: _Held, now: float) -> Session:
        held.used_at = now
        self._sessions.move_to_end(held.session.id)
        return held.session

    def _end_idle(self, now: float) -> None:
        while self._sessions:
            held = next(iter(self._sessions.values()))
            if now - held.used_at < self._idle_seconds:
                return
            # One that a caller opened and left was cut short; that of the session is simply over.
            self._end(held.session, TaskState.CLOSED_SUCCESS)

    def _end(self, session: Session, state: TaskState) -> None:
        del self._sessions[session.id]
        if self._defaults.get(session.principal) == session.id:
            del self._defaults[session.principal]
        self._ended(session, state)
