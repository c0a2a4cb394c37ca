"""Tasks that are open: opened on purpose, used by naming them or by going on in their session, counted, closed.

A task belongs to a session and ends with it. One that went beyond a limit is closed as failed
and stays with its session until somebody closes it, so that a limit is not escaped by going
on; what only looks is still answered. Nothing that was closed is opened again.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from threading import Lock

from codeplane.base.call_record import CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.warnings import WarningCode
from codeplane.ledger.events import TaskState
from codeplane.tasks.convergence import counted, failed, find_limit, noted, refuse, stops
from codeplane.tasks.model import Counts, Limits, Scope, Task
from codeplane.tasks.sessions import IDLE_SECONDS, Session, client_digest

MAX_OPEN = 20
"""Tasks of one session. Where there are more, those that nobody used for so long as a session may idle make room."""

_ID = re.compile(r"t_[A-Za-z0-9_-]{22,64}")


def _not_known(task_id: str) -> TaskState | None:
    return None


def _nothing(task: Task) -> None:
    pass


class OpenTasks:
    """Of all sessions. Callbacks run under its lock: they must be short and must not call back."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        opened: Callable[[Task], None] = _nothing,
        closed: Callable[[Task], None] = _nothing,
        find_state: Callable[[str], TaskState | None] = _not_known,
    ) -> None:
        """`find_state` is asked for tasks that are not open here: it may know how they ended."""
        self._clock = clock
        self._opened = opened
        self._closed = closed
        self._find_state = find_state
        self._lock = Lock()
        # By session, its own task among them; of the others the one that was opened last is last.
        self._tasks: dict[str, OrderedDict[str, Task]] = {}
        self._session_of: dict[str, str] = {}

    def open(self, session: Session, limits: Limits, scope: Scope, repo_head: str | None = None) -> Task:
        with self._lock:
            if not self._has_room(session):
                message = f"{MAX_OPEN} tasks of this session are open"
                raise CodePlaneError(ErrorCode.TOO_BUSY, message, remedy="Close those that are done.")
            task = Task(
                f"t_{secrets.token_urlsafe(18)}",
                session.id,
                self._clock(),
                used=self._clock(),
                explicit=True,
                limits=limits,
                scope=scope,
                repo_head=repo_head,
                client=client_digest(session.principal),
            )
            self._session_of[task.id] = session.id
            self._opened(task)
            return self._put(task)

    def bind(self, session: Session, task_id: str | None, *, by_name: bool = False) -> Session:
        """The session as it is within a task: the one that is named, or the last that was opened in it.

        With `by_name` many clients share the session, and none of them means a task that it does not name.
        """
        if task_id is not None:
            return _within(session, self.find(session, task_id))
        with self._lock:
            own = tuple(self._tasks[session.id].values()) if session.id in self._tasks else ()
            last = None if by_name else next((task for task in reversed(own) if task.explicit), None)
        return _within(session, last)

    def find(self, session: Session, task_id: str | None = None) -> Task:
        """How a task stands, without a name that of the session; TASK_CLOSED for one that is not open here."""
        wanted = session.task_id if task_id is None else task_id
        with self._lock:
            task = self._find(session, wanted)
        if task is None:
            raise self._gone(wanted)
        return task

    def admit(self, session: Session, counts: Counts | None) -> None:
        """Begin a call: TASK_BUDGET_EXCEEDED when it meets a limit, which closes the task as failed."""
        with self._lock:
            task, now = self._find(session, session.task_id), self._clock()
            limit = find_limit(task, counts, now) if task is not None else None
            if task is not None and limit is not None and task.state is TaskState.OPEN:
                task = self._put(failed(task, limit))
                self._closed(task)
            if task is not None and task.limit_triggered is None:
                self._put(counted(task, counts))
        if task is None:
            raise self._gone(session.task_id)
        if task.limit_triggered is not None and stops(limit or task.limit_triggered, counts):
            raise refuse(task, limit or task.limit_triggered, now)

    def note(self, session: Session, record: CallRecord, counts: Counts | None) -> WarningCode | None:
        """What a call changed or how it failed; says when that is the same as before."""
        with self._lock:
            task = self._known(session, session.task_id)
            if task is None:
                return None
            task, repeated = noted(task, record, counts)
            self._put(task)
            return repeated

    def spend(self, session: Session, tokens: int) -> None:
        """One call was answered with so much."""
        with self._lock:
            task = self._known(session, session.task_id)
            if task is not None:
                self._put(replace(task, calls=task.calls + 1, tokens=task.tokens + tokens, used=self._clock()))

    def age_seconds(self, task: Task) -> int:
        return int(self._clock() - task.began)

    def state(self, session: Session) -> TaskState:
        with self._lock:
            task = self._known(session, session.task_id)
        return task.state if task is not None else session.task_state

    def close(self, session: Session, task_id: str | None, state: TaskState) -> Task:
        """End a task that was opened on purpose; one that failed stays failed. The session goes on without it."""
        task = self.find(session, task_id)
        if not task.explicit:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "no task was opened here, so there is none to close",
                expected="task_id of a task that is open",
                received="no task_id" if task_id is None else task_id,
                example={"action": "open", "max_mutations": 20},
            )
        with self._lock:
            known = self._find(session, task.id)
            if known is not None:
                return self._end(known, state)
        raise self._gone(task.id)

    def drop(self, session: Session) -> None:
        """A session ended, and what it left open was interrupted. Its own task is told of by who ended it."""
        with self._lock:
            for task in list(self._tasks.get(session.id, OrderedDict()).values()):
                if task.explicit:
                    self._end(task, TaskState.CLOSED_INTERRUPTED)
            self._tasks.pop(session.id, None)

    def _has_room(self, session: Session) -> bool:
        opened = [task for task in self._tasks.get(session.id, OrderedDict()).values() if task.explicit]
        if len(opened) < MAX_OPEN:
            return True
        oldest = min(opened, key=lambda task: task.used)
        if self._clock() - oldest.used < IDLE_SECONDS:
            return False
        self._end(oldest, TaskState.CLOSED_INTERRUPTED)
        return True

    def _find(self, session: Session, task_id: str) -> Task | None:
        if not _ID.fullmatch(task_id):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "task_id is not one that this server gave",
                expected="a task_id of an earlier answer, or none",
                received=display(task_id[:40]),
            )
        if self._session_of.get(task_id, session.id) != session.id:
            raise CodePlaneError(
                ErrorCode.HANDLE_NOT_YOURS,
                "the task belongs to another session",
                remedy="Leave task_id out, or open a task of your own.",
            )
        known = self._known(session, task_id)
        if known is None and task_id == session.task_id and not session.explicit:
            return Task(task_id, session.id, self._clock())
        return known

    def _known(self, session: Session, task_id: str) -> Task | None:
        own = self._tasks.get(session.id)
        return own.get(task_id) if own is not None else None

    def _put(self, task: Task) -> Task:
        self._tasks.setdefault(task.session_id, OrderedDict())[task.id] = task
        return task

    def _end(self, task: Task, state: TaskState) -> Task:
        if task.state is TaskState.OPEN:
            task = replace(task, state=state)
            self._closed(task)
        del self._tasks[task.session_id][task.id], self._session_of[task.id]
        return task

    def _gone(self, task_id: str) -> CodePlaneError:
        state = self._find_state(task_id)
        # What is still written as open was open in a server that ended.
        state = TaskState.CLOSED_INTERRUPTED if state is TaskState.OPEN else state
        return CodePlaneError(
            ErrorCode.TASK_CLOSED,
            f"the task is {state}" if state is not None else "there is no open task with this id",
            details={"task_state": state.value} if state is not None else None,
            expected="task_id of a task that is open, or none",
            received=task_id,
            remedy="Open a new task, or leave task_id out.",
        )


def _within(session: Session, task: Task | None) -> Session:
    if task is None or not task.explicit:
        return session
    return replace(session, task_id=task.id, task_state=task.state, explicit=True, scope=task.scope)
