"""The tree of folders and files as rows, the weightiest first, so that a first page is the best short map.

A folder weighs what its files do: source by its definitions and by how much rests on them, everything else next to
nothing. A folder that holds nothing but one other is one row with it. The number of a row is the count of
files beneath a folder, whose path ends with a slash, or the lines of a file.
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
    """With a slash at the end if it is a folder."""
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
"""Folders that are only on the way to the sources: what is in them is as near as they are themselves."""
_UNUSED = 4
"""What counts beside the size of the number that says how much rests on a file."""
_TEXT_WEIGHT = 80
"""Of a file that defines nothing, whatever it is there for."""
_FOLDER_FACTOR, _FILE_FACTOR = 5, 2
"""A folder tells more than a file of the same weight."""


@dataclass
class _Folder:
    files: int = 0
    weight: int = 0
    folders: dict[str, _Folder] = field(default_factory=dict)
    entries: list[tuple[str, int, int]] = field(default_factory=list)
    """(name, lines, weight) of the files directly in it."""


def order_rows(
    files: Sequence[FileOverview], roles: Mapping[int, str], depth: int, rests: Mapping[int, int]
) -> list[TreeRow]:
    """Every row down to `depth`: the top folders, then all others by weight. A folder comes before what is in it.

    `rests` says how much rests on a file, where that is known.
    """
    root = _Folder()
    for file in files:
        _add(root, file, _weigh(file, roles[file.file_id], rests.get(file.file_id, 0)))
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
    """Rows from `offset` on, as many as both bounds allow but at least one."""
    taken: list[TreeRow] = []
    for row in rows[offset : offset + limit]:
        max_chars -= len(row.path) + 8
        if max_chars < 0 and taken:
            break
        taken.append(row)
    return taken


def _weigh(file: FileOverview, role: str, rests: int) -> int:
    if not file.definitions:
        return _TEXT_WEIGHT
    if not is_programming(file.language):
        # Keys of a configuration are definitions too, and there are many.
        return _TEXT_WEIGHT + isqrt(file.definitions)
    return _FACTOR[role] * (10 + isqrt(100 * file.definitions)) * (_UNUSED + rests.bit_length())


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
