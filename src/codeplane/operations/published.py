"""Reading what another process has published and just made fresh."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.context import Context
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state
from codeplane.workspace.freshness import Freshness, Read

T = TypeVar("T")


def read_published(context: Context, ask: Callable[[Snapshot], T], decision: str) -> Read[T]:
    """Ask the newest epoch; `decision` is what the one who made it fresh said of it."""
    state = open_state(context.root)
    if state is None:
        raise CodePlaneError(ErrorCode.NOT_INDEXED, "this repository has no index", remedy="Run 'cpl init'.")
    with open_current(state) as snapshot:
        return Read(ask(snapshot), snapshot.epoch.epoch, Freshness("fresh", decision))
