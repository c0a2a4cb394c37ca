"""Resource limits that a worker sets for itself before it reads untrusted input."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PR_SET_PDEATHSIG = 1


CPU_LIMIT_SIGNAL = signal.SIGPROF
"""Signal that ends a worker at its CPU limit."""


def set_cpu_limit(seconds: float) -> None:
    """Let the kernel kill this process after so many seconds of CPU time; 0 removes the limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


@contextmanager
def cpu_limit_paused() -> Iterator[None]:
    """Exclude a piece of work from the CPU limit, if one is set."""
    left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    try:
        yield
    finally:
        if left:
            signal.setitimer(signal.ITIMER_PROF, left)


def confine(memory_bytes: int) -> None:
    """Limit memory, disable core dumps, and die with the parent."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
