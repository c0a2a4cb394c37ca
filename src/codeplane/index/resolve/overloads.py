"""Overload resolution: by the number of arguments, then by their types as far as they are known.

An unknown type fits everything; if several overloads remain, the call refers to all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeplane.facts.ir import (
    FunctionExpr,
    LabelledExpr,
    ListExpr,
    LiteralExpr,
    NameExpr,
    Parameter,
    ParameterKind,
    ParenExpr,
    SplatExpr,
    StringExpr,
    UnionExpr,
)
from codeplane.facts.model import Namespace, Target
from codeplane.facts.summary import SummaryBinding
from codeplane.index.resolve.calls import arguments_of
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.types import (
    BoundMethod,
    ClassLiteral,
    ClassType,
    DictType,
    External,
    Function,
    Instance,
    ListType,
    LiteralType,
    ParamType,
    Type,
    Types,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator

Candidate = tuple[str, int]
"""Path and definition; members of nearer classes come first."""


@dataclass(frozen=True)
class InstanceShape:
    """An instance of a class of the repository."""

    path: str
    definition: int


@dataclass(frozen=True)
class NamedShape:
    """An instance of an external or primitive type."""

    name: str


@dataclass(frozen=True)
class ListShape:
    items: Shape | None
    is_collection: bool = False


@dataclass(frozen=True)
class FunctionShape:
    pass


Shape = InstanceShape | NamedShape | ListShape | FunctionShape
"""Knowledge of overload resolution about a type; None for none."""

_NUMBERS = ("byte", "short", "int", "long", "float", "double")
_BOXES = {
    "Byte": "byte", "Short": "short", "Integer": "int", "Long": "long", "Float": "float", "Double": "double",
    "Character": "char", "Boolean": "boolean",
}  # fmt: skip
_PRIMITIVE = frozenset({*_NUMBERS, "char", "boolean"})
_KNOWN = _PRIMITIVE | frozenset(_BOXES) | {"String"}
_SUPERTYPES = {
    "String": frozenset({"CharSequence", "Comparable", "Serializable", "Object", "Constable", "ConstantDesc"}),
    "Class": frozenset({"Type", "GenericDeclaration", "AnnotatedElement", "Serializable", "Object", "Constable"}),
    **{box: frozenset({"Number", "Comparable", "Serializable", "Object", "Constable"}) for box in _BOXES},
}
_PLAIN = frozenset({"Int", "str", "string", "bool", "decimal", "object", "Unit"})
_TOP = frozenset({"Object", "object", "Any"})
_EXACT, _BOXED, _VARIADIC, _NO_FIT = 0, 1, 2, 9
"""Fit of an argument: as it is, after boxing, as part of a rest parameter, not at all."""

Signature = list[tuple[Shape | None, bool]]
"""Shape of each parameter, and True for a rest parameter."""


def choose(evaluator: Evaluator, file: FileScope, node: int, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that a call refers to; none if none takes that many arguments."""
    nodes = arguments_of(file, node)
    fit = [candidate for candidate in dict.fromkeys(candidates) if _takes(evaluator, candidate, file, nodes)]
    if len(fit) < 2:
        return fit
    arguments = [_argument_shape(evaluator, file, part) for part in nodes]
    signatures = {candidate: _signature(evaluator, candidate) for candidate in fit}
    fit = _without_overridden(evaluator, fit, signatures)
    levels = {candidate: _level(evaluator, arguments, signatures[candidate]) for candidate in fit}
    best = min(levels.values())
    if best < _NO_FIT:
        fit = [candidate for candidate in fit if levels[candidate] == best]
    fit = _most_specific(evaluator, fit, signatures, arguments)
    nearest = _owner(evaluator, fit[0])
    return [candidate for candidate in fit if _owner(evaluator, candidate) == nearest]


def is_plain(name: str) -> bool:
    """True for numbers, strings and other types whose instances cannot be called."""
    last = name.removesuffix("()").rpartition(".")[2]
    return last in _KNOWN or last in _PLAIN


def type_variable(file: FileScope, node: int | None) -> int | None:
    """The binding of the type variable that a node names."""
    expr = file.exprs[node] if node is not None else None
    if isinstance(expr, NameExpr) and expr.binding is not None and is_type_variable(file.binds[expr.binding]):
        return expr.binding
    return None


def is_type_variable(bind: SummaryBinding) -> bool:
    return bind.namespace == Namespace.TYPE and bind.target_kind == Target.UNKNOWN


def _params(evaluator: Evaluator, candidate: Candidate) -> list[Parameter]:
    """Parameters in parentheses, without the receiver of an extension."""
    file = evaluator.file(candidate[0])
    scope = file.body.get(candidate[1])
    found = file.params.get(scope, []) if scope is not None else []
    return [param for param in found if param.kind != ParameterKind.SELF]


