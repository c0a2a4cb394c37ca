"""`search` with mode references, `cpl refs`, `cpl calls` and `call_graph` name the same calls.

Constructions that do not name the class are in the call graph; lists of references count them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from codeplane.operations.refs import find_uses
from codeplane.operations.symbols.model import SymbolNotFound
from support.callers import CASES, Calls, Case
from support.repositories import make_repository
from support.tooling import Server, serving

CONSTRUCTORS = frozenset({"Loader.__init__", "FileLoader.FileLoader", "Made.Made"})
"""Constructors of classes that a call runs without naming the class"""


@pytest.fixture(scope="module", params=sorted(CASES))
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Case]]:
    case = CASES[request.param]
    with serving(make_repository(tmp_path_factory.mktemp("agree") / "repo", case.files)) as server:
        yield server, case


def test_call_graph_lists_the_calls(served: tuple[Server, Case]) -> None:
    server, case = served
    assert {symbol: _call_graph(server, symbol) for symbol in case.calls} == case.calls


def test_cpl_refs_has_the_same_calls(served: tuple[Server, Case]) -> None:
    server, case = served
    assert {symbol: _uses(server, symbol) for symbol in case.calls} == case.calls


def test_references_contain_the_calls(served: tuple[Server, Case]) -> None:
    server, case = served
    for symbol, calls in case.calls.items():
        references = _references(server, symbol)
        expected = {place: None if via in CONSTRUCTORS else via for place, via in calls.items()}
        assert {place: references.get(place) for place in expected} == expected, symbol


def test_text_forms_mark_the_same_lines(served: tuple[Server, Case]) -> None:
    server, case = served
    for symbol, calls in case.calls.items():
        shown = server.text("call_graph", {"symbol": symbol})
        listed = server.text("search", {"query": symbol, "mode": "references"})
        for via in set(calls.values()) - {""}:
            assert f"via {via}" in shown, symbol
            assert ("under another name: " if via in CONSTRUCTORS else f"via {via}") in listed, symbol


def _call_graph(server: Server, symbol: str) -> Calls:
    result = server.call("call_graph", {"symbol": symbol, "direction": "callers"})["result"]
    found: Calls = {}
    for edge in result["edges"]:
        path = edge["caller"].partition("#")[0].rpartition(":")[0] or edge["caller"].partition("#")[0]
        found |= {(path, line): _name(edge.get("via", "")) for line in edge["lines"]}
    return found


def _uses(server: Server, symbol: str) -> Calls:
    """Return the calls that `cpl refs` prints, read from the index."""
    workspace = server.pipeline._roots.home.workspace
    found: Calls = {}
    read = find_uses(workspace.read, symbol, 100)
    assert not isinstance(read.value, SymbolNotFound)
    for uses in read.value:
        for row in (*uses.rows, *uses.renamed):
            if row.calls:
                found[row.path, row.start_line] = row.via.lexical_path if row.via is not None else ""
    return found


def _references(server: Server, symbol: str) -> Calls:
    arguments: dict[str, Any] = {"query": symbol, "mode": "references", "result_mode": "raw", "limit": 100}
    rows = server.call("search", arguments)["result"]["results"]
    return {(row["path"], row.get("match_line", row["line_start"])): _name(row.get("via", "")) for row in rows}


def _name(reference: str) -> str:
    return reference.partition("#")[2].rpartition("@")[0]
