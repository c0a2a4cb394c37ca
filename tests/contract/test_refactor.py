"""Refactorings: previewed, applied as one mutation, checked, rolled back; nothing uncertain is changed unasked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.tools.surface import EVERYTHING, Surface
from support.edits import tree_of
from support.repositories import make_repository, write
from support.tooling import Envelope, Server, call_tool, error_of, serving

SHOP: dict[str, str | bytes] = {
    "shop/__init__.py": 'from shop.cart import Cart, total_of\n\n__all__ = ["Cart", "total_of"]\n',
    "shop/cart.py": """\
class Base:
    __slots__ = ("size", "name")

    def __init__(self, size):
        self.size = size

    def run(self, count, *, deep=False):
        return self.size + count


class Cart(Base):
    def run(self, count, *, deep=False):
        return super().run(count=count, deep=deep) + getattr(self, "size")


def total_of(cart: Cart, other):
    other.run(2)
    return cart.run(1, deep=True) + cart.size


class Other:
    def run(self):
        return 0

    def walk(self):
        return self.run()
""",
    "shop/view.py": """\
import shop.cart
from shop import total_of as total
from shop.cart import Cart as Basket


def show(list_=[]):
    basket = Basket(3)
    return total(basket, None), shop.cart.total_of(basket, None), print
""",
    "tests/test_view.py": """\
from unittest.mock import patch

import shop.cart


def test_show(monkeypatch):
    with patch("shop.cart.total_of"):
        monkeypatch.setattr(shop.cart, "total_of", None)
    assert "total_of" not in {"total_of": 1}
