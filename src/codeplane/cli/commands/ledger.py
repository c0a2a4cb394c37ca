"""`cpl ledger`: recorded calls, one call, new calls as they are recorded, or tasks.

Reads the files of the ledger; no server is needed. `follow --json` prints one call per line.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.text_lines import table
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Assembly, Invocation, assemble
from codeplane.cli.options import json_option, limit_option
from codeplane.cli.terminal import Style, columns, duration, facts, fit, number
from codeplane.operations.receipt import parse_json_column

if TYPE_CHECKING:
    from codeplane.ledger.queries import OperationFilter, OperationRow, TaskRow
    from codeplane.operations.ledger import TaskSummary

FOLLOW_SECONDS = 0.5
_LEAST_ABOUT = 12
_JSON_COLUMNS = ("paths", "changed_paths", "diff_stats", "failing_tests", "limits_json")
_RELATIVE = re.compile(r"([0-9]{1,6})\s*([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NAMES = {code.number: code.name for code in ErrorCode}


@dataclass(frozen=True)
class LedgerOptions:
    words: tuple[str, ...] = ()
    """The subcommand: none or `list`, `show ID`, `follow`, `tasks`, `acknowledge`."""
    task: str | None = None
    tool: str | None = None
    since: str | None = None
    limit: int = 20
    json: bool = False


@click.command()
@click.argument("words", metavar="[list|show ID|follow|tasks|acknowledge]", nargs=-1)
@click.option("-t", "--task", metavar="TASK", help="Only calls of this task; a prefix of its id is enough.")
@click.option("--tool", metavar="TOOL", help="Only calls of this tool.")
@click.option("--since", metavar="WHEN", help="Only calls since WHEN: 30m, 2h, 7d, a date or a time.")
@limit_option(20)
@json_option
@click.pass_context
def ledger(
    context: click.Context,
    words: tuple[str, ...],
    task: str | None,
    tool: str | None,
    since: str | None,
    limit: int,
    json: bool,
) -> None:
    """Show recorded tool calls, newest first.

    \b
    cpl ledger           list calls
    cpl ledger show ID   show one call
    cpl ledger follow    print new calls until Ctrl-C
    cpl ledger tasks     list tasks
    cpl ledger acknowledge   accept the ledger after 'cpl doctor' reported damage
    """
    options = LedgerOptions(words, task, tool, since, limit, json)
    context.exit(answer("ledger", lambda: _ledger(context.obj, options), json=json))


def call_fields(row: OperationRow) -> dict[str, object]:
    """A call as JSON fields, without empty ones."""
    fields = _parsed(row._asdict())
    fields["success"] = bool(row.success)
    if row.error_code in _NAMES:
        fields["error"] = _NAMES[row.error_code]
    return fields


def task_fields(task: TaskRow) -> dict[str, object]:
    fields = _parsed(task._asdict(), leave=("seq",))
    return fields | {"opened_by": "client" if task.limits_json is not None else "session"}


def moment(at_ms: int) -> str:
    try:
        return datetime.fromtimestamp(at_ms / 1000).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"


def _ledger(invocation: Invocation, options: LedgerOptions) -> Reply:
    from codeplane.operations.ledger import get_call, ledger_directory, list_calls, open_findings, summarize_tasks

    what, *rest = options.words or ("list",)
    if what == "follow" and not rest:
        return _follow(invocation, options)
    if what in ("tasks", "show") and (options.task or options.tool or options.since):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"--task, --tool and --since cannot be used with '{what}'",
            expected="these options with list or follow",
            received=what,
            example="cpl ledger --tool search --since 2h",
        )
    assembly = assemble(invocation)
    if what == "acknowledge" and not rest:
        return _acknowledge(assembly)
    directory = ledger_directory(assembly.context)
    found = [f"the ledger is damaged or was modified: {each.text}" for each in open_findings(assembly.context)]
    assembly = replace(assembly, warnings=(*assembly.warnings, *found))
    style = Style.of(sys.stdout)
    if what == "tasks" and not rest:
        tasks = summarize_tasks(directory, options.limit)
        result: dict[str, object] = {"tasks": [_summary(found) for found in tasks]}
        return Reply(result, "\n".join(_task_lines(tasks, style)), warnings=assembly.warnings)
    if what == "show" and len(rest) == 1:
        row = get_call(directory, rest[0])
        return Reply(call_fields(row), "\n".join(_call_facts(row, style)), warnings=assembly.warnings)
    if what != "list" or rest:
        raise _usage(" ".join(options.words))
    rows = list_calls(directory, options.limit, _wanted(options, directory))
    result = {"calls": [call_fields(row) for row in rows]}
    return Reply(result, "\n".join(_call_lines(rows, style)), warnings=assembly.warnings)


def _acknowledge(assembly: Assembly) -> Reply:
    """Accept the ledger after damage or tampering was reported."""
    from codeplane.operations.ledger import acknowledge_findings

    found = acknowledge_findings(assembly.context)
    telemetry.info("findings about the ledger were acknowledged", findings=len(found))
    lines = [f"{moment(each.found_at_ms)}  {display(each.text)}" for each in found]
    text = "Acknowledged:" if found else "Nothing to acknowledge."
    result = {"acknowledged": [{"text": each.text, "found_at": each.found_at_ms} for each in found]}
    return Reply(result, "\n".join([text, *lines]), message=text, warnings=assembly.warnings)


def _follow(invocation: Invocation, options: LedgerOptions) -> Reply:
    """Print the last calls, then new ones until Ctrl-C or until the reader of the pipe is gone."""
    from codeplane.operations.ledger import ledger_directory, list_calls

    context = assemble(invocation).context
    directory = ledger_directory(context)
    wanted = _wanted(options, directory)
    style = Style.of(sys.stdout)
    found = list_calls(directory, options.limit, wanted)[::-1]
    try:
        if not options.json:
            print(_HEAD if found else style.dim("No calls yet."), flush=True)
        while True:
            for row in found:
                print(dumps(call_fields(row)) if options.json else _line(row, style), flush=True)
            if found:
                wanted = replace(wanted, after=found[-1].op_id)
            time.sleep(FOLLOW_SECONDS)
            directory = directory or ledger_directory(context)
            found = list_calls(directory, _PAGE, wanted, oldest=True)
    except BrokenPipeError:
        # The reader of the pipe is gone. Python would report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Reply()


def _wanted(options: LedgerOptions, directory: Path | None) -> OperationFilter:
    from codeplane.ledger.queries import OperationFilter
    from codeplane.operations.ledger import get_task

    return OperationFilter(
        task_id=get_task(directory, options.task).task_id if options.task else None,
        tool=options.tool,
        since_ms=_since_ms(options.since) if options.since else None,
    )


def _since_ms(text: str) -> int:
    """Milliseconds since the epoch of a time or of a duration before now."""
    relative = _RELATIVE.fullmatch(text.strip())
    try:
        if relative:
            at = datetime.now() - timedelta(**{_UNITS[relative[2]]: int(relative[1])})
        else:
            at = datetime.fromisoformat(text.strip())
        return int(at.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{display(text[:40])}' is neither a time nor a duration",
            expected="30m, 2h, 7d, a date, or a time such as 2026-01-31T12:00",
            received=display(text[:40]),
            example="cpl ledger --since 2h",
        ) from None


def _call_lines(found: list[OperationRow], style: Style) -> list[str]:
    if not found:
        return ["No calls."]
    return [style.dim(_HEAD), *(_line(row, style) for row in found)]


_HEAD = f"{'#':>7}  {'time':<14}  {'task':<8}  {'tool':<16}  {'status':<11}  {'ms':>5}  {'tokens':>6}"


def _line(row: OperationRow, style: Style) -> str:
    """Row with fixed column widths, so that rows that follow later line up."""
    status = row.status or "?"
    shown = f"{fit(status, 11):<11}"
    cells = (
        f"{row.op_id:>7}",
        f"{moment(row.timestamp)[5:]:<14}",
        f"{fit(row.task_id or '-', 8):<8}",
        f"{fit(row.tool or '?', 16):<16}",
        shown if row.success else style.yellow(shown) if status != "error" else style.red(shown),
        f"{number(row.duration_ms) if row.duration_ms is not None else '':>5}",
        f"{number(row.tokens_given) if row.tokens_given is not None else '':>6}",
    )
    about = fit(_about(row), max(columns() - len(_HEAD) - 2, _LEAST_ABOUT))
    return ("  ".join(cells) + (f"  {style.dim(about)}" if about else "")).rstrip()


def _about(row: OperationRow) -> str:
    """The most useful detail of a call: its error, its file, or what kind of call it is."""
    if row.error_code is not None:
        return row.limit_triggered or _NAMES.get(row.error_code, str(row.error_code))
    for text, verb in ((row.changed_paths, "changed"), (row.paths, "read")):
        paths = parse_json_column(text)
        if isinstance(paths, list) and paths:
            return f"{verb} {len(paths)}" if len(paths) > 1 else str(paths[0])
    return row.op_type if row.op_type not in (None, "read") else ""


def _call_facts(row: OperationRow, style: Style) -> list[str]:
    fields = call_fields(row)
    fields["timestamp"] = moment(row.timestamp)
    return facts(((name, _shown(value)) for name, value in fields.items()), style, indent="")


def _task_lines(tasks: list[TaskSummary], style: Style) -> list[str]:
    if not tasks:
        return ["No tasks."]
    rows = [("task", "opened", "state", "for", "calls", "tokens", "limits")]
    for found in tasks:
        task = found.task
        ended = duration((task.closed_at - task.opened_at) / 1000) if task.closed_at is not None else ""
        limits = limit_words(task) if task.limits_json is not None else "-"
        line = (task.task_id, moment(task.opened_at), task.state, ended, number(found.calls), number(found.tokens))
        rows.append((*line, limits))
    lines = [fit(line, columns()) for line in table(rows, right=frozenset({4, 5}), indent="")]
    return [style.dim(lines[0]), *lines[1:]]


def limit_words(task: TaskRow) -> str:
    limits = parse_json_column(task.limits_json)
    if not isinstance(limits, dict) or not limits:
        return "none"
    shown = {str(name): number(value) if isinstance(value, int) else "?" for name, value in sorted(limits.items())}
    return ", ".join(f"{name.removeprefix('max_')} {value}" for name, value in shown.items())


def _summary(found: TaskSummary) -> dict[str, object]:
    return task_fields(found.task) | {"calls": found.calls, "tokens": found.tokens}


def _parsed(fields: Mapping[str, object], leave: tuple[str, ...] = ()) -> dict[str, object]:
    kept = {name: value for name, value in fields.items() if value is not None and name not in leave}
    for name in _JSON_COLUMNS:
        if isinstance(kept.get(name), str):
            kept[name.removesuffix("_json")] = parse_json_column(str(kept.pop(name)))
    return kept


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(display(str(item)) for item in value)
    return display(str(value))


def _usage(received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"unknown subcommand '{display(received[:80])}'",
        expected="list, show ID, follow, tasks or acknowledge",
        received=display(received[:80]),
        example="cpl ledger tasks",
    )


_PAGE = 1000
