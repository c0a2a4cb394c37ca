"""Plan of an installation: the exact bytes that each configuration file will hold. Reads files, changes none.

A file that cannot be parsed is refused by itself; the others are planned.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.cli.clients import json_edit, toml_edit
from codeplane.cli.clients.files import ConfigFile, read_source
from codeplane.cli.clients.model import (
    NAME,
    Client,
    ConfigScope,
    Endpoint,
    Entry,
    Form,
    Launch,
    Machine,
    is_our_http,
    is_ours,
)
from codeplane.cli.clients.syntax import SyntaxProblem, Unchangeable

BOM = "\ufeff"
ADD, UPDATE, REPLACE, REMOVE = "add", "update", "replace", "remove"
SAME, ABSENT, FOREIGN, REFUSED = "same", "absent", "foreign", "refused"
CHANGES = frozenset({ADD, UPDATE, REPLACE, REMOVE})


@dataclass(frozen=True)
class Step:
    """The change to one file."""

    client: Client
    scope: ConfigScope
    path: Path
    action: str
    source: ConfigFile | None = None
    after: bytes = b""
    existing: object = None
    """Our entry in the file, or another entry of its name."""
    made: int = 0
    """Number of objects around the entry that the change creates."""
    problem: CodePlaneError | None = None

    @property
    def changes(self) -> bool:
        return self.action in CHANGES


def plan_install(client: Client, machine: Machine, scope: ConfigScope, root: Path | None, launch: Launch) -> list[Step]:
    entry = client.entry(launch, scope)
    return [_install(client, scope, path, root, entry) for path in client.files(machine, scope, root)]


def plan_uninstall(
    client: Client, machine: Machine, scope: ConfigScope, root: Path | None, made: Mapping[str, int]
) -> list[Step]:
    return [_uninstall(client, scope, path, root, made) for path in client.files(machine, scope, root)]


def look_up(client: Client, text: str) -> tuple[tuple[str, ...], object]:
    """Return the key path under which our entry is or belongs, and its current value."""
    document = json_edit.read(text) if client.form is Form.JSON else toml_edit.read(text)
    chosen = client.ways[0]
    for way in client.ways:
        servers = _at(document, way)
        if isinstance(servers, dict) and NAME in servers:
            return way, servers[NAME]
        # A server may have the name of a later key; a list of servers contains only servers.
        if isinstance(servers, dict) and all(isinstance(server, dict) for server in servers.values()):
            chosen = way
    return chosen, None


def read_text(source: ConfigFile) -> tuple[str, str]:
    """Return the byte order mark, if there is one, and the text after it."""
    text = (source.data or b"").decode("utf-8")
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def snippet(client: Client, launch: Launch, scope: ConfigScope) -> str:
    """Return the configuration to add by hand."""
    entry = client.entry(launch, scope)
    if client.form is Form.TOML:
        return toml_edit.set_table("", client.ways[0], NAME, entry).rstrip("\n")
    return json_edit.set_member("", client.ways[0], NAME, dict(entry))[0].rstrip("\n")


def http_snippet(client: Client, endpoint: Endpoint) -> str:
    """Return the configuration of an HTTP server to add by hand."""
    entry = client.http_entry(endpoint)
    if client.form is Form.TOML:
        return toml_edit.set_table("", client.ways[0], NAME, entry).rstrip("\n")
    servers: object = {NAME: entry}
    for key in reversed(client.ways[0]):
        servers = {key: servers}
    assert isinstance(servers, dict)
    return json.dumps({**servers, **client.http_extra}, indent=2)


def _install(client: Client, scope: ConfigScope, path: Path, root: Path | None, entry: Entry) -> Step:
    source = None
    try:
        source = read_source(path, root if scope is ConfigScope.PROJECT else None)
        mark, text = read_text(source)
        way, existing = look_up(client, text)
        ours = is_ours(existing)
        if ours and isinstance(existing, dict) and all(existing.get(key) == value for key, value in entry.items()):
            return Step(client, scope, path, SAME, source, existing=existing)
        action = ADD if existing is None else UPDATE if ours else REPLACE
        after, made = _with_entry(client, text, way, existing if ours else None, entry)
        return Step(client, scope, path, action, source, (mark + after).encode(), existing, made)
    except (CodePlaneError, SyntaxProblem, Unchangeable, UnicodeDecodeError) as error:
        return Step(client, scope, path, REFUSED, source, problem=_problem(client, path, error))


def _uninstall(client: Client, scope: ConfigScope, path: Path, root: Path | None, made: Mapping[str, int]) -> Step:
    source = None
    try:
        source = read_source(path, root if scope is ConfigScope.PROJECT else None)
        mark, text = read_text(source)
        way, existing = look_up(client, text)
        if not is_ours(existing) and not is_our_http(existing):
            return Step(client, scope, path, ABSENT if existing is None else FOREIGN, source, existing=existing)
        if client.form is Form.TOML:
            after = toml_edit.remove_table(text, way, NAME)
        else:
            after = json_edit.remove_member(text, way, NAME, made.get(str(source.target), 0))
        return Step(client, scope, path, REMOVE, source, (mark + after).encode(), existing)
    except (CodePlaneError, SyntaxProblem, Unchangeable, UnicodeDecodeError) as error:
        return Step(client, scope, path, REFUSED, source, problem=_problem(client, path, error))


def _with_entry(client: Client, text: str, way: tuple[str, ...], ours: object, entry: Entry) -> tuple[str, int]:
    """Keep what a person added to our entry; replace another entry of our name."""
    if client.form is Form.TOML:
        edit = toml_edit.replace_table if ours is None else toml_edit.set_table
        return edit(text, way, NAME, entry), 0
    if not isinstance(ours, dict):
        return json_edit.set_member(text, way, NAME, dict(entry))
    for key, value in entry.items():
        if ours.get(key) != value:
            text, _ = json_edit.set_member(text, (*way, NAME), key, value)
    return text, 0


def _at(document: object, way: tuple[str, ...]) -> object:
    for key in way:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _problem(client: Client, path: Path, error: Exception) -> CodePlaneError:
    if isinstance(error, CodePlaneError):
        return error
    by_hand = f"The file was not changed. Fix it, or add the entry by hand: cpl install {client.name} --print-config"
    if isinstance(error, SyntaxProblem):
        return CodePlaneError(
            ErrorCode.CONFIG_INVALID,
            f"cannot parse {display(str(path))}: {error}",
            details={"line": error.line, "column": error.column},
            expected="TOML" if client.form is Form.TOML else "JSON, with or without comments",
            remedy=by_hand,
        )
    if isinstance(error, UnicodeDecodeError):
        data = error.object[: error.start]
        line, column = data.count(b"\n") + 1, error.start - data.rfind(b"\n")
        return CodePlaneError(
            ErrorCode.CONFIG_INVALID,
            f"{display(str(path))} is not UTF-8: line {line}, column {column}",
            details={"line": line, "column": column},
            remedy=by_hand,
        )
    return CodePlaneError(
        ErrorCode.CONFIG_INVALID,
        f"cannot change the entry in {display(str(path))} without touching other text",
        remedy=by_hand,
    )
