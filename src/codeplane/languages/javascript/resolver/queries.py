"""Memoised queries between the parts of the JavaScript and TypeScript resolver.

A query is computed once by the function that `resolver` registers for it; queries that depend on each other are solved
as a fixpoint. Everything that reads a file goes through here, so that dependencies are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from enum import Enum

from codeplane.facts import ir
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.queries import LanguageQuery, Member
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.types import NOTHING, Instance, Site, Type, Types, TypeVar
from codeplane.languages.javascript.resolver.names import ModuleNames
from codeplane.languages.javascript.resolver.source_file import SourceFile
from codeplane.languages.javascript.resolver.types import BaseList, Value, bound, sort_text

LANGUAGE = "typescript"
"""Language whose resolver computes the queries of all of these languages."""

_DIRECT = (ir.UnknownExpr, ir.StringExpr, ir.LiteralExpr, ir.FunctionExpr, ir.DictExpr)
"""Expressions that are cheaper to evaluate than to look up."""


class TsQuery(Enum):
    EXPRESSION = "types of an expression"
    TYPE = "instances of a type expression"
    BINDING = "types of a name"
    DEFINITION = "types of a definition as a value"
    INSTANCES = "instances of the type that a definition declares"
    RETURN = "types that a function returns"
    PARAMETER = "types of a parameter"
    EXPECTED = "types that an expression should have"
    EXPECTED_LITERAL = "types that an object literal should have"
    BASES = "bases of a class"
    CALLEES = "functions that a call runs"
    MEMBER = "a member of the instances of a class"
    SPREAD_MEMBER = "a member of a value that is spread into a literal"

    __hash__ = object.__hash__  # Enum hashes its name in Python, which is slow.


Compute = Callable[..., frozenset[Hashable]]
"""Takes the queries, the file, and the key of a query."""


class TsQueries:
    def __init__(self, evaluator: Evaluator, compute: Mapping[TsQuery, Compute]) -> None:
        self._evaluator = evaluator
        self._compute = compute
        self._computes = {query: self._computation(function) for query, function in compute.items()}
        self.memo = evaluator.memo
        self.names = ModuleNames(evaluator)
        self._members: dict[frozenset[Value], Member] = {}

    def _computation(self, function: Compute) -> Compute:
        def compute(_: LanguageResolver, path: str, key: Hashable) -> frozenset[Hashable]:
            return function(self, self.file(path), key)

        return compute

    def file(self, path: str) -> SourceFile:
        return self.names.source_file(self._evaluator.file(path))

    def _expression(self, path: str, node: int) -> Types:
        return bound(self._compute[TsQuery.EXPRESSION](self, self.file(path), node))  # type: ignore[return-value, arg-type]

    def _query(self, query: TsQuery, path: str, key: Hashable) -> Types:
        return self._evaluator.language_query(LanguageQuery(LANGUAGE, self._computes[query], (path, key)), tuple)  # type: ignore[arg-type]

    def value(self, path: str, node: int) -> Types:
        """Return the types of an expression."""
        if node <= 0:
            return NOTHING
        file = self.file(path)
        node = file.facts.skip_parens(node)
        expr = file.exprs[node]
        if isinstance(expr, ir.NameExpr) and expr.binding is not None:
            return self._query(TsQuery.BINDING, path, expr.binding)
        if isinstance(expr, _DIRECT):
            return self._compute[TsQuery.EXPRESSION](self, file, node)  # type: ignore[return-value]
        return self.memo(("z", path, node), self._expression, path, node, nothing=NOTHING)

    def type_of(self, path: str, node: int) -> Types:
        """Return the instances of a type expression."""
        if node <= 0:
            return NOTHING
        file = self.file(path)
        node = file.facts.skip_parens(node)
        if isinstance(file.exprs[node], _DIRECT):
            return self._compute[TsQuery.TYPE](self, file, node)  # type: ignore[return-value]
        return self._query(TsQuery.TYPE, path, node)

    def callees(self, path: str, call: int) -> Types:
        return self._query(TsQuery.CALLEES, path, call)

    def member(self, path: str, definition: int, name: str) -> Member:
        """Return a member of the instances of a class, own or inherited; type parameters are not replaced."""
        return self._split(self._query(TsQuery.MEMBER, path, (definition, name)))

    def spread_member(self, path: str, node: int, name: str) -> Member:
        """Return a member of a value that is spread into a literal, possibly into itself."""
        return self._split(self._query(TsQuery.SPREAD_MEMBER, path, (node, name)))

    def _split(self, values: frozenset[Value]) -> Member:
        found = self._members.get(values)
        if found is None:
            sites = sorted(value for value in values if isinstance(value, Site))
            types: Types = frozenset(value for value in values if not isinstance(value, Site | BaseList))
            found = self._members[values] = Member(sites, types)
        return found

    def bound(self, path: str, bind: int) -> Types:
        """Return the types of a name."""
        return self._query(TsQuery.BINDING, path, bind)

    def defined(self, path: str, definition: int) -> Types:
        """Return the types of a definition as a value."""
        return self._query(TsQuery.DEFINITION, path, definition)

    def instances(self, path: str, definition: int) -> Types:
        """Return the instances of the type that a definition declares, in terms of its type parameters."""
        return self._query(TsQuery.INSTANCES, path, definition)

    def returned(self, path: str, scope: int) -> Types:
        return self._query(TsQuery.RETURN, path, scope)

    def parameter(self, path: str, scope: int, index: int) -> Types:
        return self._query(TsQuery.PARAMETER, path, (scope, index))

    def expected(self, path: str, node: int) -> Types:
        """Return the types that an expression should have, as its context says."""
        return self._query(TsQuery.EXPECTED, path, node)

    def expected_literal(self, path: str, node: int) -> Types:
        """Return the types that an object literal should have, without those that its strings exclude."""
        return self._query(TsQuery.EXPECTED_LITERAL, path, node)

    def bases(self, path: str, definition: int) -> tuple[Type, ...]:
        """Return the direct bases of a class or interface, in order."""
        found: frozenset[BaseList] = self._query(TsQuery.BASES, path, definition)  # type: ignore[assignment]
        return max(found, key=lambda value: (len(value.bases), sort_text(value))).bases if found else ()

    def type_params(self, path: str, definition: int) -> tuple[TypeVar, ...]:
        """Return the type parameters of a class, interface or type alias."""
        file = self.file(path)
        return tuple(TypeVar(path, param.binding) for param in file.type_params(file.facts.body.get(definition)))

    def arguments(self, value: Instance) -> dict[TypeVar, Types]:
        """Return the type arguments of an instance, by type parameter."""
        if not value.arguments:
            return {}
        return dict(zip(self.type_params(value.path, value.definition), value.arguments, strict=False))
