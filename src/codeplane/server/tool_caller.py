"""Interface between a frontend and the engine: one call in, one finished answer out.

A frontend knows nothing about the index. It forwards the name and the arguments of a tool, and returns the answer
unchanged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, runtime_checkable

from codeplane.tools.calls import CallReply

OnProgress = Callable[[float, float | None, str], Awaitable[None]]
"""Progress so far, the total if known, and a short message."""

CLI_PRINCIPAL = "cli"
"""The principal of all `cpl` commands."""


def is_shared(principal: str) -> bool:
    """True if several clients share the principal: `cpl` commands, and HTTP clients without an MCP session."""
    return principal == CLI_PRINCIPAL or (principal.startswith("http:") and principal.count(":") == 1)


class ToolCaller(Protocol):
    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        principal: str,
        client: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CallReply:
        """Call a tool. Cancelling the coroutine cancels the call in the engine."""
        ...

    async def state(self) -> Mapping[str, object]:
        """Return the state of the engine; `ready` is true once it answers queries."""
        ...


@runtime_checkable
class SessionCloser(Protocol):
    """A caller with state per principal."""

    def end_session(self, principal: str) -> None:
        """End the session of a principal."""
        ...
