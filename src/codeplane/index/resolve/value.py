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
    ("g", values)                     a method that gives these
    ("k", text)                       a literal text or number
    ("v", path, node)                 a type variable, by its bound
    ("Y", path, definition)           a class as a value that its members are not reached through
    ("T", path, binding)              a type parameter
    ("G", language, name, (values, ...))  an object of a type of another library, by its type arguments
    ("S", path, scope)                a record without a name, by the scope of its fields
    ("x", name)                       something of another library; with `()` an object of it
    ("?",)                            so many things that it is better to say nothing
A language may add to the end of a value what it needs to know: the arguments of a type, the keys of a mapping.
No value at all means that nothing is known, yet. Whatever is made from more values must not be less: only then are
values that depend on each other in a circle the same whichever is asked first.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from codeplane.facts.ir import ParameterKind

Value = tuple[Any, ...]
Values = frozenset[Value]
Site = tuple[str, str, int]
"""What a name stands for: path, `d` for a definition, `a` for an attribute or `M` for the file itself, its number."""

NOTHING: Values = frozenset()
ANYTHING: Values = frozenset({("?",)})
MAX_VALUES = 24
MAX_NESTING = 3
MAX_CALLS = 3
MAX_PARTS = 12
"""In the name of something of another library; what comes after is taken for the same."""


def objects(values: Values) -> Values:
    found: set[Value] = set()
    for value in values:
        if value[0] == "c":
            found.add(("i", value[1], value[2]))
        elif value[0] == "x" and not value[1].endswith("()"):
            found |= foreign(f"{value[1]}()")
        elif value[0] in ("v", "?"):
            found.add(value)
    return frozenset(found)


def bound(value: Value, of: Value) -> Value:
    return ("m", value[1], value[2], of) if value[0] == "f" else value


def union(parts: Iterable[Values]) -> Values:
    return frozenset().union(*parts)


def foreign(name: str) -> Values:
    """Something of another library."""
    if name.count("()") > MAX_CALLS:
        name = "()".join(name.split("()")[:MAX_CALLS]) + "()"
    if name.count(".") >= MAX_PARTS:
        name = ".".join(name.split(".")[:MAX_PARTS])
    return frozenset({("x", name)})


def bounded(values: Values) -> Values:
    """Containers of one kind as one; anything instead of too many."""
    if len(values) < 2:
        return values
    letters = {value[:1] for value in values}
    for kind, size, join in _CONTAINERS:
        if (kind,) not in letters:
            continue
        held = [value for value in values if value[:1] == (kind,) and len(value) == size]
        if len(held) > 1:
            values = values.difference(held).union(join(held))
    return values if len(values) <= MAX_VALUES and not values >= ANYTHING else ANYTHING


def _one_list(lists: Sequence[Value]) -> list[Value]:
    return [list_of(union(value[1] for value in lists))]


def _tuples_by_length(tuples: Sequence[Value]) -> list[Value]:
    by_length: dict[int, list[tuple[Values, ...]]] = {}
    for _, parts in tuples:
        by_length.setdefault(len(parts), []).append(parts)
    return [tuple_of([union(held) for held in zip(*same, strict=True)]) for same in by_length.values()]


def _one_dict(dicts: Sequence[Value]) -> list[Value]:
    known: dict[Any, Values] = {}
    for _, items, _ in dicts:
        for key, held in items:
            known[key] = known.get(key, NOTHING) | held
    return [dict_of(known, union(value[2] for value in dicts))]


def _by_type(objects: Sequence[Value]) -> list[Value]:
    """Those of one type with all that they have as its arguments; the others as they are."""
    found = [of for of in objects if not _has_arguments(of)]
    by_type: dict[tuple[Any, ...], list[tuple[Values, ...]]] = {}
    for of in objects:
        if _has_arguments(of):
            by_type.setdefault((*of[:3], len(of[3])), []).append(of[3])
    for (*type_, _), same in by_type.items():
        found.append((*type_, tuple(_shallow(union(held)) for held in zip(*same, strict=True))))
    return found


