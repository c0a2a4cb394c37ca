"""refs, defs, imports, unused, units and roles: the tools behind the commands of the same names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.tools.surface import Format, Surface
from support.repositories import make_repository
from support.tooling import Server, error_of, serving

FILES: dict[str, str | bytes] = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.lines import Line\n\n\nclass Cart:\n    def total(self):\n        return Line()\n",
    "shop/lines.py": "from shop import cart\n\n\nclass Line:\n    pass\n\n\ndef _left():\n    return cart\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_it():\n    Cart().total()\n",
}
TEXT = Surface(("core", "navigation"), format=Format.TEXT)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("navigation") / "repo", FILES)) as server:
        yield server


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("refs", {"symbol": "Cart"}, "tests/test_cart.py\n1\tfrom shop.cart import Cart\n5\t    Cart().total()"),
        ("defs", {"name": "Cart", "path": "shop"}, "shop/cart.py\n4-6 class Cart"),
        ("defs", {"name": "Carrt"}, "no symbol named 'Carrt'; did you mean shop/cart.py#Cart?"),
        ("imports", {"file": "shop/cart.py"}, "shop/cart.py imports\n  shop/lines.py\nimported by\n  shop/lines.py"),
        ("imports", {"circles": True}, "cycle of 2 files\n  shop/cart.py\n  shop/lines.py"),
        (
            "unused",
            {"path": "shop/lines.py"},
            "no other use of this name in the repository\nshop/lines.py\n8 _left  function",
        ),
        ("units", {"path": "shop/cart.py"}, "shop/cart.py: shop (python, .)"),
        ("units", {"family": "python"}, "unit  root  family  files  state"),
        ("roles", {}, "role    files"),
        ("roles", {"path": "tests/test_cart.py"}, "tests/test_cart.py: test"),
    ],
)
def test_text_for_agents(shop: Server, tool: str, arguments: dict[str, object], text: str) -> None:
    assert shop.text(tool, arguments, surface=TEXT).startswith(text)


def test_results(shop: Server) -> None:
    (cart,) = shop.call("refs", {"symbol": "Cart"})["result"]["symbols"]
    assert [(row["path"], row["line"]) for row in cart["references"]] == [
        ("tests/test_cart.py", 1),
        ("tests/test_cart.py", 5),
    ]
    found = shop.call("defs", {"name": "total", "kind": "method"})
    assert [row["symbol_ref"] for row in found["result"]["results"]] == ["shop/cart.py#Cart.total@5"]
    assert found["meta"]["freshness"] == {"status": "fresh"}
    missing = shop.call("refs", {"symbol": "Carrt"})
    assert (missing["status"], missing["result"]["similar"]) == ("not_found", ["shop/cart.py#Cart"])


def test_invalid_arguments(shop: Server) -> None:
    error_of(shop.call("imports"), ErrorCode.ARGUMENT_INVALID)
    error_of(shop.call("imports", {"file": "shop/crt.py"}), ErrorCode.FILE_NOT_FOUND)
    error_of(shop.call("units", {"family": "cobol"}), ErrorCode.ARGUMENT_INVALID)
    for tool in ("unused", "units", "roles"):
        error_of(shop.call(tool, {"path": "nowhere"}), ErrorCode.FILE_NOT_FOUND)
