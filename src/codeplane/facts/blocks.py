"""The references of a file as one packed block: they are most of what is known, and always used a file at a time.

A block holds the file's identifiers and one column of numbers for each thing said of an
occurrence; columns compress well because neighbours are alike. Any change of the format is
a change of what an index holds, and so of its fingerprint.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from operator import sub
from typing import NamedTuple, overload

import orjson

from codeplane.facts.model import Ref

BLOCK_VERSION = "1"

_LEVEL = 1
_WIDTHS = ("B", "H", "i")


class Columns(NamedTuple):
    """One value per occurrence, in document order."""

    scopes: Sequence[int]
    names: Sequence[int]
    """Ordinals of the file's identifiers."""
    lines: Sequence[int]
    columns: Sequence[int]
    flags: Sequence[int]
    """Role, usage, tier and certainty; see `flags`."""
    binds: Sequence[int]
    """Ordinal of the binding plus one; 0 for none."""


def flags(role: int, usage: int, tier: int, certainty: int) -> int:
    return role | usage << 2 | tier << 5 | certainty << 7


class Refs(Sequence[Ref]):
    """References of one file; unpacked when first looked at."""

    def __init__(self, block: bytes, counts: Sequence[int]) -> None:
        self.block = block
        self.counts = counts
        """How often each identifier occurs, by ordinal."""
        self._length = sum(counts)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Ref]:
        names, columns = self.unpacked
        lengths = [len(name) for name in names]
        for scope, name, line, column, flag, bind in zip(*columns, strict=True):
            end = column + lengths[name]
            bound = bind - 1 if bind else None
            yield Ref(scope, name, line, column, end, flag & 3, flag >> 2 & 7, flag >> 5 & 3, flag >> 7, bound)

    @overload
    def __getitem__(self, index: int) -> Ref: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ref]: ...
    def __getitem__(self, index: int | slice) -> Ref | list[Ref]:
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refs) and self.block == other.block

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def unpacked(self) -> tuple[list[str], Columns]:
        return unpack(self.block)


NO_REFS = Refs(b"", ())


def pack(names: Sequence[str], columns: Columns) -> Refs:
    if not columns.names:
        return NO_REFS
    lines = columns.lines
    steps = [lines[0], *map(sub, lines[1:], lines)]
    parts = [orjson.dumps(names)]
    parts += (_packed(column) for column in columns._replace(lines=steps))
    head = orjson.dumps([len(part) for part in parts])
    counted = Counter(columns.names)
    counts = [counted[ordinal] for ordinal in range(len(names))]
    return Refs(zlib.compress(b"\n".join((head, b"".join(parts))), _LEVEL), counts)


def pack_rows(names: Sequence[str], rows: Sequence[Ref]) -> Refs:
    """The same from rows; what a row says of its end follows from its name."""
    if isinstance(rows, Refs):
        return rows
    if not rows:
        return NO_REFS
    scopes, ordinals, lines, starts, _, roles, usages, tiers, certainties, binds = zip(*rows, strict=True)
    marked = [flags(*said) for said in zip(roles, usages, tiers, certainties, strict=True)]
    bound = [0 if bind is None else bind + 1 for bind in binds]
    return pack(names, Columns(scopes, ordinals, lines, starts, marked, bound))


def unpack(block: bytes) -> tuple[list[str], Columns]:
    """Names and columns of a block. Blocks come from checksummed pages; damage is found before this."""
    if not block:
        return [], Columns((), (), (), (), (), ())
    head, _, body = zlib.decompress(block).partition(b"\n")
    parts: list[bytes] = []
    start = 0
    for length in orjson.loads(head):
        parts.append(body[start : start + length])
        start += length
    scopes, names, steps, columns, marked, binds = (_unpacked(part) for part in parts[1:])
    return orjson.loads(parts[0]), Columns(scopes, names, list(accumulate(steps)), columns, marked, binds)


def _packed(column: Sequence[int]) -> bytes:
    """In the narrowest of the widths that holds every value; only steps of rows out of order are negative."""
    for code in _WIDTHS:
        try:
            values = array(code, column)
        except OverflowError:
            continue
        if sys.byteorder == "big":
            values.byteswap()
        return code.encode() + values.tobytes()
    raise OverflowError("a number beyond 32 bits")


def _unpacked(part: bytes) -> list[int]:
    values = array(part[:1].decode())
    values.frombytes(part[1:])
    if sys.byteorder == "big":
        values.byteswap()
    return values.tolist()
