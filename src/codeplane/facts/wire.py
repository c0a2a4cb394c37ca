"""Wire format of worker responses: packed parts as bytes, everything else as JSON."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import orjson

from codeplane.facts.blocks import PackedFacts, pack
from codeplane.facts.model import Extraction, Problem
from codeplane.facts.passages import Passage, Searchable

WIRE_VERSION = "4"
"""Version of the response format, for caches of responses."""

_LENGTHS = struct.Struct(">III")
_PASSAGE_WIDTH = len(Passage._fields)


def encode(number: int, extraction: Extraction, searchable: Searchable) -> bytes:
    packed = pack(extraction.facts)
    rest = orjson.dumps((number, packed[:-3], extraction.problems, searchable), default=tuple)
    return b"".join(
        (
            _LENGTHS.pack(len(rest), len(packed.interface), len(packed.summary)),
            rest,
            packed.interface,
            packed.summary,
            packed.block,
        )
    )


def decode(frame: bytes) -> tuple[int, PackedFacts, Sequence[Problem], Searchable]:
    """Decode a response. Rows of facts and passages stay plain sequences in field order, because there are many."""
    length, *more = _LENGTHS.unpack_from(frame)
    end = _LENGTHS.size + length
    first, second = end + more[0], end + more[0] + more[1]
    number, facts, problems, (terms, words, passages) = orjson.loads(frame[_LENGTHS.size : end])
    packed = PackedFacts(*facts)._replace(interface=frame[end:first], summary=frame[first:second], block=frame[second:])
    if any(len(passage) != _PASSAGE_WIDTH for passage in passages):
        raise ValueError("passages of an unexpected shape")
    return number, packed, [Problem(*problem) for problem in problems], Searchable(terms, words, passages)


def path_text(path: str) -> str:
    """Return a path that JSON can carry: undecodable bytes become escapes, which only affects ids made from it."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
