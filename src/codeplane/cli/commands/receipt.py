"""`cpl receipt`: searches, reads, changes, test runs and tokens of a task."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.text_lines import plural
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.commands.ledger import limit_words, moment, task_fields
from codeplane.cli.options import json_option
from codeplane.cli.plain import record
from codeplane.cli.terminal import Style, columns, duration, facts, fit, number

if TYPE_CHECKING:
    from codeplane.operations.receipt import Receipt

_SHOWN_FILES = 12
_INDENT = " " * 13


@click.command()
@click.argument("task", required=False)
@click.option("--last", is_flag=True, help="The newest task that has calls. Default if TASK is not given.")
@click.option("-a", "--all", "everything", is_flag=True, help="List all files.")
@json_option
@click.pass_context
def receipt(context: click.Context, task: str | None, last: bool, everything: bool, json: bool) -> None:
    """Summarize one task: searches, files read and changed, tests, tokens."""
    context.exit(answer("receipt", lambda: _receipt(context.obj, task, last, everything), json=json))


def _receipt(invocation: Invocation, name: str | None, last: bool, everything: bool) -> Reply:
    from codeplane.operations.ledger import get_task, last_task, ledger_directory
    from codeplane.operations.receipt import make_receipt
    from codeplane.tools.catalog import TOOLS

    if name and last:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "TASK and --last exclude each other",
            expected="a task, or --last",
            example="cpl receipt --last",
        )
    assembly = assemble(invocation)
    directory = ledger_directory(assembly.context)
    task = get_task(directory, name) if name else last_task(directory)
    assert directory is not None
    canonical = {spec.name: spec.deprecated.canonical for spec in TOOLS if spec.deprecated is not None}
    found = make_receipt(directory, task, canonical)
    style = Style.of(sys.stdout)
    return Reply(_result(found), "\n".join(_lines(found, style, everything)), warnings=assembly.warnings)


def _result(found: Receipt) -> dict[str, object]:
    fields = {name: value for name, value in record(found, "task").items() if value not in (0, [], {})}
    if found.failed:
        fields["failed"] = {_error(code): count for code, count in found.failed.items()}
    return {"task": task_fields(found.task)} | fields


def _lines(found: Receipt, style: Style, everything: bool) -> list[str]:
    task = found.task
    took = f", {duration(found.duration_ms / 1000)}" if found.calls else ""
    head = f", at {task.repo_head_sha[:12]}" if task.repo_head_sha else ""
    state = style.green(task.state) if task.state in ("OPEN", "CLOSED_SUCCESS") else style.yellow(task.state)
    lines = [f"{style.bold(task.task_id)}  {state}", f"  {style.dim(f'{moment(task.opened_at)}{took}{head}')}", ""]
    limits = limit_words(task) if task.limits_json is not None else ""
    if found.limits_triggered:
        limits = f"{limits}; met: {', '.join(found.limits_triggered)}"
    rows = [("limits", limits), ("searched", plural(found.searches, "time") if found.searches else "")]
    lines += facts([(f"{label:<9}", text) for label, text in rows], style)
    lines += _files("read", _read_words(found), found.files_read, style, everything)
    lines += _files("changed", _changed_words(found), found.files_changed, style, everything)
    lines += _files("ran", _run_words(found), found.failing_tests, style, everything)
    failed = ", ".join(f"{_error(code)} {count}" for code, count in found.failed.items())
    other = ", ".join(f"{display(name)} {count}" for name, count in found.other.items())
    rows = [("also", other), ("refused", failed), ("cut off", _cut_words(found)), ("tokens", _token_words(found))]
    lines += facts([(f"{label:<9}", text) for label, text in rows], style)
    return lines


def _files(label: str, words: str, names: tuple[str, ...], style: Style, everything: bool) -> list[str]:
    if not words:
        return []
    lines = facts([(f"{label:<9}", words)], style)
    shown = names if everything else names[:_SHOWN_FILES]
    lines += [_INDENT + fit(name, columns() - len(_INDENT)) for name in shown]
    left_out = len(names) - len(shown)
    return lines + ([style.dim(f"{_INDENT}and {left_out} more; --all shows them")] if left_out else [])


def _read_words(found: Receipt) -> str:
    if not found.files_read:
        return ""
    calls = f" in {plural(found.reads, 'call')}" if found.reads else ""
    return f"{plural(len(found.files_read), 'file')}{calls}"


def _changed_words(found: Receipt) -> str:
    if not found.mutations:
        return ""
    stats = f", +{number(found.insertions)} -{number(found.deletions)}"
    again = f", {number(found.repeated_mutations)} the same as an earlier one" if found.repeated_mutations else ""
    return f"{plural(len(found.files_changed), 'file')} in {plural(found.mutations, 'call')}{stats}{again}"


def _run_words(found: Receipt) -> str:
    if not found.test_runs:
        return ""
    failed = f", {number(found.failed_runs)} with failures; of the last" if found.failed_runs else ""
    return f"tests {plural(found.test_runs, 'time')}{failed}" + (":" if found.failing_tests else "")


def _cut_words(found: Receipt) -> str:
    return plural(found.interrupted, "call") if found.interrupted else ""


def _token_words(found: Receipt) -> str:
    words = f"{number(found.tokens_given)} given in {plural(found.calls, 'call')}"
    if not found.whole_tokens:
        return words
    read, whole = found.tokens_read, found.whole_tokens
    return f"{words}; {number(read)} of them for files that cost {number(whole)} whole ({round(100 * read / whole)} %)"


def _error(code: int) -> str:
    return next((known.name for known in ErrorCode if known.number == code), str(code))
