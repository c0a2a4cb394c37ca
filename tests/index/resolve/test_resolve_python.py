"""What names and members of Python files stand for in others."""

from __future__ import annotations

import pytest

from support.resolving import resolve


def targets(files: dict[str, str], path: str, text: str, nth: int = 1) -> list[tuple[str, int]]:
    """What the nth occurrence of a text in a file stands for, by path and line."""
    source = files[path]
    at = -1
    for _ in range(nth):
        at = source.index(text, at + 1)
    line = source.count("\n", 0, at) + 1
    column = at - (source.rfind("\n", 0, at) + 1)
    return resolve(files).get((path, line, column), [])


SHOP = {
    "shop/__init__.py": "from .cart import *\nfrom .items import Item as Thing\n",
    "shop/cart.py": (
        "import typing as t\n"
        "from .items import Item, make\n"
        "__all__ = ['Cart', 'open_cart']\n"
        "class Base:\n"
        "    def close(self): ...\n"
        "    def same(self): return self\n"
        "class Cart(Base):\n"
        "    first: 'Item'\n"
        "    def __init__(self, rest: t.Optional[Item] = None):\n"
        "        self.rest = rest\n"
        "        self.made = make()\n"
        "        self.all: list[Item] = []\n"
        "    @property\n"
        "    def last(self): return Item()\n"
        "    def __enter__(self): return self\n"
        "    def each(self):\n"
        "        for item in self.all:\n"
        "            yield item\n"
        "def open_cart() -> Cart: ...\n"
        "def _hidden(): ...\n"
    ),
    "shop/items.py": "class Item:\n    def price(self): ...\ndef make():\n    return Item()\n",
}


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("Cart().first", 2),
        ("Cart().rest", 2),
        ("Cart().made", 2),
        ("Cart().last", 2),
        ("Cart().all[0]", 2),
        ("open_cart().same().last", 2),
        ("next(Cart().each())", 2),
        ("[c.last for c in [Cart()]][0]", 2),
        ("{'a': Thing()}['a']", 2),
        ("(Cart() if x else None).last", 2),
        ("shop.items.make()", 2),
    ],
)
def test_members_are_found_through_types(expression: str, line: int) -> None:
    files = SHOP | {"use.py": f"import shop\nfrom shop import Cart, open_cart, Thing\n({expression}).price()\n"}
    assert targets(files, "use.py", "price") == [("shop/items.py", line)]


def test_what_a_star_does_not_take_over_is_not_found() -> None:
    files = SHOP | {"use.py": "from shop import *\nCart\n_hidden\nopen_cart\n"}
    assert targets(files, "use.py", "Cart") == [("shop/cart.py", 7)]
    assert targets(files, "use.py", "open_cart") == [("shop/cart.py", 19)]
    assert targets(files, "use.py", "_hidden") == []


def test_methods_of_a_base_and_through_super() -> None:
    files = SHOP | {
        "use.py": (
            "from shop.cart import Cart\n"
            "class Own(Cart):\n"
            "    def close(self):\n"
            "        super().close()\n"
            "        self.close()\n"
            "with Own() as own:\n"
            "    own.same().close()\n"
        )
    }
    assert targets(files, "use.py", "close", 2) == [("shop/cart.py", 5)]
    assert targets(files, "use.py", "close", 3) == [("use.py", 3)]
    assert targets(files, "use.py", "close", 4) == [("use.py", 3)], "`same` gives the object that it is called on"


def test_attributes_that_methods_give() -> None:
    files = SHOP | {"use.py": "from shop.cart import Cart\nCart().made\nCart().nothing\n"}
    assert targets(files, "use.py", "made") == [("shop/cart.py", 11)]
    assert targets(files, "use.py", "nothing") == []


def test_aliases_and_conditional_definitions() -> None:
    files = {
        "a.py": "try:\n    from b import f\nexcept ImportError:\n    def f(): ...\n",
        "b.py": "def f(): ...\n",
        "c.py": "from a import f as g\ng()\n",
    }
    assert targets(files, "c.py", "g()") == [("a.py", 4), ("b.py", 1)]
    assert targets(files, "c.py", "f as") == [("a.py", 4), ("b.py", 1)]


def test_fixtures_of_a_conftest_are_passed_to_tests() -> None:
    files = SHOP | {
        "tests/conftest.py": "import pytest\nfrom shop import Cart\n@pytest.fixture\ndef cart():\n    yield Cart()\n",
        "tests/unit/test_it.py": "def test_it(cart):\n    cart.close()\ndef other(cart):\n    cart.close()\n",
    }
    assert targets(files, "tests/unit/test_it.py", "close") == [("shop/cart.py", 5)]
    assert targets(files, "tests/unit/test_it.py", "close", 2) == [], "nobody passes it there"


def test_modules_of_one_name_are_told_apart_by_nearness_or_not_at_all() -> None:
    files = {
        "one/util.py": "def f(): ...\n",
        "two/util.py": "def f(): ...\n",
        "one/use.py": "import util\nutil.f()\n",
        "use.py": "import util\nutil.f()\n",
    }
    assert targets(files, "one/use.py", "f()") == [("one/util.py", 1)]
    assert targets(files, "use.py", "f()") == []


def test_what_is_not_known_is_not_linked() -> None:
    files = SHOP | {"use.py": "def f(x, y=None):\n    x.price()\n    y.price()\n    unknown().price()\n"}
    assert [targets(files, "use.py", "price", nth) for nth in (1, 2, 3)] == [[], [], []]


def test_functions_that_return_each_other_end() -> None:
    files = {
        "a.py": "from b import g\ndef f(n):\n    return g(n) if n else A()\nclass A:\n    def m(self): ...\n",
        "b.py": "import a\ndef g(n):\n    return a.f(n - 1)\na.f(3).m()\ng(3).m()\n",
    }
    assert targets(files, "b.py", "m()") == [("a.py", 5)]
    assert targets(files, "b.py", "m()", 2) == [("a.py", 5)]
