"""`cpl init`: build the index or bring it up to date, showing how far it has come."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from codeplane import telemetry
from codeplane.base.paths import display
from codeplane.cli.answer import INTERRUPTED, Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.ignorefile import write_ignore_file
from codeplane.cli.plain import record
from codeplane.cli.progress import ProgressLine
from codeplane.cli.terminal import Style, duration, facts, number, plural, size, table

if TYPE_CHECKING:
    from codeplane.operations.indexing import IndexReport

_OUTCOMES = {
    "built": "Indexed",
    "rebuilt": "Indexed anew",
    "resumed": "Finished the index of",
    "synced": "Brought up to date",
    "fresh": "Nothing has changed in",
}
MAX_LANGUAGES = 12


def init(invocation: Invocation, path: Path | None, *, ignore_file: bool, json: bool) -> int:
    return answer("init", lambda: _init(invocation, path, ignore_file), json=json)


def summary(report: IndexReport, root: Path, style: Style) -> str:
    """What was found, in a screenful."""
    lines = [f"{_OUTCOMES[report.decision]} {style.bold(display(str(root)))} in {duration(report.seconds)}", ""]
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
    set_aside = f"{plural(len(report.set_aside), 'file')} that could not be parsed" if report.set_aside else ""
    lines += facts(
        (
            ("files", f"{number(report.files)}  ({size(report.bytes)})"),
            ("definitions", number(report.definitions)),
            ("references", number(report.references)),
            ("imports", number(report.imports)),
            ("skipped", skipped),
            ("set aside", set_aside),
            ("problems", f"{plural(report.problems, 'place')} that could not be read" if report.problems else ""),
            ("index", f"{size(report.index_bytes)}, epoch {report.epoch}"),
        ),
        style,
    )
    lines += [f"    {display(path)}  {style.dim(display(reason))}" for path, reason in report.set_aside[:5]]
    lines += ["", f"Next: {style.bold('cpl defs NAME')}, {style.bold('cpl outline FILE')}, {style.bold('cpl status')}"]
    return "\n".join(lines)


def _init(invocation: Invocation, path: Path | None, ignore_file: bool) -> Reply:
    from codeplane.operations.indexing import initialize

    assembly = assemble(invocation, path, any_directory=True)
    root = assembly.context.root
    notes = [write_ignore_file(root)] if ignore_file else []
    progress = ProgressLine()
    with _interruptible(progress) as interruption:
        try:
            report = initialize(assembly.context, progress, lambda: interruption.requested)
        except Exception:
            # Whatever a half-stopped run trips over, the person asked it to stop.
            if not interruption.requested:
                raise
            report = None
        finally:
            progress.close()
    if report is None or interruption.requested:
        return _interrupted(progress)
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


def _interrupted(progress: ProgressLine) -> Reply:
    latest = progress.latest
    kept = f"{plural(latest.files_done, 'file')} done so far" if latest and latest.files_done else "What was there"
    telemetry.info("indexing stopped on request", files=latest.files_done if latest else 0)
    message = f"Stopped. {kept} will be used again; 'cpl init' goes on from here."
    return Reply(status="not_ready", message=message, text=message, exit_code=INTERRUPTED)


class _Interruption:
    requested = False


@contextmanager
def _interruptible(progress: ProgressLine) -> Iterator[_Interruption]:
    """The first Ctrl-C asks the work to stop at a good place, the second ends the process at once."""
    interruption = _Interruption()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if interruption.requested:
            os._exit(INTERRUPTED)
        interruption.requested = True
        progress.close()
        os.write(2, b"Stopping; press Ctrl-C again to stop at once.\n")

    previous = signal.signal(signal.SIGINT, on_signal)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, previous)
