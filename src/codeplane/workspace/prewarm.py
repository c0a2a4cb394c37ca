"""Read once what the first questions will read, so that they need not wait for the disk."""

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

_TABLES = ("files", "defs", "imports", "export_entries", "name_files", "names")
_WORDS = ("get", "set", "test", "init", "main", "name", "value", "error")
_FEW = 5


def prewarm(snapshot: Snapshot, stopped: Callable[[], bool]) -> None:
    """Touches every page of the tables that look-ups go through, and the most common terms of the text index."""
    reader = snapshot.reader
    there = {name for (name,) in reader.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    for word in _WORDS:
        if stopped():
            return
        _search(snapshot, word)
    for table in _TABLES:
        if stopped():
            return
        if table in there:
            reader.count(f"SELECT count(*) FROM {table}")


def _search(snapshot: Snapshot, word: str) -> None:
    """Goes through every field of the text index that a search goes through."""
    weights = weigh_terms(snapshot, terms_of_text(word))
    rank_files(snapshot, weights, _FEW, path_weights=weights)
    rank_passages(snapshot, weights, _FEW, per_file=1)
    rank_names(snapshot, weights, _FEW)
    list_passages_named(snapshot, {word: 1}, _FEW)
    list_passages_named_like(snapshot, word, 1, _FEW)
    list_candidate_files(snapshot, [[word]])
