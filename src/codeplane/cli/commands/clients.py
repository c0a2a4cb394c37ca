"""`cpl install` and `cpl uninstall`: CodePlane in the configuration of MCP clients, and out of it again."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.cli.answer import FAILED, Reply, answer, write_warnings
from codeplane.cli.assemble import Invocation, find_root, load_config, start_logging
from codeplane.cli.clients.apply import apply_step, read_made
from codeplane.cli.clients.catalog import CLIENTS, NAMES, get_client
from codeplane.cli.clients.files import BACKUP
from codeplane.cli.clients.model import Client, Launch, Machine, Scope, launch, launched
from codeplane.cli.clients.plan import FOREIGN, REFUSED, REPLACE, Step, plan_install, plan_uninstall, read_text, snippet
from codeplane.cli.errors import error_text
from codeplane.cli.terminal import Style, fit, plural
from codeplane.config.keys import TOOLSETS

_LINE = 200
"""A file may be one line as long as itself, with things in it that are nobody's business."""
_DONE = {"add": "added", "update": "updated", "replace": "replaced", "remove": "removed", "same": "already there"}
_STILL = {"absent": "not there", "foreign": "not ours, left alone", "refused": "not changed"}


@dataclass(frozen=True)
class Wish:
    """The options of a call."""

    names: tuple[str, ...]
    where: str
    dry_run: bool = False
    yes: bool = False
    print_config: bool = False
    toolsets: str | None = None
    read_only: bool = False

    @property
    def scope(self) -> Scope:
        return Scope(self.where)


def install(invocation: Invocation, wish: Wish, *, json: bool) -> int:
    return answer("install", lambda: _install(invocation, wish), json=json)


def uninstall(invocation: Invocation, wish: Wish, *, json: bool) -> int:
    return answer("uninstall", lambda: _uninstall(invocation, wish), json=json)


def _install(invocation: Invocation, wish: Wish) -> Reply:
    machine, root = _begin(invocation, wish)
    pinned = find_root(invocation.start, any_directory=True) if invocation.start and not root else None
    start = launch(machine, sys.argv[0], repo=pinned, toolsets=_toolsets(wish.toolsets), read_only=wish.read_only)
    clients = _chosen(wish, machine, root)
    if wish.print_config:
        return _snippets(clients or CLIENTS, wish.scope, machine, root, start)
    if not clients:
        return _nobody()
    steps = [step for client in clients for step in plan_install(client, machine, wish.scope, root, start)]
    return _carry_out(steps, wish, machine, _cautions(steps, wish, start, pinned), start)


def _uninstall(invocation: Invocation, wish: Wish) -> Reply:
    machine, root = _begin(invocation, wish)
    clients = _supported(tuple(map(get_client, wish.names)), wish, machine, root) if wish.names else CLIENTS
    made = read_made(machine)
    steps = [step for client in clients for step in plan_uninstall(client, machine, wish.scope, root, made)]
    if not wish.names:
        steps = [step for step in steps if step.changes]
    if not steps:
        text = "No client has CodePlane in its configuration."
        return Reply(result={"clients": []}, text=text, message=text)
    return _carry_out(steps, wish, machine, _links(steps), None)


def _begin(invocation: Invocation, wish: Wish) -> tuple[Machine, Path | None]:
    root = find_root(invocation.start) if wish.scope is Scope.PROJECT else None
    start_logging(root, load_config(root, invocation, os.environ))
    return Machine.of(os.environ), root


def _toolsets(given: str | None) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in (given or "").split(",") if name.strip())
    unknown = [name for name in names if name not in TOOLSETS]
    if unknown or (given is not None and not names):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"there is no toolset '{unknown[0] if unknown else ''}'",
            expected=f"some of {', '.join(TOOLSETS)}, separated by commas",
            received=given,
            example="cpl install --toolsets core,files",
        )
    return names


