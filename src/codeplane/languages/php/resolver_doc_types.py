"""Parses types in PHP doc comments. Syntax that is not understood yields an empty union."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class DocName(NamedTuple):
    name: str


class DocUnion(NamedTuple):
    parts: tuple[DocType, ...]


class DocList(NamedTuple):
    items: DocType


class DocFields(NamedTuple):
    """An array with known keys."""

    fields: tuple[tuple[str | int, DocType], ...]


class DocClass(NamedTuple):
    """A class by its name (`class-string<T>`)."""

    type: DocType


DocType = DocName | DocUnion | DocList | DocFields | DocClass

_LISTS = frozenset(
    {
        "array", "list", "iterable", "non-empty-array", "non-empty-list", "associative-array", "traversable",
        "iterator", "generator", "iteratoraggregate", "arrayiterator", "arrayobject", "splobjectstorage",
    }
)  # fmt: skip
_NOTHING = DocUnion(())
_OPENING, _CLOSING = "<({[", ">)}]"
_MAX_TEXT = 400


@lru_cache(4096)
def parse_doc_type(text: str) -> DocType:
    return _parse(text) if len(text) <= _MAX_TEXT else _NOTHING


def _parse(text: str) -> DocType:
    text = text.strip().removeprefix("?").strip()
    parts = _split(text, "|&")
    if len(parts) > 1:
        return DocUnion(tuple(map(_parse, parts)))
    if text.endswith("[]"):
        return DocList(_parse(text[:-2]))
    if text.startswith("(") and text.endswith(")"):
        return _parse(text[1:-1])
    head, opening, rest = _split_head(text)
    if not opening:
        return DocName(head) if _is_name(head) else _NOTHING
    inner = _split(rest[:-1], ",")
    if opening == "<" and inner:
        if head.lower().lstrip("\\") in _LISTS:
            items = inner[min(1, len(inner) - 1)] if head.lower().endswith("generator") else inner[-1]
            return DocList(_parse(items))
        if head in ("class-string", "interface-string"):
            return DocClass(_parse(inner[0]))
        return DocName(head) if _is_name(head) else _NOTHING
    if opening == "{" and head.lower() in _LISTS:
        return DocFields(tuple(_field(number, field) for number, field in enumerate(inner) if field.strip(" .")))
    return _NOTHING


def _field(number: int, text: str) -> tuple[str | int, DocType]:
    key, colon, doc_type = text.partition(":")
    if not colon or any(mark in key for mark in _OPENING):
        return number, _parse(text)
    key = key.strip().removesuffix("?").strip("'\"")
    return int(key) if key.isdecimal() else key, _parse(doc_type)


def _is_name(text: str) -> bool:
    return text == "$this" or all(part.isidentifier() for part in text.removeprefix("\\").split("\\"))


def _split_head(text: str) -> tuple[str, str, str]:
    start = min((place for mark in "<{(" if (place := text.find(mark)) >= 0), default=-1)
    if start < 0 or text[-1] not in _CLOSING:
        return text, "", ""
    return text[:start], text[start], text[start + 1 :]


def _split(text: str, separators: str) -> list[str]:
    """Split at separators outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character in separators and not depth:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
