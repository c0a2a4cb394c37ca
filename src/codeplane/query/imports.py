"""Import statements of a file, resolved imports between files, and import cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Certainty
from codeplane.query.rows import fetch_page, file_row_range, require_links
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.database import Row


def list_imported_files(snapshot: Snapshot, path: RepoPath) -> list[RepoPath]:
    """List the files that a file imports, by path."""
    return _paths(snapshot, "o.path", "u.path", path)


def list_importing_files(snapshot: Snapshot, path: RepoPath) -> list[RepoPath]:
    """List the files that import a file, by path."""
    return _paths(snapshot, "u.path", "o.path", path)


def list_import_cycles(snapshot: Snapshot) -> list[list[RepoPath]]:
    """List groups of files that import each other, directly or indirectly: the largest first, then by path."""
    require_links(snapshot)
    rows = snapshot.reader.rows("SELECT file_id, target FROM file_imports ORDER BY file_id, target")
    edges: dict[int, list[int]] = {}
    for file_id, target in rows:
        edges.setdefault(file_id, []).append(target)
    groups = [group for group in strongly_connected_components(edges) if len(group) > 1]
    if not groups:
        return []
    paths: dict[int, str] = dict(snapshot.reader.rows("SELECT file_id, path FROM files"))
    named = [sorted(path_from_text(paths[file_id]) for file_id in group) for group in groups]
    return sorted(named, key=lambda group: (-len(group), group))


def strongly_connected_components(edges: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Yield strongly connected components, each sorted (Tarjan). Iterative, since import chains can be long."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for start in sorted(edges):
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        work = [(start, iter(edges.get(start, ())))]
        while work:
            node, following = work[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(edges.get(other, ()))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group: list[int] = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    yield sorted(group)


def _paths(snapshot: Snapshot, selected: str, filtered: str, path: RepoPath) -> list[RepoPath]:
    require_links(snapshot)
    rows = snapshot.reader.rows(
        f"SELECT {selected} FROM file_imports JOIN files AS u ON u.file_id = file_imports.file_id"
        f" JOIN files AS o ON o.file_id = target WHERE {filtered} = ? ORDER BY {selected}",
        (path_to_text(path),),
    )
    return [path_from_text(found) for (found,) in rows]


class ImportRow(NamedTuple):
    import_id: int
    path: RepoPath
    unit_id: int | None
    import_uid: str
    scope: int
    imported_name: str
    alias: str | None
    source_literal: str | None
    import_kind: str
    certainty: Certainty
    start_line: int
    start_col: int
    end_line: int
    end_col: int


def list_imports(snapshot: Snapshot, path: str, limit: int) -> Page[ImportRow]:
    """List the imports of a file in source order."""
    check_limit(limit)
    span = file_row_range(snapshot, path)
    if span is None:
        return Page((), 0)
    return fetch_page(snapshot, _make, _SELECT, f"{_FROM} WHERE import_id BETWEEN ? AND ?", _ORDER, span, limit)


def _make(row: Row) -> ImportRow:
    return ImportRow._make((row[0], path_from_text(row[1]), *row[2:9], Certainty(row[9]), *row[10:]))


_SELECT = (
    "import_id, files.path, files.unit_id, import_uid, scope, imported_name, alias, source_literal, import_kind,"
    " certainty, start_line, start_col, end_line, end_col"
)
_FROM = "FROM imports JOIN files ON files.file_id = import_id >> 20"
_ORDER = "start_line, start_col, import_id"
