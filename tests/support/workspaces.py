"""Workspaces of small repositories for tests, queries on them, and waiting for their background work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from codeplane.index.options import IndexProgress
from codeplane.query.files import list_files
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import WorkspaceSettings
from codeplane.workspace.workspace import Workspace
from support.repositories import options_for

QUIET = WorkspaceSettings(background=False, prewarm=False, inline_ms=20_000, debounce_ms=600_000)
"""Nothing goes on that was not asked for."""


@contextmanager
def door(root: Path, settings: WorkspaceSettings = QUIET, **changes: object) -> Iterator[Workspace]:
    with Workspace(options_for(root, **changes), settings) as workspace:
        yield workspace


def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)


class HeldSync:
    """A look that has begun, and goes on until it is released."""

    def __init__(self, workspace: Workspace) -> None:
        self._held, self._released = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=workspace.sync, args=(self._hold,))
        self._thread.start()
        assert self._held.wait(20)

    def release(self) -> None:
        self._released.set()

    def end(self) -> None:
        self.release()
        self._thread.join(20)

    def _hold(self, progress: IndexProgress) -> None:
        if progress.phase == "index":
            self._held.set()
            assert self._released.wait(20)


def is_ready(workspace: Workspace) -> bool:
    return workspace.state().phase == "ready"


def paths(snapshot: Snapshot) -> list[str]:
    return [file.path for file in list_files(snapshot, 1000).rows]


def arm(workspace: Workspace) -> None:
    """Look until the watcher gives its word: the first look tells it what to watch, the second what is there."""

    def has_word() -> bool:
        before = workspace.state().last_sync
        workspace.read(paths)
        return workspace.state().last_sync == before

    # A file that has just been made is not to be believed for a while.
    until(has_word)
