"""Type sets stay bounded, and the fixpoint of a query cycle does not depend on the first query."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from codeplane.index.resolve.query_cache import QueryCache
from codeplane.index.resolve.types import (
    MAX_TYPES,
    TOP,
    ClassLiteral,
    ClassType,
    External,
    Function,
    Instance,
    Type,
    Types,
    bounded,
    dict_of,
    external,
    list_of,
    tuple_of,
)

A = ClassType("a.py", 1)
B = ClassType("a.py", 2)


def _chain(name: str, step: str) -> set[str]:
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        (found,) = external(f"{name}.{step}")
        assert isinstance(found, External)
        name = found.name
    return seen


def test_call_chains_on_externals_are_bounded() -> None:
    assert len(_chain("lib.text", "strip()")) < 8


def test_member_chains_on_externals_are_bounded() -> None:
    assert len(_chain("lib.node", "next")) < 20


def test_types_of_different_kinds_are_never_equal() -> None:
    assert len({ClassType("a.py", 1), Instance("a.py", 1), ClassLiteral("a.py", 1), Function("a.py", 1)}) == 4


def test_containers_of_the_same_kind_are_merged() -> None:
    one, other = frozenset({A}), frozenset({B})
    assert bounded(frozenset({list_of(one), list_of(other)})) == {list_of(one | other)}
    assert bounded(frozenset({tuple_of([one, other]), tuple_of([other, other])})) == {tuple_of([one | other, other])}
    assert bounded(frozenset({tuple_of([one]), tuple_of([one, one])})) == {tuple_of([one]), tuple_of([one, one])}
    assert bounded(frozenset({dict_of({"k": one}, other), dict_of({"k": other, "l": one}, frozenset())})) == {
        dict_of({"k": one | other, "l": one}, other)
    }


def test_too_many_types_widen_to_top_which_absorbs_the_rest() -> None:
    many = [ClassType("a.py", number) for number in range(MAX_TYPES + 1)]
    assert bounded(frozenset(many[:-1])) == set(many[:-1])
    assert bounded(frozenset(many)) == TOP
    assert bounded(TOP | {A}) == TOP


def _results_in_order(order: Sequence[str]) -> dict[str, Types]:
    """Run queries for lists that grow around a cycle."""

    def compute(key: str) -> Types:
        if key == "p":
            return bounded(cache.get("q") | {A})
        if key == "q":
            return bounded(frozenset({list_of(cache.get("r"))}) | cache.get("p"))
        return bounded(frozenset({list_of(cache.get("p")), B}) | cache.get("q"))

    cache: QueryCache[str, Type] = QueryCache(compute, lambda _, values: bounded(values))
    for key in order:
        cache.get(key)
    return {key: cache.get(key) for key in "pqr"}


@pytest.mark.parametrize("order", list(itertools.permutations("pqr")))
def test_fixpoint_does_not_depend_on_query_order(order: tuple[str, ...]) -> None:
    found = _results_in_order(order)
    assert A in found["p"] and B in found["r"] and len(found["q"]) > 1
    assert found == _results_in_order("pqr")
