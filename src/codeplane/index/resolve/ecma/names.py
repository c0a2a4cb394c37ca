"""What the names that modules export, import and share stand for. Values are not asked, only definitions."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from codeplane.index.resolve.ecma.modules import Modules
from codeplane.index.resolve.ecma.script import Script
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Site

_MEMBERS = frozenset({"method", "property", "field", "enum_member", "constructor"})
WHOLE = ("module.exports", "=")
"""Exported names that stand for all of a module."""
MAX_NAMESAKES = 8

MAX_DECLARATIONS = 64
"""Of one name that are looked at."""
MAX_MODULES = 200
"""Through which a name is passed on."""


class Search:
    """What is known of the modules that one search has come to; nothing yet of those that it is in."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], list[Site]] = {}
        self.depth = 0


class PassedOn(NamedTuple):
    """What a module exports of all that others do."""

    direct: dict[str, list[str]]
    """Modules by the names that they export themselves."""
    further: list[str]
    """Modules that pass on what others export."""
    outside: list[str]
    """Sources that are no files."""


class Names:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._library = evaluator.library
        self._scripts: dict[str, Script] = {}

    def tables(self, path: str) -> FileScope | None:
        """Of a file that can be resolved; who asks for them depends on it."""
        return self._evaluator.file(path) if self._library.file(path) is not None else None

    @cached_property
    def _modules(self) -> Modules:
        return Modules(self._evaluator)

    def script(self, at: FileScope) -> Script:
        found = self._scripts.get(at.path)
        if found is None or found.at is not at:
            found = self._scripts[at.path] = Script(at)
        return found

    def module(self, near: str, source: str | None) -> str | None:
        """The file of a module that can be resolved."""
        path = self._modules.find(near, source) if source else None
        return path if path is not None and self.tables(path) is not None else None

    def exported(self, path: str, name: str, search: Search | None = None) -> list[Site]:
        """What a name that a module exports stands for, wherever that is defined."""
        if search is None:
            return self._evaluator.memo_tracked(("exported", path, name), lambda: self._exported(path, name, Search()))
        if (path, name) not in search.found:
            search.found[path, name] = []
            search.found[path, name] = self._exported(path, name, search)
        return search.found[path, name]

    def _exported(self, path: str, name: str, search: Search) -> list[Site]:
        at = self.tables(path)
        if at is None or search.depth > MAX_MODULES:
            return []
        search.depth += 1
        found = self._exports(at, name, search)
        search.depth -= 1
        return found

    def _exports(self, at: FileScope, name: str, search: Search) -> list[Site]:
        found: list[Site] = []
        for exported, definition, _, local in at.summary.exports:
            if exported == name:
                if definition is not None:
                    found.append((at.path, "d", definition))
                found += self.local(at, 0, local, search)
        for source, mode, plain, aliased, _ in at.summary.reexports:
            if mode == "EXPLICIT_NAMES" and name in plain:
                found += self._of(at, source, name, search)
            for original, alias in aliased if mode == "ALIAS_MAP" else ():
                if alias == name:
                    found += self._of(at, source, original, search)
        if not found and name != "default" and name not in WHOLE:
            passed = self._passed_on(at)
            # If several export the name, none of them does.
            for path in passed.direct.get(name, ())[:1] or passed.further:
                found += self.exported(path, name, search) if not found else ()
            for source in passed.outside if not found else ():
                found += self._ambient(source, name)
        if not found and name == WHOLE[0]:
            for source in filter(None, map(self.script(at).required, at.returns(0))):
                other = self.module(at.path, source)
                found += self.whole(other, search) or [(other, "M", 0)] if other is not None else []
        return list(dict.fromkeys(found))

    def _passed_on(self, at: FileScope) -> PassedOn:
        return self._evaluator.memo_tracked(("passed on", at.path), lambda: self._find_passed_on(at))

    def _find_passed_on(self, at: FileScope) -> PassedOn:
        direct: dict[str, list[str]] = {}
        further: list[str] = []
        outside: list[str] = []
        for source in dict.fromkeys(source for source, mode, *_ in at.summary.reexports if mode == "REEXPORT_ALL"):
            path = self.module(at.path, source)
            if path is None:
                outside.append(source)
                continue
            other = self._evaluator.file(path)
            names = {exported for exported, *_ in other.summary.exports}
            for _, mode, plain, aliased, _ in other.summary.reexports:
                names.update(plain if mode == "EXPLICIT_NAMES" else ())
                names.update(alias for _, alias in (aliased if mode == "ALIAS_MAP" else ()))
                if mode == "REEXPORT_ALL" and path not in further[-1:]:
                    further.append(path)
            for name in sorted(names):
                direct.setdefault(name, []).append(path)
        return PassedOn(direct, further, outside)

    def _of(self, at: FileScope, source: str, name: str, search: Search | None) -> list[Site]:
        path = self.module(at.path, source)
        if path is None:
            return self._ambient(source, name)
        if name == "*":
            return [(path, "M", 0)]
        return self.exported(path, name, search)

    def local(self, at: FileScope, scope: int, name: str, search: Search | None = None) -> list[Site]:
        """What a name stands for that a scope of a file binds."""
        found: list[Site] = [
            (at.path, "d", number)
            for number in at.defs_in.get((scope, name), ())[:MAX_DECLARATIONS]
            if at.defs[number].kind not in _MEMBERS
        ]
        for number in self.script(at).imports_by_name.get((scope, name), ()):
            found += self.imported(at, number, search)
        return found

    def imported(self, at: FileScope, number: int, search: Search | None = None) -> list[Site]:
        """What an import stands for."""
        row = at.imports[number]
        path = self.module(at.path, row.source)
        if path is None:
            return self._ambient(row.source or "", row.imported_name)
        if row.imported_name == "*":
            return self.whole(path, search) or [(path, "M", 0)]
        found = self.exported(path, row.imported_name, search)
        if not found and row.imported_name == "default":
            found = self.whole(path, search) or ([(path, "M", 0)] if self.is_common(path) else [])
        return found

    def whole(self, path: str, search: Search | None = None) -> list[Site]:
        """What a module gives in its place."""
        return [site for name in WHOLE for site in self.exported(path, name, search)]

    def is_common(self, path: str) -> bool:
        """Whether a file gives what it exports by assignment."""
        at = self.tables(path)
        return (
            at is not None
            and not at.summary.reexports
            and all(export[2] == "module_exports" for export in at.summary.exports)
        )

    def _ambient(self, source: str, name: str) -> list[Site]:
        """A name of a module that is only declared."""
        return self._evaluator.memo_tracked(("ambient", source, name), lambda: self._find_ambient(source, name))

    def _find_ambient(self, source: str, name: str) -> list[Site]:
        found: list[Site] = []
        for quote in "\"'":
            for path, number in (
                self._library.definitions_named(f"{quote}{source}{quote}")[:MAX_NAMESAKES] if source else ()
            ):
                at = self.tables(path)
                if at is not None and at.defs[number].kind == "module" and not self.script(at).is_module:
                    found += [(path, "d", member) for member in at.members.get(number, {}).get(name, ())]
        return found

    def shared(self, name: str) -> list[Site]:
        """What a name stands for that all files see: of declarations without imports and exports, or said to be."""
        return self._evaluator.memo_tracked(("shared", name), lambda: self._find_shared(name))

    def _find_shared(self, name: str) -> list[Site]:
        found: list[Site] = []
        for path, number in self._library.definitions_named(name)[:MAX_NAMESAKES]:
            at = self.tables(path)
            if at is None or not self._is_ecma(at):
                continue
            row = at.defs[number]
            parent = at.defs[row.parent] if row.parent is not None else None
            is_global = parent is not None and parent.name == "global" and parent.kind == "module"
            if is_global or (parent is None and self._is_seen_by_all(at, number)):
                found.append((path, "d", number))
        return found if len({path for path, _, _ in found}) == 1 else []

    def _is_seen_by_all(self, at: FileScope, number: int) -> bool:
        row = at.defs[number]
        return (
            row.scope == 0
            and at.path.endswith(".d.ts")
            and "." not in row.lexical_path
            and row.kind not in _MEMBERS
            and not self.script(at).is_module
        )

    def _is_ecma(self, at: FileScope) -> bool:
        return at.language in ("typescript", "tsx", "javascript")
