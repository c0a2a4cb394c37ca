"""Definitions of the repository by module and name, for all languages.

A module is a package, a namespace or a directory of files; `LanguageResolver.module_of` names the one that a definition
belongs to. Every look-up is recorded as a dependency, whether it finds something or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.types import Site, definition_site

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator


class PackageDefinitions(NamedTuple):
    """Definitions of a package over all of its files."""

    names: Mapping[str, Sequence[Site]]
    members: Mapping[str, Mapping[str, Sequence[Site]]]
    """Members defined outside of their type, by the name of the type and their own."""


NO_DEFINITIONS = PackageDefinitions({}, {})


class DefinitionMap:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def named(self, languages: Set[str], name: str) -> Sequence[tuple[FileScope, int]]:
        """Definitions of a name in files of these languages, by path and position."""
        key = ("definitions named", languages, name)
        known = self._evaluator.memo_tracked(key, lambda: self._read_named(languages, name))
        return [(self._evaluator.file(path), number) for path, number in known]

    def _read_named(self, languages: Set[str], name: str) -> list[tuple[str, int]]:
        library = self._evaluator.library
        return [
            (path, number)
            for path, number in library.definitions_named(name)
            if (file := library.file(path)) is not None and file.language in languages
        ]

    def modules(self, languages: Set[str], name: str) -> Mapping[str, Sequence[Site]]:
        """Modules that define a name, with its definitions."""
        key = ("modules defining", languages, name)
        return self._evaluator.memo_tracked(key, lambda: self._read_modules(languages, name))

    def _read_modules(self, languages: Set[str], name: str) -> dict[str, list[Site]]:
        found: dict[str, list[Site]] = {}
        for file, number in self.named(languages, name):
            module = self._evaluator.resolver(file).module_of(file, number)
            if module is not None:
                found.setdefault(module, []).append(definition_site(file.path, number))
        return found

    def in_module(self, languages: Set[str], module: str, name: str) -> Sequence[Site]:
        """Definitions of a name in a module, whichever file contains them."""
        return self.modules(languages, name).get(module, ())

    def at(self, lexical_path: str) -> Sequence[tuple[str, int]]:
        """Path and number of every definition with this dotted nesting, of any language."""
        key = ("definitions at", lexical_path)
        return self._evaluator.memo_tracked(key, lambda: self._evaluator.library.definitions_at(lexical_path))

    def packages_in(self, directory: str, suffix: str) -> Mapping[str, PackageDefinitions]:
        """Packages that the files of a directory declare."""
        key = ("packages in", directory, suffix)
        return self._evaluator.memo_tracked(key, lambda: self._read_packages(directory, suffix))

    def _read_packages(self, directory: str, suffix: str) -> dict[str, PackageDefinitions]:
        library = self._evaluator.library
        files: dict[str, list[FileScope]] = {}
        for path in library.directory(directory):
            file = library.file(path) if path.endswith(suffix) else None
            if file is not None and file.package:
                files.setdefault(file.package, []).append(file)
        return {package: _read_package(parts) for package, parts in files.items()}

    # --- types in several parts

    def canonical(self, path: str, definition: int) -> tuple[str, int]:
        """The part of a type that represents all of it."""
        file = self._evaluator.file(path)
        for part, number in self._evaluator.resolver(file).class_parts(file, definition) if definition >= 0 else ():
            if part.defs[number].kind in self._evaluator.resolver(part).traits.class_kinds:
                return part.path, number
        return path, definition


def _read_package(files: Sequence[FileScope]) -> PackageDefinitions:
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
    return PackageDefinitions(names, members)
