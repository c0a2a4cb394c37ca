"""Definitions that the names of modules refer to: exports, re-exports, imports and globals.

Only definitions are looked up; no expression is evaluated.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.types import Site, definition_site, module_site
from codeplane.languages.javascript.resolver.module_paths import ModulePaths
from codeplane.languages.javascript.resolver.source_file import SourceFile

MEMBER_KINDS = frozenset({"method", "property", "field", "enum_member", "constructor"})
WHOLE_MODULE = ("module.exports", "=")
"""Exported names that replace the module (`module.exports = f`, `export = f`)."""
MAX_NAMESAKES = 8
"""Definitions of one global name that are looked at."""
MAX_DECLARATIONS = 64
"""Declarations of one name in one scope that are looked at."""
MAX_MODULES = 200
"""Depth of re-exports."""


class _Search:
    """One search through modules that re-export each other; a module that it is in has no result yet."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], list[Site]] = {}
        self.depth = 0


class StarExports(NamedTuple):
    """Modules that a module re-exports with `export *`."""

    direct: dict[str, list[str]]
    """Exported name -> modules that export it themselves"""
    further: list[str]
    """Modules that have an `export *` of their own"""
    external: list[str]
    """Sources that are not files of the repository"""


class ModuleNames:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._library = evaluator.library

    def _facts(self, path: str) -> FileScope | None:
        """Return a file that can be resolved, and record the dependency on it."""
        return self._evaluator.file(path) if self._library.file(path) is not None else None

    @cached_property
    def _paths(self) -> ModulePaths:
        return ModulePaths(self._evaluator)

    def source_file(self, facts: FileScope) -> SourceFile:
        found = facts.adapter
        if not isinstance(found, SourceFile):
            found = facts.adapter = SourceFile(facts)
        return found

    def module(self, near: str, source: str | None) -> str | None:
        """Return the file of a module, if its names can be resolved."""
        path = self._paths.find(near, source) if source else None
        return path if path is not None and self._facts(path) is not None else None

    def imported_file(self, near: str, source: str | None) -> str | None:
        """Return the file that an import or a re-export names, in any language."""
        return self._paths.find(near, source) or self._paths.find_data(near, source) if source else None

    def exported(self, path: str, name: str, search: _Search | None = None) -> list[Site]:
        """Return the definitions of an exported name, in whichever module they are."""
        if search is None:
            return self._evaluator.memo_tracked(("exported", path, name), lambda: self._exported(path, name, _Search()))
        if (path, name) not in search.found:
            search.found[path, name] = []
            search.found[path, name] = self._exported(path, name, search)
        return search.found[path, name]

    def _exported(self, path: str, name: str, search: _Search) -> list[Site]:
        facts = self._facts(path)
        if facts is None or search.depth > MAX_MODULES:
            return []
        search.depth += 1
        found = self._find_exported(self.source_file(facts), name, search)
        search.depth -= 1
        return found

    def _find_exported(self, file: SourceFile, name: str, search: _Search) -> list[Site]:
        found: list[Site] = []
        for exported, definition, _, local in file.facts.summary.exports:
            if exported == name:
                if definition is not None:
                    found.append(definition_site(file.path, definition))
                found += self.local(file, 0, local, search)
        for source, mode, plain, aliased, _ in file.facts.summary.reexports:
            if mode == "EXPLICIT_NAMES" and name in plain:
                found += self._from_module(file, source, name, search)
            for original, alias in aliased if mode == "ALIAS_MAP" else ():
                if alias == name:
                    found += self._from_module(file, source, original, search)
        if not found and name != "default" and name not in WHOLE_MODULE:
            found = self._star_exported(file, name, search)
        if not found and name == WHOLE_MODULE[0]:
            for source in filter(None, map(file.required, file.facts.returns(0))):
                other = self.module(file.path, source)
                found += self.whole(other, search) or [module_site(other)] if other is not None else []
        return list(dict.fromkeys(found))

    def _star_exported(self, file: SourceFile, name: str, search: _Search) -> list[Site]:
        found: list[Site] = []
        stars: StarExports = self._evaluator.memo_tracked(("star exports", file.path), lambda: self._find_stars(file))
        # If several modules export the name, only the first counts.
        for path in stars.direct.get(name, ())[:1] or stars.further:
            found += self.exported(path, name, search) if not found else ()
        for source in stars.external if not found else ():
            found += self._ambient(source, name)
        return found

    def _find_stars(self, file: SourceFile) -> StarExports:
        found = StarExports({}, [], [])
        reexports = file.facts.summary.reexports
        for source in dict.fromkeys(source for source, mode, *_ in reexports if mode == "REEXPORT_ALL"):
            path = self.module(file.path, source)
            if path is None:
                found.external.append(source)
                continue
            other = self._evaluator.file(path)
            names = {exported for exported, *_ in other.summary.exports}
            for _, mode, plain, aliased, _ in other.summary.reexports:
                names.update(plain if mode == "EXPLICIT_NAMES" else ())
                names.update(alias for _, alias in (aliased if mode == "ALIAS_MAP" else ()))
                if mode == "REEXPORT_ALL" and path not in found.further[-1:]:
                    found.further.append(path)
            for name in sorted(names):
                found.direct.setdefault(name, []).append(path)
        return found

    def _from_module(self, file: SourceFile, source: str, name: str, search: _Search) -> list[Site]:
        path = self.module(file.path, source)
        if path is None:
            return self._ambient(source, name)
        return [module_site(path)] if name == "*" else self.exported(path, name, search)

    def local(self, file: SourceFile, scope: int, name: str, search: _Search | None = None) -> list[Site]:
        """Return what a name that a scope binds refers to."""
        found = [
            definition_site(file.path, number)
            for number in file.facts.defs_in.get((scope, name), ())[:MAX_DECLARATIONS]
            if file.defs[number].kind not in MEMBER_KINDS
        ]
        for number in file.imports_in(scope, name):
            found += self.imported(file, number, search)
        return found

    def imported(self, file: SourceFile, number: int, search: _Search | None = None) -> list[Site]:
        """Return what an import refers to."""
        row = file.facts.imports[number]
        path = self.module(file.path, row.source)
        if path is None:
            return self._ambient(row.source or "", row.imported_name)
        if row.imported_name == "*":
            return self.whole(path, search) or [module_site(path)]
        found = self.exported(path, row.imported_name, search)
        if not found and row.imported_name == "default":
            found = self.whole(path, search) or ([module_site(path)] if self.is_commonjs(path) else [])
        return found

    def whole(self, path: str, search: _Search | None = None) -> list[Site]:
        """Return the definitions that a module exports in its place."""
        return [site for name in WHOLE_MODULE for site in self.exported(path, name, search)]

    def is_commonjs(self, path: str) -> bool:
        """True if a file exports by assignment only, or not at all."""
        facts = self._facts(path)
        if facts is None or facts.summary.reexports:
            return False
        return all(evidence == "module_exports" for _, _, evidence, _ in facts.summary.exports)

    def _ambient(self, source: str, name: str) -> list[Site]:
        """Return a name of an ambient module (`declare module "x"`)."""
        return self._evaluator.memo_tracked(("ambient", source, name), lambda: self._find_ambient(source, name))

    def _find_ambient(self, source: str, name: str) -> list[Site]:
        found: list[Site] = []
        for quote in "\"'":
            for path, number in (
                self._library.definitions_named(f"{quote}{source}{quote}")[:MAX_NAMESAKES] if source else ()
            ):
                facts = self._facts(path)
                if facts is not None and facts.defs[number].kind == "module" and not self.source_file(facts).is_module:
                    found += [definition_site(path, member) for member in facts.members.get(number, {}).get(name, ())]
        return found

    def global_sites(self, name: str) -> list[Site]:
        """Return the definitions of a global: in a declaration file that is not a module, or in `declare global`."""
        return self._evaluator.memo_tracked(("shared", name), lambda: self._find_globals(name))

    def _find_globals(self, name: str) -> list[Site]:
        found: list[Site] = []
        for path, number in self._library.definitions_named(name)[:MAX_NAMESAKES]:
            facts = self._facts(path)
            if facts is None or facts.language not in ("typescript", "tsx", "javascript"):
                continue
            row = facts.defs[number]
            parent = facts.defs[row.parent] if row.parent is not None else None
            is_global = parent is not None and parent.name == "global" and parent.kind == "module"
            if is_global or (parent is None and self._is_global(self.source_file(facts), number)):
                found.append(definition_site(path, number))
        return found if len({site.path for site in found}) == 1 else []

    def _is_global(self, file: SourceFile, number: int) -> bool:
        row = file.defs[number]
        return (
            row.scope == 0
            and file.path.endswith(".d.ts")
            and "." not in row.lexical_path
            and row.kind not in MEMBER_KINDS
            and not file.is_module
        )
