"""Which of several methods of one name a call means: by the number of its arguments, then by their types as far as
these are known. What is not known fits everything; where several are left, all of them are meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codeplane.facts.ir import ExprKind, Parameter, ParameterKind
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Value, Values

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator

Candidate = tuple[str, int]
"""Path and definition, nearer classes first."""
Shape = tuple[str, ...] | None
"""What is known of a type: `i` an object of a class of the repository, `x` of another, `l` an array
and `L` a collection (with the shape of its elements), `f` a function; None for nothing."""

_NUMBERS = ("byte", "short", "int", "long", "float", "double")
_BOXES = {
    "Byte": "byte", "Short": "short", "Integer": "int", "Long": "long", "Float": "float", "Double": "double",
    "Character": "char", "Boolean": "boolean",
}  # fmt: skip
_PRIMITIVE = frozenset({*_NUMBERS, "char", "boolean"})
_KNOWN = _PRIMITIVE | frozenset(_BOXES) | {"String"}
_ABOVE = {
    "String": frozenset({"CharSequence", "Comparable", "Serializable", "Object", "Constable", "ConstantDesc"}),
    "Class": frozenset({"Type", "GenericDeclaration", "AnnotatedElement", "Serializable", "Object", "Constable"}),
    **{box: frozenset({"Number", "Comparable", "Serializable", "Object", "Constable"}) for box in _BOXES},
}
_PLAIN = frozenset({"Int", "str", "string", "bool", "decimal", "object", "Unit"})
_TOP = frozenset({"Object", "object", "Any"})
_NO_FIT = 9


def choose(evaluator: Evaluator, at: FileScope, node: int, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those of the candidates that a call means. None, where none can take so many arguments."""
    arguments = at.lists[at.nodes[node][2]]
    fit = [candidate for candidate in dict.fromkeys(candidates) if _takes(evaluator, candidate, at, arguments)]
    if len(fit) < 2:
        return fit
    given = [_argument(evaluator, at, part) for part in arguments]
    taken = {candidate: _taken(evaluator, candidate) for candidate in fit}
    fit = _without_overridden(evaluator, fit, taken)
    levels = {candidate: _level(evaluator, given, taken[candidate]) for candidate in fit}
    best = min(levels.values())
    if best < _NO_FIT:
        fit = [candidate for candidate in fit if levels[candidate] == best]
    fit = _most_specific(evaluator, fit, taken, given)
    nearest = _owner(evaluator, fit[0])
    return [candidate for candidate in fit if _owner(evaluator, candidate) == nearest]


def is_plain(name: str) -> bool:
    """Whether a type is one of numbers, texts and the like."""
    last = name.removesuffix("()").rpartition(".")[2]
    return last in _KNOWN or last in _PLAIN


Taken = list[tuple[Shape, bool]]
"""The shape of each parameter, and whether it takes what is left of the arguments."""


def _params(evaluator: Evaluator, candidate: Candidate) -> list[Parameter]:
    """Those that are passed in brackets, not the object that an extension is called on."""
    at = evaluator.at(candidate[0])
    scope = at.body.get(candidate[1])
    found = at.params.get(scope, []) if scope is not None else []
    return [param for param in found if param.kind != ParameterKind.SELF]


def _takes(evaluator: Evaluator, candidate: Candidate, at: FileScope, arguments: Sequence[int]) -> bool:
    params = _params(evaluator, candidate)
    target = evaluator.at(candidate[0])
    if candidate[1] not in target.body:
        return True
    if any(at.nodes[part][0] == ExprKind.SPLAT for part in arguments):
        return True
    labels = {at.texts[at.nodes[part][2]] for part in arguments if at.nodes[part][0] == ExprKind.LABELLED}
    if not labels <= {param.name for param in params}:
        return False
    needed = sum(param.kind == ParameterKind.PLAIN and param.default < 0 for param in params)
    if any(param.kind == ParameterKind.REST for param in params):
        return len(arguments) >= needed
    return needed <= len(arguments) <= len(params)


