"""Results of calls: which parameter gets which argument, and what a function returns for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from codeplane.facts.ir import CallExpr, LabelledExpr, NewExpr, ParameterKind, SplatExpr, SplatKeysExpr
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import Query, QueryKind
from codeplane.index.resolve.resolver import OWN_NAME
from codeplane.index.resolve.types import (
    NOTHING,
    TOP,
    BoundMethod,
    ClassType,
    ContainerMethod,
    DictType,
    External,
    Function,
    Instance,
    LibraryType,
    ListType,
    LiteralType,
    ParamType,
    StubMethod,
    Top,
    TupleType,
    Type,
    Types,
    class_of,
    dict_of,
    external_call,
    in_order,
    instance_of,
    library_type,
    list_of,
    mentions,
    one,
    tuple_of,
    union,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator

RECEIVER = -1
"""In place of the number of a parameter: the receiver of a method."""


def arguments_of(file: FileScope, node: int) -> Sequence[int]:
    """Argument nodes of a call or construction."""
    expr = file.exprs[node]
    return expr.arguments if isinstance(expr, CallExpr | NewExpr) else ()


def argument_types(evaluator: Evaluator, file: FileScope, node: int) -> list[Types]:
    return [evaluator.infer(file, part) for part in arguments_of(file, node)]


def call(evaluator: Evaluator, callee: Type, file: FileScope | None, node: int) -> Types:
    """Result of calling a value with the arguments of a call expression; without a file, with no arguments."""
    own = evaluator.resolver(file).call_value(callee, file, node) if file is not None else None
    if own is not None:
        return own
    nodes = arguments_of(file, node) if file is not None else ()
    match callee:
        case Function() | BoundMethod():
            return call_function(evaluator, callee, file, nodes)
        case ClassType():
            return one(instance_of(callee))
        case Instance():
            return union(call(evaluator, method, file, node) for method in call_operators(evaluator, callee))
        case StubMethod():
            return callee.result
    arguments = [evaluator.infer(file, part) for part in nodes] if file is not None else []
    if isinstance(callee, ContainerMethod):
        return call_container(evaluator, callee, arguments)
    if isinstance(callee, External) and file is not None:
        return external_call(callee.name)
    return TOP if isinstance(callee, Top) else NOTHING


def call_operators(evaluator: Evaluator, callee: Instance) -> Types:
    """Methods that run when an instance is called like a function."""
    return evaluator.member(callee, evaluator.resolver_at(callee.path).traits.call_operator).types


def constructors(evaluator: Evaluator, class_: ClassType) -> list[Type]:
    """Functions that run when an instance of a class is made."""
    receiver = instance_of(class_)
    names = evaluator.resolver_at(class_.path).traits.constructors
    if OWN_NAME in names:
        names = (evaluator.file(class_.path).defs[class_.definition].name,) if class_.definition >= 0 else ()
    return in_order(
        {
            value
            for name in names
            for value in evaluator.member(receiver, name).types
            if isinstance(value, Function | BoundMethod)
        }
    )


def call_with(evaluator: Evaluator, callee: Type, arguments: Sequence[Types]) -> Types:
    """Result of calling a value with these arguments."""
    match callee:
        case Function() | BoundMethod():
            found = evaluator.query(Query(QueryKind.RETURN, callee.path, callee.scope))
            return _fill_all(evaluator, found, callee, bind_values(evaluator, callee, arguments))
        case ClassType():
            return one(Instance(callee.path, callee.definition))
        case Instance():
            return union(call_with(evaluator, method, arguments) for method in call_operators(evaluator, callee))
        case Top():
            return TOP
    return NOTHING


def call_function(
    evaluator: Evaluator, callee: Function | BoundMethod, file: FileScope | None, nodes: Sequence[int]
) -> Types:
    types = evaluator.query(Query(QueryKind.RETURN, callee.path, callee.scope))
    if not any(mentions(value, callee.path, callee.scope) for value in types):
        return types
    arguments = bind_arguments(evaluator, callee, file, nodes)
    return union(_fill(evaluator, value, callee, arguments) for value in types)


# --- arguments


def _bind_receiver(evaluator: Evaluator, callee: Type) -> dict[int, Types]:
    if not isinstance(callee, BoundMethod):
        return {}
    receiver = one(callee.receiver)
    takes_self = _takes_self(evaluator, evaluator.file(callee.path), callee.scope)
    return {RECEIVER: receiver, 0: receiver} if takes_self else {RECEIVER: receiver}


def bind_values(evaluator: Evaluator, callee: Type, values: Sequence[Types]) -> dict[int, Types]:
    """Map the parameters of a function to these values."""
    found = _bind_receiver(evaluator, callee)
    found.update(enumerate(values, len(found.keys() & {0})))
    return found


def bind_arguments(
    evaluator: Evaluator, callee: Function | BoundMethod, file: FileScope | None, nodes: Sequence[int]
) -> dict[int, Types]:
    """Map the parameters of a function to the types of argument nodes."""
    params = evaluator.file(callee.path).params.get(callee.scope, [])
    found = _bind_receiver(evaluator, callee)
    position = len(found.keys() & {0})
    for node in nodes if file is not None else ():
        assert file is not None
        expr = file.exprs[node]
        if isinstance(expr, LabelledExpr):
            types = evaluator.infer(file, expr.value)
            for number, param in enumerate(params):
                if param.name == expr.name and param.kind == ParameterKind.PLAIN:
                    found[number] = types
                    break
            else:
                for number, param in enumerate(params):
                    if param.kind == ParameterKind.KEYS:
                        found[number] = found.get(number, NOTHING) | {dict_of({expr.name: types}, NOTHING)}
        elif not isinstance(expr, SplatExpr | SplatKeysExpr):
            types = evaluator.infer(file, node)
            if position < len(params) and params[position].kind == ParameterKind.PLAIN:
                found[position] = types
                position += 1
            elif position < len(params) and params[position].kind == ParameterKind.REST:
                found[position] = found.get(position, NOTHING) | {list_of(types)}
    return found


def _takes_self(evaluator: Evaluator, file: FileScope, scope: int) -> bool:
    """True if the first parameter of a method is its receiver."""
    return file.owner.get(scope) is None or evaluator.resolver(file).traits.self_parameter


def _fill_all(
    evaluator: Evaluator, types: Types, callee: Function | BoundMethod, arguments: Mapping[int, Types]
) -> Types:
    """Replace parameters by arguments."""
    if not any(mentions(value, callee.path, callee.scope) for value in types):
        return types
    return union(_fill(evaluator, value, callee, arguments) for value in types)


def _fill(evaluator: Evaluator, value: Type, callee: Function | BoundMethod, arguments: Mapping[int, Types]) -> Types:
    def fill(types: Types) -> Types:
        return _fill_all(evaluator, types, callee, arguments)

    match value:
        case ParamType() if value.path == callee.path and value.scope == callee.scope:
            return arguments.get(value.number, NOTHING)
        case Instance() | ClassType() if value.path == callee.path and value.method == callee.scope:
            takes_self = _takes_self(evaluator, evaluator.file(callee.path), callee.scope)
            receivers = arguments.get(RECEIVER, arguments.get(0, NOTHING) if takes_self else NOTHING)
            convert = instance_of if isinstance(value, Instance) else class_of
            own: Types = frozenset(convert(held) for held in receivers if isinstance(held, Instance | ClassType))
            return own or one(value._replace(method=None, arguments=()))
        case ListType():
            return one(list_of(fill(value.items)))
        case TupleType():
            return one(tuple_of([fill(part) for part in value.items]))
        case LibraryType():
            return one(library_type(value.language, value.name, [fill(part) for part in value.arguments]))
        case DictType():
            return one(dict_of({key: fill(types) for key, types in value.entries}, fill(value.rest)))
    return one(value)


# --- containers


def call_container(evaluator: Evaluator, callee: ContainerMethod, arguments: Sequence[Types]) -> Types:
    """Result of a method that lists and dicts have in most languages."""
    container, name = callee.container, callee.name
    if isinstance(container, DictType):
        return _call_dict(evaluator, container, name, arguments)
    if name in ("pop", "popleft", "__getitem__", "__next__"):
        return evaluator.elements(container)
    return one(container) if name in ("copy", "__iter__") else NOTHING


def _call_dict(evaluator: Evaluator, container: DictType, name: str, arguments: Sequence[Types]) -> Types:
    if name in ("get", "pop", "setdefault"):
        entries = dict(container.entries)
        first = arguments[0] if arguments else NOTHING
        keys = [value.value for value in first if isinstance(value, LiteralType)]
        found = union(entries.get(key, NOTHING) for key in keys) if keys else container.values()
        return union((found, container.rest, arguments[1] if len(arguments) > 1 else NOTHING))
    if name == "values":
        return one(list_of(container.values()))
    if name == "keys":
        return one(list_of(evaluator.elements(container)))
    if name == "copy":
        return one(container)
    if name in ("items", "popitem"):
        item = tuple_of([evaluator.elements(container), container.values()])
        return one(item) if name == "popitem" else one(list_of(one(item)))
    return NOTHING
