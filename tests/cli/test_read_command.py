"""`cpl read`: bare text through a pipe, and why there is none."""

from __future__ import annotations

import pytest

from support.sandbox import Sandbox


@pytest.fixture
def shop(sandbox: Sandbox) -> Sandbox:
    (sandbox.root / "shop" / "cart.py").write_text(
        "class Cart:\n    def total(self):\n        return 1\n\n\n"
        "class Other:\n    def total(self):\n        return 2\n"
    )
    (sandbox.root / "long.txt").write_text("".join(f"{n}\n" for n in range(5000)))
    (sandbox.root / ".env").write_text("KEY=1\n")
    (sandbox.root / "blob.bin").write_bytes(b"\0\1\2")
    assert sandbox.run("init").returncode == 0
    return sandbox


def test_text_is_shown_as_it_is(shop: Sandbox) -> None:
    for target in ("Cart.total", "shop/cart.py#Cart.total", "shop/cart.py:2-3", "shop/cart.py:2"):
        done = shop.run("read", target)
        assert (done.returncode, done.stdout) == (0, "    def total(self):\n        return 1\n"), done.stderr
    assert shop.run("read", "long.txt").stdout == (shop.root / "long.txt").read_text()


def test_several_stand_under_their_places(shop: Sandbox) -> None:
    done = shop.run("read", "shop/cart.py:1-1", "Other")
    assert done.stdout.splitlines()[:4] == ["shop/cart.py:1-1", "class Cart:", "", "shop/cart.py:6-8  class"]
    assert done.returncode == 0
    assert shop.run("read", "shop/cart.py:1-1", "nothing").returncode == 1


def test_a_path_is_relative_to_where_one_stands(shop: Sandbox) -> None:
    for target in ("cart.py:2-2", "cart.py#Cart.total", "cart.py"):
        for done in (shop.run("read", target, cwd=shop.root / "shop"), shop.run("-C", "shop", "read", target)):
            assert done.returncode == 0, done.stderr
            assert "def total" in done.stdout


def test_a_terminal_shows_numbers_and_nothing_that_acts(shop: Sandbox) -> None:
    (shop.root / "odd.txt").write_text("a\x1b]52;c;aGk=\x07b\n\ttab\n")
    code, shown = shop.terminal("read", "odd.txt")
    assert code == 0
    assert "a\\x1b]52;c;aGk=\\x07b" in shown and "\x1b]52" not in shown
    assert "odd.txt:1-2" in shown and "    tab" in shown


def test_what_cannot_be_shown(shop: Sandbox) -> None:
    done = shop.run("read", "total")
    assert done.returncode == 1
    assert "shop/cart.py#Cart.total@2" in done.stdout and "shop/cart.py#Other.total@7" in done.stdout
    assert shop.run("read", "blob.bin").stdout.startswith("blob.bin  a binary file")
    secret = shop.run("read", ".env")
    assert secret.returncode == 1 and "secrets" in secret.stderr and "KEY" not in secret.stdout
    assert shop.run("read", "shop/crat.py").returncode == 1
    assert shop.run("read").returncode == 2


def test_what_changed(shop: Sandbox) -> None:
    (shop.root / "shop" / "orders.py").write_text("changed\n")
    done = shop.run("read", "-d", "head", "shop/orders.py")
    assert done.returncode == 0 and "+changed\n" in done.stdout
    assert shop.run("read", "--against", "INDEX", "shop/orders.py").stdout == done.stdout


def test_programs_get_the_envelope(shop: Sandbox) -> None:
    found = shop.json("read", "Cart.total")
    assert found["result"]["symbol_ref"] == "shop/cart.py#Cart.total@2"
    assert shop.json("read", "long.txt")["result"]["line_end"] == 5000, "nothing is cut for people"
