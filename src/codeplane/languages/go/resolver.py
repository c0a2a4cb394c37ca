"""Go: every variable has the one declared type, so a value here is an instance of a type.

Names are looked up in packages (`resolver_modules`), types in `resolver_types`, members in `resolver_members`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, ParameterKind
from codeplane.facts.model import Target
from codeplane.index.resolve.calls import arguments_of
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.flow_targets import Step
from codeplane.index.resolve.queries import Query, QueryKind
from codeplane.index.resolve.resolver import CALLABLES
from codeplane.index.resolve.stubs import StubCall, read_stubs
from codeplane.index.resolve.types import (
    NOTHING,
    BoundMethod,
    ClassType,
    DictType,
    External,
    Function,
    Instance,
    ListType,
    Site,
    TupleType,
    Type,
    Types,
    TypeVar,
    class_of,
    definition_site,
    external_call,
    instance_of,
    list_of,
    one,
    tuple_of,
    union,
)
from codeplane.languages.go.resolver_members import GoMembers
from codeplane.languages.go.resolver_types import CLASS_KINDS, STREAM, fill, is_open, map_of, stream_of


class GoResolver(GoMembers):
    # --- names

    def import_types(self, file: FileScope, number: int) -> Types:
        return self.packages.imported(file, number)

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        for number in range(len(file.imports)):
            files = self.packages.imported_files(file, number)
            yield from files & used or files

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        return self.packages.declarations(file, name)

    def name_types(self, file: FileScope, node: int) -> Types:
        expr = file.exprs[node]
        assert isinstance(expr, ir.NameExpr)
        package = self.packages.imports(file).get(expr.name)
        if package is not None:
            return one(package)
        sites = self.packages.declarations(file, expr.name)
        return self.evaluator.types_at(sites) if sites else one(External(expr.name))

    def resolve_label(self, file: FileScope, node: int, name: str) -> Sequence[Site]:
        """A key of a map or list literal is an ordinary name, unless a local declaration may shadow it."""
        literal = self.evaluator.infer(file, node)
        if not any(isinstance(held, ListType | DictType) for value in literal for held in self.underlying(value)):
            return []
        if any(row.name == name and row.scope and file.scope_kind(row.scope) != "class" for row in file.binds):
            return []
        own = [definition_site(file.path, number) for number in file.defs_in.get((0, name), ())]
        return own or self.packages.declarations(file, name)

    # --- types of expressions and definitions

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        match query.kind:
            case QueryKind.NODE:
                return self._infer(file, query.number)
            case QueryKind.BINDING:
                return self._binding_types(file, query.number)
            case QueryKind.NAMED_TYPE:
                return self.named_by_binding(file, query.number)
            case QueryKind.DEFINITION:
                return self._definition_types(file, query.number)
            case QueryKind.RETURN:
                return self.results(file, query.number)
        return None

    def _infer(self, file: FileScope, node: int) -> Types:
        infer = self.evaluator.infer
        match expr := file.exprs[node]:
            case ir.NameExpr():
                return self.name_types(file, node)
            case ir.MemberExpr():
                return union(
                    one(External(f"{value.name}.{expr.name}", value.arguments))
                    if isinstance(value, External) and value.arguments
                    else self.evaluator.member(value, expr.name).types
                    for value in infer(file, expr.receiver)
                )
            case ir.CallExpr():
                return union(self.call_value(callee, file, node) for callee in infer(file, expr.callee))
            case ir.CastExpr():
                return self.named(file, expr.type)
            case ir.NewExpr():
                return self.named(file, expr.callee)
            case ir.ParenExpr() | ir.SplatExpr():
                return infer(file, expr.value)
            case ir.IndexExpr():
                return union(self._index(value, file, expr.keys) for value in infer(file, expr.value))
            case ir.UnionExpr():
                return union(infer(file, part) for part in expr.parts)
            case ir.TupleExpr():
                return one(tuple_of([infer(file, part) for part in expr.parts]))
        return NOTHING

    def _index(self, value: Type, file: FileScope, keys: Sequence[int]) -> Types:
        if isinstance(value, ClassType | Function) and keys:
            arguments = tuple(self.named(file, key) for key in keys)
            if isinstance(value, ClassType):
                return one(ClassType(value.path, value.definition, None, arguments))
            target = self.evaluator.file(value.path)
            parameters = self.parameters(target, target.owner.get(value.scope))
            known = sorted(zip(parameters, arguments, strict=False), key=repr)
            return one(Function(value.path, value.scope, tuple(known)))
        found = NOTHING
        for held in self.underlying(value):
            if isinstance(held, ListType):
                found |= held.items
            elif isinstance(held, DictType):
                found |= held.rest
        return found

    def _binding_types(self, file: FileScope, bind: int) -> Types:
        row = file.binds[bind]
        if row.target_kind == Target.IMPORT and row.target is not None:
            return self.import_types(file, row.target)
        place = file.param_of_bind.get(bind)
        if place is not None:
            return self.of_parameter(file, file.params[place[0]][place[1]])
        if row.target_kind == Target.DEF and row.target is not None:
            kind = file.defs[row.target].kind
            if kind in CALLABLES or kind in CLASS_KINDS:
                numbers = file.defs_in[row.scope, row.name]
                return union(self.evaluator.query(Query(QueryKind.DEFINITION, file.path, number)) for number in numbers)
        return self._declared_types(file, bind)

    def _declared_types(self, file: FileScope, bind: int) -> Types:
        """Types by the declaration, or by the first value: later ones have the same type."""
        for _ in range(len(file.binds)):
            inflows = file.into_bind(bind)
            declared = next((inflow.source for inflow in inflows if inflow.is_whole(FlowKind.DECLARE)), None)
            if declared is not None:
                return self.named(file, declared)
            if not inflows:
                return NOTHING
            first = inflows[0]
            if first.container is not None:
                return self._item_of_all(self.evaluator.infer(file, first.source), 0)
            repeated = self._constant(file, first.source) if first.kind is FlowKind.ASSIGN else None
            if repeated is not None and repeated != bind:
                bind = repeated
                continue
            types = self.evaluator.infer(file, first.source)
            if first.kind is FlowKind.FOR:
                types = union(self._range(value) for value in types)
            return self._item_of_all(types, first.steps[0] if first.steps else 0)
        return NOTHING

    def _constant(self, file: FileScope, node: int) -> int | None:
        """The binding of the constant that a node names. A constant without a value repeats the previous one; there
        may be thousands, so they are followed in a loop."""
        expr = file.exprs[node]
        if not isinstance(expr, ir.NameExpr) or expr.binding is None:
            return None
        row = file.binds[expr.binding]
        is_constant = row.target_kind == Target.DEF and file.defs[row.target or 0].kind == "constant"
        return expr.binding if is_constant else None

    def _item_of_all(self, types: Types, step: Step) -> Types:
        return union(self._item(value, step) for value in types)

    def _item(self, value: Type, step: Step) -> Types:
        """One of several results. The second part of anything else is the `ok` flag."""
        if isinstance(value, TupleType):
            return value.items[step] if isinstance(step, int) and step < len(value.items) else NOTHING
        return one(value) if step == 0 else NOTHING

    def _range(self, value: Type) -> Types:
        """The variables of a `range` clause."""
        found = NOTHING
        for held in self.underlying(value):
            if isinstance(held, ListType):
                found |= {tuple_of([held.items] if held.name == STREAM else [NOTHING, held.items])}
            elif isinstance(held, DictType):
                found |= {tuple_of([held.keys or NOTHING, held.rest])}
            elif isinstance(held, Function):
                for callback in self.signature(held)[:1]:
                    found |= {tuple_of(self.signature(inner)) for inner in callback if isinstance(inner, Function)}
        return found

    def _definition_types(self, file: FileScope, definition: int) -> Types:
        kind = file.defs[definition].kind
        if kind in CALLABLES:
            scope = file.body.get(definition)
            return one(Function(file.path, scope)) if scope is not None else NOTHING
        if kind in CLASS_KINDS:
            defined = self.defined_by(definition_site(file.path, definition))
            return frozenset(class_of(value) for value in defined if isinstance(value, Instance))
        bind = file.bind_of_def.get(definition)
        return self.evaluator.query(Query(QueryKind.BINDING, file.path, bind)) if bind is not None else NOTHING

    # --- calls

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types:
        arguments = arguments_of(file, node)
        match callee:
            case Function() | BoundMethod():
                found = self.evaluator.query(Query(QueryKind.RETURN, callee.path, callee.scope))
                return fill(found, self._infer_parameters(callee, file, arguments)) if is_open(found) else found
            case ClassType():
                return one(instance_of(callee))
            case External():
                return self._call_external(callee, file, arguments)
            case Instance():
                functions = [held for held in self.underlying(callee) if isinstance(held, Function)]
                return union(self.call_value(held, file, node) for held in functions)
        return NOTHING

    def _infer_parameters(
        self, callee: Function | BoundMethod, file: FileScope, arguments: Sequence[int]
    ) -> dict[TypeVar, Types]:
        """Infer the type parameters of a function from a call."""
        target = self.evaluator.file(callee.path)
        params = target.params.get(callee.scope, [])
        known: dict[TypeVar, Types] = dict(callee.known) if isinstance(callee, Function) else {}
        if isinstance(callee, BoundMethod) and params and params[0].kind == ParameterKind.SELF:
            self.match(self.named(target, params[0].type), one(callee.receiver), known)
        parameters = self.parameters(target, target.owner.get(callee.scope))
        if all(parameter in known for parameter in parameters):
            return known
        plain = [param for param in params if param.kind in (ParameterKind.PLAIN, ParameterKind.REST)]
        for number, part in enumerate(arguments if plain else ()):
            declared = self.named(target, plain[min(number, len(plain) - 1)].type)
            if is_open(declared):
                if isinstance(file.exprs[part], ir.SplatExpr):
                    declared = one(list_of(declared))
                self.match(declared, self.evaluator.infer(file, part), known)
        return known

    def _call_external(self, callee: External, file: FileScope, nodes: Sequence[int]) -> Types:
        stubs, name = read_stubs("go"), callee.name
        if nodes and name in ("new", "make"):
            return self.named(file, nodes[0])
        arguments = [self.evaluator.infer(file, node) for node in nodes[:1]]
        known = stubs.apply("pointer", name, StubCall(parts=callee.arguments)) if callee.arguments else None
        if known is None and arguments:
            known = stubs.apply("", name, StubCall(arguments=arguments))
        if known is not None:
            return known
        if not arguments or not name.startswith(("maps.", "slices.")):
            return external_call(name)
        found = NOTHING
        for held in (held for value in arguments[0] for held in self.underlying(value)):
            if isinstance(held, ListType):
                found |= stubs.apply("list", name, StubCall(_make, parts=(held.items,))) or NOTHING
            elif isinstance(held, DictType):
                call = StubCall(_make, own=one(held), parts=(held.keys or NOTHING, held.rest))
                found |= stubs.apply("map", name, call) or NOTHING
        return found


def _make(name: str, parts: Sequence[Types]) -> Types:
    match name:
        case "stream":
            return one(stream_of(parts[0]))
        case "map":
            return one(map_of(parts[0], parts[1]))
    return one(list_of(parts[0]))
