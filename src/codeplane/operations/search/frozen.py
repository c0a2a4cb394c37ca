"""Hits that are kept for later pages: packed, so that ten thousand of them cost little, and read by the block."""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codeplane.operations.search.model import NO_FACTORS, Factors, Hit

BLOCK = 100
PLAIN_BLOCKS = 10
"""The first are left as they are: few searches have more, and fewer are read further."""

_QUICK = 1


@dataclass(frozen=True)
class Frozen:
    """These very hits, whatever happens to the index meanwhile."""

    blocks: tuple[bytes, ...]
    count: int

    def hits(self, start: int, stop: int) -> tuple[Hit, ...]:
        rows: list[tuple[Any, ...]] = []
        first = start // BLOCK
        for number in range(first, min(-(-stop // BLOCK), len(self.blocks))):
            block = self.blocks[number]
            rows += marshal.loads(block if number < PLAIN_BLOCKS else zlib.decompress(block))
        behind = first * BLOCK
        return tuple(map(_unpacked, rows[start - behind : stop - behind]))


def freeze(hits: Sequence[Hit]) -> Frozen:
    # What hits have in common, their path and the definition around them, is written once in each block. The bytes
    # never leave this process.
    blocks = [marshal.dumps([_packed(hit) for hit in hits[at : at + BLOCK]]) for at in range(0, len(hits), BLOCK)]
    small = [zlib.compress(block, _QUICK) for block in blocks[PLAIN_BLOCKS:]]
    return Frozen((*blocks[:PLAIN_BLOCKS], *small), len(hits))


def _packed(hit: Hit) -> tuple[Any, ...]:
    factors = hit.factors
    return (*hit[:-1], (*factors[:-1], dict(factors.others)) if factors is not NO_FACTORS else None)


def _unpacked(row: tuple[Any, ...]) -> Hit:
    return Hit._make((*row[:-1], NO_FACTORS if row[-1] is None else Factors._make(row[-1])))
