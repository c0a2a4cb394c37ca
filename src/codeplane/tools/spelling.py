"""The spelling of older names: fields of an answer in camelCase, word for word. Values stay what they are."""

from __future__ import annotations

import re
from collections.abc import Mapping


def camelled(fields: Mapping[str, object]) -> dict[str, object]:
    return {_camel(name): _within(value) for name, value in fields.items()}


def _within(value: object) -> object:
    if isinstance(value, Mapping):
        return camelled(value)
    if isinstance(value, list | tuple):
        return [_within(item) for item in value]
    return value


def _camel(name: str) -> str:
    """Only what is a field of ours: a key may also be a name of the repository."""
    if not _SNAKE.fullmatch(name):
        return name
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
