"""How facts travel from a worker: references as columns of integers, all else as JSON.

References are most of what is extracted; as columns they cost a tenth of what rows cost to
send, and the store can use them as they are.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Sequence
from typing import cast, overload

import orjson

from codeplane.facts.model import Extraction, Facts, Problem, Ref

_HEAD = struct.Struct(">II")
_NO_BIND = -1
_WIDTH = len(Ref._fields)


class RefColumns(Sequence[Ref]):
    """References as one list per column of Ref, in their order."""

    def __init__(self, columns: tuple[list[int | None], ...]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[Ref]:
        return cast(Iterator[Ref], zip(*self.columns, strict=True))

    @overload
    def __getitem__(self, index: int) -> Ref: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ref]: ...
    def __getitem__(self, index: int | slice) -> Ref | list[Ref]:
        if isinstance(index, slice):
            return list(self)[index]
        return Ref(*(column[index] for column in self.columns))  # type: ignore[arg-type]


def columns_of(refs: Sequence[Ref]) -> Sequence[Sequence[int | None]]:
    """The columns of references, however they are held; none at all for no references."""
    if isinstance(refs, RefColumns):
        return refs.columns
    return tuple(zip(*refs, strict=True))


def encode(number: int, extraction: Extraction) -> bytes:
    facts = extraction.facts
    columns = columns_of(facts.refs)
    numbers = b""
    if columns:
        *plain, binds = columns
        marked = [_NO_BIND if bind is None else bind for bind in binds]
        numbers = b"".join(array("i", cast(Sequence[int], column)).tobytes() for column in (*plain, marked))
    rest = orjson.dumps((number, facts._replace(refs=()), extraction.problems), default=tuple)
    return _HEAD.pack(len(facts.refs), len(rest)) + rest + numbers


def decode(frame: bytes) -> tuple[int, Extraction]:
    count, length = _HEAD.unpack_from(frame)
    start = _HEAD.size + length
    number, facts, problems = orjson.loads(frame[_HEAD.size : start])
    made = Facts(*facts)
    if count:
        size = count * array("i").itemsize
        columns: list[list[int | None]] = []
        for column in range(_WIDTH):
            values = array("i")
            values.frombytes(memoryview(frame)[start + column * size : start + (column + 1) * size])
            columns.append(cast(list[int | None], values.tolist()))
        columns[-1] = [None if bind == _NO_BIND else bind for bind in columns[-1]]
        made = made._replace(refs=RefColumns(tuple(columns)))
    return number, Extraction(made, tuple(Problem(*problem) for problem in problems))
