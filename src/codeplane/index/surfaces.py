"""Export surfaces: a hash per unit over everything that its files export.

The hash is a sum over entries, so that one changed file costs its own entries only, and
the order in which files were indexed leaves no trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import orjson

from codeplane.facts.blocks import PackedFacts

_MODULUS = 1 << 128


class Surfaces:
    """The running sums of all units; `changed` are those to be written with the next epoch."""

    def __init__(self, known: Iterable[tuple[int, str]] = ()) -> None:
        self._sums = {unit: int(text, 16) for unit, text in known}
        self.changed: set[int] = set()

    def replace(self, path: str, before: Iterable[tuple[int, str]], unit: int, facts: PackedFacts) -> None:
        """`before` are the (unit, entry) pairs of the file until now, as the store gives them back."""
        for old_unit, entry in before:
            self._add(old_unit, -_weight(path, entry))
        for name, definition, certainty, evidence, *_ in facts.exports:
            uid = None if definition is None else facts.defs[definition][0]
            self._add(unit, _weight(path, _entry(name, evidence, certainty, uid)))
        for source, mode, names, aliases, _ in facts.thunks:
            shown = (_json(names), _json(aliases))
            self._add(unit, _weight(path, _entry(source, mode, *shown)))

    def move(self, path: str, entries: Iterable[tuple[int, str]], unit: int) -> None:
        """Another unit owns the file; `entries` as the store gives them back from before."""
        for old_unit, entry in entries:
            weight = _weight(path, entry)
            self._add(old_unit, -weight)
            self._add(unit, weight)

    def hash_of(self, unit: int) -> str | None:
        """None when the unit exports nothing."""
        return f"{self._sums[unit]:032x}" if self._sums.get(unit) else None

    def _add(self, unit: int, weight: int) -> None:
        self._sums[unit] = (self._sums.get(unit, 0) + weight) % _MODULUS
        self.changed.add(unit)


def _entry(*values: object) -> str:
    return orjson.dumps(values).decode()


def _json(values: Sequence[object]) -> str | None:
    return orjson.dumps(values).decode() if values else None


def _weight(path: str, entry: str) -> int:
    text = f"{path}\0{entry}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:16])
