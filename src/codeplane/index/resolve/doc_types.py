"""A type in the words of a PHP comment, as a tree: ("name", text), or a word and (key, tree) for each part: `either` of
several, a `list` of elements, an array with `fields`, a `class` by its name. What is not understood has no parts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

Said = tuple[Any, ...]

_LISTS = frozenset(
    {
        "array", "list", "iterable", "non-empty-array", "non-empty-list", "associative-array", "traversable",
        "iterator", "generator", "iteratoraggregate", "arrayiterator", "arrayobject", "splobjectstorage",
    }
)  # fmt: skip
_NOTHING: Said = ("either",)
_OPENING, _CLOSING = "<({[", ">)}]"
_MAX_TEXT = 400


@lru_cache(4096)
def read_type(text: str) -> Said:
    return _read(text) if len(text) <= _MAX_TEXT else _NOTHING


def _read(text: str) -> Said:
    text = text.strip().removeprefix("?").strip()
    parts = _split(text, "|&")
    if len(parts) > 1:
        return ("either", *enumerate(map(_read, parts)))
    if text.endswith("[]"):
        return ("list", (0, _read(text[:-2])))
    if text.startswith("(") and text.endswith(")"):
        return _read(text[1:-1])
    head, opening, rest = _opened(text)
    if not opening:
        return ("name", head) if _is_name(head) else _NOTHING
    inner = _split(rest[:-1], ",")
    if opening == "<" and inner:
        if head.lower().lstrip("\\") in _LISTS:
            taken = inner[min(1, len(inner) - 1)] if head.lower().endswith("generator") else inner[-1]
            return ("list", (0, _read(taken)))
        if head in ("class-string", "interface-string"):
            return ("class", (0, _read(inner[0])))
        return ("name", head) if _is_name(head) else _NOTHING
    if opening == "{" and head.lower() in _LISTS:
        fields = [_field(number, field) for number, field in enumerate(inner) if field.strip(" .")]
        return ("fields", *fields)
    return _NOTHING


def _field(number: int, text: str) -> tuple[str | int, Said]:
    key, colon, said = text.partition(":")
    if not colon or any(mark in key for mark in _OPENING):
        return number, _read(text)
    key = key.strip().removesuffix("?").strip("'\"")
    return int(key) if key.isdecimal() else key, _read(said)


def _is_name(text: str) -> bool:
    return text == "$this" or all(part.isidentifier() for part in text.removeprefix("\\").split("\\"))


def _opened(text: str) -> tuple[str, str, str]:
    at = min((place for mark in "<{(" if (place := text.find(mark)) >= 0), default=-1)
    if at < 0 or text[-1] not in _CLOSING:
        return text, "", ""
    return text[:at], text[at], text[at + 1 :]


def _split(text: str, marks: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
        elif letter in marks and not depth:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
