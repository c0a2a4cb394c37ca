"""Stubs: what methods and functions of a standard library return, as data in the folder of a language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import codeplane.languages
from codeplane.index.resolve.stubs import StubCall, parse_stubs
from codeplane.index.resolve.types import NOTHING, External, LibraryType, ListType, Types, list_of, one, tuple_of, union

_STUBS = parse_stubs("""
# A comment.
[list<T> = Vec Deque]
clone           -> self
first last      -> T
zip             -> list<(T, each $1)>
map             -> list<$1(T)>
[pair map <K, V>]
key             -> K
value           -> V
name            -> "String()"
hash            -> ?
swapped         -> pair<V, K>
[]
concat          -> list<each $*>
second          -> $2
""")
_A, _B = one(External("a()")), one(External("b()"))
_LIST = one(list_of(_A))


def _make(name: str, parts: Sequence[Types]) -> Types:
    return one(list_of(parts[0]) if name == "list" else LibraryType("toy", name, tuple(parts)))


def _elements(types: Types) -> Types:
    return union(value.items for value in types if isinstance(value, ListType))


def _call(functions: Types, arguments: Sequence[Types]) -> Types:
    return functions | union(arguments)


def _apply(
    type_name: str, method: str, *arguments: Types, own: Types = NOTHING, parts: Sequence[Types] = ()
) -> Types | None:
    return _STUBS.apply(type_name, method, StubCall(_make, _elements, _call, own, parts, arguments))


@pytest.mark.parametrize(
    ("type_name", "method", "arguments", "parts", "result"),
    [
        ("list", "clone", [], [_A], _LIST),
        ("list", "last", [], [_A], _A),
        ("list", "zip", [one(list_of(_B))], [_A], one(list_of(one(tuple_of([_A, _B]))))),
        ("list", "map", [_B], [_A], one(list_of(_A | _B))),
        ("pair", "value", [], [_A, _B], _B),
        ("map", "key", [], [_A, _B], _A),
        ("map", "value", [], [_A], NOTHING),
        ("map", "name", [], [_A, _B], one(External("String()"))),
        ("map", "hash", [], [_A, _B], NOTHING),
        ("pair", "swapped", [], [_A, _B], one(LibraryType("toy", "pair", (_B, _A)))),
        ("pair", "swapped", [], [_A], one(LibraryType("toy", "pair", (_A,)))),
        ("", "concat", [_LIST, one(list_of(_B))], [], one(list_of(_A | _B))),
        ("", "second", [_A, _B], [], _B),
    ],
)
def test_results(type_name: str, method: str, arguments: list[Types], parts: list[Types], result: Types) -> None:
    assert _apply(type_name, method, *arguments, own=_LIST, parts=parts) == result


def test_types_are_represented_by_the_first_name() -> None:
    assert _STUBS.represented_by == {"list": "list", "Vec": "list", "Deque": "list", "pair": "pair", "map": "map"}


def test_unknown_methods_and_missing_arguments_have_no_result() -> None:
    assert _apply("list", "sort") is None
    assert _apply("", "second", _A) is None


@pytest.mark.parametrize("path", sorted(Path(codeplane.languages.__path__[0]).glob("*/library.stubs")), ids=str)
def test_every_line_of_the_stubs_is_read(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        stubs = parse_stubs(f"[]\n{line}")
        is_content = bool(line.strip()) and not line.startswith("#")
        assert bool(stubs.results or stubs.represented_by) == (is_content and line.strip() != "[]"), line
        assert all(part.isprintable() and "[" not in part for _, part in stubs.results), line
