"""Work on the index that somebody may wait for: a look at the tree, a build. Values that fill while it goes on.

They are changed by the thread that owns the index only, under the condition that they share.
"""

from __future__ import annotations

import secrets
import threading
import time

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath
from codeplane.index.options import IndexProgress, ProgressListener, SyncReport


class SyncRequest:
    """One look at the tree. Whoever asks before it begins shares it."""

    def __init__(self) -> None:
        self.begun = False
        self.done = False
        self.resolved = False
        """Whether references can be asked for, too."""
        self.wants_references = False
        self.report: SyncReport | None = None
        self.error: CodePlaneError | None = None
        self.differing_paths: tuple[tuple[RepoPath, ...], int] = ((), 0)
        """Paths that differ, once the tree was compared, and how many."""
        self.listeners: list[ProgressListener] = []


class IndexJob:
    """A build of the index, from the request on."""

    def __init__(self, kind: str, condition: threading.Condition) -> None:
        self.id = f"j_{secrets.token_urlsafe(16)}"
        self.kind = kind
        self.started = time.time()
        self.progress = IndexProgress("scan")
        self.report: SyncReport | None = None
        self.error: CodePlaneError | None = None
        self._condition = condition

    @property
    def running(self) -> bool:
        return self.report is None and self.error is None

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it has ended, one way or the other, within the time."""
        with self._condition:
            return self._condition.wait_for(lambda: not self.running, timeout)
