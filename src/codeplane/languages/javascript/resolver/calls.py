"""Calls: the functions that a call runs, the type arguments that follow from it, and the types of its result."""

from __future__ import annotations

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, ParameterKind
from codeplane.index.resolve.types import (
    NOTHING,
    Callback,
    ClassType,
    ContainerMethod,
    External,
    Function,
    Instance,
    TupleType,
    Type,
    TypeLiteral,
    Types,
    TypeVar,
    one,
    union,
)
from codeplane.languages.javascript.resolver.builtins import call_method, call_static
from codeplane.languages.javascript.resolver.members import apply_known, members, required_module
from codeplane.languages.javascript.resolver.overloads import parameter_at, select_overloads
from codeplane.languages.javascript.resolver.queries import TsQueries
from codeplane.languages.javascript.resolver.source_file import SourceFile
from codeplane.languages.javascript.resolver.types import awaited, elements, in_order, instance, library

_MAX_UNIFY_DEPTH = 3
_MAX_INHERITED = 8
"""Signatures that an interface takes from its bases."""
_MAX_BASES = 16
"""Classes that are searched for a constructor."""
_MAX_UPCAST = 8


def callees_of(ts: TsQueries, file: SourceFile, node: int) -> Types:
    """Return the functions, classes and library methods that a call or `new` runs."""
    expr = file.exprs[node]
    if not isinstance(expr, ir.CallExpr | ir.NewExpr):
        return NOTHING
    is_new = isinstance(expr, ir.NewExpr)
    found: list[Type] = []
    for value in ts.value(file.path, expr.callee):
        match value:
            case ClassType() if is_new:
                found += constructors(ts, value) or [value]
            case Instance() | TypeLiteral():
                found += signatures(ts, value, FlowKind.CONSTRUCTOR if is_new else FlowKind.CALL_OPERATOR)
            case Function() | ContainerMethod() | External() | ClassType():
                found.append(value)
    return frozenset(select_overloads(ts, file, node, found))


def constructors(ts: TsQueries, value: ClassType) -> list[Function]:
    """Return the constructors of a class, or of the nearest base that has some."""
    path, definition = value.path, value.definition
    for _ in range(_MAX_BASES):
        file = ts.file(path)
        found = [
            Function(path, file.facts.body[number])
            for number in file.facts.members.get(definition, {}).get("constructor", ())
            if number in file.facts.body and file.defs[number].kind == "constructor"
        ]
        if found:
            return found
        bases = (base for base in ts.bases(path, definition) if isinstance(base, Instance))
        base = next((base for base in bases if ts.file(base.path).defs[base.definition].kind == "class"), None)
        if base is None:
            return []
        path, definition = base.path, base.definition
    return []


def signatures(ts: TsQueries, value: Instance | TypeLiteral, kind: FlowKind) -> list[Function]:
    """Return the call signatures (CALL_OPERATOR) or construct signatures (CONSTRUCTOR) of a type."""
    file = ts.file(value.path)
    if isinstance(value, TypeLiteral):
        parts = (file.exprs[part] for part in file.parts(value.node))
        functions = [part for part in parts if isinstance(part, ir.FunctionExpr) and not part.key]
        return [
            Function(value.path, part.scope, value.known)
            for part in functions
            if part.scope not in file.owner and file.is_constructor(part.scope) == (kind is FlowKind.CONSTRUCTOR)
        ]
    arguments = ts.arguments(value)
    known = tuple(sorted(arguments.items(), key=lambda item: item[0]))
    scopes = file.signatures.get((kind, file.facts.body.get(value.definition, -1)), ())
    found = [Function(value.path, scope, known) for scope in scopes]
    if found:
        return found
    for base in ts.bases(value.path, value.definition):
        if isinstance(base, Instance) and not _is_same_class(base, value):
            for above in in_order(apply_known(ts, one(base), arguments)):
                if isinstance(above, Instance) and len(found) < _MAX_INHERITED:
                    found += signatures(ts, above, kind)
    return found


def _is_same_class(one_: Instance, other: Instance) -> bool:
    return one_.path == other.path and one_.definition == other.definition


def call_result(ts: TsQueries, file: SourceFile, node: int) -> Types:
    found = NOTHING
    for callee in ts.callees(file.path, node):
        match callee:
            case Function():
                known = {**infer_arguments(ts, file, node, callee, from_functions=True), **dict(callee.known)}
                found |= apply_known(ts, ts.returned(callee.path, callee.scope), known)
            case ContainerMethod():
                found |= _call_library_method(ts, file, node, callee)
            case External(name="require"):
                path = ts.names.module(file.path, file.required(node))
                found |= required_module(ts, path) if path is not None else NOTHING
            case External(name="structuredClone"):
                found |= argument_types(ts, file, node, 0)
    return found


