"""Commands made from a tool of the catalog: its text form for people, its envelope with --json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from codeplane.cli.help import COMMANDS
from codeplane.cli.options import Decorator, json_option
from codeplane.cli.paths import repository_path, typed_symbol
from codeplane.cli.tool_call import run_tool
from codeplane.tools.spec import ToolSpec

Convert = Callable[[Path, Path | None, str], str]
_CONVERSIONS: Mapping[str, Convert] = {
    "path": repository_path,
    "file": repository_path,
    "symbol": typed_symbol,
    "name": typed_symbol,
}
"""Parameters whose value is relative to the working directory when people type it."""


def tool_command(
    name: str,
    spec: ToolSpec,
    *parameters: Decorator,
    text: str = "",
    fixed: Mapping[str, object] | None = None,
    unless: Mapping[str, str] | None = None,
) -> click.Command:
    """Make a command whose arguments and options are parameters of a tool.

    `text` follows the summary in the help; `fixed` are arguments that an option may replace; `unless` names parameters
    that are not sent with another one.
    """

    def run(context: click.Context, json: bool, **given: object) -> None:
        start = context.obj.start

        def arguments(root: Path) -> Mapping[str, object]:
            found = dict(fixed or {})
            for parameter, value in given.items():
                convert = _CONVERSIONS.get(parameter)
                if convert is not None and isinstance(value, str):
                    value = convert(root, start, value)
                if value and not given.get((unless or {}).get(parameter, "")):
                    found[parameter] = value
            return found

        context.exit(run_tool(name, context.obj, spec.name, arguments, json=json))

    decorated: Callable[..., Any] = run
    decorators: tuple[Decorator, ...] = (*parameters, json_option, click.pass_context)
    for decorator in reversed(decorators):
        decorated = decorator(decorated)
    summary = f"{COMMANDS[name].summary}."
    return click.command(name, help=f"{summary}\n\n{text}" if text else summary)(decorated)
