"""`cpl clear`: remove the index, or with --all everything that CodePlane keeps in the repository."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer, require_answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option, yes_option
from codeplane.cli.plain import record
from codeplane.cli.terminal import size

if TYPE_CHECKING:
    from codeplane.operations.clear import ClearPlan, ClearReport
    from codeplane.operations.context import Context


@click.command()
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also remove configuration, logs and ledger: all of .codeplane.",
)
@yes_option
@json_option
@click.pass_context
def clear(context: click.Context, everything: bool, yes: bool, json: bool) -> None:
    """Remove the index; source files are never touched."""
    context.exit(answer("clear", lambda: _clear(context.obj, everything, yes), json=json))


def _clear(invocation: Invocation, everything: bool, yes: bool) -> Reply:
    from codeplane.cli.connect import engine_state, serves
    from codeplane.operations.clear import clear as remove
    from codeplane.operations.clear import plan_clear

    assembly = assemble(invocation)
    plan = plan_clear(assembly.context, everything)
    if not plan.paths:
        text = "Nothing to remove."
        return Reply(result={"removed": [], "bytes": 0}, text=text, message=text, warnings=assembly.warnings)
    if everything and not yes and not _agreed(plan):
        text = "Nothing was removed."
        return Reply(result={"removed": [], "bytes": 0}, text=text, message=text, status="needs_decision")
    if serves(engine := engine_state(assembly.context.root)) and engine is not None and everything:
        text = f"Process {engine.get('pid')} serves this repository and uses its ledger; stop it first."
        return Reply(result={"removed": [], "bytes": 0}, text=text, message=text, status="blocked")
    report = _by_engine(assembly.context, invocation) if serves(engine) else remove(assembly.context, everything)
    telemetry.info("cleared", everything=everything, bytes=plan.bytes)
    what = "all of .codeplane" if everything else "the index"
    text = f"Removed {what} ({size(plan.bytes)})."
    if not everything:
        text += "\nConfiguration, logs and ledger were kept; 'cpl clear --all' removes them too."
    return Reply(result=record(report), text=text, message=text, warnings=assembly.warnings)


def _by_engine(context: Context, invocation: Invocation) -> ClearReport:
    """Let the engine remove the index, because it has it open."""
    from codeplane.cli.connect import call_tool
    from codeplane.operations.clear import ClearReport

    found, _ = call_tool(context, invocation, "manage_index", {"action": "clear", "confirm": True})
    require_answer(found)
    return ClearReport(tuple(found["result"]["removed"]), found["result"]["bytes"])


def _agreed(plan: ClearPlan) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "'cpl clear --all' removes configuration, logs and ledger and needs a confirmation",
            expected="a terminal, or --yes",
            example="cpl clear --all --yes",
        )
    print("This removes:", file=sys.stderr)
    for path in plan.paths:
        print(f"  {display(str(path))}", file=sys.stderr)
    print(f"Remove {size(plan.bytes)}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
