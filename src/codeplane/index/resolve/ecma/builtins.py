"""What the language's own containers and promises give: their methods, and what these pass to functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeplane.index.resolve.ecma.shapes import (
    ARRAYS,
    MAPS,
    NOTHING,
    PROMISES,
    Value,
    Values,
    array,
    awaited,
    elements,
    made,
    union,
)

_ONE = frozenset({"find", "findLast", "at", "pop", "shift"})
_SAME = frozenset(
    {
        "filter", "slice", "reverse", "sort", "splice", "toSorted", "toReversed", "toSpliced", "with", "fill", "values",
        "add", "copyWithin", "concat",
    }
)  # fmt: skip
_EACH = frozenset(
    {"map", "filter", "find", "findLast", "forEach", "some", "every", "findIndex", "findLastIndex", "flatMap"}
)
_WHOLE = frozenset({"freeze", "seal", "preventExtensions", "structuredClone"})

Given = Callable[[int], Values]
"""What the argument at a place is."""
Result = Callable[[int], Values]
"""What the function at a place returns."""


def _item(of: Value) -> Values:
    return elements(frozenset({of}))


def _is_list(of: Value) -> bool:
    return of[0] == "t" or (of[0] == "x" and of[1] in ARRAYS)


def call_method(of: Value, name: str, count: int, given: Given, result: Result) -> Values:
    """What a method of a container gives that is called with `count` arguments."""
    if _is_list(of):
        if name in _ONE:
            return _item(of)
        if name in _SAME:
            more = (
                union(elements(given(place)) or given(place) for place in range(count)) if name == "concat" else NOTHING
            )
            return array(_item(of) | more)
        if name == "map":
            return array(result(0))
        if name == "flatMap":
            held = result(0)
            return array(elements(held) or held)
        if name == "flat":
            inner = _item(of)
            return array(elements(inner) or inner)
        if name in ("reduce", "reduceRight"):
            return (given(1) if count > 1 else _item(of)) | result(0)
        if name == "entries":
            return array(frozenset({("t", (NOTHING, _item(of)))}))
        return NOTHING
    if of[0] != "x" or not of[2]:
        return NOTHING
    if of[1] in PROMISES:
        if name == "then":
            return frozenset({made("Promise", (awaited(result(0)) | (awaited(result(1)) if count > 1 else NOTHING),))})
        if name == "catch":
            return frozenset({made("Promise", (of[2][0] | awaited(result(0)),))})
        return frozenset({of}) if name == "finally" else NOTHING
    if of[1] in MAPS and len(of[2]) > 1:
        if name == "get":
            return of[2][1]  # type: ignore[no-any-return]
        if name in ("values", "keys"):
            return array(of[2][1 if name == "values" else 0])
        if name == "entries":
            return array(_item(of))
        return frozenset({of}) if name == "set" else NOTHING
    return NOTHING


def passed_by(of: Value, name: str, place: int, given: Given) -> tuple[Values, ...] | None:
    """What a method of a container passes to the function at a place of its arguments."""
    if _is_list(of) and place == 0:
        if name in _EACH:
            return (_item(of), NOTHING, frozenset({of}))
        if name in ("sort", "toSorted"):
            return (_item(of), _item(of))
        if name in ("reduce", "reduceRight"):
            return (given(1) or NOTHING, _item(of))
    if of[0] == "x" and of[2]:
        if of[1] in PROMISES and name == "then" and place == 0:
            return (of[2][0],)
        if of[1] in MAPS and len(of[2]) > 1 and name == "forEach":
            return (of[2][1], of[2][0])
    return None


def taken_by(of: Value, name: str) -> Values:
    """What a method of a container should be given."""
    if _is_list(of) and name in ("push", "unshift", "add", "includes", "indexOf", "fill"):
        return _item(of)
    if of[0] == "x" and of[1] in MAPS and name == "set" and len(of[2]) > 1:
        return of[2][1]  # type: ignore[no-any-return]
    return NOTHING


def call_static(owner: str, name: str, values: Sequence[Values], result: Result) -> Values:
    """What a function of the language's own objects gives (`Object.values`)."""
    first = values[0] if values else NOTHING
    if owner == "Object":
        if name in _WHOLE:
            return first
        if name == "assign":
            return union(values)
        if name in ("values", "entries"):
            held = union(
                value[2][1] if value[1] == "Record" and len(value[2]) > 1 else elements(frozenset({value}))
                for value in first
                if value[0] == "x"
            )
            return array(held if name == "values" else frozenset({("t", (NOTHING, held))}))
    if owner == "Array":
        if name == "from":
            return array(result(1) if len(values) > 1 else elements(first))
        if name == "of":
            return array(union(values))
    if owner == "Promise":
        if name == "resolve":
            return frozenset({made("Promise", (awaited(first),))})
        if name in ("all", "allSettled") and name == "all":
            tuples = frozenset(("t", tuple(awaited(part) for part in value[1])) for value in first if value[0] == "t")
            held = tuples or array(awaited(elements(first)))
            return frozenset({made("Promise", (held,))})
        if name in ("race", "any"):
            return frozenset({made("Promise", (awaited(elements(first)),))})
    return NOTHING
