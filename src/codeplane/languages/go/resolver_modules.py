"""Go packages: the directory that an import names, and the declarations of a package over all of its files.

A module sees itself, the directories that its `go.mod` substitutes for other modules (`replace`), and the modules of
its `go.work`. Any other module of the repository is external: the code says that it is downloaded, at some version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from posixpath import basename, dirname, normpath
from typing import NamedTuple

from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.types import External, NamespaceType, Site, Types, definition_site, one

_MODULE = re.compile(r'^[ \t]*module[ \t]+"?([^\s"]+)', re.MULTILINE)
_REPLACED = re.compile(
    r'^[ \t]*(?:replace[ \t]+)?"?([^\s"=]+)"?(?:[ \t]+v\S+)?[ \t]*=>[ \t]*"?(\.{1,2}(?:/[^\s"]*)?)"?[ \t]*(?://.*)?$',
    re.MULTILINE,
)
_USED = re.compile(r'^[ \t]*(?:use[ \t]+)?"?(\.{1,2}(?:/[^\s"]*)?)"?[ \t]*(?://.*)?$', re.MULTILINE)


class GoPackage(NamedTuple):
    names: Mapping[str, list[Site]]
    members: Mapping[str, Mapping[str, list[Site]]]
    """Methods, by the name of their type and their own."""


class GoPackages:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    @cached_property
    def _declarations(self) -> _Declarations:
        texts: dict[str, str] = {}
        for path in self._evaluator.library.paths():
            if basename(path) in ("go.mod", "go.work"):
                content = self._evaluator.library.configuration(path)
                texts[path] = str(content.get("text", "")) if content is not None else ""
        return _Declarations(texts)

    def _directory(self, directory: str) -> _Directory:
        return self._evaluator.memo_tracked(("go files", directory), lambda: self._read_directory(directory))

    def _read_directory(self, directory: str) -> _Directory:
        library = self._evaluator.library
        paths = [path for path in library.directory(directory) if path.endswith(".go")]
        return _Directory([file for path in paths if (file := library.file(path)) is not None])

    def package_of(self, file: FileScope) -> GoPackage:
        return self._directory(dirname(file.path)).package(file.package)

    def package(self, namespace: NamespaceType) -> GoPackage:
        return self._directory(namespace.name).package(namespace.qualifier)

    def imported(self, file: FileScope, number: int) -> Types:
        source = file.imports[number].source or ""
        key = ("go modules", dirname(file.path))
        modules = self._evaluator.memo_tracked(key, lambda: self._declarations.visible_from(file.path))
        directory = _find_directory(modules, source)
        name = self._directory(directory).name if directory is not None else None
        if directory is None or name is None:
            return one(External(source))
        return one(NamespaceType("go", directory, name))

    def imports(self, file: FileScope) -> dict[str, NamespaceType]:
        """Packages of the repository that a file imports, by their local name; `.` for a dot import."""
        return self._evaluator.memo_tracked(("go imports", file.path), lambda: self._read_imports(file))

    def _read_imports(self, file: FileScope) -> dict[str, NamespaceType]:
        found: dict[str, NamespaceType] = {}
        for number, row in enumerate(file.imports):
            for value in self.imported(file, number):
                if isinstance(value, NamespaceType):
                    found["." if row.imported_name == "*" else row.alias or value.qualifier] = value
        return found

    def declarations(self, file: FileScope, name: str) -> list[Site]:
        """Declarations of a name that a file does not bind: of its package, or of a dot import."""
        imports = self.imports(file)
        if name in imports:
            return []
        sites = self.package_of(file).names.get(name, [])
        return sites if sites or "." not in imports else self.package(imports["."]).names.get(name, [])


class _GoModule(NamedTuple):
    name: str
    directory: str
    replaced: tuple[tuple[str, str], ...]
    """Module names with the directories that replace them."""


class _Declarations:
    """The `go.mod` and `go.work` files of a repository."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._modules: dict[str, _GoModule] = {}
        self._workspaces: dict[str, tuple[frozenset[str], tuple[tuple[str, str], ...]]] = {}
        for path in sorted(texts):
            directory, text = dirname(path), texts[path]
            replaced = tuple((found[1], _join(directory, found[2])) for found in _REPLACED.finditer(text))
            if path.endswith("go.work"):
                used = frozenset(_join(directory, found[1]) for found in _USED.finditer(text))
                self._workspaces[directory] = (used, replaced)
            elif declared := _MODULE.search(text):
                self._modules[directory] = _GoModule(declared[1], directory, replaced)

    def visible_from(self, path: str) -> Mapping[str, str]:
        """Modules that a file can import, with their directories."""
        own = next((self._modules[folder] for folder in _ancestors(path) if folder in self._modules), None)
        if own is None:
            return {}
        found: dict[str, str] = {}
        for folder in _ancestors(path):
            if folder in self._workspaces:
                used, replaced = self._workspaces[folder]
                if own.directory in used:
                    found |= {
                        self._modules[directory].name: directory for directory in used if directory in self._modules
                    }
                found |= dict(replaced)
                break
        return found | dict(own.replaced) | {own.name: own.directory}


def _ancestors(path: str) -> Iterator[str]:
    while path:
        path = dirname(path)
        yield path


def _join(directory: str, relative: str) -> str:
    found = normpath(f"{directory}/{relative}" if directory else relative)
    return "" if found == "." else found


def _find_directory(modules: Mapping[str, str], source: str) -> str | None:
    """The directory of an imported package."""
    name, rest = source, ""
    while name:
        directory = modules.get(name)
        if directory is not None:
            return "/".join(part for part in (directory, rest) if part)
        name, _, last = name.rpartition("/")
        rest = f"{last}/{rest}" if rest else last
    return None


def ignored_directory(path: str) -> str:
    """The outermost directory around a file that the go tool ignores, with a slash; empty for none."""
    folders = path.split("/")[:-1]
    for depth, folder in enumerate(folders, 1):
        if folder[:1] in ("_", ".") or folder == "testdata":
            return "/".join(folders[:depth]) + "/"
    return ""


class _Directory:
    """The files of one directory, by the package that they declare."""

    def __init__(self, files: list[FileScope]) -> None:
        self._files: dict[str, list[FileScope]] = {}
        for file in files:
            if file.package:
                self._files.setdefault(file.package, []).append(file)

    @cached_property
    def name(self) -> str | None:
        """The package that an import of the directory refers to; programs in the same directory are left out."""
        names = [name for name in self._files if not name.endswith("_test")]
        names = [name for name in names if name != "main"] or names
        return names[0] if len(names) == 1 else None

    @cached_property
    def _packages(self) -> dict[str, GoPackage]:
        return {}

    def package(self, name: str) -> GoPackage:
        if name not in self._packages:
            self._packages[name] = _read_package(self._files.get(name, []))
        return self._packages[name]


def _read_package(files: list[FileScope]) -> GoPackage:
    names: dict[str, list[Site]] = {}
    members: dict[str, dict[str, list[Site]]] = {}
    for file in files:
        for number, row in enumerate(file.defs):
            if row.scope == 0 and row.parent is None and row.lexical_path == row.name:
                names.setdefault(row.name, []).append(definition_site(file.path, number))
        for owner, methods in file.detached.items():
            for name, numbers in methods.items():
                known = members.setdefault(owner, {}).setdefault(name, [])
                known += [definition_site(file.path, number) for number in numbers]
    return GoPackage(names, members)
