"""Release of memory while the engine is idle: freed memory at once, caches when it stays idle.

Idle means that the process used hardly any CPU time for a while, whatever it did before: a build, calls, resolving.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from concurrent.futures import Executor
from enum import Enum, auto

from codeplane.processes.memory import trim

_INTERVAL_SECONDS = 5.0
_IDLE_SHARE = 0.05
"""Share of a core below which the process is idle."""
_DROP_AFTER = 4
"""Idle intervals after which caches are dropped."""


class IdleStep(Enum):
    NOTHING = auto()
    TRIM = auto()
    DROP_CACHES = auto()


class IdleMemory:
    def __init__(self, drop_caches: Callable[[], None]) -> None:
        self._drop_caches = drop_caches
        self._idle_intervals = _DROP_AFTER

    async def run(self, pool: Executor) -> None:
        used = time.process_time()
        while True:
            await asyncio.sleep(_INTERVAL_SECONDS)
            before, used = used, time.process_time()
            step = self.decide((used - before) / _INTERVAL_SECONDS)
            if step is not IdleStep.NOTHING:
                await asyncio.get_running_loop().run_in_executor(pool, self._release, step)
                used = time.process_time()

    def decide(self, share: float) -> IdleStep:
        """Return what to do after an interval in which the process used this share of a core."""
        if share > _IDLE_SHARE:
            self._idle_intervals = 0
            return IdleStep.NOTHING
        if self._idle_intervals < _DROP_AFTER:
            self._idle_intervals += 1
            steps = {1: IdleStep.TRIM, _DROP_AFTER: IdleStep.DROP_CACHES}
            return steps.get(self._idle_intervals, IdleStep.NOTHING)
        return IdleStep.NOTHING

    def _release(self, step: IdleStep) -> None:
        if step is IdleStep.DROP_CACHES:
            self._drop_caches()
            gc.collect()
        trim()