def _takes(evaluator: Evaluator, candidate: Candidate, file: FileScope, nodes: Sequence[int]) -> bool:
    params = _params(evaluator, candidate)
    if candidate[1] not in evaluator.file(candidate[0]).body:
        return True
    exprs = [file.exprs[node] for node in nodes]
    if any(isinstance(expr, SplatExpr) for expr in exprs):
        return True
    labels = {expr.name for expr in exprs if isinstance(expr, LabelledExpr)}
    if not labels <= {param.name for param in params}:
        return False
    needed = sum(param.kind == ParameterKind.PLAIN and param.default < 0 for param in params)
    if any(param.kind == ParameterKind.REST for param in params):
        return len(nodes) >= needed
    return needed <= len(nodes) <= len(params)


def _signature(evaluator: Evaluator, candidate: Candidate) -> Signature:
    file = evaluator.file(candidate[0])
    return [
        (_declared_shape(evaluator, file, param.type) if param.type >= 0 else None, param.kind == ParameterKind.REST)
        for param in _params(evaluator, candidate)
    ]


def _declared_shape(evaluator: Evaluator, file: FileScope, node: int) -> Shape | None:
    expr = file.exprs[node]
    if isinstance(expr, LiteralExpr):
        return NamedShape(expr.type_name)
    if isinstance(expr, ListExpr):
        return ListShape(_declared_shape(evaluator, file, expr.parts[0]))
    return _shape(evaluator.named_type(file, node))


def _argument_shape(evaluator: Evaluator, file: FileScope, node: int) -> Shape | None:
    expr = file.exprs[node]
    while isinstance(expr, ParenExpr | LabelledExpr):
        node = expr.value
        expr = file.exprs[node]
    match expr:
        case StringExpr():
            return NamedShape("String")
        case LiteralExpr():
            return NamedShape(expr.type_name)
        case FunctionExpr():
            return FunctionShape()
        case UnionExpr():
            return _widest([_argument_shape(evaluator, file, part) for part in expr.parts])
    return _shape(evaluator.infer(file, node))


def _widest(shapes: list[Shape | None]) -> Shape | None:
    """Common type of an arithmetic expression."""
    if len(set(shapes)) == 1:
        return shapes[0]
    names = [_BOXES.get(shape.name, shape.name) if isinstance(shape, NamedShape) else "" for shape in shapes]
    if not all(name in _NUMBERS for name in names):
        return None
    return NamedShape(max(names, key=_NUMBERS.index))


def _shape(types: Types) -> Shape | None:
    found = [value for value in types if not isinstance(value, ParamType)]
    return _shape_of(found[0]) if len(found) == 1 else None


def _shape_of(value: Type) -> Shape | None:
    match value:
        case Instance():
            return InstanceShape(value.path, value.definition)
        case External() if value.name.endswith("()"):
            name = value.name[:-2]
            return None if "(" in name else NamedShape(name.rpartition(".")[2])
        case ClassLiteral():
            return NamedShape("Class")
        case LiteralType():
            return NamedShape("String" if isinstance(value.value, str) else "int")
        case ListType():
            return ListShape(_shape(value.items), bool(value.name))
        case DictType():
            return NamedShape("Map")
        case Function() | BoundMethod():
            return FunctionShape()
    return None


def _level(evaluator: Evaluator, arguments: list[Shape | None], signature: Signature) -> int:
    """The worst fit of the arguments."""
    worst = _EXACT
    for number, argument in enumerate(arguments):
        declared, is_rest = signature[min(number, len(signature) - 1)] if signature else (None, False)
        level = _fits(evaluator, argument, declared)
        if is_rest:
            is_last = len(arguments) == len(signature)
            as_list = _fits(evaluator, argument, ListShape(declared)) if is_last else _NO_FIT
            level = _VARIADIC if level < _NO_FIT else _NO_FIT
            level = min(level, as_list if argument is not None else _VARIADIC)
        worst = max(worst, level)
    if signature and signature[-1][1] and len(arguments) < len(signature):
        worst = max(worst, _VARIADIC)
    return worst


def _fits(evaluator: Evaluator, argument: Shape | None, declared: Shape | None) -> int:
    if isinstance(argument, FunctionShape) and declared is None:
        return _BOXED
    if argument is None or declared is None or argument == declared:
        return _EXACT
    if argument == NamedShape("null"):
        return _NO_FIT if isinstance(declared, NamedShape) and declared.name in _PRIMITIVE else _EXACT
    if isinstance(declared, NamedShape):
        return _fits_named(evaluator, argument, declared.name)
    if isinstance(argument, FunctionShape):
        return _EXACT if isinstance(declared, InstanceShape) else _NO_FIT
    if isinstance(declared, ListShape):
        return _fits_list(evaluator, argument, declared)
    if isinstance(argument, InstanceShape) and isinstance(declared, InstanceShape):
        class_ = ClassType(declared.path, declared.definition)
        return _EXACT if class_ in evaluator.mro(argument.path, argument.definition) else _NO_FIT
    return _NO_FIT


