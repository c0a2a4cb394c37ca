"""Read once what the first questions will read, so that they need not wait for the disk."""

from __future__ import annotations

from collections.abc import Callable

from codeplane.query.snapshot import Snapshot

_TABLES = ("files", "defs", "imports", "export_entries", "name_files", "names")
_WORDS = ("get", "set", "test", "init", "main", "name", "value", "error")


def prewarm(snapshot: Snapshot, stopped: Callable[[], bool]) -> None:
    """Touches every page of the tables that look-ups go through, and the most common terms of the text index."""
    reader = snapshot.reader
    there = {name for (name,) in reader.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    for word in _WORDS:
        if stopped():
            return
        reader.search(word, 5)
    for table in _TABLES:
        if stopped():
            return
        if table in there:
            reader.count(f"SELECT count(*) FROM {table}")
