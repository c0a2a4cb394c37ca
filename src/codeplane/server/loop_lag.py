"""Lag of the event loop: how late a timer fires. A large lag means that the loop was blocked."""

from __future__ import annotations

import asyncio
import math
from collections import deque

_INTERVAL_SECONDS = 0.05
_MAX_SAMPLES = 1_200
"""A minute of samples."""


class LagMonitor:
    def __init__(self) -> None:
        self._samples: deque[float] = deque(maxlen=_MAX_SAMPLES)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            before = loop.time()
            await asyncio.sleep(_INTERVAL_SECONDS)
            self._samples.append(loop.time() - before - _INTERVAL_SECONDS)

    def figures(self) -> dict[str, float]:
        """Return median, 99.9th percentile and maximum of the last minute, in milliseconds."""
        ordered = sorted(self._samples)
        if not ordered:
            return {}
        last = len(ordered) - 1
        rank = math.ceil(0.999 * len(ordered)) - 1
        picks = (("p50", ordered[last // 2]), ("p99_9", ordered[rank]), ("max", ordered[last]))
        return {name: round(max(0.0, value) * 1000, 1) for name, value in picks}
