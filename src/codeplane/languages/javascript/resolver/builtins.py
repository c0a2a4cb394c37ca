"""Methods of arrays, maps and promises: their results, and what they pass to callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeplane.index.resolve.types import NOTHING, External, TupleType, Type, Types, one, union
from codeplane.languages.javascript.resolver.types import ARRAYS, MAPS, PROMISES, array, awaited, elements, promise

_ELEMENT = frozenset({"find", "findLast", "at", "pop", "shift"})
_SAME_ELEMENTS = frozenset(
    {
        "filter", "slice", "reverse", "sort", "splice", "toSorted", "toReversed", "toSpliced", "with", "fill", "values",
        "add", "copyWithin", "concat",
    }
)  # fmt: skip
_CALLS_WITH_ELEMENT = frozenset(
    {"map", "filter", "find", "findLast", "forEach", "some", "every", "findIndex", "findLastIndex", "flatMap"}
)
_IDENTITY = frozenset({"freeze", "seal", "preventExtensions", "structuredClone"})

Argument = Callable[[int], Types]
"""Returns the types of the argument at an index."""
Result = Callable[[int], Types]
"""Returns the result of the function that is passed at an index."""


def _is_list(value: Type) -> bool:
    return isinstance(value, TupleType) or (isinstance(value, External) and value.name in ARRAYS)


def call_method(receiver: Type, name: str, count: int, argument: Argument, result: Result) -> Types:
    """Return the types that a method returns when it is called with `count` arguments."""
    if _is_list(receiver):
        return _call_list(elements(one(receiver)), name, count, argument, result)
    if isinstance(receiver, External) and receiver.arguments:
        if receiver.name in PROMISES:
            return _call_promise(receiver, name, count, result)
        if receiver.name in MAPS and len(receiver.arguments) > 1:
            return _call_map(receiver, name)
    return NOTHING


def _call_list(items: Types, name: str, count: int, argument: Argument, result: Result) -> Types:
    if name in _ELEMENT:
        return items
    if name == "concat":
        return array(items | union(_flat(argument(index)) for index in range(count)))
    if name in _SAME_ELEMENTS:
        return array(items)
    if name == "map":
        return array(result(0))
    if name == "flatMap":
        return array(_flat(result(0)))
    if name == "flat":
        return array(_flat(items))
    if name in ("reduce", "reduceRight"):
        return (argument(1) if count > 1 else items) | result(0)
    return array(one(TupleType((NOTHING, items)))) if name == "entries" else NOTHING


def _flat(types: Types) -> Types:
    return elements(types) or types


def _call_promise(receiver: External, name: str, count: int, result: Result) -> Types:
    if name == "then":
        return promise(awaited(result(0)) | (awaited(result(1)) if count > 1 else NOTHING))
    if name == "catch":
        return promise(receiver.arguments[0] | awaited(result(0)))
    return one(receiver) if name == "finally" else NOTHING


def _call_map(receiver: External, name: str) -> Types:
    keys, values = receiver.arguments[:2]
    if name == "get":
        return values
    if name in ("values", "keys"):
        return array(values if name == "values" else keys)
    if name == "entries":
        return array(elements(one(receiver)))
    return one(receiver) if name == "set" else NOTHING


def callback_arguments(receiver: Type, name: str, index: int, argument: Argument) -> tuple[Types, ...] | None:
    """Return the types that a method passes to the function that is its argument at an index."""
    if _is_list(receiver) and index == 0:
        items = elements(one(receiver))
        if name in _CALLS_WITH_ELEMENT:
            return items, NOTHING, one(receiver)
        if name in ("sort", "toSorted"):
            return items, items
        if name in ("reduce", "reduceRight"):
            return argument(1), items
    if isinstance(receiver, External) and receiver.arguments:
        if receiver.name in PROMISES and name == "then" and index == 0:
            return (receiver.arguments[0],)
        if receiver.name in MAPS and len(receiver.arguments) > 1 and name == "forEach":
            return receiver.arguments[1], receiver.arguments[0]
    return None


def expected_argument(receiver: Type, name: str) -> Types:
    """Return the types that the arguments of a method should have."""
    if _is_list(receiver) and name in ("push", "unshift", "add", "includes", "indexOf", "fill"):
        return elements(one(receiver))
    if isinstance(receiver, External) and receiver.name in MAPS and name == "set" and len(receiver.arguments) > 1:
        return receiver.arguments[1]
    return NOTHING


def call_static(owner: str, name: str, arguments: Sequence[Types], result: Result) -> Types:
    """Return the types that a static function of `Object`, `Array` or `Promise` returns."""
    first = arguments[0] if arguments else NOTHING
    match owner, name:
        case "Object", _ if name in _IDENTITY:
            return first
        case "Object", "assign":
            return union(arguments)
        case "Object", "values":
            return array(_property_values(first))
        case "Object", "entries":
            return array(one(TupleType((NOTHING, _property_values(first)))))
        case "Array", "from":
            return array(result(1) if len(arguments) > 1 else elements(first))
        case "Array", "of":
            return array(union(arguments))
        case "Promise", "resolve":
            return promise(awaited(first))
        case "Promise", "all":
            tuples = [value for value in first if isinstance(value, TupleType)]
            items: Types = frozenset(TupleType(tuple(awaited(part) for part in value.items)) for value in tuples)
            return promise(items or array(awaited(elements(first))))
        case "Promise", ("race" | "any"):
            return promise(awaited(elements(first)))
    return NOTHING


def _property_values(types: Types) -> Types:
    return union(
        value.arguments[1] if value.name == "Record" and len(value.arguments) > 1 else elements(one(value))
        for value in types
        if isinstance(value, External)
    )
