"""`cpl rename`: show what a rename changes, ask, and apply it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.text_lines import plural
from codeplane.cli.answer import Reply, answer, require_answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option, yes_option

if TYPE_CHECKING:
    from codeplane.base.text_lines import TextLine
    from codeplane.operations.context import Context

TOOL = "refactor_rename"


@click.command()
@click.argument("symbol")
@click.argument("new_name")
@click.option(
    "-i",
    "--include",
    multiple=True,
    metavar="PLACE",
    help="Possible use to change too: path:line, or all. May be given more than once.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@yes_option
@json_option
@click.pass_context
def rename(
    context: click.Context, symbol: str, new_name: str, include: tuple[str, ...], dry_run: bool, yes: bool, json: bool
) -> None:
    """Rename SYMBOL everywhere, with overrides, imports and keyword arguments.

    SYMBOL is a name, Class.member, path#name, or path:line:column of a parameter or variable. 'cpl undo' restores
    everything.
    """
    arguments = {"symbol": symbol, "new_name": new_name}
    context.exit(answer("rename", lambda: _rename(context.obj, arguments, include, dry_run, yes, json), json=json))


def _rename(
    invocation: Invocation,
    arguments: Mapping[str, object],
    include: Sequence[str],
    dry_run: bool,
    yes: bool,
    json: bool,
) -> Reply:
    from codeplane.cli.connect import call_tool

    context = assemble(invocation).context
    preview = {**arguments, **({"include": list(include)} if include else {})}
    found, _ = call_tool(context, invocation, TOOL, preview)
    if dry_run or found["status"] != "ok":
        return tool_reply(found) if json else _shown(found)
    if not json:
        _print_plan(found)
    if not yes and not _agreed(found["result"]):
        return Reply(status="needs_decision", text="Nothing was changed.")
    chosen = list(include) or ["none"]
    apply = {**arguments, "apply": True, "include": chosen, "plan": found["result"]["fingerprint"]}
    if json:
        return tool_reply(call_tool(context, invocation, TOOL, apply)[0])
    return _applied(context, invocation, apply)


def _applied(context: Context, invocation: Invocation, arguments: Mapping[str, object]) -> Reply:
    from codeplane.cli.connect import call_lines
    from codeplane.cli.lines import lines_reply

    status, lines = call_lines(context, invocation, TOOL, arguments)
    return lines_reply(status, lines)


def _shown(found: Mapping[str, Any]) -> Reply:
    from codeplane.cli.lines import lines_reply

    require_answer(found)
    if found["status"] != "ok":
        return Reply(status=found["status"], text=found.get("message", ""))
    return lines_reply(found["status"], _plan_lines(found))


def _print_plan(found: Mapping[str, Any]) -> None:
    reply = _shown(found)
    print(reply.text)
    for line in reply.notes:
        print(line, file=sys.stderr)


def _plan_lines(found: Mapping[str, Any]) -> list[TextLine]:
    from codeplane.base.envelope import Answer
    from codeplane.tools.arguments import Arguments
    from codeplane.tools.text.refactor import render_preview

    return render_preview(Arguments(), Answer(found["result"]))


def _agreed(result: Mapping[str, Any]) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "'cpl rename' needs a confirmation",
            expected="a terminal, --yes or --dry-run",
            example=f"cpl rename {result['old_name']} {result['new_name']} --yes",
        )
    left = len(result.get("possible", ()))
    unchanged = f", leaving {plural(left, 'possible use')} as it is" if left else ""
    print(f"Apply {plural(result['matches'], 'edit')}{unchanged}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
