"""`cpl status`: state of the server and of the index; with `--follow` also new log lines.

With `--follow --json` the envelope comes first, then one JSON object per log line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING

import click

from codeplane.base.paths import display
from codeplane.base.text_lines import plural, table
from codeplane.cli.answer import INTERRUPTED, OK, Reply, answer
from codeplane.cli.assemble import Invocation, assemble, find_root
from codeplane.cli.options import json_option
from codeplane.cli.plain import record
from codeplane.cli.settings import config_lines, config_rows
from codeplane.cli.terminal import Style, columns, duration, facts, fit, number, size, wrapped
from codeplane.config import Config
from codeplane.telemetry import read_tail
from codeplane.telemetry.follow import Follower

if TYPE_CHECKING:
    from codeplane.operations.status import Status

STATUS_LINES = 50
ERROR_LINES = 2000
"""Log lines that are searched for the last error."""

AskServer = Callable[[Path], Mapping[str, object] | None]
"""Returns the state of the server of a repository; None if none is running."""

_SECRET = ("token",)

_STATES = {
    "ready": ("ok", "ready", ""),
    "absent": ("not_indexed", "not indexed", "cpl init"),
    "building": ("not_ready", "incomplete", "cpl init"),
    "requires_reindex": ("requires_reindex", "built by an incompatible version; needs a rebuild", "cpl init"),
    "corrupt": ("error", "corrupt; needs a rebuild", "cpl init"),
    "newer": ("blocked", "built by a newer version of CodePlane", "upgrade CodePlane, or cpl clear"),
}


@click.command()
@json_option
@click.option("-v", "--verbose", is_flag=True, help="Also show settings, skipped files and recent log lines.")
@click.option("-f", "--follow", is_flag=True, help="Keep printing log lines until Ctrl-C (exit code 130).")
@click.pass_context
def status(context: click.Context, json: bool, verbose: bool, follow: bool) -> None:
    """Show the state of the index and of the server."""
    from codeplane.cli.connect import server_state

    context.exit(show_status(context.obj, verbose=verbose, follow=follow, json=json, ask_server=server_state))


def show_status(
    invocation: Invocation, *, verbose: bool, json: bool, follow: bool = False, ask_server: AskServer | None = None
) -> int:
    if not follow:
        return answer("status", lambda: _status(invocation, verbose, ask_server), json=json)
    opened: list[Follower] = []

    def look() -> Reply:
        # Open the follower first, so that no line between the shown and the followed part is lost.
        follower = Follower(find_root(invocation.start))
        reply = _status(invocation, verbose, ask_server, log=True)
        opened.append(follower)
        return reply

    reader = _reader()
    code = answer("status", look, json=json)
    # If the reader of the pipe is gone, stdout is now /dev/null, and following would never end.
    return _follow(opened[0], json=json) if opened and _reader() == reader else code


def _reader() -> tuple[int, int] | None:
    try:
        found = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _follow(follower: Follower, *, json: bool) -> int:
    style = Style.of(sys.stdout)
    try:
        for line in follower.lines():
            print(line if json else "\n".join(_log_lines(line, style)), flush=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe has closed it. Python would report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return OK


def _status(invocation: Invocation, verbose: bool, ask_server: AskServer | None, *, log: bool = False) -> Reply:
    from codeplane.operations.status import status as look

    assembly = assemble(invocation)
    found = look(assembly.context)
    server = ask_server(found.root) if ask_server is not None else None
    state, words, remedy = _STATES[found.state]
    if found.moved and found.state == "ready":
        words = "ready; git HEAD has moved, the next query updates the index"
    elif found.set_aside and found.state == "ready":
        words = f"ready; {plural(len(found.set_aside), 'file')} could not be parsed yet"
    style = Style.of(sys.stdout)
    log_lines = read_tail(found.root, ERROR_LINES)
    last_error = _last_error(log_lines)
    shown = log_lines[-STATUS_LINES:]
    lines = [f"{style.bold(display(str(found.root)))}  {_state_word(words, state, style)}", ""]
    lines += facts([*_server_rows(server), *_overview(found), ("last error", _error_words(last_error))], style)
    result = record(found) | {"server": _server_record(server), "trust": assembly.context.config.trust.value}
    result |= {"last_error": last_error} if last_error else {}
    if verbose:
        lines += [*_memory_lines(server, style), "", *_details(found, assembly.context.config, style)]
        result |= {"config": config_rows(assembly.context.config)}
    if verbose or log:
        lines += ["", style.bold("Log"), *(part for line in shown for part in _log_lines(line, style))]
        lines += [] if shown else ["  the log is empty"]
        result |= {"log": shown}
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


def _server_record(server: Mapping[str, object] | None) -> dict[str, object]:
    return {"running": server is not None} | {
        name: value for name, value in (server or {}).items() if name not in _SECRET
    }


def _server_rows(server: Mapping[str, object] | None) -> list[tuple[str, str]]:
    """Return the server in one or two rows. Values from another process are escaped."""
    if server is None:
        return [("server", "not running")]
    words = [f"running, process {_word(server.get('pid'))}"]
    transport, port = server.get("transport"), server.get("port")
    if transport:
        words.append(_word(transport) if not isinstance(transport, list | tuple) else ", ".join(map(_word, transport)))
    if port:
        words.append(f"port {_word(port)}")
    uptime, clients = server.get("uptime_s"), server.get("clients")
    if isinstance(clients, int):
        words.append(plural(clients, "client"))
    if isinstance(uptime, int | float):
        words.append(f"for {duration(uptime)}")
    return [("server", ", ".join(words)), ("version", _word(server.get("version")))]


def _memory_lines(server: Mapping[str, object] | None, style: Style) -> list[str]:
    """Return the memory of the server and the size of each of its caches."""
    memory = (server or {}).get("memory")
    if not isinstance(memory, Mapping):
        return []
    rows = [
        (str(name).removesuffix("_bytes").replace("_", " "), size(value) if name.endswith("_bytes") else number(value))
        for name, value in memory.items()
        if isinstance(name, str) and isinstance(value, int)
    ]
    return ["", style.bold("Memory"), *facts(rows, style)]


def _word(value: object) -> str:
    return fit(str(value), 60) if value is not None else ""


def _overview(found: Status) -> list[tuple[str, str]]:
    share = f" of at most {size(found.cap_bytes)}" if found.cap_bytes else ""
    rows = [("overlay", found.overlay)]
    if found.epoch:
        rows = [
            ("files", f"{number(found.files)}  ({size(found.source_bytes)})"),
            ("definitions", number(found.definitions)),
            ("references", number(found.references)),
            ("index", f"{size(found.index_bytes)}{share}, epoch {found.epoch}, version {found.index_version}"),
            ("repository", (found.repo_uuid or "")[:12]),
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
    return rows


def _last_error(log_lines: list[str]) -> dict[str, object] | None:
    for line in reversed(log_lines):
        if '"level":"error"' in line:
            fields = _fields(line)
            if fields is not None and fields.get("level") == "error":
                return fields
    return None


def _error_words(fields: Mapping[str, object] | None) -> str:
    if fields is None:
        return ""
    about = " ".join(f"{name}={fields[name]}" for name in ("command", "error", "exception") if name in fields)
    return fit(f"{_clock(fields, '%Y-%m-%d %H:%M:%S')}  {fields.get('event', '')}  {about}", columns() - 16)


def _fields(line: str) -> dict[str, object] | None:
    try:
        fields = loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _log_lines(line: str, style: Style) -> list[str]:
    """Format one log line for a person, wrapped; a line in another format is only escaped."""
    fields = _fields(line)
    if fields is None or "event" not in fields:
        return wrapped(line, "    ", "  ")
    level = display(str(fields.get("level", "")))
    paint = {"error": style.red, "warn": style.yellow}.get(level, style.dim)
    rest = " ".join(f"{name}={value}" for name, value in fields.items() if name not in ("ts", "level", "event"))
    head = f"  {_clock(fields, '%m-%d %H:%M:%S')} {level.ljust(5)} "
    event = str(fields["event"])
    first, *more = wrapped(f"{event}  {rest}" if rest else event, " " * len(head), head)
    return [style.dim(head[:-7]) + " " + paint(head[-6:-1]) + first[len(head) - 1 :], *more]


def _clock(fields: Mapping[str, object], form: str) -> str:
    try:
        return datetime.fromisoformat(str(fields.get("ts"))).astimezone().strftime(form)
    except (ValueError, OverflowError, OSError):
        return ""


def _details(found: Status, config: Config, style: Style) -> list[str]:
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
    lines += ["", style.bold("Settings"), *config_lines(config)]
    return lines


def _when(seconds: float | None) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S") if seconds else ""
