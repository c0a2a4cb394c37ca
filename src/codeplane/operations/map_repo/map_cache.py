"""Cache of recent repository maps, shared by requests for which they are fresh enough."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codeplane.operations.map_repo.structure import TreeRow

Index = tuple[str | None, int]
"""Generation and epoch of an index; epoch numbers restart after a clear."""

_MAX_MAPS = 8


@dataclass(frozen=True)
class CachedMap:
    fields: dict[str, Any]
    rows: tuple[TreeRow, ...]
    index: Index
    is_final: bool = True
    """True if the map of this epoch is final."""


class MapCache:
    """Thread-safe. Builds one map at a time; concurrent requests share it."""

    def __init__(self) -> None:
        self._build_lock = threading.Lock()
        self._maps: OrderedDict[object, CachedMap] = OrderedDict()

    def __len__(self) -> int:
        return len(self._maps)

    def clear(self) -> None:
        with self._build_lock:
            self._maps.clear()

    def get(self, arguments: object, minimum: Index, make: Callable[[], CachedMap]) -> CachedMap:
        """Return a map of the minimum epoch or a newer one; `make` builds that of the newest epoch."""
        cached = self._maps.get(arguments)
        if cached is not None and _serves(cached.index, minimum):
            return cached
        with self._build_lock:
            cached = self._maps.get(arguments)
            if cached is None or not _serves(cached.index, minimum):
                cached = make()
                if not cached.is_final:
                    return cached
                self._maps[arguments] = cached
                self._maps.move_to_end(arguments)
                while len(self._maps) > _MAX_MAPS:
                    self._maps.popitem(last=False)
        return cached


def _serves(cached: Index, minimum: Index) -> bool:
    return cached[0] == minimum[0] and cached[1] >= minimum[1]