def _chosen(wish: Wish, machine: Machine, root: Path | None) -> tuple[Client, ...]:
    """Those that were named, or those that are there."""
    if wish.names:
        named = tuple(dict.fromkeys(map(get_client, wish.names)))
        return named if wish.print_config else _supported(named, wish, machine, root)
    return tuple(
        client
        for client in CLIENTS
        if (files := client.files(machine, wish.scope, root))
        and (client.is_present(machine) or any(path.exists() for path in files))
    )


def _supported(clients: tuple[Client, ...], wish: Wish, machine: Machine, root: Path | None) -> tuple[Client, ...]:
    for client in clients:
        if not client.files(machine, wish.scope, root):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{client.title} has no configuration of a project",
                expected="--scope user",
                received=f"--scope {wish.scope.value}",
                example=f"cpl install {client.name} --scope user",
            )
    return clients


def _carry_out(steps: list[Step], wish: Wish, machine: Machine, cautions: list[str], start: Launch | None) -> Reply:
    if len(steps) == 1 and steps[0].problem:
        raise steps[0].problem
    style = Style.of(sys.stdout)
    refused = [step for step in steps if step.action == REFUSED]
    todo = [step for step in steps if step.changes]
    if wish.dry_run:
        blocks = [_lines(steps, machine, style), *(_diff(step, machine, style) for step in todo), _problems(refused)]
        text = "\n\n".join("\n".join(block) for block in blocks if block)
        result = {"clients": [_record(step, diff=True) for step in steps], "dry_run": True}
        status = "error" if refused else "ok"
        return Reply(result, text, status, message="Nothing was changed.", warnings=cautions)
    if todo and not wish.yes:
        if not _agreed(steps, machine, cautions, start):
            text = "Nothing was changed."
            records = [_record(step) for step in steps]
            return Reply({"clients": records}, text, status="needs_decision", message=text)
        cautions = []
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
    refused = [step for step in finished if step.action == REFUSED]
    lines = _lines(finished, machine, style, done=True)
    if any(step.changes for step in finished):
        lines += ["", "Start the clients anew for this to take effect."]
    kept = list(backups.values())
    if len(kept) == 1:
        lines.append(f"The file from before is {_short(kept[0], machine)}.")
    elif kept:
        lines.append(f"The files from before are beside the new ones, as NAME{BACKUP}.")
    if refused:
        lines += ["", *_problems(refused)]
    changed = sum(step.changes for step in finished)
    return Reply(
        result={"clients": [_record(step, backup=backups.get(step.path)) for step in finished]},
        text="\n".join(lines),
        status="error" if refused else "ok",
        message=f"Changed {plural(changed, 'file')}." if changed else "Nothing had to be changed.",
        warnings=cautions,
    )


def _snippets(clients: Sequence[Client], scope: Scope, machine: Machine, root: Path | None, start: Launch) -> Reply:
    style = Style.of(sys.stdout)
    blocks, records = [], []
    for client in clients:
        paths = client.files(machine, scope, root)
        if paths:
            text = snippet(client, start, scope)
            places = ", ".join(_short(path, machine) for path in paths)
            blocks.append(f"{style.bold(client.title)}  {style.dim(places)}\n{text}")
            records.append({"client": client.name, "paths": list(map(str, paths)), "snippet": text})
    return Reply(result={"clients": records}, text="\n\n".join(blocks))


def _nobody() -> Reply:
    text = "No client was found. Name one to configure it all the same:"
    shown = f"{text}\n  cpl install {'|'.join(NAMES)}"
    return Reply({"clients": [], "known": list(NAMES)}, shown, status="not_found", message=text, exit_code=FAILED)


def _cautions(steps: Iterable[Step], wish: Wish, start: Launch, pinned: Path | None) -> list[str]:
    steps = list(steps)
    said = _links(steps)
    if wish.scope is Scope.PROJECT and Path(start.command).is_absolute():
        said.append(f"others who use this project have no {start.command}; with 'cpl' on the PATH its name is written")
    lost = [step.client.title for step in steps if step.changes and not step.client.starts_in_project]
    if wish.scope is Scope.USER and not pinned and lost:
        said.append(
            f"{' and '.join(dict.fromkeys(lost))} may start CodePlane outside of the project; "
            "'cpl --repo PATH install' names the repository"
        )
    return said


