"""Resolved imports between files, and import cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from codeplane.base.paths import RepoPath
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_from_text, path_to_text


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
