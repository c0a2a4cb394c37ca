"""Strongly connected components, beside a plain definition of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codeplane.query.imports import strongly_connected_components

EDGES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40)


@given(EDGES)
def test_cycles_are_strongly_connected_components(pairs: list[tuple[int, int]]) -> None:
    edges: dict[int, list[int]] = {}
    for start, end in pairs:
        edges.setdefault(start, []).append(end)
    reach = {node: _reached(edges, node) for node in range(13)}
    groups = list(strongly_connected_components(edges))
    seen = [node for group in groups for node in group]
    assert sorted(seen) == sorted({node for pair in pairs for node in pair})
    home = {node: number for number, group in enumerate(groups) for node in group}
    for one in home:
        for other in home:
            together = one == other or (other in reach[one] and one in reach[other])
            assert (home[one] == home[other]) is together


def test_a_long_chain_needs_no_recursion() -> None:
    chain = {node: [node + 1] for node in range(100_000)}
    chain[99_999] = [0]
    assert [len(group) for group in strongly_connected_components(chain)] == [100_000]


def _reached(edges: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    waiting = list(edges.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += edges.get(node, ())
    return found
