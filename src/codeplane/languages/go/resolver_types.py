"""Go types: what a type expression names, underlying types, and type parameters."""

from __future__ import annotations

from collections.abc import Mapping

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, NameExpr, Parameter, ParameterKind
from codeplane.facts.model import Target
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import Query, QueryKind
from codeplane.index.resolve.resolver import LanguageResolver, LanguageTraits
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    DictType,
    External,
    Function,
    Instance,
    ListType,
    RecordType,
    Site,
    TupleType,
    Type,
    Types,
    TypeVar,
    in_order,
    instances,
    list_of,
    one,
    tuple_of,
    union,
)
from codeplane.languages.go.resolver_modules import GoPackages, ignored_directory

CLASS_KINDS = frozenset({"struct", "interface", "type"})
STREAM = "chan"
"""Name of a ListType whose items are received one by one: a channel or an iterator."""
_MAX_STEPS = 50
Known = Mapping[TypeVar, Types]


def stream_of(types: Types) -> ListType:
    return list_of(types, STREAM)


def map_of(keys: Types, values: Types) -> DictType:
    return DictType((), list_of(values).items, list_of(keys).items)


def is_open(types: Types) -> bool:
    """True if type parameters may occur in types."""
    return any(map(_is_open, types))


def _is_open(value: Type) -> bool:
    match value:
        case ListType():
            return is_open(value.items)
        case TupleType():
            return any(map(is_open, value.items))
        case DictType():
            return is_open(value.rest) or (value.keys is not None and is_open(value.keys))
        case Instance() | ClassType():
            return any(map(is_open, value.arguments))
    return isinstance(value, TypeVar | Function | RecordType)


def fill(types: Types, known: Known) -> Types:
    """Replace type parameters by what is known about them."""
    return union(_fill(value, known) for value in types) if known and is_open(types) else types


def _fill(value: Type, known: Known) -> Types:
    match value:
        case TypeVar():
            return known.get(value, one(value))
        case ListType():
            return one(ListType(fill(value.items, known), value.name))
        case TupleType():
            return one(TupleType(tuple(fill(part, known) for part in value.items)))
        case DictType() if value.keys is not None:
            return one(DictType((), fill(value.rest, known), fill(value.keys, known)))
        case Instance() | ClassType() if value.arguments:
            return one(value._replace(arguments=tuple(fill(part, known) for part in value.arguments)))
        case Function() | RecordType():
            inner = {variable: fill(types, known) for variable, types in value.known}
            inner |= {
                variable: types
                for variable, types in known.items()
                if variable.path == value.path and variable not in inner
            }
            return one(value._replace(known=tuple(sorted(inner.items(), key=repr)))) if inner else one(value)
    return one(value)


