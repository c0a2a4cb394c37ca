"""Reads and applies stubs: what methods and functions of a standard library return, as data in a language's folder.

A block of `library.stubs` describes a type: `[list<T> = Vec VecDeque]` names its type parameters and the library types
that it represents; `[]` holds functions. A line `first last -> Option<T>` gives the result of methods. Results:

    self      the receiver                  $1, $*          the first argument, all arguments
    T         a type argument               $1(T)           the result of calling the first argument with a T
    Box<T>    a type made by the language   each T          what iterating over a T yields
    (A, B)    a tuple                       "String()"      an external, by its name
    ?         unknown
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from codeplane.index.resolve.types import NOTHING, Types, external, one, tuple_of, union

_TOKEN = re.compile(r'"[^"]*"|\$\*|\$\d|[\w.]+|[<>(),?]')
_HEADER = re.compile(r"\[([^<\]=]*)(?:<([^>]*)>)?\s*(?:=([^\]]*))?\]")
_ALL = -1


class OwnResult(NamedTuple):
    """The receiver."""


class PartResult(NamedTuple):
    """A type argument of the receiver."""

    position: int


class ArgumentResult(NamedTuple):
    position: int


class CalledResult(NamedTuple):
    """Result of calling an argument."""

    position: int
    arguments: tuple[StubResult, ...]


class ElementsResult(NamedTuple):
    of: StubResult


class MadeResult(NamedTuple):
    name: str
    parts: tuple[StubResult, ...]


class TupleResult(NamedTuple):
    parts: tuple[StubResult, ...]


class ExternalResult(NamedTuple):
    name: str


class UnknownResult(NamedTuple):
    pass


StubResult = (
    OwnResult
    | PartResult
    | ArgumentResult
    | CalledResult
    | ElementsResult
    | MadeResult
    | TupleResult
    | ExternalResult
    | UnknownResult
)


class StubCall(NamedTuple):
    """A call of a library method, and what the language does with types."""

    make: Callable[[str, Sequence[Types]], Types] = lambda name, parts: NOTHING
    elements: Callable[[Types], Types] = lambda types: NOTHING
    call: Callable[[Types, Sequence[Types]], Types] = lambda types, arguments: NOTHING
    own: Types = NOTHING
    parts: Sequence[Types] = ()
    """Type arguments of the receiver."""
    arguments: Sequence[Types] = ()


class Stubs(NamedTuple):
    represented_by: Mapping[str, str]
    """Name of a library type -> the type of the stubs that represents it."""
    results: Mapping[tuple[str, str], StubResult]
    """Type (empty for functions) and name of a method -> its result."""

    def has(self, type_name: str, method: str) -> bool:
        return (type_name, method) in self.results

    def apply(self, type_name: str, method: str, call: StubCall) -> Types | None:
        """Return the result of a call; None if the stubs do not describe it for this many arguments."""
        result = self.results.get((type_name, method))
        if result is None or _highest_argument(result) > max(1, len(call.arguments)):
            return None
        return _evaluate(result, call)


NO_STUBS = Stubs({}, {})


@cache
def read_stubs(language: str) -> Stubs:
    """Return the stubs in a language's folder."""
    return parse_stubs(files(f"codeplane.languages.{language}").joinpath("library.stubs").read_text(encoding="utf-8"))


def parse_stubs(text: str) -> Stubs:
    represented_by: dict[str, str] = {}
    results: dict[tuple[str, str], StubResult] = {}
    types: list[str] = []
    parameters: list[str] = []
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        header = _HEADER.fullmatch(line)
        if header is not None:
            types = header[1].split() or [""]
            parameters = re.findall(r"\w+", header[2] or "")
            represented_by |= {name: name for name in types if name}
            represented_by |= dict.fromkeys((header[3] or "").split(), types[0])
        elif line:
            methods, _, result = line.rpartition("->")
            parsed = _Parser(_TOKEN.findall(result), parameters).result()
            for key in ((type_name, method) for type_name in types for method in methods.split()):
                results.setdefault(key, parsed)
    return Stubs(represented_by, results)


class _Parser:
    def __init__(self, tokens: list[str], parameters: Sequence[str]) -> None:
        self._tokens = tokens[::-1]
        self._parameters = parameters

    def result(self) -> StubResult:
        token = self._tokens.pop()
        if token.startswith("$"):
            index = int(token[1:]) - 1 if token != "$*" else _ALL
            return CalledResult(index, self._parts(")")) if self._takes("(") else ArgumentResult(index)
        if token in self._parameters:
            return PartResult(self._parameters.index(token))
        match token:
            case "self":
                return OwnResult()
            case "?":
                return UnknownResult()
            case "each":
                return ElementsResult(self.result())
            case "(":
                return TupleResult(self._parts(")"))
        if token.startswith('"'):
            return ExternalResult(token.strip('"'))
        return MadeResult(token, self._parts(">") if self._takes("<") else ())

    def _takes(self, token: str) -> bool:
        if not self._tokens or self._tokens[-1] != token:
            return False
        self._tokens.pop()
        return True

    def _parts(self, end: str) -> tuple[StubResult, ...]:
        found: list[StubResult] = []
        while not self._takes(end):
            found.append(self.result())
            self._takes(",")
        return tuple(found)


def _inner(result: StubResult) -> Sequence[StubResult]:
    match result:
        case MadeResult() | TupleResult():
            return result.parts
        case ElementsResult():
            return (result.of,)
        case CalledResult():
            return result.arguments
    return ()


def _highest_argument(result: StubResult) -> int:
    """Number of the last argument that a result depends on."""
    own = result.position + 1 if isinstance(result, ArgumentResult | CalledResult) else 0
    return max((own, *map(_highest_argument, _inner(result))))


def _evaluate(result: StubResult, call: StubCall) -> Types:
    match result:
        case OwnResult():
            return call.own
        case PartResult():
            return call.parts[result.position] if result.position < len(call.parts) else NOTHING
        case ArgumentResult():
            return _argument(result.position, call)
        case CalledResult():
            return call.call(_argument(result.position, call), list(_evaluate_all(result.arguments, call)))
        case ElementsResult():
            return call.elements(_evaluate(result.of, call))
        case MadeResult():
            return call.make(result.name, list(_evaluate_all(result.parts, call)))
        case TupleResult():
            return one(tuple_of(list(_evaluate_all(result.parts, call))))
        case ExternalResult():
            return external(result.name)
    return NOTHING


def _evaluate_all(parts: Sequence[StubResult], call: StubCall) -> Iterator[Types]:
    """Evaluate the parts of a result, except for type arguments that the receiver does not have."""
    for part in parts:
        if not (isinstance(part, PartResult) and part.position >= len(call.parts)):
            yield _evaluate(part, call)


def _argument(index: int, call: StubCall) -> Types:
    if index == _ALL:
        return union(call.arguments)
    return call.arguments[index] if index < len(call.arguments) else NOTHING