def _links(steps: Iterable[Step]) -> list[str]:
    sources = [step.source for step in steps if step.changes and step.source and step.source.linked]
    return [f"{source.path} is a link; the file that it leads to is changed: {source.target}" for source in sources]


def _agreed(steps: list[Step], machine: Machine, cautions: list[str], start: Launch | None) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "this changes the configuration of other programs, and there is nobody to ask",
            expected="a terminal, --yes or --dry-run",
            example="cpl install --yes" if start else "cpl uninstall --yes",
        )
    style = Style.of(sys.stderr)
    print("\n".join(_lines(steps, machine, style)), file=sys.stderr)
    write_warnings(cautions)
    if start:
        print(f"\nThe clients will start: {style.bold(_command_line(start))}", file=sys.stderr)
    count = plural(sum(step.changes for step in steps), "file")
    print(f"This changes {count}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _lines(steps: Sequence[Step], machine: Machine, style: Style, *, done: bool = False) -> list[str]:
    words = {step.path: (_DONE | _STILL)[step.action] if done else step.action for step in steps}
    if not done:
        words |= {step.path: (_DONE | _STILL)[step.action] for step in steps if not step.changes}
    first = max(len(word) for word in words.values())
    second = max(len(step.client.title) for step in steps)
    lines = []
    for step in steps:
        word = words[step.path].ljust(first)
        colour = style.green if step.changes else style.red if step.action == REFUSED else style.dim
        line = f"  {colour(word)}  {step.client.title.ljust(second)}  {style.dim(_short(step.path, machine))}"
        if step.action in (REPLACE, FOREIGN):
            tense = "was" if done and step.changes else "now"
            line += "  " + style.yellow(f"{tense}: {_foreign(step.existing)}")
        lines.append(line)
    return lines


def _foreign(entry: object) -> str:
    """What an entry starts, or where it connects to; never its variables or headers, which hold secrets."""
    started = launched(entry)
    if started:
        return fit(_command_line(started), 80)
    address = entry.get("url") if isinstance(entry, dict) else None
    return fit(address.partition("?")[0], 80) if isinstance(address, str) else "something else"


def _diff(step: Step, machine: Machine, style: Style) -> list[str]:
    name = _short(step.path, machine)
    lines = [style.bold(f"--- {name}"), style.bold(f"+++ {name}")]
    for line in _changes(step)[2:]:
        colour = {"+": style.green, "-": style.red, "@": style.dim}.get(line[:1], str)
        lines.append(colour(fit(line, _LINE)))
    return lines


def _changes(step: Step) -> list[str]:
    before = read_text(step.source)[1] if step.source else ""
    after = step.after.decode("utf-8").removeprefix("\ufeff")
    old, new = (text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else [] for text in (before, after))
    # Little around it: the neighbours may hold keys.
    return list(difflib.unified_diff(old, new, str(step.path), str(step.path), n=1, lineterm=""))


def _problems(refused: Sequence[Step]) -> list[str]:
    style = Style.of(sys.stdout)
    return [error_text(step.problem, style) for step in refused if step.problem]


def _record(step: Step, *, diff: bool = False, backup: Path | None = None) -> dict[str, object]:
    shown: dict[str, object] = {
        "client": step.client.name,
        "scope": step.scope.value,
        "path": str(step.path),
        "action": step.action,
    }
    if step.source and step.source.linked:
        shown["target"] = str(step.source.target)
    if step.action in (REPLACE, FOREIGN):
        shown["existing"] = _foreign(step.existing)
    if diff and step.changes:
        shown["diff"] = "\n".join(fit(line, _LINE) for line in _changes(step))
    if backup:
        shown["backup"] = str(backup)
    if step.problem:
        shown["error"] = step.problem.as_dict()
    return shown


def _command_line(start: Launch) -> str:
    return display(" ".join((start.command, *start.args)))


def _short(path: Path, machine: Machine) -> str:
    if path.is_relative_to(machine.home) and path != machine.home:
        return display(f"~/{path.relative_to(machine.home)}")
    return display(str(path))
