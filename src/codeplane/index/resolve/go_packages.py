"""Which directory a Go import means, and what the files of a package define together.

A module sees itself, the directories that its `go.mod` puts in the place of other modules, and what shares a `go.work`
with it. Any other module of the repository is one that is downloaded, at another version, as far as its code says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from posixpath import dirname, normpath
from typing import NamedTuple

from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Site

_MODULE = re.compile(r'^[ \t]*module[ \t]+"?([^\s"]+)', re.MULTILINE)
_REPLACED = re.compile(
    r'^[ \t]*(?:replace[ \t]+)?"?([^\s"=]+)"?(?:[ \t]+v\S+)?[ \t]*=>[ \t]*"?(\.{1,2}(?:/[^\s"]*)?)"?[ \t]*(?://.*)?$',
    re.MULTILINE,
)
_USED = re.compile(r'^[ \t]*(?:use[ \t]+)?"?(\.{1,2}(?:/[^\s"]*)?)"?[ \t]*(?://.*)?$', re.MULTILINE)


class Module(NamedTuple):
    name: str
    directory: str
    replaced: tuple[tuple[str, str], ...]
    """Names of other modules, with the directories that are taken in their place."""


class Package(NamedTuple):
    names: Mapping[str, list[Site]]
    members: Mapping[str, Mapping[str, list[Site]]]
    """Methods by the name of their type and their own."""


class Declarations:
    """The `go.mod` and `go.work` files of a repository."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._modules: dict[str, Module] = {}
        self._workspaces: dict[str, tuple[frozenset[str], tuple[tuple[str, str], ...]]] = {}
        for path in sorted(texts):
            directory, text = dirname(path), texts[path]
            replaced = tuple((found[1], _beneath(directory, found[2])) for found in _REPLACED.finditer(text))
            if path.endswith("go.work"):
                used = frozenset(_beneath(directory, found[1]) for found in _USED.finditer(text))
                self._workspaces[directory] = (used, replaced)
            elif said := _MODULE.search(text):
                self._modules[directory] = Module(said[1], directory, replaced)

    def seen_from(self, path: str) -> Mapping[str, str]:
        """Names of the modules that the code of a file can import, with their directories."""
        own = next((self._modules[around] for around in _around(path) if around in self._modules), None)
        if own is None:
            return {}
        found: dict[str, str] = {}
        for around in _around(path):
            if around in self._workspaces:
                used, replaced = self._workspaces[around]
                if own.directory in used:
                    found |= {
                        self._modules[directory].name: directory for directory in used if directory in self._modules
                    }
                found |= dict(replaced)
                break
        return found | dict(own.replaced) | {own.name: own.directory}


def _around(path: str) -> Iterator[str]:
    while path:
        path = dirname(path)
        yield path


def _beneath(directory: str, relative: str) -> str:
    found = normpath(f"{directory}/{relative}" if directory else relative)
    return "" if found == "." else found


def find_directory(modules: Mapping[str, str], source: str) -> str | None:
    """The directory of a package, by the path of its import."""
    name, rest = source, ""
    while name:
        directory = modules.get(name)
        if directory is not None:
            return "/".join(part for part in (directory, rest) if part)
        name, _, last = name.rpartition("/")
        rest = f"{last}/{rest}" if rest else last
    return None


def passed_over(path: str) -> str:
    """The outermost directory around a file that the go tool passes over, with a slash; `` where there is none."""
    folders = path.split("/")[:-1]
    for depth, folder in enumerate(folders, 1):
        if folder[:1] in ("_", ".") or folder == "testdata":
            return "/".join(folders[:depth]) + "/"
    return ""


class Files:
    """The files of one directory, by the package that they say to be part of."""

    def __init__(self, tables: list[FileScope]) -> None:
        self._tables: dict[str, list[FileScope]] = {}
        for at in tables:
            if at.package:
                self._tables.setdefault(at.package, []).append(at)

    @cached_property
    def name(self) -> str | None:
        """The package that an import of the directory means. Programs beside it are made by leaving it out."""
        names = [name for name in self._tables if not name.endswith("_test")]
        names = [name for name in names if name != "main"] or names
        return names[0] if len(names) == 1 else None

    @cached_property
    def _packages(self) -> dict[str, Package]:
        return {}

    def package(self, name: str) -> Package:
        if name not in self._packages:
            self._packages[name] = _read_package(self._tables.get(name, []))
        return self._packages[name]


def _read_package(tables: list[FileScope]) -> Package:
    names: dict[str, list[Site]] = {}
    members: dict[str, dict[str, list[Site]]] = {}
    for at in tables:
        for number, row in enumerate(at.defs):
            if row.scope == 0 and row.parent is None and row.lexical_path == row.name:
                names.setdefault(row.name, []).append((at.path, "d", number))
        for owner, held in at.detached.items():
            for name, numbers in held.items():
                known = members.setdefault(owner, {}).setdefault(name, [])
                known += [(at.path, "d", number) for number in numbers]
    return Package(names, members)
