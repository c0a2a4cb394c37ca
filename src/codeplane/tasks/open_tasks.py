"""Open tasks: open, bind calls to a task, count, close.

A task belongs to a session and ends with it. A task that exceeds a limit is closed as failed and stays bound to its
session until it is closed explicitly, so that continuing does not escape the limit; reads are still answered. A closed
task is never reopened.
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
from codeplane.tasks.model import CountedBudget, Task, TaskLimits, TaskScope
from codeplane.tasks.progress import budget_error, count_call, fail_task, find_limit, is_refused, record_result
from codeplane.tasks.sessions import IDLE_SECONDS, Session, client_digest

MAX_OPEN = 20
"""Maximum per session. Beyond it, a task unused for the idle time of a session is closed to make room."""

_ID = re.compile(r"t_[A-Za-z0-9_-]{22,64}")


def _unknown_state(task_id: str) -> TaskState | None:
    return None


def _ignore(task: Task) -> None:
    pass


class OpenTasks:
    """Tasks of all sessions. Thread-safe. Callbacks run under the lock: they must be short and must not call back."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        opened: Callable[[Task], None] = _ignore,
        closed: Callable[[Task], None] = _ignore,
        find_state: Callable[[str], TaskState | None] = _unknown_state,
    ) -> None:
        """`find_state` returns the recorded state of a task that is not open here."""
        self._clock = clock
        self._opened = opened
        self._closed = closed
        self._find_state = find_state
        self._lock = Lock()
        # By session, including its implicit task; explicit tasks in the order of opening.
        self._tasks: dict[str, OrderedDict[str, Task]] = {}
        self._session_of: dict[str, str] = {}

    def open(self, session: Session, limits: TaskLimits, scope: TaskScope, repo_head: str | None = None) -> Task:
        with self._lock:
            if not self._has_room(session):
                message = f"this session has {MAX_OPEN} open tasks"
                raise CodePlaneError(ErrorCode.TOO_BUSY, message, remedy="Close finished tasks.")
            task = Task(
                f"t_{secrets.token_urlsafe(18)}",
                session.id,
                self._clock(),
                last_used_at=self._clock(),
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
        """Return the session bound to a task: the named one, or the one opened last.

        With `by_name` several clients share the session, so a call belongs to an explicit task only if it names it.
        """
        if task_id is not None:
            return _within(session, self.find(session, task_id))
        with self._lock:
            own = tuple(self._tasks[session.id].values()) if session.id in self._tasks else ()
            last = None if by_name else next((task for task in reversed(own) if task.explicit), None)
        return _within(session, last)

    def find(self, session: Session, task_id: str | None = None) -> Task:
        """Return a task, by default that of the session. TASK_CLOSED if it is not open here."""
        wanted = session.task_id if task_id is None else task_id
        with self._lock:
            task = self._find(session, wanted)
        if task is None:
            raise self._closed_error(wanted)
        return task

    def admit(self, session: Session, budget: CountedBudget | None) -> None:
        """Count a call. TASK_BUDGET_EXCEEDED if it exceeds a limit, which closes the task as failed."""
        with self._lock:
            task, now = self._find(session, session.task_id), self._clock()
            limit = find_limit(task, budget, now) if task is not None else None
            if task is not None and limit is not None and task.state is TaskState.OPEN:
                task = self._put(fail_task(task, limit))
                self._closed(task)
            if task is not None and task.limit_triggered is None:
                self._put(count_call(task, budget))
        if task is None:
            raise self._closed_error(session.task_id)
        if task.limit_triggered is not None and is_refused(limit or task.limit_triggered, budget):
            raise budget_error(task, limit or task.limit_triggered, now)

    def note(self, session: Session, record: CallRecord, budget: CountedBudget | None) -> WarningCode | None:
        """Record what a call changed or how it failed; return a warning if it repeats an earlier one."""
        with self._lock:
            task = self._known(session, session.task_id)
            if task is None:
                return None
            task, repeated = record_result(task, record, budget)
            self._put(task)
            return repeated

    def spend(self, session: Session, tokens: int) -> None:
        """Count the tokens of an answer."""
        with self._lock:
            task = self._known(session, session.task_id)
            if task is not None:
                self._put(replace(task, calls=task.calls + 1, tokens=task.tokens + tokens, last_used_at=self._clock()))

    def age_seconds(self, task: Task) -> int:
        return int(self._clock() - task.started_at)

    def state(self, session: Session) -> TaskState:
        with self._lock:
            task = self._known(session, session.task_id)
        return task.state if task is not None else session.task_state

    def close(self, session: Session, task_id: str | None, state: TaskState) -> Task:
        """Close an explicit task; a failed task stays failed. The session continues without it."""
        task = self.find(session, task_id)
        if not task.explicit:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "no task is open in this session",
                expected="task_id of an open task",
                received="no task_id" if task_id is None else task_id,
                example={"action": "open", "max_mutations": 20},
            )
        with self._lock:
            known = self._find(session, task.id)
            if known is not None:
                return self._end(known, state)
        raise self._closed_error(task.id)

    def drop(self, session: Session) -> None:
        """Close the explicit tasks of an ended session as interrupted. `Sessions` closes its implicit task."""
        with self._lock:
            for task in list(self._tasks.get(session.id, OrderedDict()).values()):
                if task.explicit:
                    self._end(task, TaskState.CLOSED_INTERRUPTED)
            self._tasks.pop(session.id, None)

    def _has_room(self, session: Session) -> bool:
        opened = [task for task in self._tasks.get(session.id, OrderedDict()).values() if task.explicit]
        if len(opened) < MAX_OPEN:
            return True
        oldest = min(opened, key=lambda task: task.last_used_at)
        if self._clock() - oldest.last_used_at < IDLE_SECONDS:
            return False
        self._end(oldest, TaskState.CLOSED_INTERRUPTED)
        return True

    def _find(self, session: Session, task_id: str) -> Task | None:
        if not _ID.fullmatch(task_id):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "task_id is not one that this server issued",
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

    def _closed_error(self, task_id: str) -> CodePlaneError:
        state = self._find_state(task_id)
        # A task recorded as open was open in a server that died.
        state = TaskState.CLOSED_INTERRUPTED if state is TaskState.OPEN else state
        return CodePlaneError(
            ErrorCode.TASK_CLOSED,
            f"the task is {state}" if state is not None else "no open task has this id",
            details={"task_state": state.value} if state is not None else None,
            expected="task_id of an open task, or none",
            received=task_id,
            remedy="Open a new task, or leave task_id out.",
        )


def _within(session: Session, task: Task | None) -> Session:
    if task is None or not task.explicit:
        return session
    return replace(session, task_id=task.id, task_state=task.state, explicit=True, scope=task.scope)
