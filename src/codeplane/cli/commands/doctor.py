"""`cpl doctor`: problems and how to fix them; with `--logs` a report for a bug tracker.

The report holds versions, settings, findings and log lines. None of them quotes the content of a file, and the user's
home directory is written `~`.
"""

from __future__ import annotations

import json
import os
import platform
import stat
import sys
import time
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import click

from codeplane import __version__
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.text_lines import plural
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Assembly, Invocation, assemble, assemble_at, find_root
from codeplane.cli.clients.doctor import NOT_CONFIGURED, NOT_INSTALLED, clients_doctor
from codeplane.cli.connect import own_command
from codeplane.cli.options import json_option
from codeplane.cli.plain import record
from codeplane.cli.settings import config_lines, config_rows
from codeplane.cli.terminal import Style, facts, wrapped
from codeplane.config import Config
from codeplane.operations.context import Context
from codeplane.operations.doctor import CheckGroup, DoctorCheck, diagnose
from codeplane.processes.exchange import exchange
from codeplane.server.mcp_messages import HANDSHAKE_VERSIONS
from codeplane.server.runtime_directory import RuntimeDirectory, repository_id, runtime_base
from codeplane.telemetry import read_tail

if TYPE_CHECKING:
    from codeplane.operations.context import Context

REPORT_LINES = 20_000
"""More lines than both log files can hold."""

_LIBRARIES = ("apsw", "tantivy", "tree-sitter", "pygit2", "mcp", "PyYAML", "click", "orjson")


@click.command()
@json_option
@click.option("--logs", is_flag=True, help="Add versions, settings and log lines for a bug report.")
@click.pass_context
def doctor(context: click.Context, json: bool, logs: bool) -> None:
    """Check the installation, the index and the MCP clients; suggest fixes."""
    context.exit(run_doctor(context.obj, logs=logs, json=json, further=(handshake(context.obj),)))


def run_doctor(invocation: Invocation, *, logs: bool, json: bool, further: Sequence[CheckGroup] = ()) -> int:
    """`further` are checks that need a server."""
    return answer("doctor", lambda: _doctor(invocation, logs, further), json=json)


def _doctor(invocation: Invocation, logs: bool, further: Sequence[CheckGroup]) -> Reply:
    assembly, checks = _assemble(invocation)
    checks += diagnose(assembly.context, (_runtime_directory, *further, _clients))
    failed = [check for check in checks if not check.ok and check.severity == "error"]
    warned = sum(not check.ok for check in checks) - len(failed)
    verdict = f"{plural(len(failed), 'check')} failed." if failed else "Everything works."
    verdict += f" {plural(warned, 'warning')}." if warned else ""
    style = Style.of(sys.stdout)
    lines = [*_check_lines(checks, style), "", style.red(verdict) if failed else verdict]
    result: dict[str, object] = {"healthy": not failed, "checks": [_row(check) for check in checks]}
    if logs:
        more, report = _report(assembly, style)
        lines = [_without_home(line) for line in lines + report]
        result = {**result, "checks": _clean(result["checks"]), **more}
    return Reply(
        result=result,
        text="\n".join(lines),
        status="error" if failed else "ok",
        message=verdict,
        warnings=assembly.warnings,
    )


def _assemble(invocation: Invocation) -> tuple[Assembly, tuple[DoctorCheck, ...]]:
    """Return the context. An invalid configuration is a finding; the other checks run with the defaults."""
    try:
        assembly = assemble(invocation)
    except CodePlaneError as error:
        if error.code not in (ErrorCode.CONFIG_INVALID, ErrorCode.CONFIG_UNKNOWN_KEY):
            raise
        assembly = assemble_at(find_root(invocation.start), Config(), os.environ)
        remedy = error.remedy or f"Expected {error.expected}, for example {error.example}."
        return assembly, (DoctorCheck("configuration", False, "error", error.message, remedy),)
    return assembly, (DoctorCheck("configuration", True, "info", "all settings are valid", ""),)


def _runtime_directory(context: Context) -> Iterable[DoctorCheck]:
    """Check the directory of sockets. A server creates it; this check does not."""
    base = runtime_base(os.environ.get("XDG_RUNTIME_DIR"))
    if os.path.lexists(base / repository_id(context.root)):
        # Raises an error if others can use it.
        RuntimeDirectory.open(base, context.root).close()
    elif os.path.lexists(base):
        found = os.lstat(base)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            message = f"{base} is not a directory that only you can use"
            yield DoctorCheck(
                "runtime directory", False, "error", message, "Remove it; the next server creates it again."
            )
            return
    yield DoctorCheck("runtime directory", True, "info", str(base))


