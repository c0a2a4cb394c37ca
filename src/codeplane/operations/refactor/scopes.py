"""Names and scopes of the files that a rename changes: what the new name would collide with, hide or capture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Bind, ReferenceRole, Usage
from codeplane.languages.registry import by_name
from codeplane.languages.spec import Language
from codeplane.query.relations import Symbol
from codeplane.query.rows import FileBlock, find_block
from codeplane.query.snapshot import Snapshot

_FUNCTIONS = ("function", "closure", "lambda")
BARE = (Usage.NAME, Usage.CALL, Usage.TYPE)


class ScopedName(NamedTuple):
    """An occurrence that is looked up in scopes."""

    line: int
    column: int
    scope: int
    bind: int | None
    role: int
    usage: int


class FileScopes:
    """Scopes, bindings and bare names of one file."""

    def __init__(self, block: FileBlock, language: Language) -> None:
        self.path: RepoPath = block.path
        self._facts = block.facts
        self._language = language

    @cached_property
    def binds(self) -> Sequence[Bind]:
        return self._facts.binds

    def occurrences(self, name: str) -> list[ScopedName]:
        names = self._facts.names
        if name not in names:
            return []
        wanted, found = names.index(name), []
        columns = self._facts.refs.columns
        for number, ordinal in enumerate(columns.names):
            if ordinal == wanted:
                flags, bind = columns.flags[number], columns.binds[number]
                place = (columns.lines[number], columns.columns[number])
                scope = columns.scopes[number]
                found.append(ScopedName(*place, scope, bind - 1 if bind else None, flags & 3, flags >> 2 & 7))
        return found

    def binds_of(self, name: str, scope: int) -> list[Bind]:
        return [bind for bind in self.binds if bind.name == name and bind.scope == scope]

    def chain(self, scope: int, last: int) -> Iterable[int]:
        """Yield the scopes in which a bare name is looked up, from the inside to `last`."""
        inner: int | None = scope
        while inner is not None:
            if inner == scope or self._is_looked_into(inner):
                yield inner
            if inner == last:
                return
            inner = self._facts.scopes[inner].parent

    def is_function(self, scope: int, function: Symbol) -> bool:
        """True if a scope is the body of a function."""
        found = self._facts.scopes[scope]
        return (
            found.kind in _FUNCTIONS
            and function.start_line <= found.start_line <= function.line <= found.end_line
            and found.end_line <= function.end_line
        )

    def is_inside(self, scope: int, outer: int) -> bool:
        inner: int | None = scope
        while inner is not None:
            if inner == outer:
                return True
            inner = self._facts.scopes[inner].parent
        return False

    def shadowing(self, site: ScopedName, last: int, name: str) -> bool:
        """True if a binding of `name` in between would take a reference over."""
        if site.usage not in BARE:
            return False
        return any(self.binds_of(name, scope) for scope in self.chain(site.scope, last))

    def captured(self, scope: int, name: str) -> list[ScopedName]:
        """List bare uses of `name` inside a scope that are bound outside of it, or not at all."""
        found = []
        for use in self.occurrences(name):
            if use.role != ReferenceRole.REFERENCE or use.usage not in BARE or not self.is_inside(use.scope, scope):
                continue
            bound = self.binds[use.bind].scope if use.bind is not None else None
            is_outside = bound is None or (bound != scope and self.is_inside(scope, bound))
            if is_outside and scope in self.chain(use.scope, scope):
                found.append(use)
        return found

    def _is_looked_into(self, scope: int) -> bool:
        is_class = self._facts.scopes[scope].kind == "class"
        return not is_class or self._language.bare_members


def read_scopes(snapshot: Snapshot, file_id: int, language: str) -> FileScopes | None:
    block = find_block(snapshot, file_id)
    return FileScopes(block, by_name(language)) if block is not None else None
