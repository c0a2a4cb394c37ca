"""`cpl status` and `cpl doctor`: how things stand, and what is wrong with them."""

from __future__ import annotations

import os
import platform
import sys
from datetime import datetime
from typing import TYPE_CHECKING

from codeplane import __version__
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Assembly, Invocation, assemble, assemble_at, find_root
from codeplane.cli.plain import plain, record
from codeplane.cli.terminal import Style, columns, facts, fit, number, plural, size, table
from codeplane.config import Config
from codeplane.telemetry import read_tail

if TYPE_CHECKING:
    from codeplane.operations.doctor import Check
    from codeplane.operations.status import Status

STATUS_LINES = 50
REPORT_LINES = 1000

_STATES = {
    "ready": ("ok", "ready", ""),
    "absent": ("not_indexed", "not indexed", "cpl init"),
    "building": ("not_ready", "not finished", "cpl init"),
    "requires_reindex": ("requires_reindex", "made by other rules; to be indexed anew", "cpl init"),
    "corrupt": ("error", "damaged; to be indexed anew", "cpl init"),
    "newer": ("blocked", "made by a newer version of CodePlane", "an upgrade of CodePlane, or cpl clear"),
}


def status(invocation: Invocation, *, verbose: bool, json: bool) -> int:
    return answer("status", lambda: _status(invocation, verbose), json=json)


def doctor(invocation: Invocation, *, logs: bool, json: bool) -> int:
    return answer("doctor", lambda: _doctor(invocation, logs), json=json)


def _status(invocation: Invocation, verbose: bool) -> Reply:
    from codeplane.operations.status import status as look

    assembly = assemble(invocation)
    found = look(assembly.context)
    state, words, remedy = _STATES[found.state]
    if found.moved and found.state == "ready":
        words = "ready; git has moved since, the next query catches up"
    style = Style.of(sys.stdout)
    lines = [f"{style.bold(display(str(found.root)))}  {_state_word(words, state, style)}", ""]
    lines += _overview(found, style)
    result = record(found)
    if verbose:
        log_lines = read_tail(found.root, STATUS_LINES)
        lines += ["", *_details(found, assembly.context.config, log_lines, style)]
        result |= {"config": config_rows(assembly.context.config), "log": log_lines}
    if remedy:
        lines += ["", f"Next: {style.bold(remedy)}"]
    return Reply(
        result=result,
        text="\n".join(lines),
        status=state,
        message=f"The index is {words}.",
        warnings=assembly.warnings,
        hints={"next": remedy} if remedy else {},
        meta={"epoch": found.epoch} if found.epoch else {},
    )


def _state_word(words: str, state: str, style: Style) -> str:
    return style.green(words) if state == "ok" else style.yellow(words)


def _overview(found: Status, style: Style) -> list[str]:
    share = f" of at most {size(found.cap_bytes)}" if found.cap_bytes else ""
    rows = [("overlay", found.overlay)]
    if found.epoch:
        rows = [
            ("files", f"{number(found.files)}  ({size(found.source_bytes)})"),
            ("definitions", number(found.definitions)),
            ("references", number(found.references)),
            ("index", f"{size(found.index_bytes)}{share}, epoch {found.epoch}"),
            ("commit", (found.head or "")[:12]),
            ("last sync", _when(found.last_sync)),
            ("overlay", found.overlay),
        ]
    if found.lock_owner:
        rows.append(("in use by", f"process {found.lock_owner}"))
    rows += [
        ("reason", display(found.reason or "")),
        ("changed", ", ".join(display(item) for item in found.differences)),
        ("left to do", plural(found.pending, "file") if found.pending else ""),
    ]
    return facts(rows, style)


def _details(found: Status, config: Config, log_lines: list[str], style: Style) -> list[str]:
    lines = [style.bold("Index")]
    lines += facts(
        (
            ("repository", found.repo_uuid or ""),
            ("merkle root", found.merkle_root or ""),
            ("generation", found.generation or ""),
            ("skipped", ", ".join(f"{number(count)} {display(reason)}" for reason, count in found.skipped)),
            ("log", display(str(found.log_path or ""))),
        ),
        style,
    )
    if found.languages:
        rows = [(display(name), *(number(count) for count in counts)) for name, *counts in found.languages]
        header = ("", "files", "definitions", "references")[: len(rows[0])]
        lines += ["", style.bold("Languages"), *table([header, *rows], right=frozenset(range(1, len(header))))]
    if found.set_aside:
        lines += ["", style.bold("Set aside")]
        lines += table([(fit(path, columns() - 40), fit(reason, 36)) for path, reason in found.set_aside])
    lines += ["", style.bold("Settings"), *_config_lines(config)]
    lines += ["", style.bold("Log"), *(f"  {line}" for line in log_lines or ["nothing logged yet"])]
    return lines


