"""What the parts of the resolver ask of each other: cells of values, each computed once, by the function of its
letter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codeplane.facts.ir import ExprKind
from codeplane.index.resolve.ecma.names import Names
from codeplane.index.resolve.ecma.script import Script
from codeplane.index.resolve.ecma.shapes import NOTHING, Value, Values, bounded, spelled
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import LanguageQuery
from codeplane.index.resolve.value import Site

LANGUAGE = "typescript"
"""The rules that compute the cells of all these languages."""

_PLAIN = frozenset({ExprKind.UNKNOWN, ExprKind.STRING, ExprKind.LITERAL, ExprKind.FUNCTION, ExprKind.DICT})
"""Nodes that say at once what they are."""

Compute = Callable[["World", FileScope, Any], Values]


class World:
    def __init__(self, evaluator: Evaluator, compute: Mapping[str, Compute]) -> None:
        self._evaluator = evaluator
        self._compute = compute
        self.memo = evaluator.memo
        self.names = Names(evaluator)
        self._apart: dict[Values, tuple[Any, Values]] = {}

    def at(self, path: str) -> FileScope:
        return self._evaluator.file(path)

    def script(self, path: str) -> Script:
        return self.names.script(self._evaluator.file(path))

    def compute(self, letter: str, path: str, number: Any) -> Values:
        return self._compute[letter](self, self._evaluator.file(path), number)

    def _expression(self, path: str, node: int) -> Values:
        return bounded(self._compute["n"](self, self._evaluator.file(path), node))

    def _cell(self, letter: str, path: str, number: Any) -> Values:
        return self._evaluator.language_query(LanguageQuery(LANGUAGE, letter, (path, number)), tuple)

    def value(self, path: str, node: int) -> Values:
        """What an expression is."""
        if node <= 0:
            return NOTHING
        node, kind, a = self._within(path, node)
        if kind == ExprKind.NAME and a:
            return self._cell("b", path, a - 1)
        if kind in _PLAIN:
            return self._compute["n"](self, self._evaluator.file(path), node)
        return self.memo(("z", path, node), self._expression, path, node, nothing=NOTHING)

    def type_of(self, path: str, node: int) -> Values:
        """What is of a type."""
        if node <= 0:
            return NOTHING
        node, kind, _ = self._within(path, node)
        if kind in _PLAIN:
            return self._compute["t"](self, self._evaluator.file(path), node)
        return self._cell("t", path, node)

    def _within(self, path: str, node: int) -> tuple[int, int, int]:
        """A node without the brackets around it, its kind and its first number."""
        nodes = self._evaluator.file(path).nodes
        kind, a, _, _ = nodes[node]
        while kind == ExprKind.PAREN:
            node = a
            kind, a, _, _ = nodes[node]
        return node, kind, a

    def called(self, path: str, node: int) -> Values:
        """What a call runs."""
        return self._cell("k", path, node)

    def member(self, path: str, definition: int, name: str) -> tuple[list[Site], Values]:
        """A member of the objects of a class, its own or inherited, with the parameters of the class in place."""
        return self._split(self._cell("m", path, (definition, name)))

    def spread(self, path: str, node: int, name: str) -> tuple[list[Site], Values]:
        """A member of what is spread into a literal, which may be the literal itself."""
        return self._split(self._cell("s", path, (node, name)))

    def _split(self, held: Values) -> tuple[list[Site], Values]:
        found = self._apart.get(held)
        if found is None:
            sites = sorted(value[1:] for value in held if value[0] == "S")
            values = frozenset(value for value in held if value[0] != "S") if sites else held
            found = self._apart[held] = (sites, values)
        return found

    def bound(self, path: str, bind: int) -> Values:
        """What a name is."""
        return self._cell("b", path, bind)

    def defined(self, path: str, definition: int) -> Values:
        """What the name of a definition is, as a value."""
        return self._cell("d", path, definition)

    def named(self, path: str, definition: int) -> Values:
        """What is of the type that a definition names, with its own parameters in place."""
        return self._cell("y", path, definition)

    def returned(self, path: str, scope: int) -> Values:
        return self._cell("r", path, scope)

    def passed(self, path: str, scope: int, place: int) -> Values:
        """What a parameter is."""
        return self._cell("p", path, scope << 10 | place)

    def context(self, path: str, node: int) -> Values:
        """What an expression should be, as what is around it says."""
        return self._cell("c", path, node)

    def wanted(self, path: str, literal: int) -> Values:
        """What an object literal should be; of several those that its texts do not exclude."""
        return self._cell("w", path, literal)

    def bases(self, path: str, definition: int) -> tuple[Value, ...]:
        """What a class or interface extends directly, in order."""
        found = self._cell("o", path, definition)
        ordered: tuple[Value, ...] = max(found, key=lambda value: (len(value[1]), spelled(value)))[1] if found else ()
        return ordered

    def variables(self, path: str, definition: int) -> tuple[int, ...]:
        """Bindings of the parameters of a class, interface or type that stand for types."""
        script = self.script(path)
        return tuple(param.binding for param in script.variables(script.at.body.get(definition)))

    def known(self, of: Value) -> dict[tuple[str, int], Values]:
        """The arguments of an object's type, by parameter."""
        _, path, definition, arguments = of
        if not arguments:
            return {}
        return {(path, bind): values for bind, values in zip(self.variables(path, definition), arguments, strict=False)}
