"""A synced snapshot of an index, as a command gets it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from codeplane.base.warnings import Notice
from codeplane.index.options import IndexOptions
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import StateDirectory
from codeplane.workspace.freshness import Freshness
from codeplane.workspace.workspace import open_workspace


@dataclass(frozen=True)
class View:
    snapshot: Snapshot
    freshness: Freshness
    notices: tuple[Notice, ...]


@contextmanager
def open_view(options: IndexOptions) -> Iterator[View]:
    with open_workspace(options) as workspace:
        read = workspace.read(lambda snapshot: None, lexical=True)
        with open_current(StateDirectory(workspace.root / ".codeplane")) as snapshot:
            yield View(snapshot, read.freshness, read.notices)
