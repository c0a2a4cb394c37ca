"""Text as the text index sees it: identifiers kept whole, and the words inside of them.

Text is reduced to identifiers and spaces here, so that Tantivy's cheapest tokenizer is
enough; queries go through the same functions. Any change here is another WORDS_VERSION.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

WORDS_VERSION = "1"

_KEPT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
_TABLE = bytes(byte if byte in _KEPT or byte >= 0x80 else 0x20 for byte in range(256))
_MARKS = re.compile(
    rb"\xc2[\xa0-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf]|\xc3[\x97\xb7]|\xe2[\x80-\xaf][\x80-\xbf]"
    rb"|\xe3\x80[\x80-\x84\x88-\xa0]|\xef\xbc[\x81-\x8f\x9a-\xa0]|\xef\xbd[\x9b-\xa5]|\xf0\x9f[\x80-\xbf]{2}"
)
"""Punctuation and symbols beyond ASCII, as UTF-8. Bytes, because a search in text takes ten times as long."""
_ASCII_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CHUNK = re.compile(r"[^\W\d_]+|\d+")


def normalize_text(text: str | bytes) -> str:
    """Identifiers of the text in their order, with spaces between; bytes are read as UTF-8."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    data = data.translate(_TABLE)
    if data.isascii():
        return data.decode("ascii")
    return _MARKS.sub(b" ", data).decode("utf-8", "replace").replace("\ufffd", " ")


def split_words(name: str) -> tuple[str, ...]:
    """The words of an identifier, lowercase: `parseHTTPHeader2` is parse, http, header, 2."""
    if name.isascii():
        return tuple(_ASCII_WORD.findall(name)) if name.islower() else tuple(map(str.lower, _ASCII_WORD.findall(name)))
    return tuple(word.lower() for chunk in _CHUNK.findall(name) for word in _split_case(chunk))


def parts_text(names: Iterable[str]) -> str:
    """The words of the identifiers that have more than one, in the order of the identifiers."""
    return " ".join(filter(None, map(_parts, names)))


@lru_cache(maxsize=1 << 16)
def _parts(name: str) -> str:
    words = split_words(name)
    return " ".join(words) if len(words) > 1 else ""


def _split_case(chunk: str) -> list[str]:
    """Cut before a capital that follows a small letter, and before the last capital of an acronym."""
    words: list[str] = []
    start = 0
    for index in range(1, len(chunk)):
        before, here = chunk[index - 1], chunk[index]
        after = chunk[index + 1 : index + 2]
        if here.isupper() and (not before.isupper() or after.islower()):
            words.append(chunk[start:index])
            start = index
    words.append(chunk[start:])
    return words