def argument_types(ts: TsQueries, file: SourceFile, call: int, index: int) -> Types:
    arguments = file.arguments(call)
    return ts.value(file.path, arguments[index]) if index < len(arguments) else NOTHING


def results(ts: TsQueries, types: Types) -> Types:
    """Return the types that functions return."""
    return union(_result(ts, value) for value in types if isinstance(value, Function))


def _result(ts: TsQueries, function: Function) -> Types:
    return apply_known(ts, ts.returned(function.path, function.scope), dict(function.known))


def _call_library_method(ts: TsQueries, file: SourceFile, node: int, callee: ContainerMethod) -> Types:
    receiver, name = callee.container, callee.name

    def argument(index: int) -> Types:
        return argument_types(ts, file, node, index)

    def result(index: int) -> Types:
        return results(ts, argument(index))

    if isinstance(receiver, Function):
        if name == "bind":
            return one(receiver)
        return _result(ts, receiver) if name in ("call", "apply") else NOTHING
    count = len(file.arguments(node))
    if isinstance(receiver, External) and not receiver.arguments and receiver.name in ("Object", "Array", "Promise"):
        return call_static(receiver.name, name, [argument(index) for index in range(count)], result)
    return call_method(receiver, name, count, argument, result)


def new_instances(ts: TsQueries, file: SourceFile, node: int, expr: ir.NewExpr) -> Types:
    """Return the types of a `new` expression."""
    explicit = tuple(ts.type_of(file.path, part) for part in file.type_arguments(node))
    found = NOTHING
    for value in ts.value(file.path, expr.callee):
        match value:
            case ClassType():
                arguments = explicit or _class_arguments(ts, file, node, value)
                found |= one(instance(value.path, value.definition, arguments))
            case Function():
                owner = ts.file(value.path).owner.get(value.scope)
                found |= one(instance(value.path, owner)) if owner is not None else _result(ts, value)
            case External():
                arguments = explicit or _library_arguments(ts, file, node, value.name)
                found |= one(library(value.name, *arguments))
            case Instance() | TypeLiteral():
                for maker in select_overloads(ts, file, node, signatures(ts, value, FlowKind.CONSTRUCTOR)):
                    if isinstance(maker, Function):
                        known = infer_arguments(ts, file, node, maker, from_functions=False)
                        result = ts.returned(maker.path, maker.scope)
                        found |= apply_known(ts, result, {**known, **dict(maker.known)})
    return found


def _class_arguments(ts: TsQueries, file: SourceFile, node: int, value: ClassType) -> tuple[Types, ...]:
    """Infer the type arguments of a class from the arguments of its constructor."""
    variables = ts.type_params(value.path, value.definition)
    if not variables:
        return ()
    known: dict[TypeVar, Types] = {}
    for maker in select_overloads(ts, file, node, constructors(ts, value)):
        if isinstance(maker, Function):
            known |= infer_arguments(ts, file, node, maker, from_functions=True, own=frozenset(variables))
    return tuple(known.get(variable, NOTHING) for variable in variables)


def _library_arguments(ts: TsQueries, file: SourceFile, node: int, name: str) -> tuple[Types, ...]:
    count = len(file.arguments(node))
    if name in ("Set", "Array") and count == 1:
        return (elements(argument_types(ts, file, node, 0)),)
    if name == "Map" and count:
        pairs = [pair for pair in elements(argument_types(ts, file, node, 0)) if isinstance(pair, TupleType)]
        return tuple(union(pair.items[index] for pair in pairs if len(pair.items) > index) for index in (0, 1))
    return ()


