"""Routing of a call: the tool of a name, and the canonical call behind a deprecated name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.tools import catalog
from codeplane.tools.arguments import example, nearest, shown, validate
from codeplane.tools.compat_names import camelled, echoed
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
