"""Metadata of answers from the index: epoch and freshness."""

from __future__ import annotations

from typing import Any

from codeplane.index.options import SyncReport
from codeplane.workspace.freshness import Freshness, FreshResult, freshness_of


def read_meta(read: FreshResult[Any]) -> dict[str, object]:
    return {"epoch": read.epoch, "freshness": freshness_fields(read.freshness)}


def report_meta(report: SyncReport) -> dict[str, object]:
    """Return the metadata of an answer about a sync."""
    return {"epoch": report.epoch, "freshness": freshness_fields(freshness_of(report, shared=False))}


def freshness_fields(freshness: Freshness) -> dict[str, object]:
    """Return the freshness fields; the decision only if it says more than the status."""
    fields = freshness.as_dict()
    if fields["decision"] == fields["status"]:
        del fields["decision"]
    return fields
