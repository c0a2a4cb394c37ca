"""The table of mounts, which hides or shows files without an event of inotify."""

from __future__ import annotations

import os
import select
from contextlib import suppress


class MountTable:
    """Notices changes of the table of this process; see proc_pid_mounts(5). Never changes where it cannot be read."""

    def __init__(self) -> None:
        self._handle = -1
        self._poll: select.poll | None = None
        with suppress(OSError, AttributeError):
            self._handle = os.open("/proc/self/mounts", os.O_RDONLY | os.O_CLOEXEC)
            self._poll = select.poll()
            self._poll.register(self._handle, select.POLLPRI)

    def has_changed(self) -> bool:
        """True if something was mounted or unmounted since the last call."""
        return self._poll is not None and bool(self._poll.poll(0))

    def close(self) -> None:
        self._poll = None
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
