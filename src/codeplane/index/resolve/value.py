"""What an expression can hold. Values are tuples that begin with a letter:
    ("c", path, definition)           a class           ("i", path, definition)        an object of it
    ("f", path, scope)                a function        ("m", path, scope, object)     one that is bound to an object
    ("M", path)  ("D", stem)          a module, a directory of modules
    ("p", path, scope, number)        whatever is passed as a parameter
    ("l", values)                     something with elements; ("t", (values, ...)) with so many;
    ("l", values, name)               a collection of that name, in languages with arrays of another kind
    ("d", ((key, values), ...), values)   a mapping, and what else is in it
    ("s", path, definition, object)   an object seen as one of the bases of a class
    ("e", container, name)            a method of a container
    ("k", text)                       a literal text or number
    ("v", path, node)                 a type variable, by its bound
    ("Y", path, definition)           a class as a value that its members are not reached through
    ("T", path, binding)              a type parameter
    ("g", language, name, (values, ...))  an object of a type of another library, by its type arguments
    ("S", path, scope)                a record without a name, by the scope of its fields
    ("x", name)                       something of another library; with `()` an object of it
A language may add to the end of a value what it needs to know: the arguments of a type, the keys of a mapping.
No value at all means that nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codeplane.facts.values import Passing

Value = tuple[Any, ...]
Values = frozenset[Value]
Site = tuple[str, str, int]
"""What a name stands for: path, `d` for a definition, `a` for an attribute or `M` for the file itself, its number."""

NOTHING: Values = frozenset()
MAX_VALUES = 24
MAX_NESTING = 3


def objects(values: Values) -> Values:
    found: set[Value] = set()
    for value in values:
        if value[0] == "c":
            found.add(("i", value[1], value[2]))
        elif value[0] == "x" and not value[1].endswith("()"):
            found.add(("x", f"{value[1]}()"))
        elif value[0] == "v":
            found.add(value)
    return frozenset(found)


def bound(value: Value, of: Value) -> Value:
    return ("m", value[1], value[2], of) if value[0] == "f" else value


def union(parts: Iterable[Values]) -> Values:
    return frozenset().union(*parts)


def bounded(values: Values) -> Values:
    if len(values) <= MAX_VALUES:
        return values
    return frozenset(sorted(values, key=repr)[:MAX_VALUES])


def _depth(value: Value) -> int:
    if value[0] == "l":
        return 1 + max(map(_depth, value[1]), default=0)
    if value[0] == "t":
        return 1 + max((_depth(held) for part in value[1] for held in part), default=0)
    if value[0] == "d":
        return 1 + max(
            (_depth(held) for part in (value[2], *(part for _, part in value[1])) for held in part), default=0
        )
    if value[0] == "g" or (value[0] in ("i", "c") and len(value) == 4 and isinstance(value[3], tuple)):
        return 1 + max((_depth(held) for part in value[3] for held in part), default=0)
    if value[0] == "e":
        return _depth(value[1])
    return 0


def _shallow(values: Values) -> Values:
    return frozenset(value for value in values if _depth(value) < MAX_NESTING)


def list_of(values: Values) -> Value:
    return ("l", _shallow(values))


def tuple_of(parts: Sequence[Values]) -> Value:
    return ("t", tuple(_shallow(part) for part in parts))


def generic_of(language: str, name: str, parts: Sequence[Values]) -> Value:
    return ("g", language, name, tuple(_shallow(part) for part in parts))


def applied(value: Value, parts: Sequence[Values]) -> Value:
    """An object or a class of a type with these arguments."""
    return (*value[:3], tuple(_shallow(part) for part in parts)) if any(parts) else value[:3]


def filled_in(values: Values, given: Mapping[Value, Values]) -> Values:
    """Values with others in place of type parameters."""
    if not given:
        return values
    return union(_fill_in(value, given) for value in values)


def _fill_in(value: Value, given: Mapping[Value, Values]) -> Values:
    what = value[0]
    if what == "T":
        return given.get(value) or frozenset({value})
    if what == "l":
        return frozenset({list_of(filled_in(value[1], given))})
    if what == "t":
        return frozenset({tuple_of([filled_in(part, given) for part in value[1]])})
    if what == "g":
        return frozenset({generic_of(value[1], value[2], [filled_in(part, given) for part in value[3]])})
    if what in ("i", "c") and len(value) == 4 and isinstance(value[3], tuple):
        return frozenset({applied(value, [filled_in(part, given) for part in value[3]])})
    return frozenset({value})


def dict_of(known: dict[Any, Values], rest: Values) -> Value:
    kept = sorted(known.items(), key=lambda item: repr(item[0]))[:MAX_VALUES]
    return ("d", tuple((key, _shallow(held)) for key, held in kept), _shallow(rest))


def wrapped(values: Values, how: int) -> Values:
    if how == Passing.REST:
        return frozenset({list_of(values)})
    return frozenset({dict_of({}, values)}) if how == Passing.KEYS else values


def mentions(value: Value, path: str, scope: int) -> bool:
    if value[0] == "p":
        return bool(value[1] == path and value[2] == scope)
    if value[0] in ("i", "c"):
        return len(value) == 4 and bool(value[1] == path and value[3] == scope)
    if value[0] == "l":
        return any(mentions(held, path, scope) for held in value[1])
    if value[0] == "t":
        return any(mentions(held, path, scope) for part in value[1] for held in part)
    if value[0] == "g":
        return any(mentions(held, path, scope) for part in value[3] for held in part)
    if value[0] == "d":
        return any(mentions(held, path, scope) for part in (value[2], *(held for _, held in value[1])) for held in part)
    return False


def merged(lists: list[list[Value]]) -> list[Value]:
    """The order of bases, as Python makes it; bases that contradict each other come as they stand."""
    lists = [list(dict.fromkeys(items)) for items in lists if items]
    found: list[Value] = []
    while lists:
        head = next(
            (items[0] for items in lists if not any(items[0] in other[1:] for other in lists)),
            lists[0][0],
        )
        found.append(head)
        lists = [rest for items in lists if (rest := [item for item in items if item != head])]
    return found
