"""`cpl install` and `cpl uninstall`: add CodePlane to the configuration of MCP clients, and remove it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.text_lines import plural
from codeplane.cli.answer import FAILED, Reply, answer, write_warnings
from codeplane.cli.assemble import Invocation, find_root, load_config, start_logging
from codeplane.cli.clients.apply import apply_step, read_made
from codeplane.cli.clients.catalog import CLIENTS, NAMES, get_client
from codeplane.cli.clients.files import BACKUP
from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Launch, Machine, launch
from codeplane.cli.clients.plan import (
    REFUSED,
    Step,
    http_snippet,
    plan_install,
    plan_uninstall,
    snippet,
)
from codeplane.cli.clients.report import command_line, diff_lines, problem_lines, short_path, step_lines, step_record
from codeplane.cli.options import json_option, read_only_option, toolsets_option, yes_option
from codeplane.cli.terminal import Style, facts
from codeplane.config import Config
from codeplane.config.model import TOOLSETS

_PORT = 8741
"""Port in the printed configuration of HTTP clients while no server runs and no port is configured."""


@dataclass(frozen=True)
class InstallOptions:
    names: tuple[str, ...]
    where: str
    dry_run: bool = False
    yes: bool = False
    print_config: bool = False
    http: bool = False
    toolsets: str | None = None
    read_only: bool = False

    @property
    def scope(self) -> ConfigScope:
        return ConfigScope(self.where)


scope_option = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="Write your own configuration, or the one shared in the repository.",
)


@click.command()
@click.argument("clients", metavar="[CLIENT]...", nargs=-1)
@scope_option
@toolsets_option
@read_only_option
@click.option("--print-config", is_flag=True, help="Print the entry for each client; change nothing.")
@click.option("--http", is_flag=True, help="With --print-config: entries for the HTTP server of 'cpl up'.")
@click.option("--dry-run", is_flag=True, help="Show the changes; make none.")
@yes_option
@json_option
@click.pass_context
def install(
    context: click.Context,
    clients: tuple[str, ...],
    scope: str,
    toolsets: str | None,
    read_only: bool,
    print_config: bool,
    http: bool,
    dry_run: bool,
    yes: bool,
    json: bool,
) -> None:
    """Add CodePlane to MCP clients: the named ones, or all that are installed.

    CLIENT is claude-code, cursor, vscode, codex, zed, windsurf, gemini or opencode. Only the entry of CodePlane is
    changed; the previous file is kept next to the new one until 'cpl uninstall'.
    """
    options = InstallOptions(clients, scope, dry_run, yes, print_config, http, toolsets, read_only)
    context.exit(answer("install", lambda: _install(context.obj, options), json=json))


@click.command()
@click.argument("clients", metavar="[CLIENT]...", nargs=-1)
@scope_option
@click.option("--dry-run", is_flag=True, help="Show the changes; make none.")
@yes_option
@json_option
@click.pass_context
def uninstall(
    context: click.Context, clients: tuple[str, ...], scope: str, dry_run: bool, yes: bool, json: bool
) -> None:
    """Remove CodePlane from MCP clients: the named ones, or all that have it."""
    context.exit(
        answer("uninstall", lambda: _uninstall(context.obj, InstallOptions(clients, scope, dry_run, yes)), json=json)
    )


def _install(invocation: Invocation, options: InstallOptions) -> Reply:
    if options.http:
        return _http_snippets(invocation, options)
    machine, root = _begin(invocation, options)
    pinned = find_root(invocation.start, any_directory=True) if invocation.start and not root else None
    start = launch(machine, sys.argv[0], repo=pinned, toolsets=_toolsets(options.toolsets), read_only=options.read_only)
    clients = _chosen(options, machine, root)
    if options.print_config:
        return _snippets(clients or CLIENTS, options.scope, machine, root, start)
    if not clients:
        return _nobody()
    steps = [step for client in clients for step in plan_install(client, machine, options.scope, root, start)]
    return _carry_out(steps, options, machine, _cautions(steps, options, start, pinned), start)


def _uninstall(invocation: Invocation, options: InstallOptions) -> Reply:
    machine, root = _begin(invocation, options)
    clients = _supported(tuple(map(get_client, options.names)), options, machine, root) if options.names else CLIENTS
    made = read_made(machine)
    steps = [step for client in clients for step in plan_uninstall(client, machine, options.scope, root, made)]
    if not options.names:
        steps = [step for step in steps if step.changes]
    if not steps:
        text = "No client has CodePlane in its configuration."
        return Reply(result={"clients": []}, text=text, message=text)
    return _carry_out(steps, options, machine, _links(steps), None)


def _begin(invocation: Invocation, options: InstallOptions) -> tuple[Machine, Path | None]:
    root = find_root(invocation.start) if options.scope is ConfigScope.PROJECT else None
    start_logging(root, load_config(root, invocation, os.environ))
    return Machine.of(os.environ), root


def _http_snippets(invocation: Invocation, options: InstallOptions) -> Reply:
    """Configuration of clients that connect to `cpl up`. It names the variable that holds the token, not the token."""
    if not options.print_config:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "--http works only with --print-config",
            expected="--print-config --http",
            example="cpl install --print-config --http",
        )
    root = find_root(invocation.start, any_directory=True)
    config = load_config(root, invocation, os.environ)
    start_logging(root, config)
    machine = Machine.of(os.environ)
    endpoint = Endpoint(f"http://127.0.0.1:{_http_port(root, config)}/mcp")
    chosen = tuple(dict.fromkeys(map(get_client, options.names))) or CLIENTS
    place = f" -C {shlex.quote(str(root))}" if invocation.start else ""
    style = Style.of(sys.stdout)
    start = f"cpl{place} up --port {urlsplit(endpoint.url).port} --keep-token"
    export = f"export {endpoint.variable}=$(cpl{place} token)"
    blocks = ["\n".join(facts((("start the server", start), ("set the token", export)), style, indent=""))]
    records = []
    for client in chosen:
        paths = client.files(machine, options.scope, root)
        if not paths:
            continue
        text = http_snippet(client, endpoint)
        note = f"\n{style.dim(client.http_note)}" if client.http_note else ""
        places = ", ".join(short_path(path, machine) for path in paths)
        blocks.append(f"{style.bold(client.title)}  {style.dim(places)}\n{text}{note}")
        records.append(
            {"client": client.name, "paths": list(map(str, paths)), "snippet": text, "note": client.http_note}
        )
    result = {"url": endpoint.url, "token_variable": endpoint.variable, "start": start, "clients": records}
    return Reply(result, "\n\n".join(blocks))


def _http_port(root: Path, config: Config) -> int:
    """Port of the server that runs, or of the configuration."""
    from codeplane.cli.commands.up import running_http
    from codeplane.cli.connect import open_runtime

    with open_runtime(root) as runtime:
        running = running_http(runtime)
    return running.port if running is not None else config.server.port or _PORT


def _toolsets(given: str | None) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in (given or "").split(",") if name.strip())
    unknown = [name for name in names if name not in TOOLSETS]
    if unknown or (given is not None and not names):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"no toolset '{unknown[0] if unknown else ''}'",
            expected=f"{', '.join(TOOLSETS)}; several are separated by commas",
            received=given,
            example="cpl install --toolsets core,files",
        )
    return names


def _chosen(options: InstallOptions, machine: Machine, root: Path | None) -> tuple[Client, ...]:
    """The clients that were named, or those that are installed."""
    if options.names:
        named = tuple(dict.fromkeys(map(get_client, options.names)))
        return named if options.print_config else _supported(named, options, machine, root)
    return tuple(
        client
        for client in CLIENTS
        if (files := client.files(machine, options.scope, root))
        and (client.is_present(machine) or any(path.exists() for path in files))
    )


def _supported(
    clients: tuple[Client, ...], options: InstallOptions, machine: Machine, root: Path | None
) -> tuple[Client, ...]:
    for client in clients:
        if not client.files(machine, options.scope, root):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{client.title} has no project configuration",
                expected="--scope user",
                received=f"--scope {options.scope.value}",
                example=f"cpl install {client.name} --scope user",
            )
    return clients


def _carry_out(
    steps: list[Step], options: InstallOptions, machine: Machine, cautions: list[str], start: Launch | None
) -> Reply:
    if len(steps) == 1 and steps[0].problem:
        raise steps[0].problem
    style = Style.of(sys.stdout)
    refused = [step for step in steps if step.action == REFUSED]
    todo = [step for step in steps if step.changes]
    if options.dry_run:
        blocks = [
            step_lines(steps, machine, style),
            *(diff_lines(step, machine, style) for step in todo),
            problem_lines(refused),
        ]
        text = "\n\n".join("\n".join(block) for block in blocks if block)
        result = {"clients": [step_record(step, diff=True) for step in steps], "dry_run": True}
        status = "error" if refused else "ok"
        return Reply(result, text, status, message="Nothing was changed.", warnings=cautions)
    if todo and not options.yes:
        if not _agreed(steps, machine, cautions, start):
            text = "Nothing was changed."
            records = [step_record(step) for step in steps]
            return Reply({"clients": records}, text, status="needs_decision", message=text)
        cautions = []
    finished, backups = _apply(steps, machine)
    return _report(finished, backups, machine, cautions)


def _apply(steps: list[Step], machine: Machine) -> tuple[list[Step], dict[Path, Path]]:
    """Apply the steps; return them with their outcomes, and the backups by path."""
    backups: dict[Path, Path] = {}
    finished: list[Step] = []
    for step in steps:
        try:
            if step.changes and (backup := apply_step(step, machine)):
                backups[step.path] = backup
            finished.append(step)
        except CodePlaneError as error:
            if len(steps) == 1:
                raise
            finished.append(replace(step, action=REFUSED, problem=error))
    return finished, backups


def _report(finished: list[Step], backups: dict[Path, Path], machine: Machine, cautions: list[str]) -> Reply:
    style = Style.of(sys.stdout)
    refused = [step for step in finished if step.action == REFUSED]
    lines = step_lines(finished, machine, style, done=True)
    if any(step.changes for step in finished):
        lines += ["", "Restart the clients for this to take effect."]
    kept = list(backups.values())
    if len(kept) == 1:
        lines.append(f"Backup of the previous file: {short_path(kept[0], machine)}")
    elif kept:
        lines.append(f"Backups of the previous files are next to them, named FILE{BACKUP}.")
    if refused:
        lines += ["", *problem_lines(refused)]
    changed = sum(step.changes for step in finished)
    return Reply(
        result={"clients": [step_record(step, backup=backups.get(step.path)) for step in finished]},
        text="\n".join(lines),
        status="error" if refused else "ok",
        message=f"Changed {plural(changed, 'file')}." if changed else "No changes needed.",
        warnings=cautions,
    )


def _snippets(
    clients: Sequence[Client], scope: ConfigScope, machine: Machine, root: Path | None, start: Launch
) -> Reply:
    style = Style.of(sys.stdout)
    blocks, records = [], []
    for client in clients:
        paths = client.files(machine, scope, root)
        if paths:
            text = snippet(client, start, scope)
            places = ", ".join(short_path(path, machine) for path in paths)
            blocks.append(f"{style.bold(client.title)}  {style.dim(places)}\n{text}")
            records.append({"client": client.name, "paths": list(map(str, paths)), "snippet": text})
    return Reply(result={"clients": records}, text="\n\n".join(blocks))


def _nobody() -> Reply:
    text = "No MCP client was found on this machine. Name one to configure it anyway:"
    shown = f"{text}\n  cpl install {'|'.join(NAMES)}"
    return Reply({"clients": [], "known": list(NAMES)}, shown, status="not_found", message=text, exit_code=FAILED)


def _cautions(steps: Iterable[Step], options: InstallOptions, start: Launch, pinned: Path | None) -> list[str]:
    steps = list(steps)
    cautions = _links(steps)
    if options.scope is ConfigScope.PROJECT and Path(start.command).is_absolute():
        cautions.append(
            f"{start.command} does not exist on other machines; if 'cpl' is on the PATH, only its name is written"
        )
    lost = [step.client.title for step in steps if step.changes and not step.client.starts_in_project]
    if options.scope is ConfigScope.USER and not pinned and lost:
        cautions.append(
            f"{' and '.join(dict.fromkeys(lost))} may start CodePlane outside the project; "
            "'cpl -C PATH install' sets the repository"
        )
    return cautions


def _links(steps: Iterable[Step]) -> list[str]:
    sources = [step.source for step in steps if step.changes and step.source and step.source.linked]
    return [f"{source.path} is a symbolic link; its target is changed: {source.target}" for source in sources]


def _agreed(steps: list[Step], machine: Machine, cautions: list[str], start: Launch | None) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "this changes the configuration of other programs and needs a confirmation",
            expected="a terminal, --yes or --dry-run",
            example="cpl install --yes" if start else "cpl uninstall --yes",
        )
    style = Style.of(sys.stderr)
    print("\n".join(step_lines(steps, machine, style)), file=sys.stderr)
    write_warnings(cautions)
    if start:
        print(f"\nThe clients will start: {style.bold(command_line(start))}", file=sys.stderr)
    count = plural(sum(step.changes for step in steps), "file")
    print(f"Change {count}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
