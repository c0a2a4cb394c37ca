"""Digest of the interface of a file: while it is unchanged, names that other files resolve through it are too.

The inside of a function counts as far as it affects what the function returns, stores or has as defaults. Positions do
not count, and the order of statements counts only among assignments of a name whose reads see some of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property
from hashlib import blake2b

import orjson

from codeplane.facts.ir import ExprKind, FlowKind
from codeplane.facts.model import Facts

_SIZE = 16
_SEEN_KINDS = frozenset({"file", "class", "namespace"})
"""Kinds of scopes whose names other files can reach."""
_INTO_PLACES = frozenset(
    {FlowKind.ASSIGN, FlowKind.DECLARE, FlowKind.FOR, FlowKind.WITH, FlowKind.CATCH, FlowKind.NARROW, FlowKind.BOUND}
)


class _Field(Enum):
    """Meaning of a number in a packed expression."""

    NODE = "node"
    TEXT = "text"
    OPTIONAL_TEXT = "text plus one, or 0"
    LIST = "list of nodes"
    SCOPE = "scope"
    NUMBER = "number"


_FIELDS: Mapping[int, tuple[_Field, ...]] = {
    ExprKind.UNKNOWN: (),
    ExprKind.MEMBER: (_Field.NODE, _Field.TEXT),
    ExprKind.CALL: (_Field.NODE, _Field.LIST),
    ExprKind.NEW: (_Field.NODE, _Field.LIST),
    ExprKind.INDEX: (_Field.NODE, _Field.LIST),
    ExprKind.PAREN: (_Field.NODE,),
    ExprKind.AWAIT: (_Field.NODE,),
    ExprKind.UNION: (_Field.LIST,),
    ExprKind.LIST: (_Field.LIST,),
    ExprKind.TUPLE: (_Field.LIST,),
    ExprKind.DICT: (_Field.LIST,),
    ExprKind.PAIR: (_Field.NODE, _Field.NODE),
    ExprKind.CAST: (_Field.NODE, _Field.NODE),
    ExprKind.FUNCTION: (_Field.SCOPE, _Field.NODE),
    ExprKind.STRING: (_Field.TEXT,),
    ExprKind.LITERAL: (_Field.TEXT, _Field.OPTIONAL_TEXT),
    ExprKind.LABELLED: (_Field.NODE, _Field.TEXT),
    ExprKind.SPLAT: (_Field.NODE,),
    ExprKind.SPLAT_KEYS: (_Field.NODE,),
    ExprKind.THIS: (_Field.SCOPE, _Field.NUMBER),
    ExprKind.SUPER: (_Field.SCOPE,),
    ExprKind.CLASS_LITERAL: (_Field.NODE,),
    ExprKind.CASE: (_Field.NODE, _Field.TEXT),
    ExprKind.DOC_TYPE: (_Field.TEXT, _Field.SCOPE),
    ExprKind.SELF_TYPE: (_Field.SCOPE,),
    ExprKind.MODULE: (_Field.SCOPE, _Field.NUMBER),
    ExprKind.PATTERN: (_Field.NODE, _Field.LIST),
    ExprKind.TRY: (_Field.NODE,),
    ExprKind.TYPE_ARGUMENTS: (_Field.LIST,),
    ExprKind.TYPEOF: (_Field.NODE,),
    ExprKind.INDEXED_ACCESS: (_Field.NODE, _Field.NODE),
    ExprKind.KEYOF: (_Field.NODE,),
    ExprKind.CONDITIONAL: (_Field.LIST,),
}
"""Fields of the packed expressions, except names."""
_OF_DEFINITIONS = frozenset(
    {
        FlowKind.BASE,
        FlowKind.DECORATOR,
        FlowKind.TYPE_PARAMETER,
        FlowKind.PARTIAL,
        FlowKind.RECEIVER,
        FlowKind.MIXIN,
        FlowKind.EXTENDED,
        FlowKind.POSITIONAL_FIELDS,
        FlowKind.TYPE,
        FlowKind.VALUE,
        FlowKind.STATIC,
    }
)
_PATTERNS = frozenset({ExprKind.TUPLE, ExprKind.LIST, ExprKind.DICT, ExprKind.UNION})
_CIRCLE = "~"


def interface_of(facts: Facts) -> bytes:
    if not (facts.defs or facts.imports or facts.binds or facts.exports or facts.reexports):
        return b""
    told = _Interface(facts)
    parts = (
        [(row.kind, row.lexical_path, row.signature_hash, row.visibility) for row in facts.defs],
        [(facts.defs[row.parent].lexical_path, row.name) for row in facts.attributes],
        [
            (told.scope(row.scope), row.imported_name, row.alias, row.source_literal, row.import_kind)
            for row in facts.imports
        ],
        [tuple(row)[:1] + tuple(row)[2:] for row in facts.exports],
        facts.reexports,
        sorted(told.added()),
        sorted(told.binds()),
        sorted(told.flows()),
        list(told.params()),
    )
    return blake2b(orjson.dumps(parts, default=tuple), digest_size=_SIZE).digest()


class _Interface:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._flow = facts.flow
        self._owners: dict[int, int] = dict(facts.flow.owners)  # type: ignore[arg-type]
        self._scopes: dict[int, str] = {}
        self._texts: dict[int, str] = {}
        self._locals: dict[int, str] = {}

    def scope(self, number: int) -> str:
        """Return the name of a scope: its definition, or its number within the enclosing scope."""
        known = self._scopes.get(number)
        if known is None:
            owner = self._owners.get(number)
            parent, kind, *_ = self._facts.scopes[number]
            if owner is not None:
                known = self._facts.defs[owner].lexical_path
            elif number in self._adding:
                known = self._adding[number]
            elif parent is None:
                known = ""
            else:
                known = f"{self.scope(parent)}/{kind}{self._places.get(number, '')}"
            self._scopes[number] = known
        return known

    @cached_property
    def _adding(self) -> dict[int, str]:
        """Scopes that add members to a type, numbered in source order."""
        scopes = (scope for kind, scope, _ in self._flow.into if kind == FlowKind.IMPL)
        return {scope: f"+{number}" for number, scope in enumerate(scopes)}

    def added(self) -> Iterator[tuple[str, str]]:
        """Yield the members of these scopes."""
        for row in self._facts.defs if self._adding else ():
            if row.scope in self._adding:
                yield self.scope(row.scope), row.lexical_path

    @cached_property
    def _places(self) -> dict[int, int]:
        """Anonymous functions, by their position within the enclosing scope."""
        counts: dict[int | None, int] = {}
        found: dict[int, int] = {}
        for number, (parent, kind, *_) in enumerate(self._facts.scopes):
            if kind == "function" and number not in self._owners:
                found[number] = counts[parent] = counts.get(parent, -1) + 1
        return found

    def binds(self) -> Iterator[tuple[object, ...]]:
        for scope, name, namespace, target_kind, _, certainty, *_ in self._facts.binds:
            if self._facts.scopes[scope][1] in _SEEN_KINDS:
                yield self.scope(scope), name, namespace, target_kind, certainty

    def params(self) -> Iterator[tuple[object, ...]]:
        for scope, _, name, how, *nodes in self._flow.params:
            yield self.scope(scope), self._flow.texts[name], how, *map(self._text, nodes)

    def flows(self) -> Iterator[tuple[int, str, str]]:
        defs = self._facts.defs
        for kind, to, value in self._flow.into:
            if kind == FlowKind.RAISE:
                continue
            if kind in _INTO_PLACES:
                if not self._is_local(to):
                    yield kind, self._text(to), self._text(value)
            elif kind in _OF_DEFINITIONS:
                yield kind, defs[to].lexical_path if to >= 0 else self.scope(-to), self._text(value)
            else:
                yield kind, self.scope(to), self._text(value)

    def _is_local(self, node: int) -> bool:
        """True if only local variables are assigned."""
        kind, a, b, _ = self._flow.nodes[node]
        if kind == ExprKind.NAME:
            return bool(a) and self._facts.scopes[self._facts.binds[a - 1][0]][1] not in _SEEN_KINDS
        if kind == ExprKind.MEMBER:
            # The receiver of a method is visible elsewhere, and a parameter may be the receiver.
            of, bind, _, _ = self._flow.nodes[a]
            if of in (ExprKind.NAME, ExprKind.MEMBER):
                return self._is_local(a) and (of == ExprKind.MEMBER or bind - 1 not in self._passed)
            return of != ExprKind.THIS
        if kind in _PATTERNS:
            return all(self._is_local(part) for part in self._flow.lists[a])
        if kind == ExprKind.PATTERN:
            return all(self._is_local(part) for part in self._flow.lists[b])
        if kind in (ExprKind.INDEX, ExprKind.PAREN, ExprKind.SPLAT, ExprKind.LABELLED):
            return self._is_local(a)
        if kind == ExprKind.PAIR:
            return self._is_local(b)
        return kind in (ExprKind.UNKNOWN, ExprKind.LITERAL, ExprKind.STRING)

    def _text(self, node: int) -> str:
        if node < 0:
            return ""
        known = self._texts.get(node)
        if known is None:
            known = self._texts[node] = self._spell(node)
        return known

    def _spell(self, node: int) -> str:
        kind, a, b, _ = self._flow.nodes[node]
        if kind == ExprKind.NAME:
            return f"n{self._flow.texts[b]}:{self._bound(a - 1) if a else ''}{self._window(node)}"
        told = [self._number(field, number) for field, number in zip(_FIELDS[kind], (a, b), strict=False)]
        return _short(f"{kind}({' '.join(told)})")

    def _window(self, node: int) -> str:
        """Return the number of an assigned name in the order of its binding, or those that a read can see."""
        if node in self._order:
            return f"#{self._order[node]}"
        window = self._windows.get(node)
        if window is None:
            return ""
        visible, items = ([self._order.get(target, "") for target in self._flow.lists[number]] for number in window)
        return f"{visible}{items}"

    @cached_property
    def _windows(self) -> dict[int, tuple[int, int]]:
        return {node: (visible, items) for node, visible, items in self._flow.windows}

    @cached_property
    def _order(self) -> dict[int, int]:
        """Names that are assigned to, numbered in source order within each binding whose order counts."""
        nodes = self._flow.nodes
        ordered = {nodes[node][1] for node in self._windows}
        targets = {
            (nodes[node][1], nodes[node][3], node)
            for kind, to, _ in (self._flow.into if ordered else ())
            if kind in _INTO_PLACES
            for node, _ in self._name_nodes(to, "")
            if nodes[node][1] in ordered
        }
        counts: dict[int, int] = {}
        found: dict[int, int] = {}
        for bind, _, node in sorted(targets):
            found[node] = counts[bind] = counts.get(bind, -1) + 1
        return found

    def _number(self, field: _Field, number: int) -> str:
        if field is _Field.NODE:
            return self._text(number)
        if field is _Field.LIST:
            return ",".join(self._text(part) for part in self._flow.lists[number])
        if field is _Field.SCOPE:
            return self.scope(number)
        if field is _Field.NUMBER:
            return str(number)
        if field is _Field.OPTIONAL_TEXT:
            return self._flow.texts[number - 1] if number else ""
        return self._flow.texts[number]

    def _bound(self, bind: int) -> str:
        """Return the text of a binding; for a local variable it includes everything assigned to it."""
        scope, name, *_ = self._facts.binds[bind]
        place = f"{self.scope(scope)}.{name}"
        if self._facts.scopes[scope][1] in _SEEN_KINDS:
            return place
        known = self._locals.get(bind)
        if known is None:
            self._locals[bind] = _CIRCLE
            given = sorted(f"{kind}{way}{self._text(value)}" for kind, way, value in self._given.get(bind, ()))
            known = self._locals[bind] = _short(f"{place}<{','.join(given)}>")
        return known

    @cached_property
    def _passed(self) -> frozenset[int]:
        return frozenset(bind for _, bind, *_ in self._flow.params)

    @cached_property
    def _given(self) -> dict[int, list[tuple[int, str, int]]]:
        found: dict[int, list[tuple[int, str, int]]] = {}
        for kind, to, value in self._flow.into:
            if kind in _INTO_PLACES:
                for node, way in self._name_nodes(to, ""):
                    bind = self._flow.nodes[node][1] - 1
                    found.setdefault(bind, []).append((kind, f"{way}{self._window(node)}", value))
        return found

    def _name_nodes(self, node: int, way: str) -> Iterator[tuple[int, str]]:
        """Yield the names that a pattern binds, each with the path to its part of the value."""
        kind, a, b, _ = self._flow.nodes[node]
        if kind == ExprKind.NAME and a:
            yield node, way
        elif kind == ExprKind.PAIR:
            yield from self._name_nodes(b, f"{way}.{self._text(a)}")
        elif kind in _PATTERNS or kind == ExprKind.PATTERN:
            for place, part in enumerate(self._flow.lists[b if kind == ExprKind.PATTERN else a]):
                yield from self._name_nodes(part, way if kind in (ExprKind.DICT, ExprKind.UNION) else f"{way}.{place}")
        elif kind in (ExprKind.INDEX, ExprKind.PAREN, ExprKind.SPLAT, ExprKind.LABELLED):
            yield from self._name_nodes(a, way if kind == ExprKind.PAREN else f"{way}.{kind}")


def _short(text: str) -> str:
    return text if len(text) < 64 else blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
