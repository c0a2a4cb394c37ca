"""Hits stored for later pages: the first ones as they are, the rest compressed in blocks."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from codeplane.operations.search.model import NO_FACTORS, Factors, Hit

BLOCK = 100
PLAIN = 1000
"""Few searches have more hits; these share their common strings."""

_FAST = 1


@dataclass(frozen=True)
class PackedHits:
    """Hits of one search, independent of later changes of the index."""

    plain: tuple[Hit, ...]
    blocks: tuple[bytes, ...]
    count: int

    def hits(self, start: int, stop: int) -> tuple[Hit, ...]:
        rows = list(self.plain[start:stop])
        start, stop = max(0, start - PLAIN), max(0, stop - PLAIN)
        first = start // BLOCK
        packed: list[list[Any]] = []
        for block in self.blocks[first : -(-stop // BLOCK)]:
            packed += json.loads(zlib.decompress(block))
        behind = first * BLOCK
        rows += map(_unpacked, packed[start - behind : stop - behind])
        return tuple(rows)


def pack_hits(hits: Sequence[Hit]) -> PackedHits:
    rest = hits[PLAIN:]
    blocks = (_packed(rest[at : at + BLOCK]) for at in range(0, len(rest), BLOCK))
    return PackedHits(tuple(hits[:PLAIN]), tuple(blocks), len(hits))


def _packed(hits: Sequence[Hit]) -> bytes:
    rows = [
        (*hit[:-1], None if hit.factors is NO_FACTORS else (*hit.factors[:-1], dict(hit.factors.others)))
        for hit in hits
    ]
    try:
        data = orjson.dumps(rows)
    except orjson.JSONEncodeError:
        # File names need not be valid UTF-8.
        data = json.dumps(rows).encode("ascii")
    return zlib.compress(data, _FAST)


def _unpacked(row: list[Any]) -> Hit:
    factors = NO_FACTORS if row[-1] is None else Factors._make(row[-1])
    return Hit._make((*row[:-1], factors))
