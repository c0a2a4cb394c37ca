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
_TABLE = bytes(byte if byte in _KEPT else 0x20 for byte in range(256))
_SEPARATORS = re.compile(r"[^\w$]+")
_ASCII_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CHUNK = re.compile(r"[^\W\d_]+|\d+")


def normalize_text(text: str | bytes) -> str:
    """Identifiers of the text in their order, with spaces between; bytes are read as UTF-8."""
    if text.isascii():
        data = text.encode("ascii") if isinstance(text, str) else text
        return data.translate(_TABLE).decode("ascii")
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return _SEPARATORS.sub(" ", text)


@lru_cache(maxsize=65536)
def split_words(name: str) -> tuple[str, ...]:
    """The words of an identifier, lowercase: `parseHTTPHeader2` is parse, http, header, 2."""
    if name.isascii():
        return tuple(word.lower() for word in _ASCII_WORD.findall(name))
    return tuple(word.lower() for chunk in _CHUNK.findall(name) for word in _split_case(chunk))


def parts_text(names: Iterable[str]) -> str:
    """Every word of the identifiers that have more than one, once, in a fixed order."""
    words: set[str] = set()
    for name in names:
        found = split_words(name)
        if len(found) > 1:
            words.update(found)
    return " ".join(sorted(words))


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
