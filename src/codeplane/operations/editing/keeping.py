"""What files were before they were changed, kept for as long and as much as the operator allows.

Each change has a directory of its own. What belongs to a change that is under way, or that
has still to be undone, is never removed; what no change of the ledger belongs to is left
over from a kill before anything was touched, and goes at the start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from codeplane.disk.kept import list_kept, remove
from codeplane.disk.safe_open import Root

_DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Room:
    """How long, and how many bytes, of what files were before is kept."""

    days: int = 14
    bytes: int = 256 * 1024 * 1024


class Keeping:
    """Safe from many threads."""

    def __init__(self, root: Root, room: Room, clock: Callable[[], float] = time.time) -> None:
        self._root = root
        self._room = room
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[int, int]] | None = None

    def sweep_left_over(self, known: Callable[[], Collection[str]]) -> list[str]:
        """Remove what no change belongs to. Only before anything is changed."""
        kept = list_kept(self._root)
        gone = sorted(kept.keys() - set(known())) if kept else []
        for name in gone:
            remove(self._root, name)
        return gone

    def add(self, mutation_id: str, size: int, protected: Collection[str]) -> None:
        """Another change is kept; the oldest go where that is too much."""
        with self._lock:
            if self._kept is None:
                self._kept = list_kept(self._root)
            now = int(self._clock())
            self._kept[mutation_id] = (now, size)
            total = sum(size for _, size in self._kept.values())
            # Of one second, in the order in which they were made: sorting keeps it.
            for name, (made, size) in sorted(self._kept.items(), key=lambda item: item[1][0]):
                too_old = made < now - self._room.days * _DAY_SECONDS
                if not too_old and total <= self._room.bytes:
                    break
                if name in protected:
                    continue
                remove(self._root, name)
                del self._kept[name]
                total -= size
