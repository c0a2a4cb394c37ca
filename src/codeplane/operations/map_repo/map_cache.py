"""The last maps that were made: one serves everybody whose question it is new enough for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codeplane.operations.map_repo.structure import TreeRow

Index = tuple[str | None, int]
"""An index and its epoch: a number alone comes again after a clear."""

_MAX_MAPS = 8


@dataclass(frozen=True)
class CachedMap:
    fields: dict[str, Any]
    rows: tuple[TreeRow, ...]
    """All rows of the structure."""
    index: Index
    settled: bool = True
    """Whether the same epoch will never have another map."""


class MapCache:
    """Safe from many threads. One map is made at a time: many who ask at once wait for one that serves them all."""

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._maps: OrderedDict[object, CachedMap] = OrderedDict()

    def get(self, arguments: object, wanted: Index, make: Callable[[], CachedMap]) -> CachedMap:
        """A map of the epoch that is wanted or of a newer one; `make` gives that of the newest."""
        kept = self._maps.get(arguments)
        if kept is not None and _serves(kept.index, wanted):
            return kept
        with self._making:
            kept = self._maps.get(arguments)
            if kept is None or not _serves(kept.index, wanted):
                kept = make()
                if not kept.settled:
                    return kept
                self._maps[arguments] = kept
                self._maps.move_to_end(arguments)
                while len(self._maps) > _MAX_MAPS:
                    self._maps.popitem(last=False)
        return kept


def _serves(kept: Index, wanted: Index) -> bool:
    return kept[0] == wanted[0] and kept[1] >= wanted[1]
