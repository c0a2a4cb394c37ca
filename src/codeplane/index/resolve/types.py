"""Types that an expression can evaluate to, and the operations on sets of them.

`Types` is a union: the empty set means that nothing is known (yet), `TOP` that there are too many types to be of use.
Every operation is monotone (more types in, no fewer out): only then does the fixpoint of mutually dependent queries not
depend on which one runs first.

The variants are NamedTuples, which hash and compare in C. Each has a distinct `tag` as its last field, because
NamedTuples of different classes with equal fields compare equal.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from codeplane.facts.ir import ParameterKind


class SiteKind(IntEnum):
    MODULE = 0
    """The file itself."""
    ATTRIBUTE = 1
    DEFINITION = 2


class Site(NamedTuple):
    """Declaration that a name refers to: a definition, an attribute, or a whole file."""

    path: str
    kind: SiteKind
    number: int


def definition_site(path: str, number: int) -> Site:
    return Site(path, SiteKind.DEFINITION, number)


def module_site(path: str) -> Site:
    return Site(path, SiteKind.MODULE, 0)


class ClassType(NamedTuple):
    """A class object."""

    path: str
    definition: int
    """Negative scope for a class without a name."""
    method: int | None = None
    """Scope of the method whose receiver this is; a call replaces it by the actual receiver."""
    arguments: tuple[Types, ...] = ()
    tag: str = "class"


class Instance(NamedTuple):
    path: str
    definition: int
    method: int | None = None
    arguments: tuple[Types, ...] = ()
    tag: str = "instance"


class Function(NamedTuple):
    path: str
    scope: int
    known: tuple[tuple[TypeVar, Types], ...] = ()
    """Type parameters of the signature that are already known."""
    tag: str = "function"


class BoundMethod(NamedTuple):
    path: str
    scope: int
    receiver: Type
    tag: str = "method"


class Module(NamedTuple):
    path: str
    scope: int = 0
    tag: str = "module"


class NamespaceType(NamedTuple):
    """A package, namespace or directory that is not a file."""

    language: str
    name: str
    qualifier: str = ""
    """C++: file that looks names up. Go: package name; `name` is the directory."""
    tag: str = "namespace"


class ParamType(NamedTuple):
    """Placeholder of a parameter; a call replaces it by the argument."""

    path: str
    scope: int
    number: int
    tag: str = "param"


class ListType(NamedTuple):
    items: Types
    name: str = ""
    """Name of the collection type, in languages where arrays are another type."""
    tag: str = "list"


class TupleType(NamedTuple):
    items: tuple[Types, ...]
    tag: str = "tuple"


class DictType(NamedTuple):
    entries: tuple[tuple[str | int, Types], ...]
    rest: Types
    """Values under other keys."""
    keys: Types | None = None
    """Key types, in languages that declare them."""
    tag: str = "dict"

    def values(self) -> Types:
        return union((self.rest, *(types for _, types in self.entries)))


class SuperType(NamedTuple):
    """A receiver seen as an instance of the bases of a class."""

    path: str
    definition: int
    receiver: Type
    tag: str = "super"


class SelfType(NamedTuple):
    """`Self` at a position, as the receiver of a member."""

    path: str
    scope: int
    tag: str = "self"


class ContainerMethod(NamedTuple):
    container: Type
    name: str
    tag: str = "container method"


class StubMethod(NamedTuple):
    """A method known only by what it returns."""

    result: Types
    tag: str = "stub method"


class LiteralType(NamedTuple):
    value: str | int
    tag: str = "literal"


class TypeVarBound(NamedTuple):
    """A type variable, by the node of its bound."""

    path: str
    node: int
    tag: str = "bound"


class ClassLiteral(NamedTuple):
    """A class as a plain value (`Shape.class`); its members are not reached through it."""

    path: str
    definition: int
    tag: str = "class literal"


class TypeVar(NamedTuple):
    path: str
    binding: int
    tag: str = "type variable"


class LibraryType(NamedTuple):
    """An instance of a known standard-library type, with its type arguments."""

    language: str
    name: str
    arguments: tuple[Types, ...]
    tag: str = "library"


class RecordType(NamedTuple):
    """A record without a name, by the scope of its fields."""

    path: str
    scope: int
    known: tuple[tuple[TypeVar, Types], ...] = ()
    tag: str = "record"


class External(NamedTuple):
    """Something defined outside of the repository, by its dotted name; `name()` is an instance of it."""

    name: str
    arguments: tuple[Types, ...] = ()
    tag: str = "external"


class Top(NamedTuple):
    """Too many types to tell."""

    tag: str = "top"


# --- structural types of TypeScript


class NamespaceObject(NamedTuple):
    """A TypeScript namespace."""

    path: str
    definition: int
    tag: str = "namespace object"


class Callback(NamedTuple):
    """A function that is called with these arguments."""

    parameters: tuple[Types, ...]
    tag: str = "callback"


class ObjectLiteral(NamedTuple):
    path: str
    node: int
    known: tuple[tuple[TypeVar, Types], ...] = ()
    tag: str = "object literal"


class TypeLiteral(NamedTuple):
    """An object type without a name (`{ a: string }`)."""

    path: str
    node: int
    known: tuple[tuple[TypeVar, Types], ...] = ()
    tag: str = "type literal"


class ExpandoObject(NamedTuple):
    """Something that gets members by assignment (`f.x = 1`), by its name in the file."""

    path: str
    owner: str
    tag: str = "expando"


class IndexedAccessType(NamedTuple):
    """Type of a member of a type that is not known yet (`T["name"]`)."""

    receiver: Type
    name: str
    tag: str = "indexed access"


class KeyofType(NamedTuple):
    types: Types
    tag: str = "keyof"


class PickType(NamedTuple):
    """Types with only these members (`Pick`), or without them (`Omit`)."""

    types: Types
    keys: Types
    is_pick: bool
    tag: str = "pick"


Type = (
    ClassType
    | Instance
    | Function
    | BoundMethod
    | Module
    | NamespaceType
    | ParamType
    | ListType
    | TupleType
    | DictType
    | SuperType
    | SelfType
    | ContainerMethod
    | StubMethod
    | LiteralType
    | TypeVarBound
    | ClassLiteral
    | TypeVar
    | LibraryType
    | RecordType
    | External
    | Top
    | NamespaceObject
    | Callback
    | ObjectLiteral
    | TypeLiteral
    | ExpandoObject
    | IndexedAccessType
    | KeyofType
    | PickType
)
Types = frozenset[Type]
Container = ListType | TupleType | DictType

_RANK: Mapping[type, int] = {
    kind: rank
    for rank, kind in enumerate(
        (
            Top,
            LibraryType,
            Module,
            NamespaceType,
            RecordType,
            TypeVar,
            ClassLiteral,
            ClassType,
            DictType,
            ContainerMethod,
            Function,
            StubMethod,
            Instance,
            LiteralType,
            ListType,
            BoundMethod,
            ParamType,
            SuperType,
            TupleType,
            TypeVarBound,
            External,
        )
    )
}

NOTHING: Types = frozenset()
TOP: Types = frozenset({Top()})
MAX_TYPES = 24
MAX_NESTING = 3
MAX_CALLS = 3
MAX_PARTS = 12
"""Parts in the name of an external; a longer name is truncated."""


def in_order(types: Iterable[Type]) -> list[Type]:
    """Sort types in a total order that does not depend on how they were found."""
    return sorted(types, key=_sort_key)


def _sort_key(value: Type) -> tuple[int, str]:
    return _RANK[type(value)], repr(value)


def instances(types: Types) -> Types:
    """Return instances of those types that are classes."""
    found: set[Type] = set()
    for value in types:
        if isinstance(value, ClassType):
            found.add(Instance(value.path, value.definition))
        elif isinstance(value, External):
            if not value.name.endswith("()"):
                found |= external(f"{value.name}()")
        elif isinstance(value, TypeVarBound | Top):
            found.add(value)
    return frozenset(found)


def instance_of(value: ClassType | Instance) -> Instance:
    return Instance(value.path, value.definition, value.method, value.arguments)


def class_of(value: ClassType | Instance) -> ClassType:
    return ClassType(value.path, value.definition, value.method, value.arguments)


def bind_method(value: Type, receiver: Type) -> Type:
    return BoundMethod(value.path, value.scope, receiver) if isinstance(value, Function) else value


def union(parts: Iterable[Types]) -> Types:
    return frozenset().union(*parts)


def one(value: Type) -> Types:
    return frozenset((value,))


def external(name: str) -> Types:
    """Return the external of a name; long chains of calls and members are cut."""
    if name.count("()") > MAX_CALLS:
        name = "()".join(name.split("()")[:MAX_CALLS]) + "()"
    if name.count(".") >= MAX_PARTS:
        name = ".".join(name.split(".")[:MAX_PARTS])
    return one(External(name))


def external_call(name: str) -> Types:
    """Return the result of a call of an external of which nothing else is known."""
    return external(name if name.endswith("()") else f"{name}()")


def bounded(types: Types) -> Types:
    """Merge containers of the same kind; widen to `TOP` above MAX_TYPES."""
    if len(types) < 2:
        return types
    kinds = {type(value) for value in types}
    for kind, mergeable, merge in _MERGES:
        if kind in kinds:
            same = [value for value in types if isinstance(value, kind) and mergeable(value)]
            if len(same) > 1:
                types = types.difference(same).union(merge(same))
    return types if len(types) <= MAX_TYPES and not types >= TOP else TOP


def _merge_lists(lists: Sequence[ListType]) -> list[Type]:
    return [list_of(union(value.items for value in lists))]


def _merge_tuples(tuples: Sequence[TupleType]) -> list[Type]:
    by_length: dict[int, list[tuple[Types, ...]]] = {}
    for value in tuples:
        by_length.setdefault(len(value.items), []).append(value.items)
    return [tuple_of([union(items) for items in zip(*same, strict=True)]) for same in by_length.values()]


def _merge_dicts(dicts: Sequence[DictType]) -> list[Type]:
    entries: dict[str | int, Types] = {}
    for value in dicts:
        for key, types in value.entries:
            entries[key] = entries.get(key, NOTHING) | types
    return [dict_of(entries, union(value.rest for value in dicts))]


def _merge_arguments(types: Sequence[Generic]) -> list[Type]:
    """Merge types that differ only in their arguments."""
    by_type: dict[tuple[Type, int], list[tuple[Types, ...]]] = {}
    for value in types:
        by_type.setdefault((value._replace(arguments=()), len(value.arguments)), []).append(value.arguments)
    return [
        value._replace(arguments=tuple(_shallow(union(parts)) for parts in zip(*same, strict=True)))
        for (value, _), same in by_type.items()
        if isinstance(value, _GENERIC)
    ]


Generic = LibraryType | Instance | ClassType
_GENERIC = (LibraryType, Instance, ClassType)
_Merge = tuple[type, Callable[..., bool], Callable[..., list[Type]]]
_MERGES: tuple[_Merge, ...] = (
    (ListType, lambda value: not value.name, _merge_lists),
    (TupleType, lambda value: True, _merge_tuples),
    (DictType, lambda value: value.keys is None, _merge_dicts),
    (LibraryType, lambda value: True, _merge_arguments),
    (Instance, lambda value: bool(value.arguments), _merge_arguments),
    (ClassType, lambda value: bool(value.arguments), _merge_arguments),
)
_NESTING = (ListType, TupleType, DictType, ContainerMethod)


def _has_arguments(value: Type) -> bool:
    return isinstance(value, _GENERIC) and bool(value.arguments)


def _shallow(types: Types) -> Types:
    """Cut types that are nested too deep."""
    if not any(isinstance(value, _NESTING) or _has_arguments(value) for value in types):
        return bounded(types)
    return bounded(frozenset(_cut(value, MAX_NESTING - 1) for value in types))


def _cut(value: Type, depth: int) -> Type:
    match value:
        case ContainerMethod():
            return value._replace(container=_cut(value.container, depth))
        case ListType():
            return value._replace(items=_cut_all(value.items, depth))
        case TupleType():
            return TupleType(tuple(_cut_all(part, depth) for part in value.items))
        case DictType():
            entries = tuple((key, _cut_all(types, depth)) for key, types in value.entries)
            return value._replace(entries=entries, rest=_cut_all(value.rest, depth))
        case LibraryType() | Instance() | ClassType() if value.arguments:
            return value._replace(arguments=tuple(_cut_all(part, depth) for part in value.arguments))
    return value


def _cut_all(types: Types, depth: int) -> Types:
    return bounded(frozenset(_cut(value, depth - 1) for value in types)) if depth else NOTHING


def list_of(types: Types, name: str = "") -> ListType:
    return ListType(_shallow(types), name)


def tuple_of(parts: Sequence[Types]) -> TupleType:
    return TupleType(tuple(_shallow(part) for part in parts))


def dict_of(entries: Mapping[str | int, Types], rest: Types) -> DictType:
    if len(entries) > MAX_TYPES:
        entries, rest = {}, union((rest, *entries.values()))
    items = sorted(entries.items(), key=lambda item: repr(item[0]))
    return DictType(tuple((key, _shallow(types)) for key, types in items), _shallow(rest))


def library_type(language: str, name: str, parts: Sequence[Types]) -> LibraryType:
    return LibraryType(language, name, tuple(_shallow(part) for part in parts))


def apply_arguments(value: Instance, parts: Sequence[Types]) -> Instance:
    """Return a type with these type arguments."""
    arguments = tuple(_shallow(part) for part in parts) if any(parts) else ()
    return Instance(value.path, value.definition, None, arguments)


def substitute(types: Types, known: Mapping[TypeVar, Types]) -> Types:
    """Replace type variables by their arguments."""
    return union(_substitute(value, known) for value in types) if known else types


def _substitute(value: Type, known: Mapping[TypeVar, Types]) -> Types:
    match value:
        case TypeVar():
            return known.get(value) or one(value)
        case ListType():
            return one(list_of(substitute(value.items, known)))
        case TupleType():
            return one(tuple_of([substitute(part, known) for part in value.items]))
        case LibraryType():
            return one(library_type(value.language, value.name, [substitute(part, known) for part in value.arguments]))
        case Instance() if value.arguments:
            return one(apply_arguments(value, [substitute(part, known) for part in value.arguments]))
        case ClassType() if value.arguments:
            parts = tuple(_shallow(substitute(part, known)) for part in value.arguments)
            return one(ClassType(value.path, value.definition, None, parts if any(parts) else ()))
    return one(value)


def wrap_parameter(types: Types, kind: int) -> Types:
    """Return the type of a rest parameter (`*args`, `**kwargs`) from that of its elements."""
    if kind == ParameterKind.REST:
        return one(list_of(types))
    return one(dict_of({}, types)) if kind == ParameterKind.KEYS else types


def mentions(value: Type, path: str, scope: int) -> bool:
    """True if `value` contains a parameter or the receiver of the function whose scope is `scope` in `path`."""
    match value:
        case ParamType():
            return value.path == path and value.scope == scope
        case Instance() | ClassType():
            return value.path == path and value.method == scope
        case ListType():
            return any(mentions(item, path, scope) for item in value.items)
        case TupleType():
            return any(mentions(item, path, scope) for part in value.items for item in part)
        case LibraryType():
            return any(mentions(item, path, scope) for part in value.arguments for item in part)
        case DictType():
            return any(mentions(item, path, scope) for item in value.values())
    return False


def linearize(lists: list[list[Type]]) -> list[Type]:
    """Merge base lists into one method resolution order (C3); contradictory bases keep their source order."""
    rest = [deque(dict.fromkeys(items)) for items in lists if items]
    behind = Counter(item for items in rest for item in islice(items, 1, None))
    found: dict[Type, None] = {}
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


def literals(types: Types) -> list[str | int]:
    """Values of the literals among types."""
    return [value.value for value in types if isinstance(value, LiteralType)]
