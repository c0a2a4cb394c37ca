"""Background threads that survive any exception.

A thread that dies silently ends a service whose callers wait for it. So an exception is logged and the work starts
again, and callers who wait for a thread call `ensure_running`, which replaces one that died all the same.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from codeplane import telemetry

PAUSE_SECONDS = 0.2
"""Pause before failed work starts again."""


class SupervisedThread:
    """Runs `work` until it returns. `failed` is called from the thread after each exception that `work` raised."""

    def __init__(
        self, name: str, work: Callable[[], None], failed: Callable[[BaseException], None] | None = None
    ) -> None:
        self._name = name
        self._work = work
        self._failed = failed
        self._mutex = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ended = False

    @property
    def started(self) -> bool:
        return self._thread is not None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def ensure_running(self) -> None:
        """Start the thread again if it died; no effect before `start` and after the work has returned."""
        thread = self._thread
        if thread is None or self._ended or thread.is_alive():
            return
        with self._mutex:
            if self._thread is thread:
                telemetry.error("a background thread died and is started again", thread=self._name)
                self.start()

    def is_current(self) -> bool:
        """True in the thread itself."""
        return self._thread is threading.current_thread()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end of the work. Return False on timeout."""
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            try:
                self._work()
                self._ended = True
                return
            # Also exits and panics of extension modules, which are no `Exception`s.
            except BaseException as error:
                self._report(error)
            time.sleep(PAUSE_SECONDS)

    def _report(self, error: BaseException) -> None:
        telemetry.error("a background thread failed", thread=self._name, **telemetry.describe(error))
        if self._failed is None:
            return
        try:
            self._failed(error)
        except BaseException as another:
            telemetry.error("a background thread failed", thread=self._name, **telemetry.describe(another))