""",
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cart:total_of"\n',
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("shop") / "repo", SHOP)) as opened:
        yield opened


@pytest.fixture
def server(shared: Server) -> Iterator[Server]:
    """The shared server; the files are restored after the test."""
    yield shared
    for path, text in SHOP.items():
        write(shared.root, path, text)


def rename(server: Server, symbol: str, new_name: str, **more: object) -> Envelope:
    return server.call("refactor_rename", {"symbol": symbol, "new_name": new_name, **more})


def renamed(server: Server, symbol: str, new_name: str, **more: object) -> dict[str, Any]:
    envelope = rename(server, symbol, new_name, apply=True, **more)
    assert envelope["status"] == "ok", envelope
    found: dict[str, Any] = envelope["result"]
    return found


def read(server: Server, path: str) -> str:
    return (server.root / path).read_text()


def test_function_is_renamed_with_imports_exports_and_strings_that_name_it(server: Server) -> None:
    before = tree_of(server.root)
    done = renamed(server, "shop/cart.py#total_of", "sum_of")
    assert (done["applied"], done["edits"], done["semantic"]) == (True, 8, True)
    assert read(server, "shop/__init__.py") == str(SHOP["shop/__init__.py"]).replace("total_of", "sum_of")
    view = read(server, "shop/view.py")
    assert "import sum_of as total\n" in view and "return total(basket, None), shop.cart.sum_of(" in view
    test = read(server, "tests/test_view.py")
    assert 'patch("shop.cart.sum_of")' in test and 'setattr(shop.cart, "sum_of", None)' in test
    assert 'assert "total_of" not in {"total_of": 1}' in test
    assert '"shop.cart:sum_of"' in read(server, "pyproject.toml")
    server.call("rollback", {"mutation_id": done["mutation_id"]})
    assert tree_of(server.root) == before


def test_method_is_renamed_in_its_whole_override_family(server: Server) -> None:
    plan = rename(server, "Base.run", "execute")
    assert plan["status"] == "ok"
    assert plan["result"]["also_renamed"] == ["shop/cart.py#Cart.run@12"]
    assert plan["result"]["coverage"]["tiers"] == {"proven": 2, "strong": 2, "anchored": 1}
    assert [(row["line"], row["reason"]) for row in plan["result"]["possible"]] == [(17, "receiver unknown")]
    done = server.call("refactor_apply", {"plan_id": plan["result"]["plan_id"]})
    assert done["status"] == "ok"
    text = read(server, "shop/cart.py")
    assert text.count("def execute(") == 2 and "super().execute(" in text and "cart.execute(1" in text
    assert "other.run(2)" in text and "self.run()" in text


def test_possible_use_is_changed_only_if_it_is_named(server: Server) -> None:
    before = tree_of(server.root)
    asked = rename(server, "Base.run", "execute", apply=True)
    assert (asked["status"], asked["result"]["applied"]) == ("needs_decision", False)
    assert tree_of(server.root) == before
    refused = rename(server, "Base.run", "execute", apply=True, include=["shop/cart.py:18"])
    assert error_of(refused, ErrorCode.ARGUMENT_INVALID)["expected"].startswith("shop/cart.py:17")
    renamed(server, "Base.run", "execute", include=["shop/cart.py:17"])
    assert "other.execute(2)" in read(server, "shop/cart.py")


def test_possible_uses_are_left_if_the_caller_says_so(server: Server) -> None:
    renamed(server, "Base.run", "execute", include=["none"])
    assert "other.run(2)" in read(server, "shop/cart.py")


def test_attribute_is_renamed_with_slots_and_literal_reflection(server: Server) -> None:
    renamed(server, "Base.size", "width")
    text = read(server, "shop/cart.py")
    assert '__slots__ = ("width", "name")' in text and 'getattr(self, "width")' in text
    assert "self.width = size" in text and "+ cart.width" in text


def test_parameter_is_renamed_with_overrides_and_keyword_arguments(server: Server) -> None:
    renamed(server, "shop/cart.py:7:19", "amount")
    text = read(server, "shop/cart.py")
    assert text.count("def run(self, amount, *, deep=False):") == 2
    assert "super().run(amount=amount, deep=deep)" in text


def test_class_keeps_its_aliases(server: Server) -> None:
    renamed(server, "shop/cart.py#Cart", "Trolley")
    view = read(server, "shop/view.py")
    assert "import Trolley as Basket" in view and "Basket(3)" in view
    assert read(server, "shop/__init__.py").endswith('__all__ = ["Trolley", "total_of"]\n')


@pytest.mark.parametrize(
    ("symbol", "new_name", "told"),
    [
        ("Base.run", "class", "'class' is a reserved word in python"),
        ("Base.run", "two words", "'two words' is not a name in python"),
        ("Base.run", "run", "'run' is the name already"),
        ("shop/cart.py:5", "x", "no definition is named on line 5 of 'shop/cart.py'"),
    ],
)
def test_invalid_name_is_rejected(server: Server, symbol: str, new_name: str, told: str) -> None:
    assert error_of(rename(server, symbol, new_name), ErrorCode.ARGUMENT_INVALID)["message"] == told


@pytest.mark.parametrize(
    ("symbol", "new_name", "place"),
    [
        ("Base.run", "size", "shop/cart.py:5: Base.size exists"),
        ("shop/cart.py#total_of", "Cart", "shop/cart.py:11: Cart exists"),
        ("shop/cart.py#total_of", "other", ""),
        ("shop/view.py#show", "total", "shop/view.py:6: 'total' means something else here"),
        ("shop/view.py#show", "print", "shop/view.py:8: 'print' would mean the renamed symbol here"),
        ("shop/view.py:7:5", "total", "shop/view.py:8: 'total' would mean the renamed symbol here"),
        ("shop/cart.py:7:19", "deep", "shop/cart.py:7: 'deep' means something else here"),
    ],
)
def test_name_that_is_taken_or_would_be_captured_is_refused(
    server: Server, symbol: str, new_name: str, place: str
) -> None:
    before = tree_of(server.root)
    envelope = rename(server, symbol, new_name, apply=True)
    if place:
        assert place in error_of(envelope, ErrorCode.REFACTOR_COLLISION)["details"]["collisions"]
        assert tree_of(server.root) == before
    else:
        assert envelope["status"] == "ok"


def test_preview_changes_nothing_and_is_deterministic(server: Server) -> None:
    before = tree_of(server.root)
    one, other = (rename(server, "Base.run", "execute")["result"] for _ in range(2))
    assert one.pop("plan_id") != other.pop("plan_id")
    assert one == other
    assert tree_of(server.root) == before


def test_plan_is_refused_if_a_file_changed_meanwhile(server: Server) -> None:
    plan = rename(server, "shop/cart.py#total_of", "sum_of")["result"]["plan_id"]
    write(server.root, "shop/view.py", str(SHOP["shop/view.py"]) + "\n\nX = 1\n")
    before = tree_of(server.root)
    envelope = server.call("refactor_apply", {"plan_id": plan})
    assert envelope["status"] == "blocked"
    assert envelope["error"]["error"] == "PLAN_STALE"
    assert envelope["error"]["details"]["suggested_refresh_scope"] == ["shop/view.py"]
    assert tree_of(server.root) == before


def test_plan_belongs_to_its_client_and_is_gone_once_cancelled_or_applied(server: Server) -> None:
    plan = rename(server, "shop/cart.py#total_of", "sum_of")["result"]["plan_id"]
    error_of(server.call("refactor_apply", {"plan_id": plan}, principal="other"), ErrorCode.HANDLE_NOT_YOURS)
    assert server.call("refactor_cancel", {"plan_id": plan})["result"] == {"cancelled": plan}
    error_of(server.call("refactor_apply", {"plan_id": plan}), ErrorCode.HANDLE_EXPIRED)


def test_inspection_lists_all_sites_by_tier(server: Server) -> None:
    plan = rename(server, "Base.run", "execute")["result"]["plan_id"]
    found = server.call("refactor_inspect", {"plan_id": plan})["result"]
    assert found["total"] == 5
    assert found["sites"][0]["tier"] == "anchored"
    strong = server.call("refactor_inspect", {"plan_id": plan, "tier": "strong", "limit": 1})["result"]
    assert (strong["total"], len(strong["sites"]), strong["sites"][0]["line"]) == (2, 1, 13)


def test_repeated_key_renames_once(server: Server) -> None:
    first = renamed(server, "Base.size", "width", idempotency_key="k1")
    again = renamed(server, "Base.size", "width", idempotency_key="k1")
    assert again["mutation_id"] == first["mutation_id"]


def test_unresolved_names_are_answers(server: Server) -> None:
    missing = rename(server, "Bsae.run", "execute")
    assert missing["status"] == "not_found"
    assert missing["result"]["similar"][0] == "shop/cart.py#Base.run"
    assert rename(server, "run", "execute")["status"] == "ambiguous"


def test_text_form_is_short(server: Server) -> None:
    asked = server.text("refactor_rename", {"symbol": "Base.run", "new_name": "execute", "apply": True}, surface=CORE)
    lines = asked.split("\n")
    assert lines[0] == "not applied: 1 possible use to decide"
    assert "5 edits" not in asked and "4 edits in 1 file: 2 proven, 2 strong, 1 possible" in lines[1]
    assert "17\t    other.run(2)  receiver unknown" in lines
    assert lines[-1].startswith("hint: refactor_apply plan_id=p_")
    done = server.text("refactor_rename", {"symbol": "Base.size", "new_name": "breadth", "apply": True}, surface=CORE)
    assert done.startswith("shop/cart.py +5 -5 sha ") and len(done.split("\n")) == 1


CORE = Surface(("core", "refactor"))


@pytest.mark.parametrize("name", ["_helper", "__helper"])
def test_name_that_star_imports_leave_out_is_refused(tmp_path: Path, name: str) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "from b import *\n\n\ndef use():\n    return helper()\n",
        "b.py": "def helper():\n    return 1\n",
    }
    with serving(make_repository(tmp_path / "repo", files)) as server:
        error = error_of(rename(server, "b.py#helper", name, apply=True), ErrorCode.REFACTOR_COLLISION)
        assert error["details"]["collisions"] == [f"a.py:5: '{name}' is not visible here"]


def test_names_listed_after_star_imports_are_renamed(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pkg/__init__.py": 'from .b import *\n\n__all__ = ["helper"]\n',
        "pkg/b.py": '__all__ = ["helper"]\n\n\ndef helper():\n    return 1\n',
        "c.py": "from urllib.parse import helper\n\nhelper()\n",
    }
    with serving(make_repository(tmp_path / "repo", files)) as server:
        done = rename(server, "pkg/b.py#helper", "assist", apply=True)["result"]
        assert done["applied"] and "unknown" not in done
        assert '__all__ = ["assist"]' in read(server, "pkg/__init__.py")
        assert read(server, "c.py") == files["c.py"]


def test_value_that_a_library_hands_back_is_shown(tmp_path: Path) -> None:
    text = """\
