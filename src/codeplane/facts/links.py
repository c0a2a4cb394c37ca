"""Packed links: the uses of a definition, and the resolved references and calls of a file.

A definition or attribute is identified by its `def_uid` as a number. Any change of the format, or of the resolution,
needs a new LINKS_VERSION.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import orjson

LINKS_VERSION = "8"

NAMES, CALLS, RENAMES = 1, 2, 4
"""Flags of a use: it is an occurrence of the name, a call under any name, or an occurrence of an alias."""

SHAPES = ("none", "self.", "obj.", "member.", "call().", "item[].", "other.")
"""Receiver shapes of unresolved members; in such a use, `how` is an index into this tuple."""

_LEVEL = 1


class Use(NamedTuple):
    line: int
    column: int
    tier: int
    role: int
    usage: int
    how: int
    """Bit set of NAMES, CALLS and RENAMES."""


class Links(NamedTuple):
    """Links of one file. References are ordinals, definitions are indexes into `targets`."""

    targets: Sequence[int] = ()
    refs: Sequence[int] = ()
    which: Sequence[int] = ()
    """Target of each reference, parallel to `refs`."""
    tiers: Sequence[int] = ()
    calls: Sequence[Sequence[int]] = ()
    """(scope, line, column, index into targets, tier) of every resolved call"""
    lambdas: Sequence[Sequence[int]] = ()
    """(scope, line, column, scope of the lambda) of every resolved call of a lambda of the file"""
    open_calls: Sequence[Sequence[int]] = ()
    """(scope, number of unresolved calls, number of calls of externals)"""
    outside: Sequence[tuple[int, str]] = ()
    """(scope, name) of called externals"""
    tokens: Sequence[str] = ()
    """Names of unresolved members."""
    bases: Sequence[Sequence[int]] = ()
    """(class, base) by their uids; 0 for an external or unknown base. Also (member, overridden member) for members of
    anonymous classes and `impl` blocks."""
    imports: Sequence[int] = ()
    """Ids of the imported files."""
    seen: Sequence[int] = ()
    """Keys of the dependencies."""


def uid_number(def_uid: str) -> int:
    value = int(def_uid, 16)
    return value - (1 << 64) if value >> 63 else value


def uid_text(number: int) -> str:
    return f"{number & (1 << 64) - 1:016x}"


def pack_uses(uses: Iterable[Use]) -> bytes:
    flat = array("i")
    for line, column, tier, role, usage, how in uses:
        flat.extend((line, column, tier | role << 2 | usage << 4 | how << 7))
    if sys.byteorder == "big":
        flat.byteswap()
    return flat.tobytes()


def unpack_uses(data: bytes) -> list[Use]:
    flat = array("i")
    flat.frombytes(data)
    if sys.byteorder == "big":
        flat.byteswap()
    numbers = flat.tolist()
    return [
        Use(line, column, bits & 3, bits >> 2 & 3, bits >> 4 & 7, bits >> 7)
        for line, column, bits in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    ]


def pack_links(links: Links) -> bytes:
    return zlib.compress(orjson.dumps(links, default=tuple), _LEVEL)


def unpack_links(data: bytes) -> Links:
    return Links(*orjson.loads(zlib.decompress(data))) if data else Links()
