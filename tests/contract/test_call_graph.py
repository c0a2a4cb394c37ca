"""call_graph through the tool: both ways, deep, bounded, with what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from support.repositories import make_repository, write
from support.tooling import Server, error_of, follow, serving

FILES: dict[str, str | bytes] = {
    "shop/cart.py": (
        "import json\n\n\n"
        "class Cart:\n    def total(self):\n        return add(1)\n\n    def dump(self, to):\n"
        "        to.write(json.dumps(self.total()))\n\n\n"
        "def add(n):\n    return n\n"
    ),
    "shop/pay.py": "from shop.cart import Cart\n\n\ndef pay():\n    return Cart().total()\n\n\npay()\n",
    "shop/other.py": "def other(x):\n    return x.total()\n",
    "notes.sh": "run() {\n  echo hi\n}\nrun\n",
    "many.py": "def hub():\n    return 1\n" + "".join(f"def user_{n:02}():\n    hub()\n" for n in range(40)),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("calls") / "repo", FILES)) as server:
        yield server


def edges(envelope: dict[str, object]) -> set[tuple[str, str]]:
    result = envelope["result"]
    assert isinstance(result, dict)
    return {(edge["caller"], edge["callee"]) for edge in result["edges"]}


TOTAL, ADD, PAY = "shop/cart.py#Cart.total@5", "shop/cart.py#add@12", "shop/pay.py#pay@4"


def test_both_ways_with_what_is_not_known(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "Cart.total"})
    dump = "shop/cart.py#Cart.dump@8"
    assert edges(envelope) == {(PAY, TOTAL), (dump, TOTAL), (TOTAL, ADD)}
    result = envelope["result"]
    assert result["roots"] == [TOTAL]
    assert {edge["tier"] for edge in result["edges"]} == {"strong", "proven"}
    assert result["unresolved_members_of_the_name"] == {TOTAL: 1}
    assert [edge["lines"] for edge in result["edges"] if edge["caller"] == PAY] == [[5]]
    inner = server.call("call_graph", {"symbol": dump, "direction": "callees"})["result"]
    (node,) = [node for node in inner["nodes"] if node["symbol_ref"] == dump]
    assert (node["unresolved_calls"], node["calls_outside"]) == (1, 1)


def test_deeper_and_by_any_name_of_the_symbol(server: Server) -> None:
    deep = edges(server.call("call_graph", {"symbol": ADD, "direction": "callers", "depth": 3}))
    assert deep == {(TOTAL, ADD), (PAY, TOTAL), ("shop/cart.py#Cart.dump@8", TOTAL), ("shop/pay.py:1", PAY)}
    for name in ("shop/cart.py:12", "shop/cart.py:6:16", "add"):
        assert edges(server.call("call_graph", {"symbol_ref": name, "direction": "incoming"})) == {(TOTAL, ADD)}


def test_a_limit_says_what_it_leaves_out_and_how_to_get_it(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "hub", "direction": "callers"})
    assert len(envelope["result"]["edges"]) == 20 and envelope["result"]["left_out"] == 20
    more = envelope["hints"]["more"]
    whole = follow(server, more)
    assert len(whole["result"]["edges"]) == 40 and "left_out" not in whole["result"]


def test_nothing_of_that_name(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "Car.tot"})
    assert (envelope["status"], envelope["hints"]["search"]["tool"]) == ("not_found", "search")
    assert server.call("call_graph", {"symbol": "ad"})["result"]["similar"] == ["add"]
    for odd in ("\ud800", "shop/cart.py#\ud800@3", "a.\udfff", "shop/\ud800.py:3", "", " ", "#", ":1", "\0", "::", "%"):
        found = server.call("call_graph", {"symbol": odd})
        assert found["status"] == "not_found" or found["error"]["error"] in ("ARGUMENT_INVALID", "PATH_INVALID"), found
    error_of(server.call("call_graph", {"symbol": "add", "direction": "sideways"}), ErrorCode.ARGUMENT_INVALID)


def test_a_language_that_is_not_resolved_beyond_its_file(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "run"})
    assert envelope["status"] == "ok" and "within a file only" in envelope["message"]


def test_a_search_says_which_call_shows_the_callers(server: Server) -> None:
    hint = server.call("search", {"query": "Cart.total", "mode": "symbol"})["result"]["call_graph_hint"]
    assert edges(follow(server, hint)) >= {(PAY, TOTAL)}
    assert "call_graph_hint" not in server.call("search", {"query": "total", "mode": "lexical"})["result"]


def test_an_edit_is_in_the_next_answer(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    with serving(root) as server:
        assert edges(server.call("call_graph", {"symbol": "add", "direction": "callers"})) == {(TOTAL, ADD)}
        write(root, "shop/other.py", "from shop.cart import add\ndef other(x):\n    return add(x)\n")
        found = edges(server.call("call_graph", {"symbol": "add", "direction": "callers"}))
        assert found == {(TOTAL, ADD), ("shop/other.py#other@2", ADD)}
