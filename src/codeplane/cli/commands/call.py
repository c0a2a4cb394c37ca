"""`cpl tools` and `cpl call`: the tools of agents, for people and scripts."""

from __future__ import annotations

import json as json_format
import sys
from typing import Any

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.answer import FAILED, OK, Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option
from codeplane.cli.terminal import Style, wrapped

_MAX_INPUT = 4 * 1024 * 1024


@click.command()
@click.option("-a", "--all", "everything", is_flag=True, help="Include tools that agents do not see by default.")
@json_option
@click.pass_context
def tools(context: click.Context, everything: bool, json: bool) -> None:
    """List the tools that agents can call."""
    context.exit(answer("tools", lambda: _tools(everything), json=json))


@click.command()
@click.argument("tool")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--json", "given", metavar="OBJECT", help="Arguments as one JSON object; - reads it from standard input.")
@click.pass_context
def call(context: click.Context, tool: str, arguments: tuple[str, ...], given: str | None) -> None:
    """Call a tool as an agent would, and print the answer as JSON.

    A key given more than once makes a list. 'cpl tools' lists the tools.

    \b
    Examples:
      cpl call search query="retry delay" limit=5
      cpl call read --json '{"targets": ["README.md:1-20"]}'
    """
    context.exit(answer("call", lambda: _call(context.obj, tool, arguments, given), json=False))


def _call(invocation: Invocation, tool: str, arguments: tuple[str, ...], given: str | None) -> Reply:
    """Call a tool. The envelope is printed whatever its status, or with format=text the text for agents."""
    from codeplane.cli.connect import call_raw
    from codeplane.tools.surface import Format

    context = assemble(invocation).context
    reply = call_raw(context, invocation, tool, parse_arguments(arguments, given), Format.JSON)
    if reply.is_json:
        return tool_reply(json_format.loads(reply.body))
    return Reply(text=reply.body.decode("utf-8"), exit_code=FAILED if reply.is_error else OK)


def parse_arguments(words: tuple[str, ...], given: str | None) -> dict[str, Any]:
    """Parse `key=value` words, where a repeated key makes a list; or one JSON object."""
    if given is not None and words:
        raise _usage("arguments were given both as KEY=VALUE and as --json")
    if given is not None:
        return _object(sys.stdin.read(_MAX_INPUT) if given == "-" else given)
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise _usage(f"'{word}' does not have the form KEY=VALUE")
        if key in found:
            known = found[key]
            found[key] = [*known, value] if isinstance(known, list) else [known, value]
        else:
            found[key] = value
    return found


def _tools(everything: bool) -> Reply:
    from codeplane.tools.catalog import TOOLS, visible
    from codeplane.tools.surface import Surface

    specs = TOOLS if everything else visible(Surface())
    style = Style.of(sys.stdout)
    width = max(len(spec.name) for spec in specs)
    lines = []
    for spec in specs:
        names = " ".join(
            param.name if param.required else f"[{param.name}]" for param in spec.params if param.advertised
        )
        indent = " " * (width + 2)
        first, *rest = wrapped(spec.doc, indent)
        lines += [f"{style.bold(spec.name.ljust(width))}  {first[len(indent) :]}", *rest]
        lines += [style.dim(line) for line in wrapped(names, indent) if names]
    lines += ["", "To call one: cpl call TOOL KEY=VALUE", "Examples:    cpl call describe action=tool name=TOOL"]
    rows = [{**spec.listing(), "toolsets": list(spec.toolsets)} for spec in specs]
    return Reply({"tools": rows}, "\n".join(lines))


def _object(text: str) -> dict[str, Any]:
    try:
        found = json_format.loads(text)
    except (ValueError, RecursionError):
        raise _usage("the text after --json is not JSON") from None
    if not isinstance(found, dict):
        raise _usage("the text after --json is not an object")
    return found


def _usage(message: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        message,
        expected="KEY=VALUE arguments, or --json with one object",
        example="cpl call search query=main limit=5",
    )