import os
import pickle


class Cart:
    def total(self):
        return os.total


cart = Cart()
cart.total()
pickle.loads(pickle.dumps(cart)).total()
"""
    with serving(make_repository(tmp_path / "repo", {"a.py": text})) as server:
        plan = rename(server, "Cart.total", "amount")["result"]
        assert [(row["line"], row["reason"]) for row in plan["unknown"]] == [(12, "value from a library")]


def test_captured_name_rolls_the_change_back(tmp_path: Path) -> None:
    """A derived class calls a method of the class around it, which an inherited one of that name would hide."""
    text = """\
class Outer {
    static int length() { return 1; }
    static class Base { int size() { return 2; } }
    static class Derived extends Base { int get() { return length(); } }
}
"""
    with serving(make_repository(tmp_path / "repo", {"Outer.java": text})) as server:
        error = error_of(rename(server, "Base.size", "length", apply=True), ErrorCode.REFACTOR_BROKEN)
        assert error["details"]["broken"] == ["Outer.java:4: means the renamed symbol now"]
        assert read(server, "Outer.java") == text
        kept = renamed(server, "Base.size", "length", allow_broken=True)
        assert kept["broken"] == error["details"]["broken"]


def test_java_class_is_renamed_with_its_file_and_constructor(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "p/Cart.java": "package p;\n\npublic class Cart {\n    public Cart() {}\n}\n",
        "p/Shop.java": "package p;\n\nclass Shop {\n    Cart cart = new Cart();\n}\n",
    }
    with serving(make_repository(tmp_path / "repo", files)) as server:
        renamed(server, "p/Cart.java#Cart", "Basket")
        assert not (server.root / "p/Cart.java").exists()
        assert read(server, "p/Basket.java") == str(files["p/Cart.java"]).replace("Cart", "Basket")
        assert "Basket cart = new Basket();" in read(server, "p/Shop.java")


def test_shorthand_properties_keep_the_other_name(tmp_path: Path) -> None:
    text = """\
