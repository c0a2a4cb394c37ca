"""What the references of a file stand for, packed: by definition for who asks who uses it, and by file.

A definition, or an attribute, goes by its `def_uid` as a number. Any change of the format, or of
what is resolved how, is a new LINKS_VERSION.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import orjson

LINKS_VERSION = "3"

NAMES, CALLS, RENAMES = 1, 2, 4
"""How a place uses a definition: it is an occurrence of its name; it calls it, under whatever name; it stands for it
under another name, that of an alias."""

SHAPES = ("none", "self.", "obj.", "member.", "call().", "item[].", "other.")
"""What stands before a member that could not be resolved; of such a place, `how` is one of these by its number."""

_LEVEL = 1


class Use(NamedTuple):
    line: int
    column: int
    tier: int
    role: int
    usage: int
    how: int
    """NAMES, CALLS and RENAMES, one or several."""


class Links(NamedTuple):
    """Of one file. References stand by their ordinals, definitions by their place in `targets`."""

    targets: Sequence[int] = ()
    refs: Sequence[int] = ()
    which: Sequence[int] = ()
    """For each of the references, in step."""
    tiers: Sequence[int] = ()
    calls: Sequence[Sequence[int]] = ()
    """(scope, line, column, place in targets, tier) of every call that is resolved."""
    open_calls: Sequence[Sequence[int]] = ()
    """(scope, calls of which nothing is known, calls of something outside of the repository)."""
    outside: Sequence[Sequence[Any]] = ()
    """(scope, name) of what is called there outside of the repository."""
    tokens: Sequence[str] = ()
    """Names of members that could not be resolved."""
    bases: Sequence[Sequence[int]] = ()
    """(class, base) by their numbers; 0 for a base that is not of the repository, or not known. The same for members
    whose class is no definition: (member of an anonymous class or an `impl` block, member that it overrides)."""
    imports: Sequence[int] = ()
    """Ids of the files that imports name."""
    seen: Sequence[int] = ()
    """What the links depend on."""


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
