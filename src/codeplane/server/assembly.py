"""Assembly of an engine: roots, sessions, handles, ledger, pipeline."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError
from codeplane.edits.mutation import Editor
from codeplane.edits.recover import roll_back_interrupted
from codeplane.edits.undo_store import RetentionLimits
from codeplane.ledger.anchor import LedgerAnchor
from codeplane.ledger.events import TaskState
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.rotation import Retention
from codeplane.operations.context import Context
from codeplane.operations.roots import Roots, open_root
from codeplane.store.identity import user_identity
from codeplane.store.layout import create_state
from codeplane.tasks.handles import HandleStore
from codeplane.tasks.model import Task
from codeplane.tasks.open_tasks import OpenTasks
from codeplane.tasks.read_history import ReadHistory
from codeplane.tasks.sessions import Session, Sessions
from codeplane.tools.pipeline import CallPipeline


def open_pipeline(
    context: Context, load: Callable[[Path], Context], *, once: bool = False, prewarm: bool = True
) -> CallPipeline:
    """Open the pipeline of an engine. With `once`, for one call: no background work and no implicit index build."""
    ledger = _open_ledger(context)
    editor = _open_editor(context, ledger)
    home = open_root(context, once=once, prewarm=prewarm)
    if editor is not None:
        home.workspace.attach_editor(editor)
    handles = HandleStore(time.monotonic)
    read_history = ReadHistory()

    def opened(session: Session) -> None:
        if ledger is not None:
            ledger.open_task(session.task_id, session.id, epoch=home.workspace.state().epoch)

    def ended(session: Session, state: TaskState) -> None:
        handles.drop(session.id)
        read_history.drop(session.id)
        tasks.drop(session)
        if ledger is not None:
            ledger.close_task(session.task_id, state)

    def task_opened(task: Task) -> None:
        if ledger is not None:
            ledger.open_task(
                task.id,
                task.session_id,
                limits=task.recorded_limits,
                repo_head=task.repo_head,
                epoch=home.workspace.state().epoch,
                client=task.client,
            )

    def task_closed(task: Task) -> None:
        if ledger is not None:
            ledger.close_task(task.id, task.state, task.limit_triggered)

    def find_state(task_id: str) -> TaskState | None:
        return ledger.find_state(task_id) if ledger is not None else None

    tasks = OpenTasks(time.monotonic, opened=task_opened, closed=task_closed, find_state=find_state)
    idle = context.config.server.session_idle_sec
    sessions = Sessions(time.monotonic, idle, opened=opened, ended=ended)
    return CallPipeline(Roots(home, load), sessions, tasks, handles, read_history, ledger, once=once)


def _open_ledger(context: Context) -> Ledger | None:
    """Open the ledger; without one, calls are still answered but not recorded."""
    retention = Retention(days=context.config.ledger.retention_days)
    owner = user_identity(context.user_state)
    try:
        state = create_state(context.root)
        return Ledger.open(
            state.path,
            owner=owner,
            retention=retention,
            recover=partial(roll_back_interrupted, context.root, owner=owner),
            anchor=LedgerAnchor(context.user_state, context.root),
        )
    except CodePlaneError as error:
        telemetry.warn("the ledger cannot be opened", error=error.code.name)
        return None


def _open_editor(context: Context, ledger: Ledger | None) -> Editor | None:
    settings = context.config.edits
    try:
        return Editor(context.root, ledger, RetentionLimits(settings.undo_days, settings.undo_bytes))
    except CodePlaneError as error:
        telemetry.warn("files cannot be changed here", error=error.code.name)
        return None
