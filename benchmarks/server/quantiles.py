"""Rows of times with their tails, for the commands about the server."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.measure import amount

COLUMNS = ("", "calls", "median", "p95", "p99", "worst")


def quantile(values: Sequence[float], share: float) -> float:
    """By nearest rank."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def row_of(name: str, seconds: Sequence[float]) -> tuple[str, ...]:
    shown = (quantile(seconds, share) for share in (0.5, 0.95, 0.99, 1.0))
    return (name, f"{len(seconds):,}", *(amount(value * 1000, "ms") for value in shown))
