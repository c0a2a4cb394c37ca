"""How a front calls a tool: one call in, one finished answer out, whichever process holds the engine.

A front knows nothing about the index. It forwards the name of a tool and its arguments as they came, and hands back
the answer as it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, runtime_checkable

from codeplane.tools.calls import CallReply

OnProgress = Callable[[float, float | None, str], Awaitable[None]]
"""Progress so far, the total where it is known, and a short sentence."""


CLI_PRINCIPAL = "cli"
"""The principal of all commands of a person."""


def is_shared(principal: str) -> bool:
    """Whether it stands for many clients: commands, and those of HTTP that have no session of its transport."""
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
        """Answer one call. Cancelling the coroutine cancels the call in the engine."""
        ...

    async def state(self) -> Mapping[str, object]:
        """What operators want to know of the engine; `ready` is true once it answers queries."""
        ...


@runtime_checkable
class SessionCloser(Protocol):
    """A caller that keeps something for each principal."""

    def leave(self, principal: str) -> None:
        """Somebody will not ask again."""
        ...
