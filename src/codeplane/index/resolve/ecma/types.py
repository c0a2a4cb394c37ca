"""What an expression or a type can be. Values are tuples that begin with a letter:
    ("o", path, definition, arguments)   an object of a class, an interface or a type with members
    ("c", path, definition)              a class or an enumeration itself   ("n", path, definition)   a namespace
    ("M", path)                          a module
    ("f", path, scope, known)            a function or the type of one; ("F", (values, ...)) one with these parameters
    ("L", path, node, known)             an object literal; ("K", path, node, known) a type that is written like one
    ("t", (values, ...))                 a tuple
    ("x", name, arguments)               something of the language or of another library
    ("e", of, name)                      a method of such a thing
    ("E", path, owner)                   something that gets members by assignment, by its name in the file
    ("v", path, binding)                 a parameter that stands for a type
    ("I", value, name)                   what a member of it is
    ("Q", values)                        the names of their members
    ("O", values, names, kept)           with only some of their members, or without some
    ("k", text)                          a literal text
`arguments` are values per type parameter, `known` pairs of a type parameter (path, binding) and values. No value at all
means that nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

Value = tuple[Any, ...]
Values = frozenset[Value]
Variable = tuple[str, int]
Known = Mapping[Variable, Values]

NOTHING: Values = frozenset()
MAX_VALUES = 64
MAX_NESTING = 4
MAX_SIZE = 400
MAX_ARGUMENTS = 16
MAX_STEPS = 5

ARRAYS = frozenset(
    {
        "Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "Iterator", "IterableIterator", "Generator",
        "AsyncGenerator", "AsyncIterable", "AsyncIterator", "AsyncIterableIterator", "ArrayLike", "WeakSet",
        "NodeListOf", "HTMLCollectionOf", "ConcatArray",
    }
)  # fmt: skip
MAPS = frozenset({"Map", "ReadonlyMap", "WeakMap"})
PROMISES = frozenset({"Promise", "PromiseLike"})
SAME = frozenset({"Partial", "Required", "Readonly", "NonNullable", "Extract", "Exclude", "NoInfer", "ThisType"})
"""Types that have the members of their first argument, or some of them."""


def union(parts: Iterable[Values]) -> Values:
    return frozenset().union(*parts)


def bounded(values: Values) -> Values:
    """No more than are of use; things that differ in their arguments only are one, whose arguments are any of these."""
    if len(values) < 2:
        return values
    same: dict[tuple[Any, ...], list[Value]] = {}
    for value in values:
        same.setdefault(_split(value)[0], []).append(value)
    if len(same) < len(values):
        values = frozenset(_merged(group) for group in same.values())
    return values if len(values) <= MAX_VALUES else first(values, MAX_VALUES)


def _merged(group: list[Value]) -> Value:
    if len(group) == 1:
        return group[0]
    held = zip(*(_split(value)[1] for value in group), strict=True)
    return _replaced(group[0], _shallow(tuple(union(parts) for parts in held)))


def first(values: Values, count: int) -> Values:
    return frozenset(sorted(values, key=spelled)[:count])


@lru_cache(maxsize=1 << 15)
def spelled(value: Any) -> str:
    """A text by which values have an order."""
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(spelled, value)))}}}"
    if isinstance(value, tuple):
        return f"({','.join(map(spelled, value))})"
    return repr(value)


def _split(value: Value) -> tuple[tuple[Any, ...], tuple[Values, ...]]:
    """What makes a thing one with others, and what it holds."""
    what = value[0]
    if what == "o":
        return (what, value[1], value[2], len(value[3])), value[3]
    if what == "x":
        return (what, value[1], len(value[2])), value[2]
    if what in ("t", "F"):
        return (what, len(value[1])), value[1]
    if what == "Q":
        return (what,), value[1:]
    if what == "O":
        return value, value[1:3]
    if what in ("f", "L", "K"):
        return (*value[:3], tuple(key for key, _ in value[3])), tuple(held for _, held in value[3])
    return value, ()


def _replaced(value: Value, parts: tuple[Values, ...]) -> Value:
    what = value[0]
    if what == "o":
        return (*value[:3], parts)
    if what == "x":
        return (*value[:2], parts)
    if what in ("t", "F"):
        return (what, parts)
    if what == "Q":
        return (what, *parts)
    if what == "O":
        return (what, *parts, value[3])
    return (*value[:3], tuple((key, part) for (key, _), part in zip(value[3], parts, strict=True)))


def tuple_of(parts: Iterable[Values]) -> Value:
    return ("t", _shallow(tuple(parts)))


ANY: Values = frozenset({("x", "any", ())})


def either(parts: Iterable[Values]) -> Values:
    """One of several; whatever may be anything is nothing in particular."""
    found = union(parts)
    return ANY if len(found) > 1 and not ANY.isdisjoint(found) else found


def array(values: Values) -> Values:
    return frozenset({made("Array", (values,))})


def made(name: str, arguments: tuple[Values, ...]) -> Value:
    return ("x", name, _shallow(arguments))


def object_of(path: str, definition: int, arguments: tuple[Values, ...] = ()) -> Value:
    return ("o", path, definition, _shallow(arguments))


def _shallow(arguments: tuple[Values, ...], nesting: int = MAX_NESTING) -> tuple[Values, ...]:
    """Arguments whose own go down no further, and are not too many in all."""
    if not arguments or _fits(arguments, nesting):
        return arguments
    for level in range(nesting - 1, -1, -1):
        cut = tuple(frozenset(_cut(value, level) for value in values) for values in arguments)
        if _fits(cut, nesting):
            return cut
    return tuple(values if len(values) <= MAX_ARGUMENTS else first(values, MAX_ARGUMENTS) for values in cut)


def _fits(arguments: tuple[Values, ...], nesting: int) -> bool:
    size = 0
    for values in arguments:
        for value in values:
            depth, count = _measure(value)
            size += count
            if depth >= nesting or size > MAX_SIZE:
                return False
    return True


@lru_cache(maxsize=1 << 15)
def _cut(value: Value, nesting: int) -> Value:
    if _measure(value)[0] <= nesting:
        return value
    parts = _split(value)[1]
    if not parts:
        return ("x", "any", ())
    memo_tracked = _shallow(parts, nesting) if nesting > 0 else tuple(NOTHING for _ in parts)
    return _replaced(value, memo_tracked)


@lru_cache(maxsize=1 << 15)
def _measure(value: Value) -> tuple[int, int]:
    """How deep arguments are nested in each other, and how many there are."""
    if value[0] in ("I", "e"):
        depth, size = _measure(value[1])
        return depth, size + 1
    inner = _split(value)[1]
    if not inner:
        return 0, 1
    parts = [_measure(held) for values in inner for held in values]
    return 1 + max((depth for depth, _ in parts), default=0), 1 + sum(size for _, size in parts)


def awaited(values: Values) -> Values:
    if not any(value[0] == "x" and value[1] in PROMISES for value in values):
        return values
    return union(
        value[2][0] if value[0] == "x" and value[1] in PROMISES and value[2] else frozenset({value}) for value in values
    )


def elements(values: Values) -> Values:
    """What going through a value gives."""
    found: set[Value] = set()
    for value in values:
        if value[0] == "t":
            found |= union(value[1])
        elif value[0] == "x" and value[1] in ARRAYS and value[2]:
            found |= value[2][0]
        elif value[0] == "x" and value[1] in MAPS and len(value[2]) > 1:
            found.add(tuple_of(value[2][:2]))
    return frozenset(found)


def substitute(values: Values, known: Known) -> Values:
    """Values with those that are known in place of type parameters."""
    if not known or not values:
        return values
    return union(_substituted(value, known) for value in values)


def _substituted(value: Value, known: Known) -> Values:
    what = value[0]
    if what == "v":
        return known.get((value[1], value[2]), frozenset({value}))
    if what == "o" and value[3]:
        return frozenset({object_of(value[1], value[2], _each(value[3], known))})
    if what == "x" and value[2]:
        return frozenset({made(value[1], _each(value[2], known))})
    if what in ("t", "F"):
        return frozenset({(what, _shallow(_each(value[1], known)))})
    if what in ("f", "L", "K"):
        return frozenset({(what, value[1], value[2], closed(value[3], known))})
    if what == "Q":
        return frozenset({("Q", *_shallow(_each(value[1:], known)))})
    if what == "O":
        of, names = _shallow(_each(value[1:3], known))
        return frozenset(("O", frozenset({part}), names, value[3]) for part in of)
    if what == "I":
        inner = _substituted(value[1], known)
        return frozenset(("I", of, value[2]) for of in inner if _steps(of) < MAX_STEPS)
    if what == "e":
        return frozenset(("e", of, value[2]) for of in _substituted(value[1], known))
    return frozenset({value})


def _steps(value: Value) -> int:
    count = 0
    while value[0] == "I":
        value = value[1]
        count += 1
    return count


def _each(parts: tuple[Values, ...], known: Known) -> tuple[Values, ...]:
    return tuple(substitute(part, known) for part in parts)


def closed(held: tuple[tuple[Variable, Values], ...], known: Known) -> tuple[tuple[Variable, Values], ...]:
    """What is known inside, with what is known outside."""
    found = {key: substitute(values, known) for key, values in held}
    for key, values in known.items():
        # What stands for itself says nothing.
        if key not in found and values != frozenset({("v", *key)}):
            found[key] = values
    keys = sorted(found)
    return tuple(zip(keys, _shallow(tuple(found[key] for key in keys), MAX_NESTING - 1), strict=True))
