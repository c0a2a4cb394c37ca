"""What every list has in common that a cursor continues: its rows are settled, how fresh they are is told anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
"""Stands for the index of rows that were made without one."""


def index_of(snapshot: Snapshot) -> Index:
    return snapshot.reader.meta("index_id"), snapshot.epoch.epoch


def take_rest(call: Call, args: Mapping[str, Any], kind: type[T], tool: str) -> T:
    """What the cursor of a call names."""
    rest = call.handles.take("cursor", call.session.id, args["cursor"])
    if not isinstance(rest, kind):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "this cursor continues an answer of another tool",
            expected=f"a cursor of {tool}",
            received=display(args["cursor"]),
        )
    return rest


def look(call: Call, place: Path, ask: Callable[[Snapshot], T]) -> FreshResult[T] | None:
    """Ask the repository that a list is of as it stands now; None where that cannot be told without waiting."""
    root = call.roots.opened(place)
    if root is None or root.workspace.state().phase != "ready":
        return None
    try:
        return root.workspace.read(ask, cancelled=call.cancelled)
    except CodePlaneError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        return None


def page_meta(read: FreshResult[Any] | None, now: Index | None, then: Index) -> dict[str, object]:
    """Of rows that were made `then`: they are as fresh as the index if it is still the same one."""
    if then == FROM_DISK:
        return {"source": "disk"}
    if read is not None and now == then:
        return read_meta(read)
    return {"epoch": then[1], "freshness": freshness_fields(stale("unchecked"))}


def require_settled(args: Mapping[str, Any], useless: Sequence[str], allowed: str) -> None:
    """What the rows are was settled by the first call."""
    if useless:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{useless[0]}' has no effect with a cursor, which continues the first call",
            expected=allowed,
            received=", ".join(["cursor", *useless]),
            example={"cursor": args["cursor"]},
        )
