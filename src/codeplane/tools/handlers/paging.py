"""Cursors: the rows of a list are frozen at the first call; each page reports its freshness again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.operations.map_repo.map_cache import Index
from codeplane.operations.read_meta import freshness_fields, read_meta
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call
from codeplane.workspace.freshness import FreshResult, stale

T = TypeVar("T")

FROM_DISK: Index = (None, 0)
"""Index version of rows that were read from disk."""


def index_version(snapshot: Snapshot) -> Index:
    return snapshot.reader.meta("index_id"), snapshot.epoch.epoch


def take_rest(call: Call, cursor: str, kind: type[T], tool: str) -> T:
    """Return the remaining rows that a cursor names."""
    rest = call.handles.take("cursor", call.session.id, cursor)
    if not isinstance(rest, kind):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "this cursor belongs to another tool",
            expected=f"a cursor of {tool}",
            received=display(cursor),
        )
    return rest


def read_if_ready(call: Call, place: Path, ask: Callable[[Snapshot], T]) -> FreshResult[T] | None:
    """Read the current index of the repository of a list; None if that would have to wait."""
    root = call.roots.opened(place)
    if root is None or root.workspace.state().phase != "ready":
        return None
    try:
        return root.workspace.read(ask, cancelled=call.cancelled)
    except CodePlaneError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        return None


def page_meta(read: FreshResult[Any] | None, current: Index | None, listed: Index) -> dict[str, object]:
    """Freshness of rows that were listed from the index version `listed`: that of the index, if it is unchanged."""
    if listed == FROM_DISK:
        return {"source": "disk"}
    if read is not None and current == listed:
        return read_meta(read)
    return {"epoch": listed[1], "freshness": freshness_fields(stale("unchecked"))}


def reject_with_cursor(cursor: str, names: Sequence[str], allowed: str) -> None:
    """Reject parameters that cannot change what the first call has listed."""
    if names:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{names[0]}' has no effect with a cursor, which continues the first call",
            expected=allowed,
            received=", ".join(["cursor", *names]),
            example={"cursor": cursor},
        )


def reject_unused(args: Any, allowed: dict[str, tuple[str, ...]]) -> None:
    """Reject parameters that have no effect with the chosen action; `allowed` has the actions of each."""
    for name, actions in allowed.items():
        value = getattr(args, name)
        if name in args.given and value is not False and args.action not in actions:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"'{name}' has no effect with action {args.action}",
                expected=f"{name} with action {' or '.join(actions)}",
                received=f"action {args.action}",
                example={"action": actions[0], name: value},
            )