interface Box { size: number }
export function make(size: number): Box {
  return { size };
}
const { size } = make(1);
export const twice = size * 2;
"""
    with serving(make_repository(tmp_path / "repo", {"a.ts": text, "tsconfig.json": "{}"})) as server:
        done = renamed(server, "Box.size", "width")
        after = read(server, "a.ts")
        assert "interface Box { width: number }" in after
        assert "return { width: size };" in after and "const { width: size } = make(1);" in after
        server.call("rollback", {"mutation_id": done["mutation_id"]})
        renamed(server, "a.ts:2:22", "amount")
        assert "make(amount: number): Box {\n  return { size: amount };" in read(server, "a.ts")


def test_go_name_that_other_packages_use_stays_exported(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "go.mod": "module example.com/shop\n\ngo 1.21\n",
        "cart/cart.go": "package cart\n\ntype Cart struct{ Size int }\n\nfunc New() *Cart { return &Cart{Size: 1} }\n",
        "main.go": 'package main\n\nimport "example.com/shop/cart"\n\nfunc main() { println(cart.New().Size) }\n',
    }
    with serving(make_repository(tmp_path / "repo", files)) as server:
        error = error_of(rename(server, "cart/cart.go#New", "create"), ErrorCode.REFACTOR_COLLISION)
        assert error["details"]["collisions"] == ["main.go:5: 'create' is not visible here"]
        renamed(server, "Cart.Size", "Width")
        assert "&Cart{Width: 1}" in read(server, "cart/cart.go") and "New().Width" in read(server, "main.go")


def test_language_without_resolved_references_is_refused(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"run.sh": "greet() {\n  echo hi\n}\ngreet\n"})
    with serving(root) as server:
        assert rename(server, "run.sh#greet", "hello")["error"]["error"] == "LANGUAGE_UNSUPPORTED"


def test_one_shot_call_renames_without_a_plan(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def one():\n    return 1\n\n\none()\n"})
    call_tool(root, "manage_index", {"action": "create"})
    preview = call_tool(root, "refactor_rename", {"symbol": "one", "new_name": "two"}, surface=EVERYTHING)
    assert "plan_id" not in preview["result"] and preview["result"]["diff"].count("\n+") == 3
    arguments = {"symbol": "one", "new_name": "two", "apply": True}
    stale = call_tool(root, "refactor_rename", {**arguments, "plan": "0" * 16})
    assert stale["error"]["error"] == "PLAN_STALE"
    done = call_tool(root, "refactor_rename", {**arguments, "plan": preview["result"]["fingerprint"]})
    assert done["result"]["applied"] and (root / "a.py").read_text().count("two") == 2
