"""Text form of call_graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.callers import CASES
from support.repositories import make_repository
from support.tooling import Server, serving

DEEP = "service/src/main/python/shop"
FILES: dict[str, str | bytes] = {
    "shop/cart.py": (
        "class Cart:\n    def total(self):\n        return add(1)\n\n    def twice(self):\n"
        "        return self.total() + self.total()\n\n\ndef add(n):\n    return n\n"
    ),
    "shop/pay.py": (
        "from shop.cart import Cart\n\n\ndef pay():\n    cart = Cart()\n    print(cart.total())\n"
        "    return cart.total()\n\n\npay()\n"
    ),
    "tests/test_cart.py": ("from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 1\n"),
    "hub.py": "def hub():\n    return 1\n",
    f"{DEEP}/a.py": "from hub import hub\n\n\ndef first():\n    hub()\n\n\ndef second():\n    hub()\n",
    f"{DEEP}/b.py": "from hub import hub\n\n\ndef third():\n    hub()\n",
    "tests/test_hub.py": "from hub import hub\n\n\n" + "".join(f"def test_{n}():\n    hub()\n\n\n" for n in range(12)),
    "only.py": "def only():\n    return 1\n",
    "tests/test_only.py": "from only import only\n\n\n"
    + "".join(f"def test_{n}():\n    only()\n\n\n" for n in range(15)),
    "long.py": "def far():\n    return 1\n\n\ndef use():\n" + "    far()\n" * 6,
    "over.py": (
        "from typing import overload\n\n\n@overload\ndef parse(text: str) -> str: ...\n@overload\n"
        "def parse(text: int) -> int: ...\ndef parse(text):\n    return convert(text)\n\n\ndef convert(text):\n"
        "    return text\n\n\ndef run():\n    return parse(1)\n"
    ),
    "many.py": "def many():\n    return 1\n\n\n" + "".join(f"def user_{n:02}():\n    many()\n\n\n" for n in range(50)),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("text") / "repo", FILES)) as server:
        yield server


def lines(server: Server, symbol: str, **arguments: object) -> list[str]:
    return server.text("call_graph", {"symbol": symbol, **arguments}).splitlines()


def test_callers_with_their_source_lines_tests_last(server: Server) -> None:
    assert lines(server, "Cart.total") == [
        "Cart.total  shop/cart.py:2",
        "< 6\treturn self.total() + self.total()  Cart.twice",
        "shop/pay.py",
        "< 6\tprint(cart.total())  pay",
        "< 7\treturn cart.total()",
        "< tests/test_cart.py:5 assert Cart().total() == 1  test_total",
    ]


def test_calls_at_the_top_of_a_file(server: Server) -> None:
    assert lines(server, "pay") == ["pay  shop/pay.py:4", "< 10\tpay()  (top level)"]


def test_deep_directories_head_their_files_and_tests_are_counted(server: Server) -> None:
    assert lines(server, "hub") == [
        "hub  hub.py:1",
        f"{DEEP}/",
        "< a.py:5 hub()  first",
        "< 9\thub()  second",
        "< b.py:5 hub()  third",
        "tests: 12 more in 1 file (search mode=references query=hub)",
    ]


def test_tests_are_listed_where_nothing_else_calls(server: Server) -> None:
    shown = lines(server, "only")
    assert len([line for line in shown if line.startswith("<")]) == 12
    assert shown[-1] == "tests: 3 more in 1 file (search mode=references query=only)"


def test_many_calls_from_one_caller(server: Server) -> None:
    shown = lines(server, "far")
    assert shown[1] == "< 6\tfar()  use"
    assert shown[-1] == "< 9\tfar()  also 10, 11"
    assert len(shown) == 5


def test_callers_of_callers_are_indented(server: Server) -> None:
    assert lines(server, "add", depth=3) == [
        "add  shop/cart.py:9",
        "< shop/cart.py:3 return add(1)  Cart.total",
        "  < shop/cart.py:6 return self.total() + self.total()  Cart.twice",
        "  < shop/pay.py:6 print(cart.total())  pay",
        "  < shop/pay.py:7 return cart.total()",
        "    < shop/pay.py:10 pay()  (top level)",
        "  < tests/test_cart.py:5 assert Cart().total() == 1  test_total",
    ]


def test_callees_share_the_row_of_their_line(server: Server) -> None:
    assert lines(server, "test_total", direction="callees") == [
        "test_total  tests/test_cart.py:4",
        "> 5\tassert Cart().total() == 1  Cart shop/cart.py:1, Cart.total shop/cart.py:2",
    ]
    assert lines(server, "pay", direction="callees") == [
        "pay  shop/pay.py:4",
        "> 5\tcart = Cart()  Cart shop/cart.py:1",
        "> 6\tprint(cart.total())  Cart.total shop/cart.py:2",
        "> 7\treturn cart.total()  Cart.total",
        "other libraries: 1 call",
    ]
    assert lines(server, "hub", direction="callees") == ["hub  hub.py:1", "no calls"]


def test_the_limit_says_how_to_see_more(server: Server) -> None:
    shown = lines(server, "many")
    assert len([line for line in shown if line.startswith("<")]) == 40
    assert shown[-1] == "more: 10 (limit=200)"
    assert lines(server, "many", limit=200)[-1].startswith("<")


def test_an_interface_that_many_calls_go_through_heads_them(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = dict(CASES["go"].files)
    files["b/c.go"] = 'package b\n\nimport "m/a"\n\nfunc More(l a.Loader) {\n\tl.Load("x")\n\tl.Load("y")\n}\n'
    with serving(make_repository(tmp_path_factory.mktemp("via") / "repo", files)) as server:
        assert lines(server, "File.Load") == [
            "File.Load  a/a.go:11",
            "b/b.go",
            '< 11\tf.Load("b")  Make',
            '< 12\tgo f.Load("c")',
            "via Loader.Load",
            '< b/b.go:6 l.Load("a")  Run',
            '< b/c.go:6 l.Load("x")  More',
            '< 7\tl.Load("y")',
        ]


def test_json_is_unchanged_by_default(server: Server) -> None:
    result = server.call("call_graph", {"symbol": "Cart.total"})["result"]
    callees = {edge["callee"] for edge in result["edges"] if edge["caller"] == "shop/cart.py#Cart.total@2"}
    assert callees == {"shop/cart.py#add@9"}
    assert not any("via" in edge for edge in result["edges"])


@pytest.mark.parametrize("direction", ["callers", "both"])
def test_overload_signatures_share_the_rows_of_the_implementation(server: Server, direction: str) -> None:
    shown = lines(server, "parse", direction=direction)
    assert shown[:2] == ["parse  over.py:8", "< 17\treturn parse(1)  run"]
    assert [line for line in shown if line.startswith("parse ")] == ["parse  over.py:8"]
