"""Values stay few, and those of a circle are the same whichever is asked first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from codeplane.index.resolve.query_cache import QueryCache
from codeplane.index.resolve.value import (
    ANYTHING,
    MAX_VALUES,
    Value,
    Values,
    bounded,
    dict_of,
    foreign,
    list_of,
    tuple_of,
)

A: Value = ("c", "a.py", 1)
B: Value = ("c", "a.py", 2)


def test_a_chain_of_calls_on_something_foreign_ends() -> None:
    found: Values = frozenset({("x", "lib.text")})
    seen: set[Values] = set()
    while found not in seen:
        seen.add(found)
        ((_, name),) = found
        found = foreign(f"{name}.strip()")
    assert len(seen) < 8


def test_a_chain_of_members_of_something_foreign_ends() -> None:
    seen = set()
    name = "lib.node"
    while name not in seen:
        seen.add(name)
        ((_, name),) = foreign(f"{name}.next")
    assert len(seen) < 20


def test_containers_of_one_kind_become_one() -> None:
    one, other = frozenset({A}), frozenset({B})
    assert bounded(frozenset({list_of(one), list_of(other)})) == {list_of(one | other)}
    assert bounded(frozenset({tuple_of([one, other]), tuple_of([other, other])})) == {tuple_of([one | other, other])}
    assert bounded(frozenset({tuple_of([one]), tuple_of([one, one])})) == {tuple_of([one]), tuple_of([one, one])}
    assert bounded(frozenset({dict_of({"k": one}, other), dict_of({"k": other, "l": one}, frozenset())})) == {
        dict_of({"k": one | other, "l": one}, other)
    }


def test_too_many_are_anything_and_anything_swallows_all() -> None:
    many: list[Value] = [("c", "a.py", number) for number in range(MAX_VALUES + 1)]
    assert bounded(frozenset(many[:-1])) == set(many[:-1])
    assert bounded(frozenset(many)) == ANYTHING
    assert bounded(ANYTHING | {A}) == ANYTHING


def _asked_in(order: Sequence[str]) -> dict[str, Values]:
    """Lists that grow around a circle."""

    def compute(key: str) -> Values:
        if key == "p":
            return bounded(cells.get("q") | {A})
        if key == "q":
            return bounded(frozenset({list_of(cells.get("r"))}) | cells.get("p"))
        return bounded(frozenset({list_of(cells.get("p")), B}) | cells.get("q"))

    cells: QueryCache[str, Value] = QueryCache(compute, lambda _, values: bounded(values))
    for key in order:
        cells.get(key)
    return {key: cells.get(key) for key in "pqr"}


@pytest.mark.parametrize("order", list(itertools.permutations("pqr")))
def test_what_is_asked_first_leaves_no_trace(order: tuple[str, ...]) -> None:
    found = _asked_in(order)
    assert A in found["p"] and B in found["r"] and len(found["q"]) > 1
    assert found == _asked_in("pqr")
