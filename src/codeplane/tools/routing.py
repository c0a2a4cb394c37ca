"""Routing of a call: the tool of a name, and the canonical call behind a deprecated name.

Answers of deprecated names have field names in camelCase and repeat arguments; values are unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.tools import catalog
from codeplane.tools.arguments import example, nearest, shown, validate
from codeplane.tools.handler import DeprecatedForm, Handler, load_handler
from codeplane.tools.spec import Deprecated, ToolSpec
from codeplane.tools.surface import Surface


def find_tool(name: str, surface: Surface) -> ToolSpec:
    spec = catalog.BY_NAME.get(name)
    if spec is not None and surface.reaches(spec):
        return spec
    known = [candidate.name for candidate in catalog.visible(surface)]
    guess: str | None = nearest(name, known)
    if spec is not None:
        # A hidden tool is not corrected to a similar name, which may do something else.
        guess = spec.deprecated.canonical if spec.deprecated and spec.deprecated.canonical in known else None
    remedy = f"Use '{guess}'." if guess else None
    if spec is not None:
        remedy = f"It is in the toolset '{spec.category}': start the server with --toolsets, or run 'cpl call {name}'."
    raise CodePlaneError(
        ErrorCode.UNKNOWN_TOOL,
        f"no tool named '{shown(name)}'" if spec is None else f"the tool '{name}' is not enabled",
        expected=guess or ", ".join(known),
        received=shown(name),
        example=example(catalog.BY_NAME[guess]) if guess else None,
        remedy=remedy,
    )


def canonical_call(spec: ToolSpec, arguments: Mapping[str, object]) -> tuple[ToolSpec, dict[str, object]]:
    """Convert a call of a deprecated name to the canonical tool, with its defaults."""
    assert spec.deprecated is not None
    renames = spec.deprecated.renames
    canonical = catalog.BY_NAME[spec.deprecated.canonical]
    own = load_handler(canonical).deprecated.get(spec.name, DeprecatedForm()).arguments(arguments)
    renamed = {renames.get(name, name): value for name, value in own.items()}
    return canonical, validate(canonical, {**renamed, **spec.deprecated.fixed})


def deprecated_answer(
    tool: str, older: Deprecated, handler: Handler[Any], sent: Mapping[str, object], answer: Answer
) -> Answer:
    """Return the answer in the shape of a deprecated name."""
    form = handler.deprecated.get(tool, DeprecatedForm())
    if form.result is not None:
        answer = replace(answer, result=form.result(sent, answer.result))
    if older.camel_case:
        answer = replace(answer, result=camelled(answer.result), hints=camelled(answer.hints))
    if older.echoes:
        answer = replace(answer, result={**echoed(older, sent, answer.meta), **answer.result})
    return answer


def read_only_error(spec: ToolSpec) -> CodePlaneError:
    allowed = "; ".join(f"{name}: {', '.join(map(_word, values))}" for name, values in spec.read_only_when.items())
    return CodePlaneError(
        ErrorCode.READ_ONLY,
        f"this server is read-only; {spec.name} would change something",
        expected=allowed or "a tool without effects",
        remedy="A person can start the server without --read-only.",
    )


def _word(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


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
