"""`cpl undo` and `cpl mutations`: undo a change, list changes."""

from __future__ import annotations

import sys
from datetime import datetime

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.text_lines import plural
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option, limit_option
from codeplane.cli.terminal import Style
from codeplane.cli.tool_call import call_reply


@click.command()
@click.argument("mutation_id", metavar="[CHANGE]", required=False)
@json_option
@click.pass_context
def undo(context: click.Context, mutation_id: str | None, json: bool) -> None:
    """Undo a change made by an agent or by 'cpl apply'.

    CHANGE is an id that 'cpl mutations' lists. Default: the last change.
    """
    context.exit(answer("undo", lambda: _undo(context.obj, mutation_id, json), json=False))


@click.command()
@limit_option(20)
@json_option
@click.pass_context
def mutations(context: click.Context, limit: int, json: bool) -> None:
    """List changes made by agents or by 'cpl apply', newest first."""
    context.exit(answer("mutations", lambda: _mutations(context.obj, limit), json=json))


def _undo(invocation: Invocation, mutation_id: str | None, json: bool) -> Reply:
    from codeplane.operations.mutations import last_undoable, list_mutation_summaries

    if mutation_id is None:
        last = last_undoable(list_mutation_summaries(assemble(invocation).context.root, 1000))
        if last is None:
            raise CodePlaneError(
                ErrorCode.MUTATION_UNKNOWN,
                "there is no change that can be undone",
                remedy="'cpl mutations' lists changes.",
            )
        mutation_id = last.mutation_id
    return call_reply(invocation, "rollback", lambda root: {"mutation_id": mutation_id}, as_json=json)


def _mutations(invocation: Invocation, limit: int) -> Reply:
    from codeplane.operations.mutations import list_mutation_summaries

    assembly = assemble(invocation)
    found = list_mutation_summaries(assembly.context.root, limit)
    style = Style.of(sys.stdout)
    lines = []
    for change in found:
        when = datetime.fromtimestamp(change.at_ms / 1000).strftime("%Y-%m-%d %H:%M:%S")
        names = ", ".join(display(path) for path in change.paths[:3])
        more = f" and {len(change.paths) - 3} more" if len(change.paths) > 3 else ""
        state = change.state if change.can_undo or change.state != "done" else "done, cannot be undone any more"
        undoes = f" (undoes {change.undoes})" if change.undoes else ""
        lines.append(f"{style.bold(change.mutation_id)}  {when}  {state}{undoes}")
        lines.append(f"  {names}{more} {style.dim(f'+{change.insertions} -{change.deletions}')}")
    return Reply(
        result={"mutations": [change.as_dict() for change in found]},
        text="\n".join(lines) or style.dim("no changes yet"),
        message=plural(len(found), "change"),
        warnings=assembly.warnings,
    )
