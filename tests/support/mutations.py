"""Mutated sources for fuzzing: bytes of real files flipped, cut, duplicated and mixed; deterministic by seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

MAX_BYTES = 64 * 1024
_TOKENS = (
    *(bytes((sign,)) for sign in b"()[]{}<>'\"`;:,.=&|#@$%\\\0\n\r\t\f\x7f\xff\xfe\xc3"),
    *(b"/*", b"*/", b"//", b"--", b"<!--", b"-->", b"```", b"'''", b'"""', b"${", b"#{", b"%{"),
    *(b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf"),
    *(sign.encode() for sign in "\u2028\u0085\u00a0\u202e\U0010ffff\u0301\ufffd"),
    *(b"\n" * 50, b" " * 200, b"\t" * 100, b"9" * 400, b"x" * 3000),
)


def mutants(sources: Sequence[bytes], chance: Random, most: int = MAX_BYTES) -> Iterator[bytes]:
    """Yield mutated sources without end: each after one to eight changes, truncated to a maximum size."""
    while True:
        data = chance.choice(sources)
        for _ in range(chance.choice((1, 1, 2, 3, 8))):
            data = chance.choice(_MUTATORS)(data, sources, chance)[:most]
        yield data


def _flip_bits(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 16) if data else 0):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _insert_noise(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    first, last = _span(data, chance)
    return data[:first] + chance.randbytes(chance.randint(1, 40)) + data[last:]


def _insert_token(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    first, _ = _span(data, chance)
    return data[:first] + chance.choice(_TOKENS) + data[first:]


def _insert_many_tokens(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    first, _ = _span(data, chance)
    return data[:first] + chance.choice(_TOKENS) * chance.choice((10, 100, 1000)) + data[first:]


def _delete_span(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    first, last = _span(data, chance)
    return data[:first] + data[last:]


def _truncate(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    return data[: _span(data, chance)[0]]


def _duplicate_span(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    first, last = _span(data, chance)
    return data[:last] + data[first:last] * chance.choice((1, 2, 30)) + data[last:]


def _splice_sources(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    other = chance.choice(sources)
    first, last = _span(other, chance)
    at, _ = _span(data, chance)
    return data[:at] + other[first:last] + data[at:]


def _nest(data: bytes, sources: Sequence[bytes], chance: Random) -> bytes:
    """Nest a piece in itself repeatedly."""
    first, last = _span(data, chance)
    middle = (first + last) // 2
    times = chance.choice((2, 10, 200))
    return data[:first] + data[first:middle] * times + data[middle:last] * times + data[last:]


def _span(data: bytes, chance: Random) -> tuple[int, int]:
    first = chance.randint(0, len(data))
    return first, min(len(data), first + chance.choice((1, 5, 40, 400)))


_MUTATORS = (
    _flip_bits,
    _insert_noise,
    _insert_token,
    _insert_many_tokens,
    _delete_span,
    _truncate,
    _duplicate_span,
    _splice_sources,
    _nest,
)
