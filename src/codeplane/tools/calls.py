"""A call: the request of a client, the context that a handler gets with its arguments, and the reply."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from codeplane.tools import catalog
from codeplane.tools.surface import Format, Surface, requested_format

if TYPE_CHECKING:
    from codeplane.edits.journal import MutationJournal
    from codeplane.operations.roots import OpenRoot, Roots
    from codeplane.tasks.handles import HandleStore
    from codeplane.tasks.open_tasks import OpenTasks
    from codeplane.tasks.read_history import ReadHistory
    from codeplane.tasks.sessions import Session

Progress = Callable[[float, float | None, str], None]


def no_progress(done: float, total: float | None, message: str) -> None:
    """Ignore progress."""


def never() -> bool:
    return False


@dataclass(frozen=True)
class CallRequest:
    tool: str
    arguments: Mapping[str, object]
    principal: str
    """Identity of the client as far as the transport knows it. Handles are bound to it."""
    surface: Surface = field(default_factory=Surface)
    progress: Progress = no_progress
    cancelled: Callable[[], bool] = never
    shared: bool = False
    """True if several clients use this principal, so that none may continue what another opened."""
    retry_key: str = ""
    """Key of this one call, under which its frontend sends it again if the engine ends."""
    is_retry: bool = False
    """True if the frontend has sent the call to an engine before."""

    @property
    def format(self) -> Format:
        """Format of the answer. Deprecated names answer in JSON by default, as they always did."""
        spec = catalog.BY_NAME.get(self.tool)
        default = Format.JSON if spec is not None and spec.deprecated is not None else self.surface.format
        return requested_format(self.arguments, default)


class CallReply(NamedTuple):
    """Encoded answer of a call; `is_error` is `isError` of MCP."""

    body: bytes
    is_error: bool
    is_json: bool = True
    """True if the body is a JSON object; otherwise it is text."""


@dataclass(frozen=True)
class Call:
    """Context of one call."""

    root: OpenRoot
    roots: Roots
    session: Session
    handles: HandleStore
    read_history: ReadHistory
    tasks: OpenTasks
    surface: Surface
    request_id: str = ""
    progress: Progress = no_progress
    cancelled: Callable[[], bool] = never
    once: bool = False
    """True if no further call can follow, so that cursors are useless."""
    shared: bool = False
    retry_key: str = ""
    is_retry: bool = False
    format: Format = Format.JSON
    journal: MutationJournal | None = None
    """Records the intent of a call that changes files."""

    @property
    def wants_text(self) -> bool:
        return self.format is not Format.JSON

    def shows(self, tool: str) -> bool:
        """True if hints for this client may name the tool. People get commands instead."""
        return self.surface.shows(catalog.BY_NAME[tool]) and not self.surface.everything

    def directory(self, path: str | None) -> str:
        """Return the part of the repository that a `path` argument names; empty for all of it."""
        if path is None:
            return ""
        place = os.path.realpath(self.roots.home.path / path)
        return "" if place == str(self.root.path) else os.path.relpath(place, self.root.path)

    def file(self, path: str) -> str:
        """Return a path relative to the repository; an absolute path inside it is accepted."""
        return path.removeprefix(f"{self.root.path}/").removeprefix("./") or path

    def mint_cursor(self, rest: object) -> str:
        return self.handles.mint("cursor", self.session.id, rest)

    def next_call(self, tool: str, arguments: Mapping[str, object], command: str) -> dict[str, object]:
        """Hint: a call that this client can make, or else a command for a person."""
        elsewhere = self.root.path if self.root.path != self.roots.home.path else None
        return next_call(self.surface, tool, arguments, command, elsewhere)


def path_argument(path: str | None) -> dict[str, object]:
    """Argument that keeps the next call in the repository of this one."""
    return {"path": path} if path is not None else {}


def next_call(
    surface: Surface, tool: str, arguments: Mapping[str, object], command: str, elsewhere: Path | None = None
) -> dict[str, object]:
    """Hint: a call that a client with this surface can make, or else a command.

    `elsewhere` is the repository, if it is not the home of the server.
    """
    spec = catalog.BY_NAME[tool]
    if surface.shows(spec) and not surface.everything and not (surface.read_only and spec.has_effect(arguments)):
        return {"tool": tool, "args": dict(arguments)}
    if elsewhere is not None:
        command = f"cpl -C {quote(str(elsewhere))} {command.removeprefix('cpl ')}"
    return {"command": command}
