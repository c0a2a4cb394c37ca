"""Text form of file_outline: a row per symbol, top level first, within the default size."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from codeplane.operations.signatures import short_signature
from codeplane.tools.text.outline import DEFAULT_TOKENS, NAMED_TOKENS
from support.repositories import make_repository
from support.tooling import Server, serving

CART = (
    "LIMIT = 3\n\n\nclass Cart(Base):\n    size = 0\n\n"
    "    def __init__(self, owner=None):\n        self.owner = owner\n\n"
    "    def total(self) -> int:\n        return 1\n\n\n"
    "def total(carts):\n    def one(cart):\n        return 0\n    return 0\n"
)


def class_of(name: str, count: int, parameters: str = "self, first: int = 0, second: str | None = None") -> str:
    members = (f"    def {name.lower()}_method_{n}({parameters}) -> int:\n        return {n}\n" for n in range(count))
    return f"class {name}:\n" + "".join(members)


FILES: dict[str, str | bytes] = {
    "cart.py": CART,
    "sum.go": (
        "package shop\n\ntype Price struct {\n\tCents int\n}\n\nfunc (p *Price) Add(o Price) Price { return o }\n"
    ),
    "add.go": "package shop\n\nfunc (p *Price) Sub(o Price) Price { return o }\n",
    "empty.py": "",
    "fields.py": (
        "class Fields:\n"
        + "".join(f"    field_{n}: int = {n}\n" for n in range(10))
        + "    def total(self) -> int:\n        return 1\n    last: str\n"
    ),
    "values.py": "a, b = pair()\nLONG = make('x', first=1, second='something that is far too long to be shown')\n",
    "mixed.py": class_of("Small", 3) + class_of("Large", 60) + class_of("Tiny", 1),
    "huge_class.py": class_of("Huge", 900),
    "flat.py": "".join(f"def function_{n}(argument: int) -> int:\n    return {n}\n" for n in range(60)),
    "huge.py": "".join(f"def function_{n}(argument: int) -> int:\n    return {n}\n" for n in range(900)),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("outline-text") / "repo", FILES)) as server:
        yield server


def outline(server: Server, file: str, **arguments: object) -> list[str]:
    return server.text("file_outline", {"file": file, **arguments}).split("\n")


def test_row_per_symbol_nested_by_two_spaces(shop: Server) -> None:
    assert outline(shop, "cart.py") == [
        f"cart.py 17 lines sha {hashlib.sha256(CART.encode()).hexdigest()[:12]}",
        "1 LIMIT = 3",
        "4 class Cart(Base)",
        "  5 size = 0",
        "  7 def __init__(self, owner=None)",
        "  10 def total(self) -> int",
        "14 def total(carts)",
        "  15 def one(cart)",
    ]


def test_methods_declared_outside_their_type(shop: Server) -> None:
    assert outline(shop, "sum.go")[1:] == [
        "3 type Price struct",
        "  4 Cents int",
        "  7 func Add(o Price) Price",
    ]
    assert outline(shop, "add.go")[1:] == ["3 receiver Price", "  3 func Sub(o Price) Price"]


def test_values_are_cut_and_one_line_is_one_row(shop: Server) -> None:
    assert outline(shop, "values.py")[1:] == [
        "1 a, b = pair()",
        "2 LONG = make('x', first=1, second='something that is far too…",
    ]


def test_fields_share_rows(shop: Server) -> None:
    fields = [f"field_{n}: int = {n}" for n in range(10)]
    first, *shown = outline(shop, "fields.py")[1:]
    assert first == "1 class Fields"
    assert shown[0] == "  2 " + "; ".join(fields[:5]) and shown[1] == "  7 " + "; ".join(fields[5:])
    assert shown[2:] == ["  12 def total(self) -> int", "  14 last: str"]


def test_depth_top_counts_members_of_classes_only(shop: Server) -> None:
    assert outline(shop, "cart.py", depth="top")[1:] == [
        "1 LIMIT = 3",
        "4 class Cart(Base)  3 members",
        "14 def total(carts)",
    ]


def test_file_without_symbols(shop: Server) -> None:
    (line,) = outline(shop, "empty.py")
    assert line.startswith("empty.py 0 lines sha ") and line.endswith(", no symbols")


@pytest.mark.parametrize("name", ["symbol", "symbol_label", "symbol_id", "name"])
def test_class_asked_for_by_name_shows_its_members(shop: Server, name: str) -> None:
    assert outline(shop, "cart.py", **{name: "Cart"})[1:] == [
        "4-11 class Cart(Base)",
        "  5 size = 0",
        "  7 def __init__(self, owner=None)",
        "  10 def total(self) -> int",
    ]


def test_several_symbols_of_a_name_are_all_shown(shop: Server) -> None:
    assert outline(shop, "cart.py", symbol="total")[1:] == [
        "10-11 def total(self) -> int",
        "14-17 def total(carts)",
        "  15 def one(cart)",
    ]


def test_misspelled_symbol_gets_a_suggestion(shop: Server) -> None:
    (line,) = outline(shop, "cart.py", symbol="Cart.totl")
    assert line.startswith("no symbol named 'Cart.totl' in cart.py; did you mean cart.py#Cart.total?")


def test_small_classes_keep_signatures_and_large_ones_names(shop: Server) -> None:
    shown = outline(shop, "mixed.py")
    assert "  2 def small_method_0(self, first: int = 0, second: str | None = None) -> int" in shown
    assert (
        "8 class Large" in shown
        and "  9 large_method_0; large_method_1; large_method_2; large_method_3" in "\n".join(shown)
    )
    assert shown[-2] == "129 class Tiny"
    assert sum(3 + len(line) // 4.2 for line in shown[1:]) <= DEFAULT_TOKENS


def test_members_that_do_not_fit_are_counted(shop: Server) -> None:
    shown = outline(shop, "huge_class.py")
    assert shown[1] == "1 class Huge"
    left = 900 - sum(line.count("_method_") for line in shown)
    assert shown[-1] == f"  … {left} members more (symbol=Huge)"
    named = outline(shop, "huge_class.py", symbol="Huge")
    assert len(named) > len(shown) and " members more (start_line=" in named[-1]
    assert sum(3 + len(line) // 4.2 for line in named) <= NAMED_TOKENS + 50


def test_start_line_goes_on_where_an_outline_ended(shop: Server) -> None:
    seen: list[str] = []
    start = 1
    while start:
        shown = outline(shop, "huge.py", start_line=start)[1:]
        start = int(shown.pop().rpartition("start_line=")[2].rstrip(")")) if shown[-1].startswith("…") else 0
        seen += [name for line in shown for name in line.split(" ", 1)[1].split("; ")]
    assert [name.removeprefix("def ").partition("(")[0] for name in seen] == [f"function_{n}" for n in range(900)]


def test_limit_of_the_caller_shows_signatures(shop: Server) -> None:
    shown = outline(shop, "huge.py", limit_symbols=100)
    assert shown[1:3] == [f"{2 * n + 1} def function_{n}(argument: int) -> int" for n in range(2)]
    assert len(shown) == 102 and shown[-1] == "… 800 symbols more (start_line=201)"


def test_outline_of_a_revision_names_the_commit(shop: Server) -> None:
    (first, *_) = outline(shop, "cart.py", ref="HEAD")
    assert first.startswith("cart.py 17 lines commit ")


@pytest.mark.parametrize(
    ("signature", "limit", "shown"),
    [
        ("def f(a: int) -> int", 40, "def f(a: int) -> int"),
        ("def f(a: dict[str, int] = {}, *, b: str = 'x', **c: int) -> int", 40, "def f(a, *, b, **c) -> int"),
        ("f(a?: Map<string, number>, b = () => 1): void", 30, "f(a?, b): void"),
        ("int f(const char *name, unsigned long size)", 30, "int f(const char *name, unsig…"),
        ("x = [\n    1, 2]", 40, "x = [ 1, 2]"),
    ],
)
def test_long_signatures_lose_types_and_defaults_first(signature: str, limit: int, shown: str) -> None:
    assert short_signature(signature, limit) == shown
