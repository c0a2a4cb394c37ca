"""Open a task: its edit scope, and HEAD at its start."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from codeplane.base.errors import CodePlaneError
from codeplane.git.repository import head_commit
from codeplane.operations.search.filters import PathPatterns
from codeplane.tasks.model import UNRESTRICTED, Task, TaskLimits, TaskScope
from codeplane.tasks.open_tasks import OpenTasks
from codeplane.tasks.sessions import Session


def open_task(root: Path, tasks: OpenTasks, session: Session, limits: TaskLimits, patterns: tuple[str, ...]) -> Task:
    """Open a task. `patterns`, in .gitignore syntax, select the files that it may change; none selects all."""
    scope = TaskScope(patterns, PathPatterns(patterns).match) if patterns else UNRESTRICTED
    head = None
    # A task can be opened even if git metadata is unreadable.
    with suppress(CodePlaneError):
        head = head_commit(root)
    return tasks.open(session, limits, scope, head)
