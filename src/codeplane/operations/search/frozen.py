"""Hits that are kept for later pages: packed, so that ten thousand of them cost little, and read by the block."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from codeplane.operations.search.model import Factors, Hit

BLOCK = 100

_QUICK = 1


@dataclass(frozen=True)
class Frozen:
    """These very hits, whatever happens to the index meanwhile."""

    blocks: tuple[bytes, ...]
    count: int

    def hits(self, start: int, stop: int) -> tuple[Hit, ...]:
        rows: list[dict[str, Any]] = []
        first = start // BLOCK
        for block in self.blocks[first : -(-stop // BLOCK)]:
            rows += json.loads(zlib.decompress(block))
        behind = first * BLOCK
        return tuple(map(_hit, rows[start - behind : stop - behind]))


def freeze(hits: Sequence[Hit]) -> Frozen:
    return Frozen(tuple(_pack(hits[at : at + BLOCK]) for at in range(0, len(hits), BLOCK)), len(hits))


def _pack(hits: Sequence[Hit]) -> bytes:
    try:
        data = orjson.dumps(list(hits))
    except orjson.JSONEncodeError:
        # Names on disk need not be valid text.
        data = json.dumps([asdict(hit) for hit in hits]).encode("ascii")
    return zlib.compress(data, _QUICK)


def _hit(row: dict[str, Any]) -> Hit:
    return Hit(**{**row, "factors": Factors(**row["factors"])})
