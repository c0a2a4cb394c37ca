"""Inputs of one indexed search: where it reads from, and the parsed request."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.disk.safe_open import Root
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.model import Cancelled, SearchRequest
from codeplane.operations.search.operators import ParsedQuery
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.query.snapshot import Snapshot


class SearchSources(NamedTuple):
    snapshot: Snapshot
    root: Root
    cache: ScanCache
    cancelled: Cancelled | None = None


class SearchTask(NamedTuple):
    sources: SearchSources
    request: SearchRequest
    parsed: ParsedQuery
    filters: Filters