def infer_arguments(
    ts: TsQueries,
    file: SourceFile,
    node: int,
    callee: Function,
    *,
    from_functions: bool,
    own: frozenset[TypeVar] | None = None,
) -> dict[TypeVar, Types]:
    """Infer the type arguments of a call.

    `from_functions`: the results of functions that are passed count. `own`: infer these type parameters, those of a
    class, instead of the function's own.
    """
    target = ts.file(callee.path)
    type_params = target.type_params(callee.scope)
    if own is None:
        own = frozenset(TypeVar(callee.path, param.binding) for param in type_params)
        explicit = file.type_arguments(node)
        if explicit:
            return {
                TypeVar(callee.path, param.binding): ts.type_of(file.path, part)
                for param, part in zip(type_params, explicit, strict=False)
            }
    if not own:
        return {}
    inference = Inference(ts, own)
    params = target.params.get(callee.scope, [])
    for index, argument in enumerate(file.arguments(node)):
        param, expr = parameter_at(params, index), file.exprs[argument]
        if param is None or param.type < 0 or isinstance(expr, ir.LabelledExpr):
            continue
        if from_functions or not isinstance(expr, ir.FunctionExpr):
            wanted = ts.type_of(callee.path, param.type)
            wanted = elements(wanted) if param.kind == ParameterKind.REST else wanted
            inference.unify(wanted, ts.value(file.path, argument), 0)
    known = inference.known
    if any(variable not in known for variable in own):
        from_result = Inference(ts, own)
        from_result.unify(ts.returned(callee.path, callee.scope), ts.expected(file.path, node), 0)
        known = {**from_result.known, **known}
    for param in type_params:
        variable = TypeVar(callee.path, param.binding)
        if variable not in known and param.default >= 0:
            known[variable] = apply_known(ts, ts.type_of(callee.path, param.default), known)
    return known


class Inference:
    """Types that type variables must have for wanted types to match given ones."""

    def __init__(self, ts: TsQueries, variables: frozenset[TypeVar]) -> None:
        self._ts = ts
        self._variables = variables
        self.known: dict[TypeVar, Types] = {}

    def unify(self, wanted: Types, given: Types, depth: int) -> None:
        if depth > _MAX_UNIFY_DEPTH or not given:
            return
        for want in wanted:
            match want:
                case TypeVar() if want in self._variables:
                    self._assign(want, wanted, given)
                case External() if want.arguments:
                    self._unify_library(want, given, depth)
                case Instance() if want.arguments:
                    for value in given:
                        same = self._upcast(value, want, 0)
                        if same is not None:
                            self._unify_all(want.arguments, same.arguments, depth)
                case Function():
                    functions: Types = frozenset(value for value in given if isinstance(value, Function))
                    if functions:
                        returned = awaited(results(self._ts, functions))
                        self.unify(awaited(_result(self._ts, want)), returned, depth + 1)
                case TypeLiteral():
                    self._unify_literal(want, given, depth)

    def _assign(self, variable: TypeVar, wanted: Types, given: Types) -> None:
        fixed = {value for value in wanted if not isinstance(value, TypeVar)}
        types: Types = frozenset(value for value in given if value not in fixed)
        if any(isinstance(value, External) and value.name == "Promise" for value in fixed):
            types = awaited(types)
        self.known[variable] = self.known.get(variable, NOTHING) | types

    def _unify_all(self, wanted: tuple[Types, ...], given: tuple[Types, ...], depth: int) -> None:
        if len(wanted) == len(given):
            for inner, other in zip(wanted, given, strict=True):
                self.unify(inner, other, depth + 1)

    def _unify_library(self, want: External, given: Types, depth: int) -> None:
        for value in given:
            if isinstance(value, External):
                self._unify_all(want.arguments, value.arguments, depth)
            elif isinstance(value, TupleType) and len(want.arguments) == 1:
                self.unify(want.arguments[0], union(value.items), depth + 1)

    def _unify_literal(self, want: TypeLiteral, given: Types, depth: int) -> None:
        file = self._ts.file(want.path)
        for part in file.parts(want.node):
            expr = file.exprs[part]
            key = file.key_text(expr.key) if isinstance(expr, ir.PairExpr) else None
            if isinstance(expr, ir.PairExpr) and key is not None:
                wanted = apply_known(self._ts, self._ts.type_of(want.path, expr.value), dict(want.known))
                self.unify(wanted, members(self._ts, given, key).types, depth + 1)

    def _upcast(self, value: Type, want: Instance, depth: int) -> Instance | None:
        """Return an instance as one of a base of its class."""
        if not isinstance(value, Instance) or depth > _MAX_UPCAST:
            return None
        if _is_same_class(value, want):
            return value
        known = self._ts.arguments(value)
        for base in self._ts.bases(value.path, value.definition):
            for above in in_order(apply_known(self._ts, one(base), known)):
                found = self._upcast(above, want, depth + 1)
                if found is not None:
                    return found
        return None


def parameter_types(ts: TsQueries, function: Function | Callback, index: int) -> Types:
    """Return the types of the argument that a function takes at an index."""
    if isinstance(function, Callback):
        return function.parameters[index] if index < len(function.parameters) else NOTHING
    params = ts.file(function.path).params.get(function.scope, [])
    param = parameter_at(params, index)
    if param is None:
        return NOTHING
    types = ts.parameter(function.path, function.scope, min(index, len(params) - 1))
    if param.kind == ParameterKind.REST:
        types = elements(types)
    return apply_known(ts, types, dict(function.known))
