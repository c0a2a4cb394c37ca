"""Read what the first queries will read, so that they find it in the page cache."""

from __future__ import annotations

from collections.abc import Callable

from codeplane.query.snapshot import Snapshot
from codeplane.query.text import (
    list_candidate_files,
    list_passages_named,
    list_passages_named_like,
    rank_files,
    rank_names,
    rank_passages,
    terms_of_text,
    weigh_terms,
)

_TABLES = ("files", "defs", "imports", "export_entries", "name_files")
_WORDS = ("get", "set", "test", "init", "main", "name", "value", "error")
_LIMIT = 5


def prewarm(snapshot: Snapshot, stopped: Callable[[], bool]) -> None:
    """Touch every page of the tables used for look-ups, and the postings of common terms."""
    for word in _WORDS:
        if stopped():
            return
        _search(snapshot, word)
    for table in _TABLES:
        if stopped():
            return
        snapshot.reader.count(f"SELECT count(*) FROM {table}")


def _search(snapshot: Snapshot, word: str) -> None:
    """Query every field of the text index that a search uses."""
    weights = weigh_terms(snapshot, terms_of_text(word))
    rank_files(snapshot, weights, _LIMIT, path_weights=weights)
    rank_passages(snapshot, weights, _LIMIT, per_file=1)
    rank_names(snapshot, weights, _LIMIT)
    list_passages_named(snapshot, {word: 1}, _LIMIT)
    list_passages_named_like(snapshot, word, 1, _LIMIT)
    list_candidate_files(snapshot, [[word]])