def _clients(context: Context) -> Iterable[DoctorCheck]:
    """Check the clients on this machine, and that at least one is configured."""
    findings = [finding for finding in clients_doctor(os.environ, context.root) if finding.state != NOT_INSTALLED]
    if not findings:
        remedy = "Configure one by name, 'cpl install CLIENT', or by hand: cpl install --print-config"
        yield DoctorCheck("clients", False, "warning", "no MCP client was found on this machine", remedy)
    elif all(finding.state == NOT_CONFIGURED for finding in findings):
        yield DoctorCheck(
            "clients", False, "warning", "no MCP client is configured to use CodePlane", "Run 'cpl install'."
        )
    for finding in findings:
        yield DoctorCheck(f"client {finding.client}", finding.ok, finding.severity, finding.message, finding.remedy)


def _report(assembly: Assembly, style: Style) -> tuple[dict[str, object], list[str]]:
    config, log = assembly.context.config, read_tail(assembly.context.root, REPORT_LINES)
    versions = {"codeplane": __version__, "python": platform.python_version(), "platform": platform.platform()}
    versions |= _libraries()
    log = [_without_home(line) for line in log]
    lines = ["", style.bold("Versions"), *facts(versions.items(), style)]
    lines += ["", style.bold("Settings"), *config_lines(config)]
    lines += ["", style.bold("Warnings")]
    lines += [part for line in assembly.warnings or ["none"] for part in wrapped(line, "    ", "  ")]
    lines += ["", style.bold("Log")]
    lines += [part for line in log or ["the log is empty"] for part in wrapped(line, "    ", "  ")]
    return {"versions": versions, "config": _clean(config_rows(config)), "log": log}, lines


def _libraries() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _row(check: DoctorCheck) -> dict[str, object]:
    row = record(check)
    return {name: value for name, value in row.items() if name not in ("remedy", "about") or value}


def _check_lines(checks: Sequence[DoctorCheck], style: Style) -> list[str]:
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        if check.ok:
            mark = style.green("ok  ")
        else:
            mark = style.red("fail") if check.severity == "error" else style.yellow("warn")
        indent = " " * (width + 8)
        first, *rest = wrapped(check.message, indent)
        lines += [f"{mark}  {display(check.name).ljust(width)}  {first[len(indent) :]}", *rest]
        for item in check.about:
            lines += wrapped(item, indent + "  ", indent + "- ")
        if not check.ok and check.remedy:
            first, *rest = wrapped(check.remedy, indent + "     ", indent + "fix: ")
            lines += [first.replace("fix:", style.dim("fix:"), 1), *rest]
    return lines


def _clean(value: object) -> object:
    if isinstance(value, dict):
        return {name: _clean(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return _without_home(value) if isinstance(value, str) else value


def _without_home(text: str) -> str:
    home = str(Path("~").expanduser())
    return text.replace(home + "/", "~/") if len(home) > 1 else text


_SECONDS = 10.0


def handshake(invocation: Invocation) -> CheckGroup:
    def check(context: Context) -> Iterable[DoctorCheck]:
        command = own_command(context.root, invocation, "mcp", "--no-engine")
        started = time.monotonic()
        answers = exchange(command, _requests(), lines=2, seconds=_SECONDS)
        took = round((time.monotonic() - started) * 1000)
        tools = _tools(answers)
        message = f"'cpl mcp' listed {tools} tools after {took} ms" if tools else "'cpl mcp' does not answer"
        yield DoctorCheck(
            "transport", tools > 0, "error", message, "Run 'cpl mcp' in a terminal and read its messages."
        )

    return check


def _requests() -> bytes:
    client = {"name": "cpl doctor", "version": "0"}
    params = {"protocolVersion": HANDSHAKE_VERSIONS[-1], "capabilities": {}, "clientInfo": client}
    messages: list[dict[str, object]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def _tools(answers: list[bytes]) -> int:
    for line in answers:
        try:
            found = json.loads(line)
            if found.get("id") == 2:
                return len(found["result"]["tools"])
        except (ValueError, KeyError, TypeError, AttributeError):
            return 0
    return 0
