"""Names of Go that a file does not bind: those of its package, and those of the packages that it imports."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from codeplane.base.paths import basename, parent
from codeplane.facts.model import Tier
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.go_packages import Declarations, Files, Package, find_directory, passed_over
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import Site, Value, Values, union


class GoNames(LanguageResolver):
    @cached_property
    def _declarations(self) -> Declarations:
        texts: dict[str, str] = {}
        for path in self.evaluator.library.paths():
            if basename(path) in ("go.mod", "go.work"):
                said = self.evaluator.library.declared(path)
                texts[path] = str(said.get("text", "")) if said is not None else ""
        return Declarations(texts)

    def _files(self, directory: str) -> Files:
        return self.evaluator.memo_tracked(("go files", directory), lambda: self._read_files(directory))

    def _read_files(self, directory: str) -> Files:
        paths = [path for path in self.evaluator.library.directory(directory) if path.endswith(".go")]
        return Files([at for path in paths if (at := self.evaluator.library.tables(path)) is not None])

    def _package(self, at: FileScope) -> Package:
        """The package that a file is part of."""
        return self._files(parent(at.path)).package(at.package)

    def imported(self, at: FileScope, number: int) -> Values:
        source = at.imports[number].source or ""
        folder = parent(at.path)
        modules = self.evaluator.memo_tracked(("go modules", folder), lambda: self._declarations.seen_from(at.path))
        directory = find_directory(modules, source)
        name = self._files(directory).name if directory is not None else None
        return frozenset({("N", "go", directory, name) if name is not None else ("x", source)})

    def _imports(self, at: FileScope) -> dict[str, Value]:
        """Packages of the repository that a file imports, by the name that they have in it; `.` for all of theirs."""
        return self.evaluator.memo_tracked(("go imports", at.path), lambda: self._read_imports(at))

    def _read_imports(self, at: FileScope) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for number, row in enumerate(at.imports):
            for value in self.imported(at, number):
                if value[0] == "N":
                    found["." if row.imported_name == "*" else row.alias or value[3]] = value
        return found

    def tier(self, at: FileScope, sites: Sequence[Site]) -> int:
        """A directory that the go tool passes over is built with no other: nobody says that it fits the rest."""
        apart = passed_over(at.path)
        return Tier.ANCHORED if apart and not all(site[0].startswith(apart) for site in sites) else Tier.STRONG

    def unbound_sites(self, at: FileScope, name: str) -> list[Site]:
        imports = self._imports(at)
        if name in imports:
            return []
        sites = self._package(at).names.get(name, [])
        return sites if sites or "." not in imports else self.module_sites(imports["."], name)

    def unbound(self, at: FileScope, name: str) -> Values:
        package = self._imports(at).get(name)
        if package is not None:
            return frozenset({package})
        sites = self.unbound_sites(at, name)
        return union(map(self.evaluator.site_value, sites)) if sites else frozenset({("x", name)})

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        return self._files(module[2]).package(module[3]).names.get(name, [])
