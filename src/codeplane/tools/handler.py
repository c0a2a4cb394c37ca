"""Handlers: the code behind a tool, loaded when the tool is first called.

`handlers/<feature>.py` binds each of its tools to a `Handler` in `HANDLERS`. A server front lists and routes tools
without importing any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Generic, TypeVar

from codeplane.base.envelope import Answer
from codeplane.base.text_lines import TextLine
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.spec import ToolSpec
from codeplane.tools.text.common import render_result

A = TypeVar("A", bound=Arguments)
Values = Mapping[str, Any]


@dataclass(frozen=True)
class DeprecatedForm:
    """Conversion between a deprecated name and its canonical tool, beyond renamed parameters."""

    arguments: Callable[[Values], Values] = dict
    """Arguments of the canonical tool."""
    result: Callable[[Values, Values], Values] | None = None
    """Result in the shape of the deprecated name, from its arguments and the canonical result."""


@dataclass(frozen=True)
class Handler(Generic[A]):
    arguments: type[A]
    run: Callable[[Call, A], Answer]
    check: Callable[[A], None] | None = None
    """Rejects invalid arguments before anything is recorded or done."""
    render: Callable[[A, Answer], list[TextLine]] = render_result
    """Makes the text form of an answer without `lines`."""
    deprecated: Mapping[str, DeprecatedForm] = field(default_factory=dict)
    """Deprecated names whose arguments or results have another shape."""


def load_handler(spec: ToolSpec) -> Handler[Any]:
    return _load(spec.feature or spec.name, spec.name)


@cache
def _load(feature: str, tool: str) -> Handler[Any]:
    handler = import_module(f"codeplane.tools.handlers.{feature}").HANDLERS[tool]
    assert isinstance(handler, Handler)
    return handler
