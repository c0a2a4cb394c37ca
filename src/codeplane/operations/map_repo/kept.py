"""Maps that were made, kept while their epoch is the newest: the same epoch gives the same map."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from codeplane.operations.map_repo.structure import TreeRow
from codeplane.query.snapshot import Snapshot

Made = tuple[dict[str, Any], tuple[TreeRow, ...]]
"""The sections, and all rows of the structure where a page does not hold them."""

_MAX_MAPS = 8


class KeptMaps:
    """Safe from many threads; two that ask at once may both make it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._epoch: tuple[str, int] | None = None
        self._maps: OrderedDict[object, Made] = OrderedDict()

    def get(self, snapshot: Snapshot, key: object, make: Callable[[Snapshot], Made]) -> Made:
        epoch = (snapshot.generation.name, snapshot.epoch.epoch)
        with self._lock:
            if epoch == self._epoch and key in self._maps:
                self._maps.move_to_end(key)
                return self._maps[key]
        made = make(snapshot)
        with self._lock:
            if epoch != self._epoch:
                self._maps.clear()
                self._epoch = epoch
            self._maps[key] = made
            while len(self._maps) > _MAX_MAPS:
                self._maps.popitem(last=False)
        return made