class GoTypes(LanguageResolver):
    traits = LanguageTraits(class_kinds=CLASS_KINDS, constructors=(), ignored_directory=ignored_directory)

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self.packages = GoPackages(evaluator)

    def named(self, file: FileScope, node: int) -> Types:
        """Instances of the type that an expression names."""
        match expr := file.exprs[node]:
            case ir.NameExpr():
                if expr.binding is not None:
                    return self.evaluator.query(Query(QueryKind.NAMED_TYPE, file.path, expr.binding))
                sites = self.packages.declarations(file, expr.name)
                return union(map(self.defined_by, sites)) if sites else one(External(f"{expr.name}()"))
            case ir.ParenExpr():
                return self.named(file, expr.value)
            case ir.MemberExpr():
                found = NOTHING
                for value in self.evaluator.infer(file, expr.receiver):
                    member = self.evaluator.member(value, expr.name)
                    found |= union(map(self.defined_by, member.sites)) if member.sites else instances(member.types)
                return found
            case ir.IndexExpr():
                arguments = tuple(self.named(file, key) for key in expr.keys)
                return union(_apply(value, arguments) for value in self.named(file, expr.value))
            case ir.ListExpr():
                return one(list_of(union(self.named(file, part) for part in expr.parts)))
            case ir.PairExpr():
                return one(map_of(self.named(file, expr.key), self.named(file, expr.value)))
            case ir.AwaitExpr():
                return one(stream_of(self.named(file, expr.value)))
            case ir.FunctionExpr():
                kind = RecordType if file.scope_kind(expr.scope) == "class" else Function
                return one(kind(file.path, expr.scope))
        return NOTHING

    def named_by_binding(self, file: FileScope, bind: int) -> Types:
        row = file.binds[bind]
        if row.target_kind == Target.UNKNOWN:
            return one(TypeVar(file.path, bind))
        if row.target_kind == Target.IMPORT:
            return NOTHING
        found = NOTHING
        for number in file.defs_in.get((row.scope, row.name), ()):
            if self._is_alias(file, number):
                for inflow in file.into_bind(bind):
                    found |= self.named(file, inflow.source) if inflow.is_whole(FlowKind.ASSIGN) else NOTHING
            elif file.defs[number].kind in CLASS_KINDS:
                found |= {Instance(file.path, number)}
        return found

    def _is_alias(self, file: FileScope, definition: int) -> bool:
        return file.defs[definition].kind == "type" and not file.bases(definition)

    def defined_by(self, site: Site) -> Types:
        """Instances of the type that a definition defines or is an alias of."""
        file = self.evaluator.file(site.path)
        if file.defs[site.number].kind not in CLASS_KINDS:
            return NOTHING
        bind = file.bind_of_def.get(site.number)
        if bind is None or not self._is_alias(file, site.number):
            return one(Instance(site.path, site.number))
        return self.evaluator.query(Query(QueryKind.NAMED_TYPE, site.path, bind))

    def parameters(self, file: FileScope, definition: int | None) -> list[TypeVar]:
        """The type parameters of a definition."""
        if definition is None:
            return []
        names = [name for node in file.type_parameters(definition) if isinstance(name := file.exprs[node], NameExpr)]
        return [TypeVar(file.path, -1 if name.binding is None else name.binding) for name in names]

    def arguments(self, value: Instance | ClassType) -> dict[TypeVar, Types]:
        """Type arguments of a type, by parameter."""
        if not value.arguments:
            return {}
        parameters = self.parameters(self.evaluator.file(value.path), value.definition)
        return dict(zip(parameters, value.arguments, strict=False))

    def constraint(self, value: TypeVar) -> Types:
        file = self.evaluator.file(value.path)
        return union(
            self.named(file, inflow.source)
            for inflow in file.into_bind(value.binding)
            if inflow.is_whole(FlowKind.DECLARE)
        )

    def underlying(self, value: Type) -> list[Type]:
        """The types that a named type is defined as."""
        if not isinstance(value, Instance | ClassType | TypeVar):
            return [value]
        found: list[Type] = []
        waiting: list[Type] = [value]
        for _ in range(_MAX_STEPS):
            if not waiting:
                break
            value = waiting.pop()
            if isinstance(value, TypeVar):
                waiting += in_order(self.constraint(value))
            elif isinstance(value, Instance | ClassType) and self._kind(value) == "type":
                waiting += self.declared_as(value)
            else:
                found.append(value)
        return found

    def _kind(self, value: Instance | ClassType) -> str:
        return self.evaluator.file(value.path).defs[value.definition].kind

    def declared_as(self, value: Instance | ClassType) -> list[Type]:
        """Types that the definition of a type names: what it embeds, or is defined as."""
        file = self.evaluator.file(value.path)
        known = self.arguments(value)
        return in_order(found for node in file.bases(value.definition) for found in fill(self.named(file, node), known))

    def of_parameter(self, file: FileScope, param: Parameter) -> Types:
        declared = self.named(file, param.type)
        return one(list_of(declared)) if param.kind == ParameterKind.REST else declared

    def signature(self, function: Function | RecordType) -> list[Types]:
        """Types of the parameters of a function."""
        file = self.evaluator.file(function.path)
        known = dict(function.known)
        return [
            fill(self.of_parameter(file, param), known)
            for param in file.params.get(function.scope, ())
            if param.kind in (ParameterKind.PLAIN, ParameterKind.REST)
        ]

    def results(self, file: FileScope, scope: int) -> Types:
        named = [param for param in file.params.get(scope, ()) if param.kind == ParameterKind.RESULT]
        declared = file.return_type(scope)
        if not named and declared is None:
            return NOTHING
        if named:
            parts = [self.named(file, param.type) for param in named]
        else:
            expr = file.exprs[declared or 0]
            nodes = expr.parts if isinstance(expr, ir.TupleExpr) else [declared or 0]
            parts = [self.named(file, node) for node in nodes]
        return parts[0] if len(parts) == 1 else one(tuple_of(parts))

    def match(self, declared: Types, actual: Types, known: dict[TypeVar, Types], depth: int = 0) -> None:
        """Infer type parameters by matching declared parameter types with argument types."""
        if depth > _MAX_STEPS:
            return
        for value in in_order(declared):
            if isinstance(value, TypeVar):
                if value not in known and actual:
                    known[value] = actual
                    self.match(self.constraint(value), actual, known, depth + 1)
                continue
            for other in in_order(actual):
                if isinstance(value, Instance) and value.arguments:
                    is_same = isinstance(other, Instance) and other[:2] == value[:2]
                    if is_same and isinstance(other, Instance):
                        for part, held in zip(value.arguments, other.arguments, strict=False):
                            self.match(part, held, known, depth + 1)
                    continue
                for held_type in self.underlying(other):
                    self._match_shape(value, held_type, known, depth)
                if isinstance(value, TupleType) and isinstance(other, TupleType):
                    for part, held in zip(value.items, other.items, strict=False):
                        self.match(part, held, known, depth + 1)

    def _match_shape(self, value: Type, other: Type, known: dict[TypeVar, Types], depth: int) -> None:
        match value, other:
            case ListType(), ListType():
                self.match(value.items, other.items, known, depth + 1)
            case DictType(), DictType():
                self.match(value.rest, other.rest, known, depth + 1)
                self.match(value.keys or NOTHING, other.keys or NOTHING, known, depth + 1)
            case Function(), Function():
                for part, held in zip(self.signature(value), self.signature(other), strict=False):
                    self.match(part, held, known, depth + 1)
                results = self.evaluator.query(Query(QueryKind.RETURN, other.path, other.scope))
                own = self.evaluator.query(Query(QueryKind.RETURN, value.path, value.scope))
                self.match(own, results, known, depth + 1)


def _apply(value: Type, arguments: tuple[Types, ...]) -> Types:
    if isinstance(value, Instance):
        return one(Instance(value.path, value.definition, None, arguments))
    if not isinstance(value, External):
        return one(value)
    if value.name == "iter.Seq()":
        return one(stream_of(arguments[0]))
    if value.name == "iter.Seq2()" and len(arguments) > 1:
        return one(map_of(arguments[0], arguments[1]))
    return one(External(value.name, arguments))
