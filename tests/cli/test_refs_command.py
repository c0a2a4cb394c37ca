"""`cpl refs` and `cpl calls`: text and JSON."""

from __future__ import annotations

import pytest

from support.callers import CASES, Calls
from support.repositories import write
from support.sandbox import Sandbox


def _shop(sandbox: Sandbox) -> None:
    write(
        sandbox.root,
        "store/cart.py",
        "class Base:\n"
        "    def total(self):\n"
        "        return 0\n"
        "class Cart(Base):\n"
        "    def __init__(self):\n"
        "        self.lines = []\n"
        "    def total(self):\n"
        "        return add(len(self.lines))\n"
        "def add(n):\n"
        "    return n\n",
    )
    write(
        sandbox.root,
        "store/use.py",
        "from store.cart import Cart as C, add\n"
        "def pay(given):\n"
        "    cart = C()\n"
        "    cart.lines.append(given)\n"
        "    given.total()\n"
        "    print(cart.total())\n"
        "    return add(1)\n",
    )


def test_method_references_with_overrides_and_unresolved_uses(indexed: Sandbox) -> None:
    _shop(indexed)
    (cart,) = [row for row in indexed.json("refs", "Cart.total")["result"]["symbols"] if "cart.py" in row["path"]]
    assert (cart["symbol_ref"], cart["kind"]) == ("store/cart.py#Cart.total@7", "method")
    assert [(row["path"], row["line"], row["column"], row["tier"]) for row in cart["references"]] == [
        ("store/use.py", 6, 16, "strong")
    ]
    assert (cart["total"], cart["tiers"], cart["unresolved"]) == (1, {"strong": 1}, 1)
    assert cart["unresolved_groups"] == [{"receiver": "obj.", "count": 1, "exemplars": ["store/use.py:5"]}]
    family = cart["family"]
    assert [row["symbol_ref"] for row in family["overrides"]] == ["store/cart.py#Base.total@2"]
    assert (family["overridden_by"], family["base_outside"]) == ([], False)
    shown = indexed.run("refs", "store/cart.py#Cart.total")
    assert shown.stdout == "store/use.py:6:    print(cart.total())\n"
    assert shown.stderr.splitlines() == [
        "unresolved: 1 possible (cpl search total --mode references)",
        "overrides Base.total",
    ]


def test_symbol_forms_are_accepted(indexed: Sandbox) -> None:
    _shop(indexed)
    for what in ("add", "store/cart.py:9", "store/use.py:7:12", "store/cart.py#add@9", "store.cart.add"):
        (found,) = indexed.json("refs", what)["result"]["symbols"]
        assert found["symbol_ref"] == "store/cart.py#add@9", what
        assert found["total"] == 3
    (attribute,) = indexed.json("refs", "Cart.lines")["result"]["symbols"]
    assert (attribute["kind"], [row["line"] for row in attribute["references"]]) == ("attribute", [8, 4])


def test_aliased_uses_are_listed_separately(indexed: Sandbox) -> None:
    _shop(indexed)
    (cart,) = indexed.json("refs", "store/cart.py#Cart")["result"]["symbols"]
    assert [(row["path"], row["line"]) for row in cart["references"]] == [("store/use.py", 1)]
    assert [(row["line"], row["column"]) for row in cart["under_another_name"]] == [(1, 32), (3, 12)]
    shown = indexed.run("refs", "store/cart.py#Cart").stderr
    assert shown == "under another name: 2 (store/use.py:1, store/use.py:3)\n"


def test_calls_in_both_directions(indexed: Sandbox) -> None:
    _shop(indexed)
    graph = indexed.json("calls", "pay")["result"]
    edges = {(row["caller"], row["callee"], row["tier"]) for row in graph["edges"]}
    pay = "store/use.py#pay@2"
    assert edges == {
        (pay, "store/cart.py#Cart.__init__@5", "strong"),
        (pay, "store/cart.py#Cart.total@7", "strong"),
        (pay, "store/cart.py#add@9", "strong"),
    }
    (node,) = [node for node in graph["nodes"] if node["symbol_ref"] == pay]
    assert node["unresolved_calls"] == 1
    deep = indexed.json("calls", "store/cart.py#add", "--direction", "callers", "--depth", "2")["result"]
    assert {row["caller"] for row in deep["edges"]} == {"store/cart.py#Cart.total@7", pay}
    cut = indexed.json("calls", "pay", "--limit", "1")["result"]
    assert (len(cut["edges"]), cut["left_out"]) == (1, 2)


