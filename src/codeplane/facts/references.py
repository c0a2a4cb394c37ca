"""References of a file: every identifier with its role, usage, and the binding that it resolves to in the file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import cast

from tree_sitter import Node

from codeplane.facts.binding import Binder, IdentifierRoles
from codeplane.facts.blocks import Columns, Refs, flags
from codeplane.facts.definitions import Definitions
from codeplane.facts.flow_exprs import Identifiers
from codeplane.facts.grammar import Grammar
from codeplane.facts.identifiers import IdentifierSites, read_identifiers
from codeplane.facts.lines import Lines
from codeplane.facts.model import Certainty, ReferenceRole, Tier, Usage
from codeplane.facts.scopes import Bindings, ScopeTree, locate
from codeplane.facts.structure import Structure
from codeplane.languages.spec import CALLABLE, TYPE, VALUE, Language

_DEFINITION, _EXPORT = int(ReferenceRole.DEFINITION), int(ReferenceRole.EXPORT)
_AS_CALL, _AS_TYPE = flags(0, Usage.CALL, 0, 0), flags(0, Usage.TYPE, 0, 0)
_LAST_LOOKED_UP = _AS_TYPE
"""Members and labels are not looked up in scopes."""
_PROVEN = flags(0, 0, Tier.PROVEN, Certainty.CERTAIN)


def read_references(
    grammar: Grammar,
    root: Node,
    parsed: bytes,
    structure: Structure,
    tree: ScopeTree,
    definitions: Definitions,
    lines: Lines,
) -> tuple[list[str], Refs, Bindings, Identifiers]:
    """Return the names, the references, the bindings, and the identifiers as data flow needs them."""
    language, source = grammar.language, lines.source
    sites = read_identifiers(grammar, root, source, parsed)
    ends = sites.ends
    # An identifier without length was inserted by the parser's error recovery.
    offsets = sorted(offset for offset, end in ends.items() if end > offset) if root.has_error else sorted(ends)
    innermost, lookup = locate(tree, offsets)
    binder = Binder(language, structure, tree, definitions, source, offsets, innermost)
    binder.bind()
    tokens = [source[offset : ends[offset]] for offset in offsets]
    unique = dict.fromkeys(tokens)
    texts = [token.decode("utf-8", "replace") for token in unique]
    numbers = dict(zip(unique, range(len(texts)), strict=True))
    names = list(map(numbers.__getitem__, tokens))
    on_lines, columns = lines.positions(offsets)
    marks = [usage << 2 for usage in map(sites.usages.get, offsets, repeat(0))]
    scopes, binds = lookup.copy(), [0] * len(offsets)
    resolver = _Resolver(language, structure, tree, sites, binder.bindings, texts)
    resolver.resolve_all(offsets, names, lookup, innermost, binder.roles, marks, scopes, binds)
    refs = Refs(texts, Columns(scopes, names, on_lines, columns, marks, binds))
    known: Sequence[int] = binds
    if language.calls_dispatched:
        rows = binder.bindings.rows
        known = [0 if bind and rows[bind - 1][2] == CALLABLE else bind for bind in binds]
    return texts, refs, binder.bindings, Identifiers(offsets, ends, known, scopes, marks)


class _Resolver:
    """Look-up of identifiers in the scopes of their file."""

    def __init__(
        self,
        language: Language,
        structure: Structure,
        tree: ScopeTree,
        sites: IdentifierSites,
        bindings: Bindings,
        texts: Sequence[str],
    ) -> None:
        has_types = any(TYPE in spaces for spaces in language.namespaces.values())
        self._by_mark = {_AS_TYPE: TYPE, _AS_CALL: language.call_namespace} if has_types else {}
        """Namespace of a plain identifier, by its usage."""
        self._namespaces = sites.namespaces if language.namespaces else {}
        self._export_namespace = TYPE if has_types else None
        """Second namespace in which an exported name is looked up."""
        self._exported = {site.name_start for site in structure.exports}
        self._unparsed = sites.unparsed
        self._is_linked = language.coverage == "full"
        self._ordered = language.sequential
        self._kinds = tree.kinds
        self._bindings = bindings
        self._texts = texts
        self._resolved: dict[tuple[int, int, int], tuple[int, bool] | None] = {}
        """If declaration order does not matter, a name means the same throughout its scope."""

    def resolve_all(
        self,
        offsets: Sequence[int],
        names: Sequence[int],
        lookup: Sequence[int],
        innermost: Sequence[int],
        roles: IdentifierRoles,
        marks: list[int],
        scopes: list[int],
        binds: list[int],
    ) -> None:
        """Complete the columns `marks`, `scopes` and `binds`."""
        rows, find_role = self._bindings.rows, roles.get
        by_mark, namespaces, exported = self._by_mark, self._namespaces, self._exported
        bind: int | None
        for at, (offset, name, scope, mark) in enumerate(zip(offsets, names, lookup, marks, strict=True)):
            known = find_role(offset)
            if known is not None:
                role, bind = known
                if bind is None:
                    marks[at] = role | mark
                    continue
                row = rows[bind]
                # A definition is in the scope that binds its name, not in the one that it opens.
                scopes[at] = cast(int, row[0]) if role == _DEFINITION else innermost[at]
                certain = row[5] == 1
            elif mark > _LAST_LOOKED_UP:
                continue
            else:
                role = _EXPORT if offset in exported else 0
                namespace = namespaces.get(offset, -1)
                found = self._find(scope, name, by_mark.get(mark, VALUE) if namespace < 0 else namespace, offset, role)
                if found is None:
                    marks[at] = role | mark
                    continue
                bind, certain = found
            marks[at] = role | mark | _PROVEN if certain else role | mark
            binds[at] = bind + 1

    def _find(self, scope: int, name: int, namespace: int, offset: int, role: int) -> tuple[int, bool] | None:
        if not self._is_linked:
            return None
        key = (scope, name, namespace)
        resolved = self._resolved
        if self._ordered or key not in resolved or self._kinds[scope] == "class":
            resolved[key] = self._bindings.resolve(scope, namespace, self._texts[name], offset)
        found = resolved[key]
        if found is None and role == _EXPORT and self._export_namespace is not None:
            found = self._bindings.resolve(scope, self._export_namespace, self._texts[name], offset)
        if found is None or offset not in self._unparsed:
            return found
        return found[0], False
