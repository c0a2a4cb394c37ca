"""An index whose opening or build is paused, so that tests see the answers during it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from codeplane.config.model import Config
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexProgress
from codeplane.workspace.workspace import Workspace
from support.tooling import QUIET, Server, serving

_HELD_SECONDS = 60


class HeldBuild:
    """A real first build that stops once it has indexed some files, until it is released."""

    def __init__(self) -> None:
        self.reached, self._released = threading.Event(), threading.Event()

    def release(self) -> None:
        self._released.set()

    def hold(self, progress: IndexProgress) -> None:
        if progress.phase == "index" and progress.files_total:
            self.reached.set()
            self._released.wait(_HELD_SECONDS)


@contextmanager
def build_held(root: Path, config: Config = QUIET) -> Iterator[tuple[Server, HeldBuild]]:
    """A server whose first build has begun and does not go on until the end of the block, or until it is released."""
    held = HeldBuild()
    start = Workspace.start

    def start_held(workspace: Workspace) -> None:
        workspace.request_sync(held.hold)
        start(workspace)

    with patch.object(Workspace, "start", start_held), serving(root, config=config, ready=False) as server:
        try:
            assert held.reached.wait(20), "the build has not begun"
            yield server, held
        finally:
            held.release()


@contextmanager
def opening_held() -> Iterator[threading.Event]:
    """Indexes are opened only after the event is set."""
    released = threading.Event()
    open_index = Indexer.open

    def open_held(*arguments: Any, **options: Any) -> Indexer:
        released.wait(_HELD_SECONDS)
        return open_index(*arguments, **options)

    with patch.object(Indexer, "open", open_held):
        try:
            yield released
        finally:
            released.set()