def test_calls_print_the_source_line_of_each_call(indexed: Sandbox) -> None:
    _shop(indexed)
    shown = indexed.run("calls", "store/cart.py#add")
    assert shown.stdout.splitlines() == [
        "store/cart.py:8:return add(len(self.lines))  Cart.total",
        "store/use.py:7:return add(1)  pay",
    ]
    callees = indexed.run("calls", "pay", "--direction", "callees")
    assert callees.stdout.splitlines() == [
        "store/use.py:3:cart = C()  Cart.__init__ store/cart.py:5",
        "store/use.py:6:print(cart.total())  Cart.total store/cart.py:7",
        "store/use.py:7:return add(1)  add store/cart.py:9",
    ]
    assert "not resolved: 1 call" in callees.stderr
    nobody = indexed.run("calls", "pay")
    assert (nobody.returncode, nobody.stdout.strip()) == (0, "no callers; the name is not called anywhere")


def test_references_through_a_base_are_marked(indexed: Sandbox) -> None:
    _shop(indexed)
    write(
        indexed.root, "store/base.py", "from store.cart import Base\ndef sum_up(each: Base):\n    return each.total()\n"
    )
    (cart,) = [row for row in indexed.json("refs", "Cart.total")["result"]["symbols"] if "cart.py" in row["path"]]
    rows = {(row["path"], row["line"]): row.get("via") for row in cart["references"]}
    assert rows == {("store/use.py", 6): None, ("store/base.py", 3): "store/cart.py#Base.total@2"}
    assert "via Base.total" in indexed.run("refs", "store/cart.py#Cart.total").stdout


def test_a_name_that_is_not_found(indexed: Sandbox) -> None:
    for command in ("refs", "calls"):
        missing = indexed.run(command, "nobody_has_this")
        assert (missing.returncode, missing.stdout) == (1, "no symbol named 'nobody_has_this'\n")
    assert indexed.run("calls", "pay", "--direction", "sideways").returncode == 2


@pytest.mark.parametrize("language", ["python", "java", "go", "rust", "typescript"])
def test_calls_and_refs_name_the_same_calls(sandbox: Sandbox, language: str) -> None:
    case = CASES[language]
    for path, content in case.files.items():
        write(sandbox.root, path, content)
    assert sandbox.run("init").returncode == 0
    symbol, calls = next(iter(case.calls.items()))
    assert _piped(sandbox.run("calls", symbol).stdout) == calls
    (found,) = sandbox.json("refs", symbol)["result"]["symbols"]
    rows = [row for row in found["references"] + found.get("under_another_name", []) if row.get("calls")]
    assert {(row["path"], row["line"]): _name(row.get("via", "")) for row in rows} == calls


def _piped(text: str) -> Calls:
    found: Calls = {}
    for row in text.splitlines():
        path, line, body = row.split(":", 2)
        found[path, int(line)] = body.partition("  via ")[2]
    return found


def _name(reference: str) -> str:
    return reference.partition("#")[2].rpartition("@")[0]


def test_typescript_property_includes_its_redeclarations(indexed: Sandbox) -> None:
    write(
        indexed.root,
        "shapes.ts",
        "export interface Shape {\n  kind: string;\n}\n"
        "export interface Circle extends Shape {\n  kind: 'circle';\n}\n"
        "export function name(shape: Shape) {\n  return shape.kind;\n}\n"
        "export function round(circle: Circle) {\n  return circle.kind;\n}\n",
    )
    for line in (2, 5):
        (found,) = indexed.json("refs", f"shapes.ts:{line}:3")["result"]["symbols"]
        assert {row["line"] for row in found["references"]} == {2, 5, 8, 11} - {line}


def test_overload_signatures_share_the_rows_of_the_implementation(indexed: Sandbox) -> None:
    write(
        indexed.root,
        "over.py",
        "from typing import overload\n@overload\ndef parse(text: str) -> str: ...\n@overload\n"
        "def parse(text: int) -> int: ...\ndef parse(text):\n    return text\nparse(1)\n",
    )
    assert indexed.run("refs", "parse").stdout.splitlines()[-1] == "over.py:8:parse(1)"
    assert indexed.run("refs", "parse").stdout.count("parse(1)") == 1
