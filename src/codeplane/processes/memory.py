"""Memory of this process: how much is resident, and return of freed memory to the system."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path


def resident_bytes() -> int:
    """Return the resident memory; 0 where the system does not show it."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def trim() -> None:
    """Return freed memory to the system: glibc keeps what a burst of work used until `malloc_trim`."""
    release = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if release is not None:
        release(0)
