"""Options that several commands share, and options made from parameters of the tool catalog."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from codeplane.tools.spec import Param, ToolSpec

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

directory = click.Path(path_type=Path)
json_option = click.option("--json", "json", is_flag=True, help="Print the answer as one line of JSON.")
yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
toolsets_option = click.option(
    "--toolsets",
    metavar="NAMES",
    help="Toolsets that agents see: core, files, navigation, git, refactor, tasks, admin, compat or all.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    help="Format of the answers. Default: the setting server.format, text unless changed.",
)
read_only_option = click.option("--read-only", is_flag=True, help="Refuse calls that change files or the index.")
no_prewarm_option = click.option("--no-prewarm", is_flag=True, help="Do not load the index before the first call.")


def limit_option(default: int) -> Decorator:
    return click.option(
        "-n",
        "--limit",
        type=click.IntRange(1, 1000),
        default=default,
        show_default=True,
        metavar="COUNT",
        help="Maximum number of results.",
    )


def tool_option(spec: ToolSpec, parameter: str, *names: str, help: str = "", metavar: str | None = None) -> Decorator:
    """Option for a parameter of a tool: choices, range, default and, unless given, help come from the catalog.

    An option without a value leaves the default to the tool.
    """
    param = next(param for param in spec.params if param.name == parameter)
    text = (help or param.doc).removesuffix(".")
    settings: dict[str, Any] = {"help": f"{text}.", "metavar": metavar}
    if param.kind == "boolean":
        return click.option(*names, parameter, is_flag=True, help=settings["help"])
    if param.default is not None:
        settings |= {"default": param.default, "show_default": True}
    return click.option(*names, parameter, type=_value_type(param), multiple=param.kind == "array", **settings)


def _value_type(param: Param) -> click.ParamType[Any]:
    if param.choices:
        return click.Choice(param.choices, case_sensitive=False)
    if param.kind == "integer":
        return click.IntRange(param.minimum, param.maximum)
    return click.STRING
