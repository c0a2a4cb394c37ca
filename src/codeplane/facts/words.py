"""Tokenization for the text index: identifiers, and the stems of the words in them.

Files and queries use the same functions. Any change needs a new WORDS_VERSION.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

WORDS_VERSION = "2"


MAX_TERM_CHARS = 60
"""Longer identifiers are truncated."""
MAX_IDENTIFIER_CHARS = 160
"""Longer identifiers are data."""
STOP_WORDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could", "did", "do", "does",
        "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "might", "no",
        "not", "of", "on", "or", "our", "should", "so", "some", "such", "than", "that", "the", "their", "then", "there",
        "these", "they", "this", "to", "was", "we", "were", "what", "when", "where", "which", "while", "will", "with",
        "would", "you", "your", "using", "use", "used", "also",
    }
)  # fmt: skip
"""Stop words of code."""

_KEPT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$\n"
_TABLE = bytes(byte if byte in _KEPT or byte >= 0x80 else 0x20 for byte in range(256))
_MARKS = re.compile(
    rb"\xc2[\xa0-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf]|\xc3[\x97\xb7]"
    rb"|\xe2(?:[\x80-\x83\x85-\xaf][\x80-\xbf]|\x84[\x80-\xa9\xab-\xbf])"
    rb"|\xe3\x80[\x80-\x84\x88-\xa0]|\xef\xbc[\x81-\x8f\x9a-\xa0]|\xef\xbd[\x9b-\xa5]|\xf0\x9f[\x80-\xbf]{2}"
)
"""Punctuation and symbols beyond ASCII, as UTF-8; without the Kelvin sign, which folds to k. Bytes, because matching
text is ten times slower.
"""
_ASCII_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CHUNK = re.compile(r"[^\W\d_]+|\d+")
_NOT_KEY = re.compile(r"[\W_]+")


def normalize_text(text: str | bytes) -> str:
    """Return the identifiers of a text in order, with blanks between them; line endings stay in place."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    data = data.translate(_TABLE)
    if data.isascii():
        return data.decode("ascii")
    return _MARKS.sub(b" ", data).decode("utf-8", "replace").replace("\ufffd", " ")


def fold_case(text: str) -> str:
    """Return the lower case of a text, with every letter that folds to an ASCII letter replaced by it."""
    folded = text.lower()
    return folded if folded.isascii() else folded.replace("\u017f", "s")


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case: `parseHTTPHeader2` is parse, http, header, 2."""
    if name.isascii():
        return tuple(_ASCII_WORD.findall(name)) if name.islower() else tuple(map(str.lower, _ASCII_WORD.findall(name)))
    return tuple(word.lower() for chunk in _CHUNK.findall(name) for word in _split_case(chunk))


def terms_of(identifier: str) -> tuple[str, ...]:
    """Return the terms of an identifier: itself if it has several words, and the stems of its words."""
    return _find_terms(identifier)


def count_terms(words: Iterable[str]) -> Counter[str]:
    """Count each term of a text's identifiers, in order of first occurrence."""
    return Counter(chain.from_iterable(map(_find_terms, words)))


def unique_words(words: Iterable[str]) -> str:
    """Return each word once, without case, in order of first occurrence."""
    return fold_case(" ".join(dict.fromkeys(words)))


def name_key(name: str) -> str:
    """Return a name without its style: `getUserList`, `get_user_list` and `GetUserList` are equal."""
    if name.isascii() and name.isidentifier():
        return name.replace("_", "").lower()
    return _NOT_KEY.sub("", name).lower()


_ENDINGS = (
    ("ing", 6, 3, True),
    ("ed", 5, 2, True),
    ("ation", 8, 5, False),
    ("tion", 7, 3, False),
    ("er", 6, 2, True),
    ("or", 7, 2, False),
)
"""Ending, shortest word, characters to cut, and True if a doubled letter before it is reduced."""


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a word without common English endings; crude, and the same for files and queries."""
    if len(word) <= 3 or not word.isascii():
        return word
    word = _singular(word)
    for ending in ("ization", "isation"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)] + "iz"
    for ending, shortest, cut, doubles in _ENDINGS:
        if word.endswith(ending) and len(word) >= shortest:
            word = _undoubled(word[:-cut]) if doubles else word[:-cut]
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


class _Terms(dict[str, tuple[str, ...]]):
    """Cache of identifiers seen. A dict lookup costs half of an `lru_cache` hit."""

    def __missing__(self, identifier: str) -> tuple[str, ...]:
        found = _read_terms(identifier)
        if len(identifier) <= MAX_IDENTIFIER_CHARS:
            if len(self) >= _MAX_KEPT:
                self.clear()
            self[identifier] = found
        return found


_MAX_KEPT = 1 << 17
_find_terms = _Terms().__getitem__


def _read_terms(identifier: str) -> tuple[str, ...]:
    whole = identifier.lower().strip("_$")
    if not 1 < len(whole) <= MAX_IDENTIFIER_CHARS:
        return ()
    whole = whole[:MAX_TERM_CHARS]
    words = [word[:MAX_TERM_CHARS] for word in split_words(identifier) if len(word) > 1]
    if not words or words == [whole]:
        return () if whole in STOP_WORDS else (stem(whole),)
    return (stem(whole), *(stem(word) for word in words if word not in STOP_WORDS))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("sses") or (word.endswith("es") and word[-3] in "sxzh"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and word[-2] not in "siu" else word


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _split_case(chunk: str) -> list[str]:
    """Boundary before a capital after a small letter, and before the last capital of an acronym."""
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
