"""`cpl init`: build the index or bring it up to date, with progress."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from codeplane import telemetry
from codeplane.base.paths import display
from codeplane.base.text_lines import plural, table
from codeplane.cli.answer import INTERRUPTED, Reply, answer, require_answer, warning_lines, write_warnings
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.ignorefile import write_ignore_file
from codeplane.cli.options import directory, json_option
from codeplane.cli.plain import record
from codeplane.cli.progress import ProgressLine
from codeplane.cli.terminal import Style, columns, duration, facts, fit, number, size

if TYPE_CHECKING:
    from codeplane.operations.context import Context
    from codeplane.operations.init import IndexReport

_OUTCOMES = {
    "built": "Indexed {root} in {time}",
    "rebuilt": "Rebuilt the index of {root} in {time}",
    "resumed": "Completed the index of {root} in {time}",
    "synced": "Updated the index of {root} in {time}",
    "fresh": "The index of {root} is up to date",
}
MAX_LANGUAGES = 12
MAX_SET_ASIDE = 5


@click.command()
@click.argument("path", type=directory, required=False)
@click.option("--ignore-file", is_flag=True, help="Also write a .cplignore that lists the default rules as comments.")
@json_option
@click.pass_context
def init(context: click.Context, path: Path | None, ignore_file: bool, json: bool) -> None:
    """Create the index, or bring it up to date.

    PATH is any directory of the repository. Default: the current directory. A directory without git can be indexed if
    it is named.
    """
    context.exit(answer("init", lambda: _init(context.obj, path, ignore_file), json=json))


def summary(report: IndexReport, root: Path, style: Style) -> str:
    """Summarize the index on one screen."""
    shown = style.bold(display(str(root)))
    lines = [_OUTCOMES[report.decision].format(root=shown, time=duration(report.seconds)), ""]
    languages = sorted(report.languages, key=lambda row: (-row[1], row[0]))
    rows = [
        (display(name), plural(files, "file"), plural(definitions, "definition"), plural(references, "reference"))
        for name, files, definitions, references in languages[:MAX_LANGUAGES]
    ]
    lines += table(rows, right=frozenset({1, 2, 3}))
    if len(languages) > MAX_LANGUAGES:
        lines.append(f"  and {plural(len(languages) - MAX_LANGUAGES, 'more language')}")
    if rows:
        lines.append("")
    skipped = ", ".join(f"{number(count)} {display(reason)}" for reason, count in report.skipped)
    set_aside = (
        f"{plural(len(report.set_aside), 'file')} that crashed or stalled the parser" if report.set_aside else ""
    )
    lines += facts(
        (
            ("files", f"{number(report.files)}  ({size(report.bytes)})"),
            ("definitions", number(report.definitions)),
            ("references", number(report.references)),
            ("imports", number(report.imports)),
            ("skipped", skipped),
            ("set aside", set_aside),
            ("syntax errors", f"in {plural(report.problems, 'place')}" if report.problems else ""),
            ("index", f"{size(report.index_bytes)}, epoch {report.epoch}"),
        ),
        style,
    )
    if report.set_aside:
        lines += ["", style.bold("Set aside")]
        lines += table(
            [(fit(path, columns() - 40), fit(reason, 36)) for path, reason in report.set_aside[:MAX_SET_ASIDE]]
        )
    following = map(style.bold, ("cpl search WORDS", "cpl defs NAME", "cpl outline FILE"))
    lines += ["", f"Next: {', '.join(following)}"]
    return "\n".join(lines)


def _init(invocation: Invocation, path: Path | None, ignore_file: bool) -> Reply:
    assembly = assemble(invocation, path, any_directory=True)
    root = assembly.context.root
    notes = [write_ignore_file(root)] if ignore_file else []
    progress = ProgressLine()
    with _interruptible(progress) as interruption:
        try:
            report = _indexed(assembly.context, invocation, progress, interruption)
        except Exception:
            # An error after Ctrl-C is a consequence of stopping.
            if not interruption.requested:
                raise
            report = None
        finally:
            progress.close()
    if report is None or report.decision == "interrupted":
        return _interrupted(report)
    telemetry.info(
        "index ready",
        decision=report.decision,
        epoch=report.epoch,
        files=report.files,
        changed=report.changed,
        seconds=round(report.seconds, 2),
    )
    return Reply(
        result={"root": str(root), **record(report, "seconds", "warnings")},
        text="\n".join((summary(report, root, Style.of(sys.stdout)), *notes)),
        message=f"{plural(report.files, 'file')}, {plural(report.definitions, 'definition')}",
        warnings=(*assembly.warnings, *report.warnings),
        meta={"epoch": report.epoch},
    )


def _indexed(
    context: Context, invocation: Invocation, progress: ProgressLine, interruption: _Interruption
) -> IndexReport:
    """Index in the running engine, or else in this process."""
    from codeplane.cli.connect import call_tool, engine_state, serves, warn_of_overrides
    from codeplane.operations.init import IndexProgress, SyncReport, initialize, report_published

    state = engine_state(context.root)
    warn_of_overrides(invocation, state)
    if state is None or not serves(state):
        return initialize(context, progress, lambda: interruption.requested)
    started = time.monotonic()

    def tell(done: float, total: float | None, phase: str) -> None:
        progress(IndexProgress(phase, int(done), int(total or 0), elapsed_s=time.monotonic() - started))

    phase = state.get("index", {}).get("phase")
    arguments = _ACTIONS.get(phase, {"action": "create", "wait": True})
    plain = replace(invocation, overrides=())
    found, _ = call_tool(context, plain, "manage_index", arguments, tell, lambda: interruption.requested)
    require_answer(found)
    write_warnings(warning_lines(found))
    result = found["result"]
    counts = {name: result.get(name, 0) for name in ("files", "added", "modified", "removed", "pending")}
    seconds = time.monotonic() - started
    # If the index was being built when we connected, it is ready now.
    look = SyncReport(found["meta"].get("epoch", 0), result.get("decision", "fresh"), "", seconds=seconds, **counts)
    return report_published(context, look)


_ACTIONS: Mapping[str | None, dict[str, object]] = {
    "ready": {"action": "sync"},
    "incompatible": {"action": "reindex", "wait": True},
}


def _interrupted(report: IndexReport | None) -> Reply:
    kept = "The existing index is kept"
    if report is not None:
        kept = f"{plural(report.files, 'file')} {'is' if report.files == 1 else 'are'} indexed"
        kept += f", {number(report.pending)} left" if report.pending else ""
    telemetry.info("indexing stopped on request", files=report.files if report else None)
    message = f"Stopped. {kept}; 'cpl init' continues."
    result = record(report, "seconds", "warnings") if report is not None else {}
    return Reply(result=result, status="not_ready", message=message, text=message, exit_code=INTERRUPTED)


class _Interruption:
    requested = False


@contextmanager
def _interruptible(progress: ProgressLine) -> Iterator[_Interruption]:
    """Handle Ctrl-C: the first stops the work at a consistent point, the second ends the process at once."""
    interruption = _Interruption()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if interruption.requested:
            os._exit(INTERRUPTED)
        interruption.requested = True
        progress.close()
        os.write(2, b"Stopping; press Ctrl-C again to quit at once.\n")

    previous = signal.signal(signal.SIGINT, on_signal)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, previous)
