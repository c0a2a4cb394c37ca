"""What a handler is given besides its arguments, and what a caller sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from codeplane.tools import catalog
from codeplane.tools.formats import Format, requested_format
from codeplane.tools.surface import Surface

if TYPE_CHECKING:
    from codeplane.operations.editing.editor import Editor
    from codeplane.operations.roots import OpenRoot, Roots
    from codeplane.tasks.handles import Handles
    from codeplane.tasks.open_tasks import OpenTasks
    from codeplane.tasks.reading import Readings
    from codeplane.tasks.sessions import Session
    from codeplane.tools.journal import CallJournal

Progress = Callable[[float, float | None, str], None]


def no_progress(done: float, total: float | None, message: str) -> None:
    """Nobody asked to be told."""


def never() -> bool:
    return False


@dataclass(frozen=True)
class CallRequest:
    tool: str
    arguments: Mapping[str, object]
    principal: str
    """Who asks, as far as the transport can tell: handles are bound to it."""
    surface: Surface = field(default_factory=Surface)
    progress: Progress = no_progress
    cancelled: Callable[[], bool] = never
    shared: bool = False
    """Whether many clients ask as this principal: none of them means what another opened."""

    @property
    def format(self) -> Format:
        """The form of the answer. A deprecated name answers in JSON, the form of its own document."""
        spec = catalog.BY_NAME.get(self.tool)
        default = Format.JSON if spec is not None and spec.deprecated is not None else self.surface.format
        return requested_format(self.arguments, default)


class CallReply(NamedTuple):
    """The finished answer of a call; `is_error` is what MCP calls `isError`."""

    body: bytes
    is_error: bool
    is_json: bool = True
    """Whether the body is JSON of one object; otherwise it is text."""


@dataclass(frozen=True)
class Call:
    """One call on its way through a handler."""

    root: OpenRoot
    roots: Roots
    session: Session
    handles: Handles
    readings: Readings
    tasks: OpenTasks
    surface: Surface
    request_id: str = ""
    progress: Progress = no_progress
    cancelled: Callable[[], bool] = never
    once: bool = False
    """Whether nobody can ask again: a cursor would name nothing."""
    shared: bool = False
    format: Format = Format.JSON
    editor: Editor | None = None
    """Of home; None where nothing can be changed."""
    journal: CallJournal | None = None
    """Of a call that changes files: where it notes what it is about to do."""

    @property
    def wants_text(self) -> bool:
        return self.format is not Format.JSON

    def shows(self, tool: str) -> bool:
        """Whether this client can be told to call it; people are told commands."""
        return self.surface.shows(catalog.BY_NAME[tool]) and not self.surface.everything

    def next_call(self, tool: str, arguments: Mapping[str, object], command: str) -> dict[str, object]:
        """A call that the client can make, or else the command of a person."""
        elsewhere = self.root.path if self.root.path != self.roots.home.path else None
        return next_call(self.surface, tool, arguments, command, elsewhere)


def path_argument(arguments: Mapping[str, object]) -> dict[str, object]:
    """The repository that a call named, for the next one."""
    return {"path": arguments["path"]} if "path" in arguments else {}


def next_call(
    surface: Surface, tool: str, arguments: Mapping[str, object], command: str, elsewhere: Path | None = None
) -> dict[str, object]:
    """People, who reach everything, are told commands; `elsewhere` is the repository if it is not the server's own."""
    spec = catalog.BY_NAME[tool]
    if surface.shows(spec) and not surface.everything and not (surface.read_only and spec.has_effect(arguments)):
        return {"tool": tool, "args": dict(arguments)}
    if elsewhere is not None:
        command = f"cpl -C {quote(str(elsewhere))} {command.removeprefix('cpl ')}"
    return {"command": command}
