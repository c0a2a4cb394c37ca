"""Values of Go and the type parameters in them. Besides what all languages have:
("i", path, definition, arguments)   an object of a generic type; the same for "c"
("f", path, scope, known)            a function, with what is known of type parameters in its signature; also "S"
("l", values, "chan")                what is received one by one: a channel, an iterator
("d", (), values, keys)              a mapping
"""

from __future__ import annotations

from collections.abc import Mapping

from codeplane.index.resolve.value import Value, Values, list_of, union

Known = Mapping[Value, Values]
"""What type parameters stand for."""


def stream_of(values: Values) -> Value:
    return (*list_of(values), "chan")


def map_of(keys: Values, values: Values) -> Value:
    return ("d", (), list_of(values)[1], list_of(keys)[1])


def is_stream(of: Value) -> bool:
    return len(of) > 2


def is_open(values: Values) -> bool:
    """Whether there may be type parameters in values."""
    return any(_is_open(value) for value in values)


def _is_open(value: Value) -> bool:
    what = value[0]
    if what == "l":
        return is_open(value[1])
    if what == "t":
        return any(map(is_open, value[1]))
    if what == "d":
        return is_open(value[2]) or (len(value) > 3 and is_open(value[3]))
    if what in ("i", "c"):
        return len(value) > 3 and any(map(is_open, value[3]))
    return what in ("T", "f", "S")


def filled(values: Values, known: Known) -> Values:
    """Values with what is known in place of type parameters."""
    if not known or not is_open(values):
        return values
    return union(_filled(value, known) for value in values)


def _filled(value: Value, known: Known) -> Values:
    what = value[0]
    if what == "T":
        return known.get(value, frozenset({value}))
    if what == "l":
        return frozenset({("l", filled(value[1], known), *value[2:])})
    if what == "t":
        return frozenset({("t", tuple(filled(part, known) for part in value[1]))})
    if what == "d" and len(value) > 3:
        return frozenset({("d", (), filled(value[2], known), filled(value[3], known))})
    if what in ("i", "c") and len(value) > 3:
        return frozenset({(*value[:3], tuple(filled(part, known) for part in value[3]))})
    if what in ("f", "S"):
        inner = {of: filled(held, known) for of, held in value[3]} if len(value) > 3 else {}
        inner |= {of: held for of, held in known.items() if of[1] == value[1] and of not in inner}
        return frozenset({(*value[:3], tuple(sorted(inner.items(), key=repr)))}) if inner else frozenset({value})
    return frozenset({value})
