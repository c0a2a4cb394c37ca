"""Infers the types of expressions from what the source states: declarations, constructions, imports and returns.

The same for all languages; differences are hooks of `LanguageResolver`. Members are in `members`, calls in `calls`, and
lists, tuples and dicts in `containers`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from typing import TypeVar

from codeplane.facts import ir
from codeplane.facts.ir import Expr
from codeplane.facts.model import Certainty, Target
from codeplane.index.resolve import calls, containers, inflows, members, type_exprs
from codeplane.index.resolve.definition_map import DefinitionMap
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.flow_targets import Inflow
from codeplane.index.resolve.library import Library
from codeplane.index.resolve.queries import LanguageQuery, Member, Operator, Query, QueryKind
from codeplane.index.resolve.query_cache import QueryCache
from codeplane.index.resolve.resolver import CALLABLES, LanguageResolver
from codeplane.index.resolve.types import (
    NOTHING,
    TOP,
    ClassLiteral,
    ClassType,
    External,
    Function,
    Instance,
    LiteralType,
    Module,
    Site,
    SiteKind,
    Type,
    Types,
    bounded,
    list_of,
    one,
    union,
)

T = TypeVar("T")

MAX_QUERY_BYTES = 64 * 1024 * 1024
"""Limit on the estimated memory of results that are kept after a file is resolved."""
_VALUE_KINDS = frozenset({"enum_member", "module"})
"""Further kinds of definitions whose name has types of its own."""
Arguments = Mapping[tuple[str, int, int], Types]
"""Types of arguments by path, scope and number of the parameter."""


class Evaluator:
    def __init__(self, library: Library, resolver_of: Callable[[str], Callable[[Evaluator], LanguageResolver]]) -> None:
        self.library = library
        self._make_resolver = resolver_of
        self._resolvers = _Resolvers(self)
        self._cache: QueryCache[Query | LanguageQuery, Type] = QueryCache(self._compute, self._bounded)
        self.memo = self._cache.memo
        """For computations that run queries but never themselves."""
        self._dependencies = self._cache.dependencies
        self.definitions = DefinitionMap(self)
        self._files: dict[str, tuple[FileScope, int]] = {}
        self.arguments: Arguments = {}
        """Known arguments of functions within the file."""
        self._outer: Evaluator | None = None
        self._own = ""

    def with_arguments(self, path: str, arguments: Arguments) -> Evaluator:
        """Return an evaluator that knows arguments of functions of a file, and asks this one about other files."""
        inner = Evaluator(self.library, self._make_resolver)
        # What resolvers have looked up so far serves both.
        for language, resolver in self._resolvers.items():
            inner._resolvers[language] = copy(resolver)
            inner._resolvers[language].evaluator = inner
        inner._outer, inner._own, inner.arguments = self._outer or self, path, arguments
        inner._files = self._files
        inner.definitions = self.definitions
        inner._dependencies = inner._cache.dependencies = self._dependencies
        return inner

    def forget(self) -> None:
        """Drop what hardly serves another file."""
        self._cache.forget()
        self._files.clear()

    @property
    def is_full(self) -> bool:
        """True if the results of queries take more memory than they should."""
        return self._cache.stored_bytes > MAX_QUERY_BYTES

    def close(self) -> None:
        """Free memory by breaking reference cycles, which is faster than the cycle collector."""
        for resolver in self._resolvers.values():
            vars(resolver).clear()
        self._resolvers.clear()
        self._files.clear()
        self._cache.close()

    # --- queries

    def _compute(self, key: Query | LanguageQuery) -> Types:
        if isinstance(key, LanguageQuery):
            return key.compute(self._resolvers[key.language], *key.arguments)  # type: ignore[return-value]
        file = self.file(key.path)
        own = self.resolver(file).override_query(file, key)
        return bounded(own if own is not None else self.default_types(file, key))

    def default_types(self, file: FileScope, query: Query) -> Types:
        """Compute a query as for a language that does not override it."""
        kind, path, number, name = query
        match kind:
            case QueryKind.NODE:
                return self._infer(file, file.exprs[number], node=number)
            case QueryKind.BINDING:
                return self._binding_types(file, number)
            case QueryKind.NAMED_TYPE:
                return type_exprs.type_of_binding(self, file, number)
            case QueryKind.RETURN:
                return self._return_types(file, number)
            case QueryKind.ATTRIBUTE:
                return members.attribute_types(self, file, number, name)
            case QueryKind.DEFINITION:
                return self._definition_types(file, number)
            case QueryKind.ALIAS:
                return type_exprs.alias_types(self, file, number)
            case QueryKind.MEMBER_SITES:
                sites = tuple(members.sites_in(self, self.mro(path, number), name))
                return frozenset({sites})  # type: ignore[arg-type]
            case QueryKind.MRO:
                return frozenset({members.compute_mro(self, file, number)})  # type: ignore[arg-type]

    def _bounded(self, key: Query | LanguageQuery, types: Types) -> Types:
        return self._resolvers[key.language].traits.bound(types) if isinstance(key, LanguageQuery) else bounded(types)

    def file(self, path: str) -> FileScope:
        known = self._files.get(path)
        if known is None:
            file = self.library.file(path)
            assert file is not None
            known = self._files[path] = (file, self.library.file_key(path))
        # `note`, inlined: nothing is called more often.
        self._dependencies[-1].add(known[1])
        return known[0]

    def note(self, dependency: int) -> None:
        """Record a dependency of the running query."""
        self._cache.note(dependency)

    def memo_tracked(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return `make()`, called once; the caller inherits its dependencies, which a plain cache would lose."""
        return self._cache.memo_tracked(key, make)

    def take_dependencies(self) -> set[int]:
        """Return and reset the dependencies of all queries since the last call."""
        return self._cache.take_dependencies()

    def resolver(self, file: FileScope) -> LanguageResolver:
        return self._resolvers[file.language]

    def resolver_of(self, language: str) -> LanguageResolver:
        return self._resolvers[language]

    def resolver_at(self, path: str) -> LanguageResolver:
        return self._resolvers[self.file(path).language]

    def query(self, key: Query) -> Types:
        if self._outer is not None and key.path != self._own:
            return self._outer.query(key)
        return self._cache.get(key)

    def language_query(self, key: LanguageQuery, kind: type[T]) -> frozenset[T]:
        """Run a query of a language, whose results are of a `kind` of its own."""
        if self._outer is not None:
            return self._outer.language_query(key, kind)
        return self._cache.get(key)  # type: ignore[return-value]

    def member_sites_query(self, path: str, definition: int, name: str) -> frozenset[tuple[Site, ...]]:
        return self.query(Query(QueryKind.MEMBER_SITES, path, definition, name))  # type: ignore[return-value]

    def mro_query(self, path: str, definition: int) -> frozenset[tuple[Type, ...]]:
        return self.query(Query(QueryKind.MRO, path, definition))  # type: ignore[return-value]

    def infer(self, file: FileScope, node: int) -> Types:
        """Types that an expression can have."""
        file = self.file(file.path)
        expr = file.exprs[node]
        if isinstance(expr, ir.NameExpr):
            if expr.binding is not None and node not in file.ambient:
                if node in file.windows:
                    return self.query(Query(QueryKind.NODE, file.path, node))
                return self.query(Query(QueryKind.BINDING, file.path, expr.binding))
        elif isinstance(expr, ir.UnknownExpr | ir.StringExpr | ir.LiteralExpr | ir.FunctionExpr):
            return self._infer(file, expr, node=node)
        own = self if self._outer is None or file.path == self._own else self._outer
        key = Query(QueryKind.NODE, file.path, node)
        return own.memo(key, own._compute, key, nothing=NOTHING)

    def receiver_types(self, file: FileScope, node: int) -> Types:
        """Types of an expression as the receiver of a member."""
        return self.resolver(file).receiver_types(file, node)

    # --- members and calls

    def mro(self, path: str, definition: int) -> tuple[Type, ...]:
        return members.mro(self, path, definition)

    def member(self, receiver: Type, name: str) -> Member:
        """Look a member of a type up."""
        return members.member(self, receiver, name)

    def member_of_expr(self, file: FileScope, node: int, name: str) -> Member:
        """Look a member of an expression up."""
        return members.member_of_expr(self, file, node, name)

    def own_members(self, file: FileScope, definition: int, name: str) -> Sequence[Site]:
        """Definitions of a member of a class, bases excluded."""
        return members.own_members(self, file, definition, name)

    def member_sites(self, receiver: Type, name: str) -> Sequence[Site]:
        """Definitions of a member, those in bases included (overloads)."""
        return members.member_sites(self, receiver, name)

    def call(self, callee: Type, file: FileScope | None, node: int) -> Types:
        """Result of calling a value with the arguments of a call expression."""
        return calls.call(self, callee, file, node)

    def call_with(self, callee: Type, arguments: Sequence[Types]) -> Types:
        """Result of calling a value with these arguments."""
        return calls.call_with(self, callee, arguments)

    def call_method(self, receiver: Type, name: str) -> Types:
        """Result of a method call without arguments."""
        return union(self.call(method, None, 0) for method in self.member(receiver, name).types)

    # --- flows and type expressions

    def inflow_types(self, file: FileScope, values: Sequence[Inflow]) -> Types:
        """Types that flow into a binding or attribute; a declaration overrides the rest."""
        return inflows.inflow_types(self, file, values)

    def named_type(self, file: FileScope, node: int) -> Types:
        """Instances of the type that an expression names."""
        return type_exprs.named_type(self, file, node)

    def types_named_by(self, member: Member) -> Types:
        """Instances of the type that a member names."""
        return type_exprs.types_named_by(self, member)

    def site_named_type(self, site: Site) -> Types:
        """Instances of the type that a declaration defines, or is an alias of."""
        return type_exprs.site_named_type(self, site)

    # --- expressions

    def _infer(self, file: FileScope, expr: Expr, node: int) -> Types:
        resolver = self.resolver(file)
        match expr:
            case ir.NameExpr():
                if node in file.ambient or expr.binding is None:
                    return resolver.name_types(file, node)
                return self._name_types(file, expr.binding, node)
            case ir.MemberExpr():
                return self.member_of_expr(file, expr.receiver, expr.name).types
            case ir.CallExpr():
                return union(self.call(callee, file, node) for callee in self.infer(file, expr.callee))
            case ir.NewExpr():
                return self.named_type(file, expr.callee)
            case ir.ThisExpr():
                found = members.this_types(self, file, expr.scope)
                return frozenset(map(_exact, found)) if expr.is_exact else found
            case ir.SuperExpr():
                return members.this_types(self, file, expr.scope, is_super=True)
            case ir.IndexExpr():
                values = self.infer(file, expr.value)
                return union(containers.index_types(self, value, file, expr.keys) for value in values)
            case ir.AwaitExpr():
                types = self.infer(file, expr.value)
                return union(resolver.apply_operator(Operator.AWAIT, value) for value in types) | types & TOP
            case ir.ParenExpr() | ir.SplatExpr() | ir.SplatKeysExpr() | ir.LabelledExpr():
                return self.infer(file, expr.value)
            case ir.UnionExpr():
                return union(self.infer(file, part) for part in expr.parts)
            case ir.ListExpr() | ir.TupleExpr() | ir.DictExpr():
                return one(containers.container_type(self, file, expr))
            case ir.CastExpr():
                return self.named_type(file, expr.type) or self.infer(file, expr.value)
            case ir.FunctionExpr():
                return one(Function(file.path, expr.scope))
            case ir.ClassLiteralExpr():
                named = self.named_type(file, expr.type)
                classes = frozenset(ClassLiteral(of.path, of.definition) for of in named if isinstance(of, Instance))
                return classes or one(External("Class()"))
            case ir.CaseExpr():
                return resolver.name_types(file, node)
            case ir.StringExpr():
                return one(LiteralType(expr.text))
            case ir.LiteralExpr():
                number = expr.number
                return one(LiteralType(int(number)) if number else External(f"builtins.{expr.type_name}()"))
        return NOTHING

    def elements(self, value: Type) -> Types:
        """Types that iterating over a value yields."""
        return containers.elements(self, value)

    # --- names

    def _name_types(self, file: FileScope, bind: int, node: int) -> Types:
        row = file.binds[bind]
        if node in file.windows and not file.imports_in(row.scope, row.name, self.resolver(file).traits.dotted_imports):
            kinds = {file.defs[number].kind for number in file.defs_in.get((row.scope, row.name), ())}
            if not kinds & (CALLABLES | self.resolver(file).traits.class_kinds | _VALUE_KINDS):
                return inflows.types_in_window(self, file, bind, node)
        return self.query(Query(QueryKind.BINDING, file.path, bind))

    def _binding_types(self, file: FileScope, bind: int) -> Types:
        row = file.binds[bind]
        resolver = self.resolver(file)
        if row.certainty == Certainty.CERTAIN and row.target_kind == Target.IMPORT and row.target is not None:
            return resolver.import_types(file, row.target)
        found = NOTHING
        for definition in file.defs_in.get((row.scope, row.name), ()):
            kind = file.defs[definition].kind
            if kind in CALLABLES or kind in resolver.traits.class_kinds or kind in _VALUE_KINDS:
                found |= self.query(Query(QueryKind.DEFINITION, file.path, definition))
        for number in file.imports_in(row.scope, row.name, resolver.traits.dotted_imports):
            found |= resolver.import_types(file, number)
        return found | self.inflow_types(file, file.into_bind(bind)) | inflows.param_types(self, file, bind)

    # --- definitions

    def site_types(self, site: Site) -> Types:
        """Types of the name that a declaration introduces."""
        if site.kind is SiteKind.MODULE:
            return one(Module(site.path))
        if site.kind is SiteKind.DEFINITION:
            return self.query(Query(QueryKind.DEFINITION, site.path, site.number))
        return NOTHING

    def types_at(self, sites: Sequence[Site]) -> Types:
        return union(map(self.site_types, sites))

    def decorated_types(self, file: FileScope, definition: int, until: int = -1) -> Types:
        """Types of a function or class after its decorators, or before the decorator `until`."""
        scope = file.body.get(definition)
        types = one(Function(file.path, scope)) if scope is not None else NOTHING
        if file.defs[definition].kind in self.resolver(file).traits.class_kinds:
            types = one(ClassType(file.path, definition))
        for node in reversed(file.decorators(definition)):
            if node == until:
                break
            results = union(self.call_with(decorator, [types]) for decorator in self.infer(file, node))
            types = frozenset(value for value in results if not isinstance(value, External)) or types
        return types

    def _definition_types(self, file: FileScope, definition: int) -> Types:
        row = file.defs[definition]
        resolver = self.resolver(file)
        if row.kind in resolver.traits.class_kinds:
            return one(ClassType(*self.definitions.canonical(file.path, definition)))
        if row.kind in CALLABLES:
            return self.decorated_types(file, definition)
        if row.kind == "enum_member" and row.parent is not None and file.defs[row.parent].kind == "enum":
            return one(Instance(file.path, row.parent))
        bind = file.bind_of_def.get(definition)
        return self.inflow_types(file, file.into_bind(bind)) if bind is not None else NOTHING

    def _return_types(self, file: FileScope, scope: int) -> Types:
        declared = file.return_type(scope)
        if declared is not None:
            found = self.named_type(file, declared)
            if found:
                return found
        yielded = union(self.infer(file, node) for node in file.yields(scope))
        for node in file.yields_from(scope):
            yielded |= union(self.elements(value) for value in self.infer(file, node))
        found = union(self.infer(file, node) for node in file.returns(scope))
        if file.yields(scope) or file.yields_from(scope):
            return one(list_of(yielded))
        return found


class _Resolvers(dict[str, LanguageResolver]):
    """Resolvers by language, created on first use."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__()
        self._evaluator = evaluator

    def __missing__(self, language: str) -> LanguageResolver:
        made = self[language] = self._evaluator._make_resolver(language)(self._evaluator)
        return made


def _exact(value: Type) -> Type:
    return value._replace(method=None, arguments=()) if isinstance(value, Instance | ClassType) else value