def config_rows(config: Config) -> list[dict[str, object]]:
    """Every setting with its value and the layer that set it."""
    from codeplane.config.keys import KEYS

    rows: list[dict[str, object]] = []
    for key in KEYS:
        section, _, name = key.name.partition(".")
        value = plain(getattr(getattr(config, section), name))
        rows.append({"key": key.name, "value": value, "origin": config.origin(key.name)})
    return rows


def _config_lines(config: Config) -> list[str]:
    rows = config_rows(config)
    taken = max(len(str(row["key"])) for row in rows) + max(len(str(row["origin"])) for row in rows) + 6
    room = max(12, columns() - taken)
    return table([(str(row["key"]), fit(_setting(row["value"]), room), str(row["origin"])) for row in rows])


def _setting(value: object) -> str:
    if not isinstance(value, list):
        return str(value)
    return ", ".join(
        " ".join(str(part) for part in item.values() if part) if isinstance(item, dict) else str(item) for item in value
    )


def _doctor(invocation: Invocation, logs: bool) -> Reply:
    from codeplane.operations.doctor import diagnose

    assembly, checks = _assemble_for_doctor(invocation)
    checks += diagnose(assembly.context)
    failed = [check for check in checks if not check.ok and check.severity == "error"]
    style = Style.of(sys.stdout)
    lines = _check_lines(checks, style)
    warned = sum(not check.ok for check in checks) - len(failed)
    verdict = f"{plural(len(failed), 'check')} failed." if failed else "Everything works."
    verdict += f" {plural(warned, 'warning')}." if warned else ""
    lines += ["", style.red(verdict) if failed else verdict]
    result: dict[str, object] = {"healthy": not failed, "checks": [record(check) for check in checks]}
    if logs:
        config = assembly.context.config
        log_lines = read_tail(assembly.context.root, REPORT_LINES)
        versions = {"codeplane": __version__, "python": platform.python_version(), "platform": platform.platform()}
        result |= {"versions": versions, "config": config_rows(config), "log": log_lines}
        lines += ["", style.bold("Versions"), *facts(versions.items(), style)]
        lines += ["", style.bold("Settings"), *_config_lines(config)]
        lines += ["", style.bold("Log"), *(f"  {line}" for line in log_lines or ["nothing logged yet"])]
    return Reply(
        result=result,
        text="\n".join(lines),
        status="error" if failed else "ok",
        message=verdict,
        warnings=assembly.warnings,
    )


def _assemble_for_doctor(invocation: Invocation) -> tuple[Assembly, tuple[Check, ...]]:
    """A configuration that cannot be used is a finding here; the other checks run with the defaults."""
    from codeplane.operations.doctor import Check

    try:
        assembly = assemble(invocation)
    except CodePlaneError as error:
        if error.code not in (ErrorCode.CONFIG_INVALID, ErrorCode.CONFIG_UNKNOWN_KEY):
            raise
        assembly = assemble_at(find_root(invocation.start), Config(), os.environ)
        remedy = error.remedy or f"Expected {error.expected}, for example {error.example}."
        return assembly, (Check("configuration", False, "error", error.message, remedy),)
    return assembly, (Check("configuration", True, "info", "every setting is known and usable", ""),)


def _check_lines(checks: tuple[Check, ...], style: Style) -> list[str]:
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        if check.ok:
            mark = style.green("ok  ")
        else:
            mark = style.red("fail") if check.severity == "error" else style.yellow("warn")
        lines.append(f"{mark}  {display(check.name).ljust(width)}  {display(check.message)}")
        if not check.ok and check.remedy:
            lines.append(f"      {'':<{width}}  {style.dim('try')} {display(check.remedy)}")
    return lines


def _when(seconds: float | None) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S") if seconds else ""
