"""Answers of deprecated names: field names in camelCase, and arguments repeated in the result. Values are unchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping

from codeplane.tools.spec import Deprecated

MAX_ECHO = 300
"""Maximum characters of a repeated argument."""

_DATA = frozenset({"args", "not_searched", "outside_scope", "ratios", "terms", "tiers"})
"""Fields whose keys are data: words of the repository, values, parameters of a tool."""


def camelled(fields: Mapping[str, object]) -> dict[str, object]:
    return {_camel(name): value if name in _DATA else _within(value) for name, value in fields.items()}


def echoed(older: Deprecated, arguments: Mapping[str, object], meta: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments and the freshness that a deprecated name repeats in its results."""
    # A call with a cursor does not know the arguments of the first call.
    assumed = older.echoes if "cursor" not in arguments else {}
    echo = {name: arguments.get(name, assumed.get(name)) for name in older.echoes}
    freshness = meta.get("freshness")
    if isinstance(freshness, Mapping):
        echo["freshnessDecision"] = freshness.get("decision", freshness.get("status"))
    return {name: _cut(value) for name, value in echo.items() if value is not None}


def _cut(value: object) -> object:
    return value[: MAX_ECHO - 1] + "…" if isinstance(value, str) and len(value) > MAX_ECHO else value


def _within(value: object) -> object:
    if isinstance(value, Mapping):
        return camelled(value)
    if isinstance(value, list | tuple):
        return [_within(item) for item in value]
    return value


def _camel(name: str) -> str:
    """Convert a field name to camelCase; other keys may be names of the repository."""
    if not _SNAKE.fullmatch(name):
        return name
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
