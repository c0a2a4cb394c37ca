"""Opening a task: what it may change, and what the repository was when it began."""

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
    """`patterns` as in an ignore file say which files may be changed; none, that all may be."""
    scope = TaskScope(patterns, PathPatterns(patterns).match) if patterns else UNRESTRICTED
    head = None
    # A task can be opened in a repository that git cannot read.
    with suppress(CodePlaneError):
        head = head_commit(root)
    return tasks.open(session, limits, scope, head)