def _taken(evaluator: Evaluator, candidate: Candidate) -> Taken:
    at = evaluator.at(candidate[0])
    return [
        (_declared(evaluator, at, param.type) if param.type >= 0 else None, param.kind == ParameterKind.REST)
        for param in _params(evaluator, candidate)
    ]


def _declared(evaluator: Evaluator, at: FileScope, node: int) -> Shape:
    kind, a, _, _ = at.nodes[node]
    if kind == ExprKind.LITERAL:
        return ("x", at.texts[a])
    if kind == ExprKind.LIST:
        inner = [_declared(evaluator, at, part) for part in at.lists[a]]
        return ("l", *(inner[0] or ()))
    return shape(evaluator.type_of(at, node))


def _argument(evaluator: Evaluator, at: FileScope, node: int) -> Shape:
    kind, a, _, _ = at.nodes[node]
    while kind in (ExprKind.PAREN, ExprKind.LABELLED):
        node = a
        kind, a, _, _ = at.nodes[node]
    if kind == ExprKind.STRING:
        return ("x", "String")
    if kind == ExprKind.LITERAL:
        return ("x", at.texts[a])
    if kind == ExprKind.FUNCTION:
        return ("f",)
    if kind == ExprKind.UNION:
        return _widest([_argument(evaluator, at, part) for part in at.lists[a]])
    return shape(evaluator.value(at.path, node))


def _widest(shapes: list[Shape]) -> Shape:
    """Of numbers that are computed with each other."""
    if len(set(shapes)) == 1:
        return shapes[0]
    names = [_BOXES.get(of[1], of[1]) if of is not None and of[0] == "x" else "" for of in shapes]
    if not all(name in _NUMBERS for name in names):
        return None
    return ("x", max(names, key=_NUMBERS.index))


def shape(values: Values) -> Shape:
    memo_tracked = [value for value in values if value[0] != "p"]
    if len(memo_tracked) != 1:
        return None
    return _shape_of(memo_tracked[0])


def _shape_of(value: Value) -> Shape:
    if value[0] == "i":
        return ("i", value[1], value[2])
    if value[0] == "x" and value[1].endswith("()"):
        name = value[1][:-2]
        return None if "(" in name else ("x", name.rpartition(".")[2])
    if value[0] == "Y":
        return ("x", "Class")
    if value[0] == "k":
        return ("x", "String" if isinstance(value[1], str) else "int")
    if value[0] == "l":
        return ("L" if len(value) > 2 else "l", *(shape(value[1]) or ()))
    if value[0] == "d":
        return ("x", "Map")
    return ("f",) if value[0] in ("f", "m") else None


def _level(evaluator: Evaluator, given: list[Shape], taken: Taken) -> int:
    """How well arguments fit: 0 as they are, 1 with numbers in boxes, 2 as the rest of a list."""
    worst = 0
    for number, argument in enumerate(given):
        declared, rest = taken[min(number, len(taken) - 1)] if taken else (None, False)
        level = _fits(evaluator, argument, declared)
        if rest:
            as_list = _fits(evaluator, argument, ("l", *(declared or ()))) if len(given) == len(taken) else _NO_FIT
            level = min(2 if level < _NO_FIT else _NO_FIT, as_list if argument is not None else 2)
        worst = max(worst, level)
    if taken and taken[-1][1] and len(given) < len(taken):
        worst = max(worst, 2)
    return worst


def _fits(evaluator: Evaluator, argument: Shape, declared: Shape) -> int:
    if argument == ("f",) and declared is None:
        return 1
    if argument is None or declared is None or argument == declared:
        return 0
    if argument[0] == "x" and argument[1] == "null":
        return _NO_FIT if declared[0] == "x" and declared[1] in _PRIMITIVE else 0
    if declared[0] == "x":
        return _fits_foreign(evaluator, argument, declared[1])
    if argument[0] == "f":
        return 0 if declared[0] == "i" else _NO_FIT
    if declared[0] in ("l", "L"):
        if argument[0] != declared[0]:
            known = argument[0] in ("i", "l") or (argument[0] == "x" and argument[1] in _KNOWN)
            return _NO_FIT if known or declared[0] == "l" else 0
        inner, wanted = argument[1:] or None, declared[1:] or None
        if inner is None or wanted is None:
            return 0
        if any(of[0] == "x" and of[1] in _PRIMITIVE for of in (inner, wanted)):
            return 0 if inner == wanted else _NO_FIT
        return _fits(evaluator, inner, wanted)
    if argument[0] == "i":
        return 0 if ("c", declared[1], declared[2]) in evaluator.bases(argument[1], argument[2]) else _NO_FIT  # type: ignore[arg-type]
    return _NO_FIT