_CONTAINERS = (
    ("l", 2, _one_list),
    ("t", 2, _tuples_by_length),
    ("d", 3, _one_dict),
    ("G", 4, _by_type),
    ("i", 4, _by_type),
    ("c", 4, _by_type),
)


def _shallow(values: Values) -> Values:
    """Without what lies too deep within."""
    if not any(value[0] in ("l", "t", "d", "e") or _has_arguments(value) for value in values):
        return bounded(values)
    return bounded(frozenset(_cut(value, MAX_NESTING - 1) for value in values))


def _has_arguments(value: Value) -> bool:
    return value[0] in ("G", "i", "c") and len(value) == 4 and isinstance(value[3], tuple)


def _cut(value: Value, depth: int) -> Value:
    what = value[0]
    if what == "e":
        return ("e", _cut(value[1], depth), *value[2:])
    if what == "l":
        return ("l", _cut_all(value[1], depth), *value[2:])
    if what == "t":
        return ("t", tuple(_cut_all(part, depth) for part in value[1]), *value[2:])
    if what == "d":
        return (
            "d",
            tuple((key, _cut_all(held, depth)) for key, held in value[1]),
            _cut_all(value[2], depth),
            *value[3:],
        )
    if _has_arguments(value):
        return (*value[:3], tuple(_cut_all(part, depth) for part in value[3]))
    return value


def _cut_all(values: Values, depth: int) -> Values:
    return bounded(frozenset(_cut(value, depth - 1) for value in values)) if depth else NOTHING


def list_of(values: Values) -> Value:
    return ("l", _shallow(values))


def tuple_of(parts: Sequence[Values]) -> Value:
    return ("t", tuple(_shallow(part) for part in parts))


def generic_of(language: str, name: str, parts: Sequence[Values]) -> Value:
    return ("G", language, name, tuple(_shallow(part) for part in parts))


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
    if what == "G":
        return frozenset({generic_of(value[1], value[2], [filled_in(part, given) for part in value[3]])})
    if _has_arguments(value):
        return frozenset({applied(value, [filled_in(part, given) for part in value[3]])})
    return frozenset({value})


def dict_of(known: dict[Any, Values], rest: Values) -> Value:
    if len(known) > MAX_VALUES:
        known, rest = {}, union((rest, *known.values()))
    items = sorted(known.items(), key=lambda item: repr(item[0]))
    return ("d", tuple((key, _shallow(held)) for key, held in items), _shallow(rest))


def wrapped(values: Values, how: int) -> Values:
    if how == ParameterKind.REST:
        return frozenset({list_of(values)})
    return frozenset({dict_of({}, values)}) if how == ParameterKind.KEYS else values


def mentions(value: Value, path: str, scope: int) -> bool:
    if value[0] == "p":
        return bool(value[1] == path and value[2] == scope)
    if value[0] in ("i", "c"):
        return len(value) == 4 and bool(value[1] == path and value[3] == scope)
    if value[0] == "l":
        return any(mentions(held, path, scope) for held in value[1])
    if value[0] == "t":
        return any(mentions(held, path, scope) for part in value[1] for held in part)
    if value[0] == "G":
        return any(mentions(held, path, scope) for part in value[3] for held in part)
    if value[0] == "d":
        return any(mentions(held, path, scope) for part in (value[2], *(held for _, held in value[1])) for held in part)
    return False


def merged(lists: list[list[Value]]) -> list[Value]:
    """The order of bases, as Python makes it; bases that contradict each other come as they stand."""
    rest = [deque(dict.fromkeys(items)) for items in lists if items]
    behind = Counter(item for items in rest for item in islice(items, 1, None))
    found: dict[Value, None] = {}
    while rest:
        head = next((items[0] for items in rest if not behind[items[0]]), rest[0][0])
        found[head] = None
        for items in rest:
            if items[0] == head:
                while items and items[0] in found:
                    items.popleft()
                if items:
                    behind[items[0]] -= 1
        rest = [items for items in rest if items]
    return list(found)
