"""Go packages: the directory that an import names, and the declarations of a package over all of its files.

A module sees itself, the directories that its `go.mod` substitutes for other modules (`replace`), and the modules of
its `go.work`. Any other module of the repository is external: the code says that it is downloaded, at some version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from posixpath import basename, dirname, normpath
from typing import NamedTuple

from codeplane.index.resolve.definition_map import NO_DEFINITIONS, PackageDefinitions
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.types import External, NamespaceType, Site, Types, one

_MODULE = re.compile(r'^[ \t]*module[ \t]+"?([^\s"]+)', re.MULTILINE)
_REPLACED = re.compile(
    r'^[ \t]*(?:replace[ \t]+)?"?([^\s"=]+)"?(?:[ \t]+v\S+)?[ \t]*=>[ \t]*"?(\.{1,2}(?:/[^\s"]*)?)"?[ \t]*(?://.*)?$',
    re.MULTILINE,
)
_USED = re.compile(r'^[ \t]*(?:use[ \t]+)?"?(\.{1,2}(?:/[^\s"]*)?)"?[ \t]*(?://.*)?$', re.MULTILINE)


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

    def _packages_in(self, directory: str) -> Mapping[str, PackageDefinitions]:
        return self._evaluator.definitions.packages_in(directory, ".go")

    def _imported_name(self, directory: str) -> str | None:
        """The package that an import of a directory refers to; programs in the same directory are left out."""
        names = [name for name in self._packages_in(directory) if not name.endswith("_test")]
        names = [name for name in names if name != "main"] or names
        return names[0] if len(names) == 1 else None

    def package_of(self, file: FileScope) -> PackageDefinitions:
        return self._packages_in(dirname(file.path)).get(file.package, NO_DEFINITIONS)

    def package(self, namespace: NamespaceType) -> PackageDefinitions:
        return self._packages_in(namespace.name).get(namespace.qualifier, NO_DEFINITIONS)

    def imported_files(self, file: FileScope, number: int) -> frozenset[str]:
        """Files of the package that an import names, tests excluded."""
        library = self._evaluator.library
        return frozenset(
            path
            for package in self.imported(file, number)
            if isinstance(package, NamespaceType)
            for path in library.directory(package.name)
            if path.endswith(".go") and not path.endswith("_test.go")
            if (part := library.file(path)) is not None and part.package == package.qualifier
        )

    def imported(self, file: FileScope, number: int) -> Types:
        source = file.imports[number].source or ""
        key = ("go modules", dirname(file.path))
        modules = self._evaluator.memo_tracked(key, lambda: self._declarations.visible_from(file.path))
        directory = _find_directory(modules, source)
        name = self._imported_name(directory) if directory is not None else None
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

    def declarations(self, file: FileScope, name: str) -> Sequence[Site]:
        """Declarations of a name that a file does not bind: of its package, or of a dot import."""
        imports = self.imports(file)
        if name in imports:
            return []
        sites = self.package_of(file).names.get(name, ())
        return sites if sites or "." not in imports else self.package(imports["."]).names.get(name, ())


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