def _fits_list(evaluator: Evaluator, argument: Shape, declared: ListShape) -> int:
    if not isinstance(argument, ListShape) or argument.is_collection != declared.is_collection:
        is_array = isinstance(argument, ListShape) and not argument.is_collection
        is_known = isinstance(argument, InstanceShape) or is_array
        is_known = is_known or (isinstance(argument, NamedShape) and argument.name in _KNOWN)
        return _NO_FIT if is_known or not declared.is_collection else _EXACT
    inner, wanted = argument.items, declared.items
    if inner is None or wanted is None:
        return _EXACT
    if any(isinstance(shape, NamedShape) and shape.name in _PRIMITIVE for shape in (inner, wanted)):
        return _EXACT if inner == wanted else _NO_FIT
    return _fits(evaluator, inner, wanted)


def _fits_named(evaluator: Evaluator, argument: Shape, name: str) -> int:
    if isinstance(argument, NamedShape):
        return _name_fits(argument.name, name)
    if name in _TOP:
        return _EXACT
    if name in _KNOWN:
        return _NO_FIT
    if isinstance(argument, ListShape) and not argument.is_collection:
        return _EXACT if name in ("Cloneable", "Serializable") else _NO_FIT
    if isinstance(argument, InstanceShape):
        bases = evaluator.mro(argument.path, argument.definition)
        return _EXACT if any(isinstance(base, External) for base in bases) else _NO_FIT
    return _EXACT


def _name_fits(own: str, name: str) -> int:
    if own in _PRIMITIVE:
        if name in _PRIMITIVE:
            return _EXACT if _widens(own, name) else _NO_FIT
        if _BOXES.get(name) == own:
            return _BOXED
        return _BOXED if name in _TOP or (name not in _KNOWN and name in _SUPERTYPES["Integer"]) else _NO_FIT
    if name in _PRIMITIVE:
        unboxed = _BOXES.get(own)
        if unboxed is not None and _widens(unboxed, name):
            return _BOXED
        return _NO_FIT if own in _KNOWN else _EXACT
    if own == name or name in _TOP:
        return _EXACT
    if own in _SUPERTYPES:
        return _EXACT if name in _SUPERTYPES[own] else _NO_FIT
    return _NO_FIT if name in _KNOWN else _EXACT


def _widens(own: str, name: str) -> bool:
    if own == name:
        return True
    if own == "char":
        return name in _NUMBERS[2:]
    return own in _NUMBERS and name in _NUMBERS and _NUMBERS.index(own) <= _NUMBERS.index(name)


def _without_overridden(
    evaluator: Evaluator, fit: list[Candidate], signatures: dict[Candidate, Signature]
) -> list[Candidate]:
    found: list[Candidate] = []
    for candidate in fit:
        own = signatures[candidate]
        is_hidden = any(
            _owner(evaluator, other) != _owner(evaluator, candidate)
            and len(signatures[other]) == len(own)
            and all(a == b or a is None or b is None for (a, _), (b, _) in zip(signatures[other], own, strict=True))
            for other in found
        )
        if not is_hidden:
            found.append(candidate)
    return found


def _most_specific(
    evaluator: Evaluator,
    fit: list[Candidate],
    signatures: dict[Candidate, Signature],
    arguments: list[Shape | None],
) -> list[Candidate]:
    if len(fit) < 2:
        return fit
    return [
        candidate
        for candidate in fit
        if not any(
            other != candidate and _is_narrower(evaluator, signatures[other], signatures[candidate], arguments)
            for other in fit
        )
    ] or fit


def _is_narrower(evaluator: Evaluator, one: Signature, other: Signature, arguments: list[Shape | None]) -> bool:
    """True if one signature accepts strictly less than the other. An unknown argument may be one that only the other
    accepts."""
    if len(one) != len(other) or not one:
        return False
    strictly = False
    for number, ((a, rest_a), (b, rest_b)) in enumerate(zip(one, other, strict=True)):
        argument = arguments[number] if number < len(arguments) else None
        if isinstance(argument, ListShape) and not argument.is_collection:
            a, b = ListShape(a) if rest_a and a else a, ListShape(b) if rest_b and b else b
        if a == b:
            continue
        if argument is None or a is None or (b == argument and a != argument):
            return False
        if a != argument and b is not None and _fits(evaluator, a, b) != _EXACT:
            return False
        strictly = True
    return strictly


def _owner(evaluator: Evaluator, candidate: Candidate) -> tuple[str, int] | None:
    file = evaluator.file(candidate[0])
    return evaluator.resolver(file).enclosing_class(file, candidate[1])
