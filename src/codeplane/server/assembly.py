"""Putting an engine together: roots, sessions, handles, ledger, pipeline."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError
from codeplane.operations.context import Context
from codeplane.operations.roots import Roots, open_root
from codeplane.store.identity import user_identity
from codeplane.store.layout import create_state
from codeplane.store.ledger_files import Retention
from codeplane.tasks.handles import Handles
from codeplane.tasks.ledger import Ledger
from codeplane.tasks.model import TaskState
from codeplane.tasks.sessions import Session, Sessions
from codeplane.tools.pipeline import Pipeline

_FOR_EVER_DAYS = 365_000


def open_pipeline(
    context: Context, load: Callable[[Path], Context], *, once: bool = False, prewarm: bool = True
) -> Pipeline:
    """For as long as an engine serves, or for `once`: then nothing goes on behind it, and nothing is built unasked."""
    ledger = _open_ledger(context)
    home = open_root(context, once=once, prewarm=prewarm)
    handles = Handles(time.monotonic)

    def opened(session: Session) -> None:
        if ledger is not None:
            ledger.open_task(session.task_id, session.id, epoch=home.workspace.state().epoch)

    def ended(session: Session, state: TaskState) -> None:
        handles.drop(session.id)
        if ledger is not None:
            ledger.close_task(session.task_id, state)

    idle = context.config.server.session_idle_sec
    sessions = Sessions(time.monotonic, idle, opened=opened, ended=ended)
    return Pipeline(Roots(home, load), sessions, handles, ledger, once=once)


def _open_ledger(context: Context) -> Ledger | None:
    """What keeps the ledger from being written costs the ledger, not the answers."""
    retention = Retention(days=context.config.ledger.retention_days or _FOR_EVER_DAYS)
    try:
        state = create_state(context.root)
        return Ledger.open(state.path, owner=user_identity(context.user_state), retention=retention)
    except CodePlaneError as error:
        telemetry.warn("no ledger is kept", error=error.code.name)
        return None