def _fits_foreign(evaluator: Evaluator, argument: tuple[str, ...], name: str) -> int:
    if argument[0] == "x":
        own = argument[1]
        if own in _PRIMITIVE:
            if name in _PRIMITIVE:
                return 0 if _widens(own, name) else _NO_FIT
            if _BOXES.get(name) == own:
                return 1
            return 1 if name in _TOP or (name not in _KNOWN and name in _ABOVE["Integer"]) else _NO_FIT
        if name in _PRIMITIVE:
            unboxed = _BOXES.get(own)
            return 1 if unboxed is not None and _widens(unboxed, name) else _NO_FIT if own in _KNOWN else 0
        if own == name or name in _TOP:
            return 0
        if own in _ABOVE:
            return 0 if name in _ABOVE[own] else _NO_FIT
        return _NO_FIT if name in _KNOWN else 0
    if name in _TOP:
        return 0
    if name in _KNOWN:
        return _NO_FIT
    if argument[0] == "l":
        return 0 if name in ("Cloneable", "Serializable") else _NO_FIT
    if argument[0] == "i":
        above = [base for base in evaluator.bases(argument[1], argument[2]) if base[0] == "x"]  # type: ignore[arg-type]
        return 0 if above else _NO_FIT
    return 0


def _widens(own: str, name: str) -> bool:
    if own == name:
        return True
    if own == "char":
        return name in _NUMBERS[2:]
    return own in _NUMBERS and name in _NUMBERS and _NUMBERS.index(own) <= _NUMBERS.index(name)


def _without_overridden(evaluator: Evaluator, fit: list[Candidate], taken: dict[Candidate, Taken]) -> list[Candidate]:
    memo_tracked: list[Candidate] = []
    for candidate in fit:
        own = taken[candidate]
        hidden = any(
            _owner(evaluator, other) != _owner(evaluator, candidate)
            and len(taken[other]) == len(own)
            and all(a == b or a is None or b is None for (a, _), (b, _) in zip(taken[other], own, strict=True))
            for other in memo_tracked
        )
        if not hidden:
            memo_tracked.append(candidate)
    return memo_tracked


def _most_specific(
    evaluator: Evaluator, fit: list[Candidate], taken: dict[Candidate, Taken], given: list[Shape]
) -> list[Candidate]:
    if len(fit) < 2:
        return fit
    return [
        candidate
        for candidate in fit
        if not any(other != candidate and _narrower(evaluator, taken[other], taken[candidate], given) for other in fit)
    ] or fit


def _narrower(evaluator: Evaluator, one: Taken, other: Taken, given: list[Shape]) -> bool:
    """Whether all that one takes the other takes too, and not the other way round. Where nothing is known of an
    argument, it may be one that only the other takes."""
    if len(one) != len(other) or not one:
        return False
    strictly = False
    for number, ((a, rest_a), (b, rest_b)) in enumerate(zip(one, other, strict=True)):
        argument = given[number] if number < len(given) else None
        if argument is not None and argument[0] == "l":
            a, b = ("l", *a) if rest_a and a else a, ("l", *b) if rest_b and b else b
        if a == b:
            continue
        if argument is None or a is None or (b == argument and a != argument):
            return False
        if a != argument and b is not None and _fits(evaluator, a, b) != 0:
            return False
        strictly = True
    return strictly


def _owner(evaluator: Evaluator, candidate: Candidate) -> tuple[str, int] | None:
    at = evaluator.at(candidate[0])
    return evaluator.resolver(at).class_around(at, candidate[1])
