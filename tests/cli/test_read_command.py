"""`cpl read`: `path:line:text` through a pipe, numbers and colours on a terminal, and errors."""

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


def test_pipe_gets_path_line_and_text(shop: Sandbox) -> None:
    for target in ("Cart.total", "shop/cart.py#Cart.total", "shop/cart.py:2-3", "shop/cart.py:2"):
        done = shop.run("read", target)
        shown = "shop/cart.py:2:    def total(self):\nshop/cart.py:3:        return 1\n"
        assert (done.returncode, done.stdout) == (0, shown), done.stderr
    assert shop.run("read", "long.txt").stdout.splitlines()[-1] == "long.txt:5000:4999", "nothing is cut for people"


def test_one_missing_target_fails_the_command(shop: Sandbox) -> None:
    done = shop.run("read", "shop/cart.py:1-1", "Other")
    assert done.stdout.splitlines()[:2] == ["shop/cart.py:1:class Cart:", "shop/cart.py:6:class Other:"]
    assert done.returncode == 0
    missed = shop.run("read", "shop/cart.py:1-1", "nothing")
    assert missed.returncode == 1 and missed.stdout == "shop/cart.py:1:class Cart:\n" and missed.stderr


def test_path_is_relative_to_the_working_directory(shop: Sandbox) -> None:
    for target in ("cart.py:2-2", "cart.py#Cart.total", "cart.py"):
        for done in (shop.run("read", target, cwd=shop.root / "shop"), shop.run("-C", "shop", "read", target)):
            assert done.returncode == 0, done.stderr
            assert "def total" in done.stdout


def test_terminal_output_is_numbered_and_escaped(shop: Sandbox) -> None:
    (shop.root / "odd.txt").write_text("a\x1b]52;c;aGk=\x07b\n\ttab\n")
    code, shown = shop.terminal("read", "odd.txt")
    assert code == 0
    assert "a\\x1b]52;c;aGk=\\x07b" in shown and "\x1b]52" not in shown
    assert "odd.txt:1-2" in shown and "    tab" in shown


def test_a_terminal_shows_syntax_colours(shop: Sandbox) -> None:
    code, shown = shop.terminal("read", "shop/cart.py:2-3")
    assert code == 0 and "\x1b[33mdef\x1b[0m total" in shown and "\x1b[2m2\x1b[0m  " in shown


def test_unreadable_targets(shop: Sandbox) -> None:
    done = shop.run("read", "total")
    names = "shop/cart.py#Cart.total, shop/cart.py#Other.total, shop/orders.py#Order.total"
    assert (done.returncode, done.stdout) == (1, f"'total' names 3 symbols: {names}\n")
    binary = shop.run("read", "blob.bin")
    assert binary.returncode == 1 and binary.stderr.startswith("blob.bin binary, 3 bytes")
    secret = shop.run("read", ".env")
    assert secret.returncode == 1 and "secrets" in secret.stderr and "KEY" not in secret.stdout
    assert shop.run("read", "shop/crat.py").returncode == 1
    assert shop.run("read").returncode == 2


def test_diff_against_a_version(shop: Sandbox) -> None:
    (shop.root / "shop" / "orders.py").write_text("changed\n")
    done = shop.run("read", "-d", "head", "shop/orders.py")
    assert done.returncode == 0 and "+changed\n" in done.stdout
    assert shop.run("read", "--against", "INDEX", "shop/orders.py").stdout == done.stdout


def test_json_prints_the_envelope(shop: Sandbox) -> None:
    found = shop.json("read", "Cart.total")
    assert found["result"]["symbol_ref"] == "shop/cart.py#Cart.total@2"
    assert shop.json("read", "long.txt")["result"]["line_end"] == 5000, "nothing is cut for people"
