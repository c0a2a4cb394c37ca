"""Resolves the calls of one file to functions, classes and externals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import (
    AwaitExpr,
    CallExpr,
    DefinitionFlow,
    Expr,
    FlowKind,
    IndexExpr,
    MemberExpr,
    NameExpr,
    NewExpr,
    ParenExpr,
    ScopeFlow,
    ValueFlow,
)
from codeplane.index.resolve.calls import RECEIVER, bind_arguments, bind_values, call_operators, constructors
from codeplane.index.resolve.evaluator import Arguments, Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import CallTargets
from codeplane.index.resolve.types import (
    BoundMethod,
    ClassType,
    ContainerMethod,
    External,
    Function,
    Instance,
    LiteralType,
    ParamType,
    Type,
    Types,
    in_order,
)

_MAX_ROUNDS = 3
"""Rounds of passing functions on within a file."""
_HIGHER_ORDER = frozenset({"builtins.map", "builtins.filter", "functools.reduce"})
"""Externals that call the functions passed to them."""


class CallEdge(NamedTuple):
    scope: int
    """Scope of the call."""
    line: int
    col: int
    ref: int
    """Identifier of the callee, or -1."""
    targets: tuple[Type, ...]
    node: int = -1
    constructed: tuple[ClassType, ...] = ()
    """Classes that are instantiated; `targets` has their constructors, if any."""


def call_edges(evaluator: Evaluator, file: FileScope, columns: Columns) -> list[CallEdge]:
    """Resolve every call of a file. Functions that are passed as arguments within the file are followed."""
    found, arguments = _edges_and_arguments(evaluator, file, columns)
    for _ in range(_MAX_ROUNDS):
        if arguments == evaluator.arguments or not _is_worthwhile(file, found, {key[1:] for key in arguments}):
            break
        evaluator = evaluator.with_arguments(file.path, arguments)
        found, arguments = _edges_and_arguments(evaluator, file, columns)
    return [
        edge._replace(targets=tuple(value for value in edge.targets if not isinstance(value, ParamType)))
        for edge in found
    ]


_Note = Callable[[Function | BoundMethod, Mapping[int, Types]], None]


def _edges_and_arguments(evaluator: Evaluator, file: FileScope, columns: Columns) -> tuple[list[CallEdge], Arguments]:
    passed: dict[tuple[str, int, int], set[Type]] = {}

    def note(callee: Function | BoundMethod, arguments: Mapping[int, Types]) -> None:
        """Record arguments of a function of the file; the receiver is known without."""
        receiver = arguments.get(RECEIVER)
        for number, types in arguments.items() if callee.path == file.path else ():
            concrete = {value for value in types if not isinstance(value, ParamType | External | LiteralType)}
            if concrete and types is not receiver:
                passed.setdefault((file.path, callee.scope, number), set()).update(concrete)

    found = list(_edges(evaluator, file, columns, note))
    return found, {key: frozenset(types) for key, types in passed.items()}


def _is_worthwhile(file: FileScope, found: Iterable[CallEdge], passed: Set[tuple[int, int]]) -> bool:
    """True if the target of a call depends on a parameter with known arguments."""
    return any(
        all(isinstance(value, ParamType) for value in edge.targets)
        and edge.node >= 0
        and _depends_on(file, edge.node, passed)
        for edge in found
    )


def _depends_on(file: FileScope, node: int, passed: Set[tuple[int, int]]) -> bool:
    call = file.exprs[node]
    assert isinstance(call, CallExpr | NewExpr)
    head = _head(file, call.callee, (MemberExpr, CallExpr, IndexExpr, ParenExpr, AwaitExpr))
    return isinstance(head, NameExpr) and head.binding is not None and file.param_of_bind.get(head.binding) in passed


def _head(file: FileScope, node: int, through: tuple[type, ...]) -> Expr:
    """The expression that a chain of these kinds starts with."""
    expr = file.exprs[node]
    while isinstance(expr, through):
        match expr:
            case MemberExpr():
                node = expr.receiver
            case CallExpr():
                node = expr.callee
            case IndexExpr() | ParenExpr() | AwaitExpr():
                node = expr.value
        expr = file.exprs[node]
    return expr


def _edges(evaluator: Evaluator, file: FileScope, columns: Columns, note: _Note) -> Iterator[CallEdge]:
    resolver = evaluator.resolver(file)
    for node, scope, line, col in file.calls():
        expr = file.exprs[node]
        assert isinstance(expr, CallExpr | NewExpr)
        found = resolver.call_targets(file, node) or _call_targets(evaluator, file, expr, note)
        yield CallEdge(scope, line, col, expr.reference, _ordered(found.run), node, _classes(found.constructed))
    if resolver.traits.implied_methods:
        yield from _implied_calls(evaluator, file, columns, note)


def _call_targets(evaluator: Evaluator, file: FileScope, expr: CallExpr | NewExpr, note: _Note) -> CallTargets:
    is_new = isinstance(expr, NewExpr)
    targets: set[Type] = set()
    classes: set[Type] = set()
    for value in evaluator.named_type(file, expr.callee) if is_new else evaluator.infer(file, expr.callee):
        if is_new and isinstance(value, Instance):
            value = ClassType(value.path, value.definition, value.method, value.arguments)
        targets |= set(_called(evaluator, file, value))
        if isinstance(value, ClassType):
            classes.add(value)
        for function in _functions(evaluator, value):
            if function.path == file.path:
                note(function, bind_arguments(evaluator, function, file, expr.arguments))
        if isinstance(value, External) and value.name in _HIGHER_ORDER:
            for part in expr.arguments:
                for passed in evaluator.infer(file, part):
                    if isinstance(passed, Function | BoundMethod):
                        targets |= set(_called(evaluator, file, passed))
    return CallTargets(targets, classes)


def _implied_calls(evaluator: Evaluator, file: FileScope, columns: Columns, note: _Note) -> Iterator[CallEdge]:
    """Calls by `raise`, decorators, loops and context managers."""
    for flow in file.flows:
        node = flow.source
        if isinstance(flow, ScopeFlow) and flow.kind is FlowKind.RAISE:
            raised = [value for value in evaluator.infer(file, node) if isinstance(value, ClassType)]
            run = [value for class_ in raised for value in _called(evaluator, file, class_)]
            yield from _implied(file, columns, node, run, flow.scope, raised)
        elif isinstance(flow, DefinitionFlow) and flow.kind is FlowKind.DECORATOR:
            decorators = evaluator.infer(file, node)
            for function in [found for decorator in decorators for found in _functions(evaluator, decorator)]:
                decorated = evaluator.decorated_types(file, flow.definition, node)
                note(function, bind_values(evaluator, function, [decorated]))
            applied = [value for decorator in decorators for value in _called(evaluator, file, decorator)]
            yield from _implied(file, columns, node, applied, file.defs[flow.definition].scope)
        elif isinstance(flow, ValueFlow) and flow.kind in (FlowKind.FOR, FlowKind.WITH):
            yield from _implied(file, columns, node, _implied_methods(evaluator, file, flow), None)


def _implied_methods(evaluator: Evaluator, file: FileScope, flow: ValueFlow) -> list[Type]:
    """Methods that a loop or a context manager calls."""
    names = evaluator.resolver(file).traits.implied_methods.get(flow.kind, ())
    return [
        method
        for value in evaluator.infer(file, flow.source)
        if isinstance(value, Instance)
        for name in names
        for found in evaluator.member(value, name).types
        for method in _called(evaluator, file, found)
    ]


def _implied(
    file: FileScope,
    columns: Columns,
    node: int,
    targets: Sequence[Type],
    scope: int | None,
    constructed: Sequence[Type] = (),
) -> Iterator[CallEdge]:
    """A call without call syntax, at the identifier that its expression starts with."""
    head = _head(file, node, (CallExpr, ParenExpr, IndexExpr))
    known = [value for value in targets if isinstance(value, Function | ClassType)]
    if known and isinstance(head, NameExpr | MemberExpr) and head.reference >= 0:
        ref = head.reference
        where = columns.scopes[ref] if scope is None else scope
        place = (columns.lines[ref], columns.columns[ref])
        yield CallEdge(where, *place, ref, _ordered(known), constructed=_classes(constructed))


def _ordered(types: Iterable[Type]) -> tuple[Type, ...]:
    return tuple(in_order(set(types)))


def _classes(types: Iterable[Type]) -> tuple[ClassType, ...]:
    return tuple(value for value in _ordered(types) if isinstance(value, ClassType))


def _functions(evaluator: Evaluator, callee: Type) -> Sequence[Function | BoundMethod]:
    """Functions that run when a value is called."""
    found: Iterable[Type] = ()
    if isinstance(callee, Function | BoundMethod):
        return [callee]
    if isinstance(callee, ClassType):
        found = constructors(evaluator, callee)
    elif isinstance(callee, Instance):
        found = call_operators(evaluator, callee)
    return [value for value in found if isinstance(value, Function | BoundMethod)]


def _called(evaluator: Evaluator, file: FileScope, callee: Type) -> Iterator[Type]:
    functions = _functions(evaluator, callee)
    for value in functions:
        yield Function(value.path, value.scope)
    if isinstance(callee, ClassType) and not functions:
        yield ClassType(callee.path, callee.definition)
    elif isinstance(callee, External | ParamType):
        yield callee
    elif isinstance(callee, ContainerMethod):
        name = evaluator.resolver(file).traits.container_names.get(type(callee.container))
        if name is not None:
            yield External(f"{name}.{callee.name}")
