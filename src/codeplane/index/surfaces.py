"""Export surfaces: a hash per unit over everything that its files export.

The hash is a sum over entries, so that one changed file costs its own entries only, and
the order in which files were indexed leaves no trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from codeplane.facts.blocks import PackedFacts

_MODULUS = 1 << 128


class Surfaces:
    """The running sums of all units; `changed` are those to be written with the next epoch."""

    def __init__(self, known: Iterable[tuple[int, str]] = ()) -> None:
        self._sums = {unit: int(text, 16) for unit, text in known}
        self.changed: set[int] = set()

    def replace(self, path: str, before: Iterable[tuple[int, str, str]], unit: int, facts: PackedFacts) -> None:
        """`before` are the (unit, name, evidence) triples that the file exported until now."""
        for old_unit, name, evidence in before:
            self._add(old_unit, -_weight(path, name, evidence))
        for name, _, _, evidence in facts.exports:
            self._add(unit, _weight(path, name, evidence))

    def hash_of(self, unit: int) -> str | None:
        """None when the unit exports nothing."""
        return f"{self._sums[unit]:032x}" if self._sums.get(unit) else None

    def _add(self, unit: int, weight: int) -> None:
        self._sums[unit] = (self._sums.get(unit, 0) + weight) % _MODULUS
        self.changed.add(unit)


def _weight(path: str, name: str, evidence: str) -> int:
    text = f"{path}\0{name}\0{evidence}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:16])
