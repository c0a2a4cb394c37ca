"""Rust's standard library as name resolution sees it; `library.stubs` describes what its methods return.

A sequence or iterator is a ListType; the other types are a LibraryType with their type arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.stubs import StubCall, Stubs, read_stubs
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    Function,
    LibraryType,
    ListType,
    Top,
    Type,
    Types,
    instance_of,
    library_type,
    list_of,
    one,
    union,
)


def stubs() -> Stubs:
    return read_stubs("rust")


def is_pointer_method(name: str) -> bool:
    """True for a method of a pointer; any other member is one of what it points to."""
    return stubs().has("Box", name)


def is_factory(name: str) -> bool:
    """True for functions of traits that return an instance of the type."""
    return stubs().has("type", name)


def make(kind: str, parts: Sequence[Types]) -> Types:
    """An instance of a type with these arguments; nothing if none of them is known."""
    if not any(parts):
        return NOTHING
    return one(list_of(parts[0]) if kind == "Vec" else library_type("rust", kind, parts))


def elements(value: LibraryType) -> Types:
    return stubs().apply(value.name, "for", StubCall(make, parts=value.arguments)) or NOTHING


def unwrap(value: Type) -> Types:
    """The success value of `?`."""
    if not isinstance(value, LibraryType):
        return one(value)
    found = stubs().apply(value.name, "?", StubCall(make, parts=value.arguments))
    return one(value) if found is None else found


def call_function(name: str, arguments: Sequence[Types]) -> Types | None:
    return stubs().apply("", name, StubCall(make, arguments=arguments))


def call_method(evaluator: Evaluator, container: Type, name: str, arguments: Sequence[Types]) -> Types:
    """Result of a method of a library type."""

    def result(types: Types, arguments: Sequence[Types]) -> Types:
        functions = (value for value in types if isinstance(value, Function | ClassType))
        return union(evaluator.call_with(value, arguments) for value in functions)

    kind, parts = _kind_of(container)
    call = StubCall(make, _contents, result, one(container), parts, arguments)
    return stubs().apply(kind, name, call) or NOTHING


def _kind_of(container: Type) -> tuple[str, Sequence[Types]]:
    match container:
        case ListType():
            return "Vec", (container.items,)
        case LibraryType():
            return container.name, container.arguments
        case ClassType():
            return "type", (one(instance_of(container)),)
    return "instance", ()


def _contents(types: Types) -> Types:
    found: set[Type] = set()
    for value in types:
        if isinstance(value, ListType):
            found |= value.items
        elif isinstance(value, LibraryType):
            found |= elements(value)
        elif isinstance(value, Top):
            found.add(value)
    return frozenset(found)
