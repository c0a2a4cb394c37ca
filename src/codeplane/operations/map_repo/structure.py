"""The tree of folders and files as rows, the weightiest first, so that a first page is the best short map.

A folder weighs what its files do: source by its definitions, everything else next to nothing. A
folder that holds nothing but one other is one row with it. The number of a row is the count of
files beneath a folder, whose path ends with a slash, or the lines of a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codeplane.languages.role_paths import Role
from codeplane.query.overview import FileBrief


class TreeRow(NamedTuple):
    path: str
    """With a slash at the end if it is a folder."""
    size: int


_MANIFESTS_WORDS = """
pyproject.toml setup.py setup.cfg package.json Cargo.toml go.mod pom.xml build.gradle build.gradle.kts
Makefile Dockerfile README.md README.rst README CONTRIBUTING.md AGENTS.md CLAUDE.md tsconfig.json tox.ini
justfile
"""
MANIFESTS = frozenset(_MANIFESTS_WORDS.split())

_FACTOR: dict[str, float] = {
    Role.SOURCE: 1.0,
    Role.TEST: 0.05,
    Role.FIXTURE: 0.05,
    Role.DOCS: 0.02,
    Role.EXAMPLE: 0.05,
    Role.TOOL: 0.1,
    Role.GENERATED: 0.1,
    Role.VENDORED: 0.1,
    Role.CONFIG: 1.0,
    Role.BUILD: 1.0,
}
_SOURCE_ROOTS = frozenset({"src", "main", "java", "kotlin"})
"""Folders that are only on the way to the sources: what is in them is as near as they are themselves."""
_TEXT_FACTOR = 0.02
_FILE_FACTOR = 0.4
"""A folder tells more than a file of the same weight."""


@dataclass
class _Folder:
    files: int = 0
    weight: float = 0.0
    folders: dict[str, _Folder] = field(default_factory=dict)
    entries: list[tuple[str, int, float]] = field(default_factory=list)
    """(name, lines, weight) of the files directly in it."""


def order_rows(files: Sequence[FileBrief], roles: Mapping[int, str], depth: int) -> list[TreeRow]:
    """Every row down to `depth`: the top folders, then all others by weight. A folder comes before what is in it."""
    root = _Folder()
    for file in files:
        _add(root, file, roles[file.file_id])
    found: list[tuple[bool, float, str, int]] = []
    pending = [(root, "", 1)]
    while pending:
        folder, prefix, level = pending.pop()
        for name, lines, weight in folder.entries:
            known = level == 1 and name in MANIFESTS
            found.append((not known, -weight * _FILE_FACTOR, prefix + name, lines))
        for name, inner in folder.folders.items():
            path = f"{prefix}{name}/"
            while len(inner.folders) == 1 and not inner.entries:
                ((name, inner),) = inner.folders.items()
                path += f"{name}/"
            found.append((level > 1, -inner.weight, path, inner.files))
            inside = level if name in _SOURCE_ROOTS else level + 1
            if inside <= depth:
                pending.append((inner, path, inside))
    return [TreeRow(path, count) for _, _, path, count in sorted(found)]


def take_page(rows: Sequence[TreeRow], offset: int, limit: int, max_chars: int) -> list[TreeRow]:
    """Rows from `offset` on, as many as both bounds allow but at least one."""
    taken: list[TreeRow] = []
    for row in rows[offset : offset + limit]:
        max_chars -= len(row.path) + 8
        if max_chars < 0 and taken:
            break
        taken.append(row)
    return taken


def _add(root: _Folder, file: FileBrief, role: str) -> None:
    weight = _FACTOR[role] * (1 + file.definitions**0.5) if file.definitions else _TEXT_FACTOR
    *folders, name = file.path.split("/")
    here = root
    for part in folders:
        here.files += 1
        here.weight += weight
        inner = here.folders.get(part)
        if inner is None:
            inner = here.folders[part] = _Folder()
        here = inner
    here.files += 1
    here.weight += weight
    here.entries.append((name, file.lines, weight))
