"""Bindings of a file: every binding site is entered, then each of its identifiers gets a role.

Identifiers of an import statement name things of other files, and are never looked up here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

from codeplane.facts.definitions import VARIABLES, Definitions
from codeplane.facts.model import Def, ReferenceRole, Target
from codeplane.facts.scopes import (
    DEF_IN_SCOPE,
    IMPORT_ALIAS,
    LOCAL_ASSIGN,
    PARAM,
    Bindings,
    ScopeTree,
    scope_before,
)
from codeplane.facts.structure import BindSite, DefSite, ImportMatch, Structure
from codeplane.languages.spec import MEMBER, TYPE, VALUE, Language

IdentifierRoles = dict[int, tuple[int, int | None]]
"""Start offset -> role, and the binding of which the identifier is a site (None for a name of another file)."""

_DEFINITION, _IMPORT = int(ReferenceRole.DEFINITION), int(ReferenceRole.IMPORT)
_DEFAULT_NAMESPACES = (VALUE,)
_MEMBERS_ONLY = (MEMBER,)


class _BindRule(NamedTuple):
    """Effect of one `@bind` capture."""

    reason: str = LOCAL_ASSIGN
    namespace: int = VALUE
    climb: Callable[[ScopeTree, int], int] | None = None
    """Scope around the site -> the scope that binds the name."""
    certain: bool = True
    hides: bool = False
    by_flow: bool = False
    """The scope is the one of an earlier assignment to the name."""


_RULES = {
    "param": _BindRule(PARAM),
    "local": _BindRule(),
    "hoisted": _BindRule(climb=ScopeTree.function_of),
    "type": _BindRule(namespace=TYPE),
    "inferred": _BindRule(namespace=TYPE, climb=ScopeTree.conditional_of),
    "maybe": _BindRule(certain=False),
    "assign": _BindRule(by_flow=True),
    "let": _BindRule(hides=True),
}
_REDIRECTS = frozenset({"global", "nonlocal"})


class Binder:
    """Enters the bindings of one file, and collects the roles of their identifiers."""

    def __init__(
        self,
        language: Language,
        structure: Structure,
        tree: ScopeTree,
        definitions: Definitions,
        source: bytes,
        offsets: list[int],
        innermost: list[int],
    ) -> None:
        self._language = language
        self._structure = structure
        self._tree = tree
        self._definitions = definitions
        self._source = source
        self._offsets = offsets
        self._innermost = innermost
        self._sites: list[tuple[int, int, int]] = []
        """Offset, binding and role of identifiers, in the order of entry."""
        self._scope_at: dict[tuple[int, int], int] = {}
        if structure.shared or structure.implicit:
            self._scope_at = {(opened.start, opened.end): number for number, opened in enumerate(tree.sites)}
        self.bindings = Bindings(tree, language, structure.open, structure.sealed, structure.receivers)
        self.roles: IdentifierRoles = {}
        self._import_namespaces = _lookup_namespaces(language) if structure.imports else ()

    def bind(self) -> None:
        self._redirect()
        self._bind_definitions()
        self._bind_implicit()
        self._bind_clauses()
        self._bind_writes()
        for number, imported in enumerate(self._structure.imports):
            self._bind_import(number, imported)
        self._bind_locals()
        self._assign_roles()

    def _text(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")

    def _redirect(self) -> None:
        """Enter `global` and `nonlocal` statements first: they apply to the whole scope."""
        for start, end, how, _ in self._structure.binds:
            if how in _REDIRECTS:
                scope = self._innermost[min(bisect_left(self._offsets, start), len(self._offsets) - 1)]
                target = 0 if how == "global" else self._tree.enclosing_function(scope)
                self.bindings.redirect(scope, self._text(start, end), target)

    def _bind_definitions(self) -> None:
        language, tree, bindings = self._language, self._tree, self.bindings
        shared = {self._scope_at[span] for span in self._structure.shared if span in self._scope_at}
        for number, (row, site) in enumerate(zip(self._definitions.rows, self._definitions.sites, strict=True)):
            if site.kind in VARIABLES:
                bindings.variables.add(number)
            variant = f"{row.kind}.{site.variant}" if site.variant else row.kind
            spaces = language.namespaces.get(variant) or language.namespaces.get(row.kind, _DEFAULT_NAMESPACES)
            in_class = tree.kinds[row.scope] == "class"
            # Members of different literals in one scope are unrelated.
            if site.owner is not None or (language.members_qualified if in_class else spaces == _MEMBERS_ONLY):
                self.roles[site.name_start] = (_DEFINITION, bindings.add_member(row.scope, row.name, number))
                continue
            for namespace in spaces:
                self._bind_definition(number, row, site, namespace, is_shared=row.scope in shared)

    def _bind_definition(self, number: int, row: Def, site: DefSite, namespace: int, *, is_shared: bool) -> None:
        visible = site.visible_from
        if visible is None:
            visible = site.end if site.kind in VARIABLES and not self._language.variables_are_items else 0
        certain = site.start not in self._structure.conditional
        identity = row.kind if row.kind in self._language.redeclared else ""
        entry = self.bindings.add(
            row.scope,
            namespace,
            row.name,
            Target.DEF,
            number,
            DEF_IN_SCOPE,
            certain=certain,
            visible_from=visible,
            identity=identity,
        )
        if not site.implied:
            self._sites.append((site.name_start, entry, _DEFINITION))
        if is_shared:
            outer = self._tree.parents[row.scope]
            self.bindings.add(outer, namespace, row.name, Target.DEF, number, DEF_IN_SCOPE, certain=certain)

    def _bind_implicit(self) -> None:
        for span, name in self._structure.implicit:
            if span in self._scope_at:
                scope = self._scope_at[span]
                self.bindings.add(scope, VALUE, name, Target.UNKNOWN, None, PARAM, certain=False)

    def _bind_clauses(self) -> None:
        for site, number in self._definitions.clauses:
            row = self._definitions.rows[number]
            for namespace in self._language.namespaces.get(row.kind, _DEFAULT_NAMESPACES):
                known = self.bindings.find(row.scope, namespace, row.name)
                if known is not None:
                    self._sites.append((site.name_start, known, _DEFINITION))

    def _bind_writes(self) -> None:
        for site, scope in self._definitions.writes:
            visible = site.end if site.visible_from is None else site.visible_from
            entry = self.bindings.add_local(scope, VALUE, site.name, LOCAL_ASSIGN, visible)
            self._sites.append((site.name_start, entry, _DEFINITION))

    def _bind_import(self, number: int, imported: ImportMatch) -> None:
        local, certain = _local_name(self._language, imported)
        if local is None:
            return
        scope = scope_before(self._tree, imported.start, imported.end)
        identity = local if "." in imported.name and not imported.alias else f"{imported.source}:{imported.name}"
        namespaces = self._language.import_namespaces.get(imported.kind, self._import_namespaces)
        for namespace in namespaces:
            entry = self.bindings.add(
                scope, namespace, local, Target.IMPORT, number, IMPORT_ALIAS, certain=certain, identity=identity
            )
            if imported.bound_at is not None and namespace == namespaces[0]:
                self._sites.append((imported.bound_at[0], entry, _IMPORT))

    def _bind_locals(self) -> None:
        binds, offsets = self._structure.binds, self._offsets
        certainly_bound = {start for start, _, how, _ in binds if how != "maybe"}
        defined = {site.name_start for site in self._definitions.sites}
        # The meaning of an assignment depends on earlier ones.
        by_position = any(bind.how == "assign" for bind in binds)
        last = len(offsets)
        for bind in sorted(binds) if by_position else binds:
            start, _, how, _ = bind
            place = bisect_left(offsets, start)
            if how in _REDIRECTS or place == last or offsets[place] != start:
                continue
            rule = _RULES[how]
            if rule.certain or start not in certainly_bound:
                self._bind_local(bind, rule, self._innermost[place], is_defined=start in defined)

    def _bind_local(self, bind: BindSite, rule: _BindRule, scope: int, *, is_defined: bool) -> None:
        start, end, _, visible_from = bind
        if rule.climb is not None:
            scope = rule.climb(self._tree, scope)
        if rule.reason == PARAM and self._tree.kinds[scope] in ("file", "namespace"):
            return  # a parameter of something that did not parse
        name = self._text(start, end)
        if rule.by_flow:
            scope = self.bindings.assigned_in(scope, name, start)
        if is_defined and (known := self.bindings.find(scope, VALUE, name)) is not None:
            self._sites.append((start, known, _DEFINITION))  # the site of a definition, not another one
            return
        if rule.certain and not rule.hides:
            entry = self.bindings.add_local(scope, rule.namespace, name, rule.reason, visible_from)
        else:
            entry = self.bindings.add(
                scope,
                rule.namespace,
                name,
                Target.UNKNOWN,
                None,
                rule.reason,
                certain=rule.certain,
                visible_from=visible_from,
                hides=rule.hides,
            )
        self._sites.append((start, entry, _DEFINITION))

    def _assign_roles(self) -> None:
        roles, offsets = self.roles, self._offsets
        for start, entry, role in self._sites:
            if start not in roles or role == _DEFINITION:
                roles[start] = (role, entry)
        foreign = (_IMPORT, None)
        for start, end in {(imported.start, imported.end) for imported in self._structure.imports}:
            for offset in offsets[bisect_left(offsets, start) : bisect_left(offsets, end)]:
                roles.setdefault(offset, foreign)


def _lookup_namespaces(language: Language) -> tuple[int, ...]:
    """Return the namespaces of look-ups: an imported name may mean something in any of them."""
    bound = {namespace for namespaces in language.namespaces.values() for namespace in namespaces}
    return tuple(sorted({VALUE, language.call_namespace, *bound} - {MEMBER}))


def _local_name(language: Language, site: ImportMatch) -> tuple[str | None, bool]:
    if site.alias is not None:
        return (site.alias if site.alias not in language.blank_aliases else None), True
    if site.name == "*" or (site.bound_at is None and language.expand_import is not None):
        return None, True
    if language.import_binding is not None:
        return language.import_binding(site.source, site.name)
    return site.name, True
