"""Operations on unions of JavaScript and TypeScript types.

The empty union means that nothing is known. Types that differ only in their arguments are merged, deep nesting is cut,
and large unions are truncated in a fixed order: every union stays small, whatever the order of evaluation. Nothing
here looks at a file.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from codeplane.index.resolve.types import (
    NOTHING,
    Callback,
    ClassType,
    ContainerMethod,
    ExpandoObject,
    External,
    Function,
    IndexedAccessType,
    Instance,
    KeyofType,
    LiteralType,
    Module,
    NamespaceObject,
    ObjectLiteral,
    PickType,
    Site,
    TupleType,
    Type,
    TypeLiteral,
    Types,
    TypeVar,
    one,
    union,
)


class BaseList(NamedTuple):
    """Bases of a class in source order."""

    bases: tuple[Type, ...]
    tag: str = "bases"


Value = Type | Site | BaseList
"""Value of a query: a type, a definition of a member, or the bases of a class."""
KnownPairs = tuple[tuple[TypeVar, Types], ...]
Known = Mapping[TypeVar, Types]

ANY: Types = one(External("any"))
MAX_TYPES = 64
MAX_NESTING = 4
MAX_SIZE = 400
"""Types inside the arguments of one type."""
MAX_ARGUMENTS = 16
"""Types per argument, where MAX_SIZE is exceeded."""
MAX_STEPS = 5
"""Members of members of a type that is not known yet."""

ARRAYS = frozenset(
    {
        "Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "Iterator", "IterableIterator", "Generator",
        "AsyncGenerator", "AsyncIterable", "AsyncIterator", "AsyncIterableIterator", "ArrayLike", "WeakSet",
        "NodeListOf", "HTMLCollectionOf", "ConcatArray",
    }
)  # fmt: skip
MAPS = frozenset({"Map", "ReadonlyMap", "WeakMap"})
PROMISES = frozenset({"Promise", "PromiseLike"})

_ORDER = (
    BaseList, ExpandoObject, Callback, IndexedAccessType, TypeLiteral, ObjectLiteral, Module, PickType, KeyofType, Site,
    ClassType, ContainerMethod, Function, LiteralType, NamespaceObject, Instance, TupleType, TypeVar, External,
)  # fmt: skip
_RANK: Mapping[type, int] = {kind: rank for rank, kind in enumerate(_ORDER, 10)}


def in_order(types: Iterable[Type]) -> list[Type]:
    """Sort types in a total order that does not depend on how they were found."""
    return sorted(types, key=sort_text)


@lru_cache(maxsize=1 << 15)
def sort_text(value: Hashable) -> str:
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(sort_text, value)))}}}"
    if isinstance(value, tuple):
        return f"({_RANK.get(type(value), '')}{','.join(map(sort_text, value))})"
    return repr(value)


def bound(values: frozenset[Value]) -> frozenset[Value]:
    """Merge types that differ only in their arguments, and keep the first MAX_TYPES."""
    if len(values) < 2:
        return values
    groups: dict[Value, list[Value]] = {}
    for value in values:
        groups.setdefault(_frame(value), []).append(value)
    if len(groups) < len(values):
        values = frozenset(_merge(group) for group in groups.values())
    return values if len(values) <= MAX_TYPES else frozenset(sorted(values, key=sort_text)[:MAX_TYPES])


def _merge(group: list[Value]) -> Value:
    if len(group) == 1:
        return group[0]
    parts = zip(*map(_parts, group), strict=True)
    return _with_parts(group[0], _shallow(tuple(map(union, parts))))


def _frame(value: Value) -> Value:
    """Return a type without its arguments; types with equal frames are merged."""
    parts = _parts(value)
    return _with_parts(value, (NOTHING,) * len(parts)) if parts and not isinstance(value, PickType) else value


def _parts(value: Value) -> tuple[Types, ...]:
    """Return the types that a type is made of."""
    match value:
        case Instance() | External():
            return value.arguments
        case Function() | ObjectLiteral() | TypeLiteral():
            return tuple([types for _, types in value.known])
        case TupleType():
            return value.items
        case Callback():
            return value.parameters
        case KeyofType():
            return (value.types,)
        case PickType():
            return value.types, value.keys
    return ()


def _with_parts(value: Value, parts: tuple[Types, ...]) -> Value:
    match value:
        case Instance():
            return Instance(value.path, value.definition, None, parts)
        case External():
            return External(value.name, parts)
        case Function() | ObjectLiteral() | TypeLiteral():
            return value._replace(known=tuple((key, part) for (key, _), part in zip(value.known, parts, strict=True)))
        case TupleType():
            return TupleType(parts)
        case Callback():
            return Callback(parts)
        case KeyofType():
            return KeyofType(parts[0])
        case PickType():
            return PickType(parts[0], parts[1], value.is_pick)
    return value


def either(parts: Iterable[Types]) -> Types:
    """Union; `any` absorbs the rest."""
    found = union(parts)
    return ANY if len(found) > 1 and not ANY.isdisjoint(found) else found


def tuple_of(parts: Iterable[Types]) -> TupleType:
    return TupleType(_shallow(tuple(parts)))


def library(name: str, *arguments: Types) -> External:
    """Return a type that the repository does not define: built in, or of another library."""
    return External(name, _shallow(arguments))


def array(types: Types) -> Types:
    return one(library("Array", types))


def promise(types: Types) -> Types:
    return one(library("Promise", types))


def instance(path: str, definition: int, arguments: tuple[Types, ...] = ()) -> Instance:
    return Instance(path, definition, None, _shallow(arguments))


def _shallow(arguments: tuple[Types, ...], nesting: int = MAX_NESTING) -> tuple[Types, ...]:
    """Cut arguments that are nested too deep or too many in all."""
    if not arguments or _fits(arguments, nesting):
        return arguments
    for level in range(nesting - 1, -1, -1):
        cut = tuple(frozenset(_cut(value, level) for value in types) for types in arguments)
        if _fits(cut, nesting):
            return cut
    return tuple(types if len(types) <= MAX_ARGUMENTS else frozenset(in_order(types)[:MAX_ARGUMENTS]) for types in cut)


def _fits(arguments: tuple[Types, ...], nesting: int) -> bool:
    size = 0
    for types in arguments:
        for value in types:
            depth, count = _measure(value)
            size += count
            if depth >= nesting or size > MAX_SIZE:
                return False
    return True


@lru_cache(maxsize=1 << 15)
def _cut(value: Type, nesting: int) -> Type:
    if _measure(value)[0] <= nesting:
        return value
    parts = _parts(value)
    if not parts:
        return External("any")
    return _with_parts(value, _shallow(parts, nesting) if nesting > 0 else (NOTHING,) * len(parts))  # type: ignore[return-value]


@lru_cache(maxsize=1 << 15)
def _measure(value: Type) -> tuple[int, int]:
    """Return the nesting depth of arguments, and the number of types inside."""
    if isinstance(value, IndexedAccessType | ContainerMethod):
        depth, size = _measure(value.receiver if isinstance(value, IndexedAccessType) else value.container)
        return depth, size + 1
    inner = _parts(value)
    if not inner:
        return 0, 1
    parts = [_measure(part) for types in inner for part in types]
    return 1 + max((depth for depth, _ in parts), default=0), 1 + sum(size for _, size in parts)


def awaited(types: Types) -> Types:
    """Replace promises by what they resolve to."""
    if not any(isinstance(value, External) and value.name in PROMISES for value in types):
        return types
    return union(
        value.arguments[0] if isinstance(value, External) and value.name in PROMISES and value.arguments else one(value)
        for value in types
    )


def elements(types: Types) -> Types:
    """Return the types of what iterating over a value yields."""
    found: set[Type] = set()
    for value in types:
        if isinstance(value, TupleType):
            found |= union(value.items)
        elif isinstance(value, External):
            if value.name in ARRAYS and value.arguments:
                found |= value.arguments[0]
            elif value.name in MAPS and len(value.arguments) > 1:
                found.add(tuple_of(value.arguments[:2]))
    return frozenset(found)


def substitute(types: Types, known: Known) -> Types:
    """Replace type variables by their arguments."""
    if not known or not types:
        return types
    return union(_substitute(value, known) for value in types)


def _substitute(value: Type, known: Known) -> Types:
    match value:
        case TypeVar():
            return known.get(value, one(value))
        case Instance() if value.arguments:
            return one(instance(value.path, value.definition, _substitute_parts(value.arguments, known)))
        case External() if value.arguments:
            return one(library(value.name, *_substitute_parts(value.arguments, known)))
        case TupleType() | Callback() | KeyofType():
            return one(_with_parts(value, _shallow(_substitute_parts(_parts(value), known))))  # type: ignore[arg-type]
        case Function() | ObjectLiteral() | TypeLiteral():
            return one(value._replace(known=_close(value.known, known)))
        case PickType():
            types, keys = _shallow(_substitute_parts((value.types, value.keys), known))
            return frozenset(PickType(one(part), keys, value.is_pick) for part in types)
        case IndexedAccessType():
            receivers = _substitute(value.receiver, known)
            return frozenset(IndexedAccessType(each, value.name) for each in receivers if _steps(each) < MAX_STEPS)
        case ContainerMethod():
            return frozenset(ContainerMethod(each, value.name) for each in _substitute(value.container, known))
    return one(value)


def _steps(value: Type) -> int:
    count = 0
    while isinstance(value, IndexedAccessType):
        value = value.receiver
        count += 1
    return count


def _substitute_parts(parts: tuple[Types, ...], known: Known) -> tuple[Types, ...]:
    return tuple([substitute(part, known) for part in parts])


def _close(inner: KnownPairs, outer: Known) -> KnownPairs:
    """Combine the type variables that are known inside of a signature with those outside."""
    found = {variable: substitute(types, outer) for variable, types in inner}
    for variable, types in outer.items():
        # A variable that is its own argument says nothing.
        if variable not in found and types != one(variable):
            found[variable] = types
    variables = sorted(found)
    return tuple(
        zip(variables, _shallow(tuple(found[variable] for variable in variables), MAX_NESTING - 1), strict=True)
    )
