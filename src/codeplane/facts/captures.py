"""Registry of the captures that queries may use, each with a line of documentation.

Readers register a handler per capture; parts of a pattern, which the handler of another capture reads, are registered
without one. `<kind>` in a name is any word. Captures that start with an underscore are for predicates only.
docs/reference/captures.md is generated from this registry.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


class QueryFile(StrEnum):
    FACTS = "facts.scm"
    NAMES = "names.scm"
    FLOW = "flow.scm"


class Capture(NamedTuple):
    query: QueryFile
    name: str
    doc: str
    handler: Callable[..., Any] | None = None
    """None for a part of a pattern."""


CAPTURES: dict[tuple[QueryFile, str], Capture] = {}


def handles(query: QueryFile, name: str, doc: str) -> Callable[[_Handler], _Handler]:
    """Register the decorated function as the handler of a capture."""

    def register(handler: _Handler) -> _Handler:
        CAPTURES[query, name] = Capture(query, name, doc, handler)
        return handler

    return register


def register_parts(query: QueryFile, parts: dict[str, str]) -> None:
    """Register captures that the handlers of others read: name -> documentation."""
    for name, doc in parts.items():
        CAPTURES[query, name] = Capture(query, name, doc)


def find_capture(query: QueryFile, name: str) -> Capture | None:
    """Return the registered capture of a name in a query: `def.class.forward` is registered as `def.<kind>`."""
    family, dot, _ = name.partition(".")
    exact = CAPTURES.get((query, name))
    if exact is not None or not dot:
        return exact
    return next((each for (of, key), each in CAPTURES.items() if of is query and key.startswith(f"{family}.<")), None)


def captures_of(query: QueryFile) -> list[Capture]:
    """Return the captures of a query, in the order of registration."""
    return [capture for capture in CAPTURES.values() if capture.query is query]


# Captures of flow.scm: `facts/flow.py` reads them as values, by span, and as statements about values.
register_parts(
    QueryFile.FLOW,
    {
        "member": "the member @name of the value @of",
        "member.field": "a member in a namespace of fields; its name is stored as `$name`",
        "member.put": "a member that is assigned through a method `name=`",
        "member.called": "a member that is called; its name is stored as `name()`",
        "own": "a member of the object of the enclosing method",
        "path": "a name of several parts that is looked up as a whole; @name is the last part",
        "call": "the result of calling @callee with @arg",
        "new": "an instance of the type @callee",
        "send": "the result of calling the member @name of @of, if the syntax has no node for the member",
        "send.method": "like @send, with its name stored as `name()`",
        "send.own": "like @send, to the object of the enclosing method",
        "types": "type arguments of a call, as its first argument",
        "labelled": "a keyword argument @label with the value @of",
        "splat": "a list in place of arguments",
        "splat.keys": "a mapping in place of keyword arguments",
        "item": "the element @key of @of, or a type with its arguments",
        "same": "the value of @of (parentheses)",
        "await": "the awaited value of @of",
        "try": "the value of @of, if it is not a failure",
        "either": "one of several values",
        "choice": "one of several types, by a test that is not evaluated",
        "list": "a list, or a pattern that takes one apart",
        "list.list": "a list of more than one dimension",
        "tuple": "a tuple, or a pattern that takes one apart",
        "dict": "a mapping, or a pattern that takes one apart",
        "pair": "the pair @key, @of of a mapping",
        "array": "an array of objects of the type @of",
        "array.array": "an array of more than one dimension",
        "cast": "the value @of as the type @type",
        "typeof": "the type of the value @of",
        "keyof": "the type of the member names of @of",
        "lookup": "the type of the member @key of the type @of",
        "type.value": "a type as a value (`Shape.class`)",
        "literal.<type>": "a literal of a built-in type; `rest` in a pattern leaves parts out",
        "case": "a constant @name that the value @of is compared with: of its type, or a plain name",
        "function": "a function, or an anonymous type, whose scope the node opens; @key is its name as a member",
        "this": "the object of the enclosing method",
        "this.exact": "an object of the enclosing class itself, whatever object the method is called on",
        "this.type": "the type of the enclosing method",
        "super": "the object of the enclosing method, as one of its base",
        "here": "the module of the file",
        "outer": "the module around the module of the file",
        "root": "the outermost module",
        "pattern": "takes an object of the type @callee apart, by position or by label",
        "assign": "assigns @from, or declares @type, for @to",
        "for": "assigns an element of @from to @to",
        "with": "assigns the result of entering @from to @to",
        "catch": "assigns an exception of @type to @to",
        "return": "returns @from from the innermost function, or from the file",
        "yield": "yields @from from the innermost function",
        "yield.from": "yields the elements of @from",
        "raise": "raises @of",
        "param": "a parameter @name of the innermost function, with @type and default @from",
        "param.rest": "a parameter that takes the other arguments",
        "param.keys": "a parameter that takes the other keyword arguments",
        "param.self": "the parameter of the object",
        "param.result": "a named result",
        "param.type": "a type parameter",
        "returns": "the return type of the function with this span",
        "made": "underlying or embedded types @base, and type parameters @key, of the definition with this span",
        "class": "the bases @base of the class with this span; @body if that is a scope of its own",
        "mixed": "modules @base mixed into the class with this span",
        "extended": "modules @base that give members to the class itself",
        "defines": "type or value of the definition with this span",
        "static": "the definition with this span is a member of its class, not of its objects",
        "reads": "the function with this span runs when the member of its name is read or written",
        "called": "the function with this span runs when an object of the type is called",
        "makes": "the function with this span constructs an object",
        "bound": "the type variable @to has the bound @type",
        "partial": "the type with this span has parts elsewhere",
        "receiver": "the type of the object of the function or property with this span",
        "within": "the package or namespace of the innermost scope",
        "decorated": "the decorators @decorator of @definition",
        "narrow": "a test that @to is of @type",
        "region": "the part of the source in which @name is of @type",
        "settled": "an assignment of @name that later statements of its scope can rely on",
        "settled.item": "such an assignment of an item of @name",
        "documented": "a comment that declares types of @definition or @to, if the source declares none",
        "adds": "the scope with this span adds members and bases to the type @of",
        "fields": "unnamed parts of the definition with this span",
        "opens": "the scope with this span is the body of @definition",
        "of": "the value that another capture is about",
        "name": "the name of a member, parameter or constant",
        "callee": "the called value",
        "arg": "an argument",
        "label": "the name of a keyword argument",
        "key": "an index, a key, or a type parameter",
        "type": "a declared type",
        "to": "the target of an assignment",
        "from": "the source of an assignment",
        "base": "a base class, interface or embedded type",
        "body": "the body of a class",
        "decorator": "a decorator",
        "definition": "the definition that a statement is about",
    },
)
