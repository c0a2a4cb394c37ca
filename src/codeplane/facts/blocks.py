"""Scopes, bindings and references of a file, packed into one block.

They are most of a file's facts and are always read a file at a time; facts that are looked up across files
(definitions, imports, exports) are stored as rows. References are columns of numbers, which compress well. Any change
of the format needs a new BLOCK_VERSION.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from operator import sub
from typing import Any, NamedTuple, overload

import orjson

from codeplane.facts.interface import interface_of
from codeplane.facts.model import Attribute, Bind, Def, Export, Facts, Import, Ref, Scope
from codeplane.facts.summary import pack_summary

BLOCK_VERSION = "2"

_LEVEL = 1
_WIDTHS = ("B", "H", "i")
_TARGET_KIND = Bind._fields.index("target_kind")


class Columns(NamedTuple):
    """References as columns: one value per occurrence, in document order."""

    scopes: Sequence[int]
    names: Sequence[int]
    """Ordinals of the file's names."""
    lines: Sequence[int]
    columns: Sequence[int]
    flags: Sequence[int]
    """Role, usage, tier and certainty, packed by `flags`."""
    binds: Sequence[int]
    """Ordinal of the binding plus one; 0 for none."""


def flags(role: int, usage: int, tier: int, certainty: int) -> int:
    return role | usage << 2 | tier << 5 | certainty << 7


class Refs(Sequence[Ref]):
    """Sequence of references that stores columns and yields rows."""

    def __init__(self, names: Sequence[str], columns: Columns) -> None:
        self._names = names
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns.names)

    def __iter__(self) -> Iterator[Ref]:
        lengths = [len(name) for name in self._names]
        for scope, name, line, column, flag, bind in zip(*self.columns, strict=True):
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
        return isinstance(other, Refs) and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]


NO_COLUMNS = Columns((), (), (), (), (), ())


class PackedFacts(NamedTuple):
    """Facts as a worker sends them and the store takes them: rows to look up, and the packed block."""

    names: Sequence[str] = ()
    counts: Sequence[int] = ()
    """Number of occurrences of each name."""
    scope_count: int = 0
    defs: Sequence[Def] = ()
    imports: Sequence[Import] = ()
    exports: Sequence[Export] = ()
    attributes: Sequence[Attribute] = ()
    interface: bytes = b""
    summary: bytes = b""
    block: bytes = b""

    @property
    def ref_count(self) -> int:
        return sum(self.counts)


class Unpacked(NamedTuple):
    names: list[str]
    scopes: list[Scope]
    binds: list[Bind]
    refs: Refs


def pack(facts: Facts) -> PackedFacts:
    block, counts = b"", tuple[int, ...]()
    if facts.scopes or facts.binds or facts.refs:
        columns = facts.refs.columns if isinstance(facts.refs, Refs) else _columns(facts.refs)
        counted = Counter(columns.names)
        counts = tuple(counted[ordinal] for ordinal in range(len(facts.names)))
        block = _pack(facts.names, facts.scopes, facts.binds, columns)
    return PackedFacts(
        facts.names,
        counts,
        len(facts.scopes),
        facts.defs,
        facts.imports,
        facts.exports,
        facts.attributes,
        interface_of(facts),
        pack_summary(facts),
        block,
    )


def unpack(block: bytes) -> Unpacked:
    """Unpack a block. Blocks come from checksummed pages, so damage is detected earlier."""
    if not block:
        return Unpacked([], [], [], Refs((), NO_COLUMNS))
    parts = _parts(block)
    names = orjson.loads(parts[0])
    scopes = [Scope(*row) for row in orjson.loads(parts[1])]
    binds = [Bind(*row) for row in orjson.loads(parts[2])]
    if len(parts) == 3:
        return Unpacked(names, scopes, binds, Refs(names, NO_COLUMNS))
    in_scopes, ordinals, steps, columns, marked, bound = (_unpacked(part) for part in parts[3:])
    refs = Refs(names, Columns(in_scopes, ordinals, list(accumulate(steps)), columns, marked, bound))
    return Unpacked(names, scopes, binds, refs)


class NamedRefs(NamedTuple):
    """References of a file that a query asks for, parallel to `refs`."""

    refs: Sequence[int]
    """Ordinals in the file."""
    names: Sequence[str]
    lines: Sequence[int]
    columns: Sequence[int]
    flags: Sequence[int]
    bound: Sequence[int | None]
    """Kind of the target of the binding; None without one."""


def find_refs(block: bytes, name: str | None, places: Collection[tuple[int, int]] = ()) -> NamedRefs:
    """Return the references called `name`, and those at `places`, without unpacking the others."""
    names_part, _, binds_part, *columns = _parts(block) if block else (b"", b"", b"")
    if not columns:
        return NamedRefs((), (), (), (), (), ())
    names = orjson.loads(names_part)
    ordinals, steps, starts, marked, bound = map(_numbers, columns[1:])
    lines = list(accumulate(steps))
    wanted = names.index(name) if name in names else -1
    refs = [ref for ref, ordinal in enumerate(ordinals) if ordinal == wanted] if wanted >= 0 else []
    if places:
        there = (ref for ref, place in enumerate(zip(lines, starts, strict=True)) if place in places)
        refs = sorted({*refs, *there})
    binds = orjson.loads(binds_part) if any(bound[ref] for ref in refs) else ()
    return NamedRefs(
        refs,
        [names[ordinals[ref]] for ref in refs],
        [lines[ref] for ref in refs],
        [starts[ref] for ref in refs],
        [marked[ref] for ref in refs],
        [binds[bound[ref] - 1][_TARGET_KIND] if bound[ref] else None for ref in refs],
    )


def _pack(names: Sequence[str], scopes: Sequence[Scope], binds: Sequence[Bind], columns: Columns) -> bytes:
    parts = [orjson.dumps(value, default=tuple) for value in (names, scopes, binds)]
    lines = columns.lines
    if lines:
        steps = [lines[0], *map(sub, lines[1:], lines)]
        parts += (_packed(column) for column in columns._replace(lines=steps))
    head = orjson.dumps([len(part) for part in parts])
    return zlib.compress(b"\n".join((head, b"".join(parts))), _LEVEL)


def _parts(block: bytes) -> list[bytes]:
    head, _, body = zlib.decompress(block).partition(b"\n")
    parts: list[bytes] = []
    start = 0
    for length in orjson.loads(head):
        parts.append(body[start : start + length])
        start += length
    return parts


def _columns(rows: Sequence[Ref]) -> Columns:
    """Convert rows to columns; the end of a reference follows from its name."""
    if not rows:
        return NO_COLUMNS
    scopes, names, lines, starts, _, roles, usages, tiers, certainties, binds = zip(*rows, strict=True)
    marked = [flags(*said) for said in zip(roles, usages, tiers, certainties, strict=True)]
    bound = [0 if bind is None else bind + 1 for bind in binds]
    return Columns(scopes, names, lines, starts, marked, bound)


def _packed(column: Sequence[int]) -> bytes:
    """Pack values in the narrowest width that holds all of them. Only steps between rows out of order are negative."""
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
    numbers: list[int] = _numbers(part).tolist()
    return numbers


def _numbers(part: bytes) -> array[Any]:
    values: array[Any] = array(part[:1].decode())
    values.frombytes(part[1:])
    if sys.byteorder == "big":
        values.byteswap()
    return values
