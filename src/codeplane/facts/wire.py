"""How facts travel from a worker: references as their packed block, all else as JSON."""

from __future__ import annotations

import struct

import orjson

from codeplane.facts.blocks import Refs, pack_rows
from codeplane.facts.model import Extraction, Facts, Problem

_LENGTH = struct.Struct(">I")


def encode(number: int, extraction: Extraction) -> bytes:
    facts = extraction.facts
    refs = pack_rows(facts.names, facts.refs)
    rest = orjson.dumps((number, facts._replace(refs=()), extraction.problems, refs.counts), default=tuple)
    return b"".join((_LENGTH.pack(len(rest)), rest, refs.block))


def decode(frame: bytes) -> tuple[int, Extraction]:
    (length,) = _LENGTH.unpack_from(frame)
    end = _LENGTH.size + length
    number, facts, problems, counts = orjson.loads(frame[_LENGTH.size : end])
    made = Facts(*facts)._replace(refs=Refs(frame[end:], counts))
    return number, Extraction(made, tuple(Problem(*problem) for problem in problems))
