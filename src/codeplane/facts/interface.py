"""A digest of all of a file that others can see: while it stays, what they resolve through the file stays too.

What happens inside of functions counts as far as it reaches what they return, keep or pass on as defaults. Positions
and the order of things inside of functions leave no trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import blake2b

import orjson

from codeplane.facts.ir import ExprKind, FlowKind
from codeplane.facts.model import Facts

_SIZE = 16
_SEEN_KINDS = frozenset({"file", "class", "namespace"})
"""Scopes whose names others can reach."""
_INTO_PLACES = frozenset(
    {FlowKind.ASSIGN, FlowKind.DECLARE, FlowKind.FOR, FlowKind.WITH, FlowKind.CATCH, FlowKind.NARROW, FlowKind.BOUND}
)
_PARTS: Mapping[int, str] = {
    ExprKind.UNKNOWN: "",
    ExprKind.MEMBER: "nt",
    ExprKind.CALL: "nl",
    ExprKind.NEW: "nl",
    ExprKind.INDEX: "nl",
    ExprKind.PAREN: "n",
    ExprKind.AWAIT: "n",
    ExprKind.UNION: "l",
    ExprKind.LIST: "l",
    ExprKind.TUPLE: "l",
    ExprKind.DICT: "l",
    ExprKind.PAIR: "nn",
    ExprKind.CAST: "nn",
    ExprKind.FUNCTION: "sn",
    ExprKind.STRING: "t",
    ExprKind.LITERAL: "to",
    ExprKind.LABELLED: "nt",
    ExprKind.SPLAT: "n",
    ExprKind.SPLAT_KEYS: "n",
    ExprKind.THIS: "s#",
    ExprKind.SUPER: "s",
    ExprKind.CLASS_LITERAL: "n",
    ExprKind.CASE: "nt",
    ExprKind.DOC_TYPE: "ts",
    ExprKind.SELF_TYPE: "s",
    ExprKind.MODULE: "s#",
    ExprKind.PATTERN: "nl",
    ExprKind.TRY: "n",
    ExprKind.TYPE_ARGUMENTS: "l",
    ExprKind.TYPEOF: "n",
    ExprKind.INDEXED_ACCESS: "nn",
    ExprKind.KEYOF: "n",
    ExprKind.CONDITIONAL: "l",
}
"""What the numbers of a value are: a node, a text (one more than it, or 0), a list of nodes, a scope, a plain number.
Names apart."""
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
        """A scope by what it is the body of; those that are nothing's are numbered within what they lie in."""
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
        """Scopes that add members to a type, by their order."""
        scopes = (scope for kind, scope, _ in self._flow.into if kind == FlowKind.IMPL)
        return {scope: f"+{number}" for number, scope in enumerate(scopes)}

    def added(self) -> Iterator[tuple[str, str]]:
        """Which of them each member stands in."""
        for row in self._facts.defs if self._adding else ():
            if row.scope in self._adding:
                yield self.scope(row.scope), row.lexical_path

    @cached_property
    def _places(self) -> dict[int, int]:
        """Functions without a name, by their place among those in the same scope."""
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
        """Whether nothing but variables of a function are given something."""
        kind, a, b, _ = self._flow.nodes[node]
        if kind == ExprKind.NAME:
            return bool(a) and self._facts.scopes[self._facts.binds[a - 1][0]][1] not in _SEEN_KINDS
        if kind == ExprKind.MEMBER:
            # The object that a method is called on is known elsewhere; a parameter may be that.
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
            return f"n{self._flow.texts[b]}:{self._bound(a - 1) if a else ''}"
        told = [self._number(what, number) for what, number in zip(_PARTS[kind], (a, b), strict=False)]
        return _short(f"{kind}({' '.join(told)})")

    def _number(self, what: str, number: int) -> str:
        if what == "n":
            return self._text(number)
        if what == "l":
            return ",".join(self._text(part) for part in self._flow.lists[number])
        if what == "s":
            return self.scope(number)
        if what == "#":
            return str(number)
        if what == "o":
            return self._flow.texts[number - 1] if number else ""
        return self._flow.texts[number]

    def _bound(self, bind: int) -> str:
        """What a name is bound to: for a variable of a function, all that it is given."""
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
                for bind, way in self._names_in(to, ""):
                    found.setdefault(bind, []).append((kind, way, value))
        return found

    def _names_in(self, node: int, way: str) -> Iterator[tuple[int, str]]:
        """Bindings that a pattern names, and which part of the value each is given."""
        kind, a, b, _ = self._flow.nodes[node]
        if kind == ExprKind.NAME and a:
            yield a - 1, way
        elif kind == ExprKind.PAIR:
            yield from self._names_in(b, f"{way}.{self._text(a)}")
        elif kind in _PATTERNS or kind == ExprKind.PATTERN:
            for place, part in enumerate(self._flow.lists[b if kind == ExprKind.PATTERN else a]):
                yield from self._names_in(part, way if kind in (ExprKind.DICT, ExprKind.UNION) else f"{way}.{place}")
        elif kind in (ExprKind.INDEX, ExprKind.PAREN, ExprKind.SPLAT, ExprKind.LABELLED):
            yield from self._names_in(a, way if kind == ExprKind.PAREN else f"{way}.{kind}")


def _short(text: str) -> str:
    return text if len(text) < 64 else blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
