"""Directory tree as rows by weight, so that the first page is the best short map.

A directory weighs as much as its files: source files by definitions and centrality, everything else almost nothing. A
directory that contains only one other is merged with it into one row. The number of a row is the count of files under a
directory, whose path ends with a slash, or the lines of a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import NamedTuple

from codeplane.languages.registry import is_programming
from codeplane.languages.role_paths import Role
from codeplane.query.overview import FileOverview


class TreeRow(NamedTuple):
    path: str
    """With a trailing slash for a directory."""
    size: int


_MANIFESTS_WORDS = """
pyproject.toml setup.py setup.cfg package.json Cargo.toml go.mod pom.xml build.gradle build.gradle.kts
Makefile Dockerfile README.md README.rst README CONTRIBUTING.md AGENTS.md CLAUDE.md tsconfig.json tox.ini
justfile
"""
MANIFESTS = frozenset(_MANIFESTS_WORDS.split())

_FACTOR: dict[str, int] = {
    Role.SOURCE: 100,
    Role.TEST: 5,
    Role.FIXTURE: 5,
    Role.DOCS: 2,
    Role.EXAMPLE: 5,
    Role.TOOL: 10,
    Role.GENERATED: 10,
    Role.VENDORED: 10,
    Role.CONFIG: 100,
    Role.BUILD: 100,
}
_SOURCE_ROOTS = frozenset({"src", "main", "java", "kotlin"})
"""Directories that only lead to the sources: their content is as near as they are themselves."""
_BASE_CENTRALITY = 4
"""Constant added to the bit length of a file's centrality."""
_TEXT_WEIGHT = 80
"""Weight of a file without definitions."""
_FOLDER_FACTOR, _FILE_FACTOR = 5, 2
"""A directory weighs more than a file of the same weight."""


@dataclass
class _Folder:
    files: int = 0
    weight: int = 0
    folders: dict[str, _Folder] = field(default_factory=dict)
    entries: list[tuple[str, int, int]] = field(default_factory=list)
    """(name, lines, weight) of the files directly in the directory."""


def order_rows(
    files: Sequence[FileOverview], roles: Mapping[int, str], depth: int, centrality: Mapping[int, int]
) -> list[TreeRow]:
    """Return every row down to `depth`: top directories, then all others by weight; a directory before its content.

    `centrality` is by file id, where known.
    """
    root = _Folder()
    for file in files:
        _add(root, file, _file_weight(file, roles[file.file_id], centrality.get(file.file_id, 0)))
    found: list[tuple[bool, int, str, int]] = []
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
            found.append((level > 1, -inner.weight * _FOLDER_FACTOR, path, inner.files))
            inside = level if name in _SOURCE_ROOTS else level + 1
            if inside <= depth:
                pending.append((inner, path, inside))
    return [TreeRow(path, count) for _, _, path, count in sorted(found)]


def take_page(rows: Sequence[TreeRow], offset: int, limit: int, max_chars: int) -> list[TreeRow]:
    """Return rows from `offset`, within both limits but at least one."""
    page: list[TreeRow] = []
    for row in rows[offset : offset + limit]:
        max_chars -= len(row.path) + 8
        if max_chars < 0 and page:
            break
        page.append(row)
    return page


def _file_weight(file: FileOverview, role: str, centrality: int) -> int:
    if not file.definitions:
        return _TEXT_WEIGHT
    if not is_programming(file.language):
        # Configuration keys are definitions too, and numerous.
        return _TEXT_WEIGHT + isqrt(file.definitions)
    return _FACTOR[role] * (10 + isqrt(100 * file.definitions)) * (_BASE_CENTRALITY + centrality.bit_length())


def _add(root: _Folder, file: FileOverview, weight: int) -> None:
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
