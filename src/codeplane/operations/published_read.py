"""Reads of an index that another process has published and just synced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.operations.context import Context
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state
from codeplane.workspace.freshness import Freshness, FreshResult

T = TypeVar("T")


def read_published(context: Context, ask: Callable[[Snapshot], T], synced: Mapping[str, Any]) -> FreshResult[T]:
    """Run `ask` on the newest epoch; `synced` is the envelope of the sync that another process made."""
    state = open_state(context.root)
    if state is None:
        raise CodePlaneError(ErrorCode.NOT_INDEXED, "this repository has no index", remedy="Run 'cpl init'.")
    with open_current(state) as snapshot:
        return FreshResult(ask(snapshot), snapshot.epoch.epoch, _freshness(synced), _notices(synced))


def _freshness(synced: Mapping[str, Any]) -> Freshness:
    fields = synced["meta"].get("freshness", {})
    status = fields.get("status", "stale")
    paths = tuple(RepoPath(path) for path in fields.get("stale_paths", ()))
    return Freshness(status, fields.get("decision", status), paths, fields.get("stale_total", len(paths)))


def _notices(synced: Mapping[str, Any]) -> tuple[Notice, ...]:
    found = []
    for warning in synced.get("warnings", ()):
        about = {name: value for name, value in warning.items() if name not in ("code", "message")}
        found.append(Notice(WarningCode[warning["code"]], about))
    return tuple(found)
