"""Forms of an edit that write_source accepts: top level, aliases, symbols, patterns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from support.edits import tree_of
from support.held_index import build_held
from support.repositories import make_repository, write
from support.tooling import Server, call_tool, codes_of, error_of, serving

CART = """\
LIMIT = 10; OTHER = 2


class Cart:
    # Sum of the prices.
    @property
    def total(self):
        if not self.items:
            return 0
        return sum(self.items)

    def clear(self):
        self.items = []


class Box: size = 3
"""
FILES: dict[str, str | bytes] = {
    "shop/cart.py": CART,
    "shop/tax.py": "RATE = 0.19\n\n\ndef total(value):\n    return value * RATE\n",
    "shop/tabs.go": "package shop\n\nfunc Total() int {\n\treturn 1\n}\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total == 0\n",
    "names.txt": "shop\r\nshop a\r\nshop b",
    "bom.txt": "\ufeffone\ntwo\n".encode(),
    "wide.txt": "one\ntwo\n".encode("utf-16"),
    "image.bin": bytes(range(256)),
    ".gitignore": "*.log\n",
    "build.log": "shop\n",
    ".github/workflows/ci.yml": "name: shop\n",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(make_repository(tmp_path / "repo", FILES)) as opened:
        yield opened


def text_of(server: Server, path: str) -> str:
    return (server.root / path).read_bytes().decode()


def done(server: Server, **arguments: object) -> dict[str, Any]:
    envelope = server.call("write_source", arguments)
    assert envelope["status"] == "ok", envelope
    found: dict[str, Any] = envelope["result"]
    return found


def refused(server: Server, code: ErrorCode, **arguments: object) -> dict[str, Any]:
    before = tree_of(server.root)
    error = error_of(server.call("write_source", arguments), code)
    assert tree_of(server.root) == before
    return error


@pytest.mark.parametrize(
    ("arguments", "path", "result"),
    [
        ({"path": "shop/tax.py", "old_text": "0.19", "new_text": "0.2"}, "shop/tax.py", "RATE = 0.2\n"),
        ({"path": "shop/tax.py", "expected_content": "0.19", "new_content": "0.2"}, "shop/tax.py", "RATE = 0.2\n"),
        ({"file_path": "shop/tax.py", "old_string": "0.19", "new_string": "0.2"}, "shop/tax.py", "RATE = 0.2\n"),
        ({"path": "shop/tax.py", "old_str": "0.19", "replacement": ""}, "shop/tax.py", "RATE = \n"),
        ({"path": "shop/tax.py:1", "old_text": "RATE", "new_text": "TAX"}, "shop/tax.py", "TAX = 0.19\n"),
        ({"path": "new/file.txt", "content": "a\n"}, "new/file.txt", "a\n"),
        (
            {"path": "names.txt", "old_text": "shop", "new_text": "x", "start_line": 3},
            "names.txt",
            "shop\r\nshop a\r\nx b",
        ),
        (
            {"path": "names.txt", "old_text": "shop", "new_text": "x", "replace_all": True},
            "names.txt",
            "x\r\nx a\r\nx b",
        ),
        (
            {"path": "names.txt", "old_text": "shop", "new_text": "x", "replace_all": "true", "expected_count": 3},
            "names.txt",
            "x\r\nx a\r\nx b",
        ),
        ({"path": "bom.txt", "old_text": "\ufeffone", "new_text": "1"}, "bom.txt", "\ufeff1\ntwo\n"),
        ({"path": "names.txt", "old_text": "b", "new_text": "c\nd"}, "names.txt", "shop\r\nshop a\r\nshop c\r\nd"),
    ],
    ids=lambda value: json.dumps(value)[:50] if isinstance(value, dict) else "",
)
def test_one_edit_at_the_top_level(server: Server, arguments: dict[str, object], path: str, result: str) -> None:
    assert done(server, **arguments)["applied"]
    assert text_of(server, path).startswith(result)


def test_delete_and_move_at_the_top_level(server: Server) -> None:
    done(server, path="shop/tax.py", action="move", new_path="shop/taxes.py")
    done(server, path="shop/taxes.py", action="delete")
    assert not (server.root / "shop/taxes.py").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"dry_run": True},
        {"path": "names.txt", "edits": [{"path": "names.txt", "action": "delete"}]},
        {"edits": []},
        {"path": "names.txt"},
        {"path": "names.txt", "old_text": "shop"},
        {"path": "names.txt", "old_text": "", "new_text": "x"},
        {"path": "names.txt", "new_text": "x"},
        {"old_text": "shop", "new_text": "x"},
        {"path": "names.txt", "old_text": "shop", "new_text": "x", "replace_all": True, "start_line": 1},
        {"path": "names.txt", "new_text": "x", "replace_all": True},
        {"path": "names.txt", "old_text": "a", "new_text": "x", "expected_count": 1},
        {"path": "names.txt", "old_text": "a", "new_text": "x", "symbol": "Cart"},
        {"path": "names.txt", "old_text": "a", "new_text": "x", "edit": 1},
        {"action": "replace_symbol", "symbol": "Cart"},
        {"action": "replace_symbol", "path": "shop/cart.py", "new_text": "x"},
        {"action": "replace_symbol", "symbol": "Cart", "new_text": " \n"},
        {"action": "insert_before", "symbol": "Cart", "new_text": "x", "content": "y"},
        {"action": "insert_after", "symbol": "Cart", "new_text": "x", "start_line": 3},
        {"pattern": "a", "new_text": "b"},
        {"pattern": "a", "paths": ["*"]},
        {"action": "replace_pattern", "new_text": "b", "paths": ["*"]},
        {"pattern": "a", "new_text": "b", "path": "names.txt", "paths": ["*"]},
        {"pattern": "a", "new_text": "b", "paths": ["*"], "expected_file_sha256": "0" * 12},
        {"pattern": "a", "new_text": r"\1", "path": "names.txt"},
        {"pattern": "(", "new_text": "b", "path": "names.txt"},
        {"pattern": "x*", "new_text": "b", "path": "names.txt"},
        {"path": "names.txt", "action": "delete", "sha256": "0" * 11},
        {"path": "names.txt", "action": "delete", "sha256": "g" * 12},
    ],
    ids=lambda arguments: json.dumps(arguments)[:60],
)
def test_contradictory_or_incomplete_arguments_are_rejected(server: Server, arguments: dict[str, object]) -> None:
    error = refused(server, ErrorCode.ARGUMENT_INVALID, **arguments)
    assert error["expected"]


def test_digest_prefix_of_12_digits_is_accepted(server: Server) -> None:
    digest = hashlib.sha256((server.root / "shop/tax.py").read_bytes()).hexdigest()
    edit = {"path": "shop/tax.py", "old_text": "RATE = 0.19", "new_text": "RATE = 0.2"}
    error = refused(server, ErrorCode.HASH_MISMATCH, **edit, expected_file_sha256="0" * 12)
    assert error["details"]["current_sha256"] == digest and digest[:12] in error["message"]
    done(server, **edit, expected_file_sha256=digest[:12].upper())
    late = refused(server, ErrorCode.HASH_MISMATCH, **edit, expected_file_sha256=digest[:12])
    assert late["details"]["changed_lines"] == ["1-1"] and "at lines 1-1" in late["message"]


def test_several_matches_are_named(server: Server) -> None:
    error = refused(server, ErrorCode.EDIT_AMBIGUOUS, path="names.txt", old_text="shop", new_text="x")
    assert error["message"] == "names.txt: 'shop' occurs 3 times (lines 1, 2, 3); nothing was changed"
    assert error["details"] == {"edit": 1, "path": "names.txt", "lines": [1, 2, 3], "total": 3}


def test_a_miss_shows_the_nearest_lines(server: Server) -> None:
    old = "if self.items:\n    return 0\nreturn sum(self.items)"
    error = refused(server, ErrorCode.EDIT_NOT_FOUND, path="shop/cart.py", old_text=old, new_text="x")
    assert error["details"]["nearest_lines"] == "8-10"
    assert "+8\t        if not self.items:" in error["details"]["excerpt"]


def test_a_missing_file_is_answered_with_the_nearest_path(server: Server) -> None:
    error = refused(server, ErrorCode.FILE_NOT_FOUND, path="shop/taxx.py", old_text="a", new_text="b")
    assert error["message"] == "'shop/taxx.py' does not exist; did you mean shop/tax.py? Nothing was changed."


def test_reindented_text_is_reported(server: Server) -> None:
    old, new = "if not self.items:\n    return 0\n", "if not self.items:\n    return 1\n"
    row = done(server, path="shop/cart.py", old_text=old, new_text=new)["delta"]["files"][0]
    assert row["edits"] == [{"lines": "8-9", "new_lines": "8-9", "reindented": True}]
    assert "        if not self.items:\n            return 1\n" in text_of(server, "shop/cart.py")


def test_many_replacements_are_counted_and_some_are_listed(server: Server) -> None:
    write(server.root, "many.txt", "a\n" * 5000)
    row = done(server, path="many.txt", old_text="a", new_text="b", replace_all=True)["delta"]["files"][0]
    assert (row["replacements"], row["insertions"], len(row["edits"])) == (5000, 5000, 20)


@pytest.mark.parametrize(
    ("arguments", "path", "old", "new"),
    [
        (
            {"action": "replace_symbol", "symbol": "Cart.total", "new_text": "def total(self):\n    return 1\n"},
            "shop/cart.py",
            CART[CART.index("    @property") : CART.index("\n    def clear")],
            "    def total(self):\n        return 1\n",
        ),
        (
            {"symbol": "shop/cart.py#Cart.clear", "new_text": "def clear(self):\n    pass"},
            "shop/cart.py",
            "        self.items = []\n",
            "        pass\n",
        ),
        (
            {"action": "replace_symbol", "path": "shop/cart.py:13", "content": "def clear(self):\n    pass"},
            "shop/cart.py",
            "        self.items = []\n",
            "        pass\n",
        ),
        (
            {
                "action": "insert_before",
                "path": "shop/cart.py",
                "symbol": "total",
                "new_text": "def n(self):\n    pass",
            },
            "shop/cart.py",
            "    # Sum",
            "    def n(self):\n        pass\n\n    # Sum",
        ),
        (
            {"action": "insert_after", "path": "shop", "symbol": "clear", "new_text": "def n(self):\n    pass"},
            "shop/cart.py",
            "        self.items = []\n",
            "        self.items = []\n\n    def n(self):\n        pass\n",
        ),
        (
            {"action": "insert_after", "symbol": "Total", "new_text": "func N() {\n  if x {\n    y()\n  }\n}"},
            "shop/tabs.go",
            "\treturn 1\n}\n",
            "\treturn 1\n}\n\nfunc N() {\n\tif x {\n\t\ty()\n\t}\n}\n",
        ),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_edits_at_a_symbol(server: Server, arguments: dict[str, object], path: str, old: str, new: str) -> None:
    before = text_of(server, path)
    assert old in before
    done(server, **arguments)
    assert text_of(server, path) == before.replace(old, new, 1)


def test_a_symbol_is_located_in_the_current_text(server: Server) -> None:
    write(server.root, "shop/tax.py", "# A comment.\n" * 30 + str(FILES["shop/tax.py"]))
    done(server, action="replace_symbol", symbol="shop/tax.py#total", new_text="def total(value):\n    return 0")
    assert text_of(server, "shop/tax.py").endswith("RATE = 0.19\n\n\ndef total(value):\n    return 0\n")


def test_two_symbols_of_one_file_are_edited_together(server: Server) -> None:
    edits = [
        {"action": "insert_after", "symbol": "Cart.clear", "new_text": "def n(self):\n    pass"},
        {"action": "replace_symbol", "symbol": "Cart.total", "new_text": "def total(self):\n    return 1"},
        {"path": "shop/cart.py", "old_text": "self.items = []", "new_text": "self.items.clear()"},
    ]
    delta = done(server, edits=edits)["delta"]
    assert delta["files_changed"] == 1 and len(delta["files"][0]["edits"]) == 3
    found = text_of(server, "shop/cart.py")
    assert "    def total(self):\n        return 1\n\n    def clear(self):\n        self.items.clear()\n" in found


@pytest.mark.parametrize(
    ("symbol", "path", "code", "words"),
    [
        ("total", None, ErrorCode.EDIT_AMBIGUOUS, "names 2 symbols: shop/tax.py#total, shop/cart.py#Cart.total"),
        ("Carrt.total", None, ErrorCode.EDIT_NOT_FOUND, "no symbol named 'Carrt.total'; did you mean"),
        ("totl", "shop/tax.py", ErrorCode.EDIT_NOT_FOUND, "no symbol named 'totl' in shop/tax.py; did you mean"),
        ("LIMIT", None, ErrorCode.EDIT_AMBIGUOUS, "shares line 1 of shop/cart.py with 'OTHER'"),
        ("OTHER", None, ErrorCode.EDIT_AMBIGUOUS, "shares line 1 of shop/cart.py with 'LIMIT'"),
        ("Box.size", None, ErrorCode.EDIT_AMBIGUOUS, "shares line 16 of shop/cart.py with 'Box'"),
        ("shop/cart.py#Cart", "shop/tax.py", ErrorCode.ARGUMENT_INVALID, "is in shop/cart.py"),
        ("total", "shop/none.py", ErrorCode.FILE_NOT_FOUND, "does not exist"),
        ("total", ".env", ErrorCode.SECRET_PATH, ""),
        ("total", "../x.py", ErrorCode.PATH_ESCAPE, ""),
    ],
)
def test_uneditable_symbols_are_refused(
    server: Server, symbol: str, path: str | None, code: ErrorCode, words: str
) -> None:
    arguments = {"action": "replace_symbol", "symbol": symbol, "new_text": "x"} | ({"path": path} if path else {})
    assert words in refused(server, code, **arguments)["message"]


def test_a_symbol_without_an_index(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    arguments = {"action": "replace_symbol", "symbol": "Cart.clear", "new_text": "def clear(self): ..."}
    assert call_tool(root, "write_source", arguments)["status"] == "not_indexed"
    assert (root / "shop/cart.py").read_text() == CART


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        (
            {"pattern": r"\btotal\b", "new_text": "amount", "paths": ["**/*.py"]},
            {"shop/cart.py": 1, "shop/tax.py": 1, "tests/test_cart.py": 1},
        ),
        (
            {"pattern": r"\btotal\b", "new_text": "amount", "paths": ["*.py", "!tests/**"]},
            {"shop/cart.py": 1, "shop/tax.py": 1},
        ),
        ({"pattern": r"\btotal\b", "new_text": "amount", "paths": "shop/"}, {"shop/cart.py": 1, "shop/tax.py": 1}),
        ({"pattern": r"\btotal\b", "new_text": "amount", "path": "shop/tax.py"}, {"shop/tax.py": 1}),
        (
            {"pattern": r"(\w+) = (\S+)", "replacement": r"\2 = \1", "paths": ["shop/tax.py"], "expected_count": 1},
            {"shop/tax.py": 1},
        ),
        ({"pattern": "shop", "new_text": "store", "path": "build.log"}, {"build.log": 1}),
        ({"pattern": "^", "new_text": "> ", "path": "names.txt", "expected_count": 3}, {"names.txt": 3}),
        ({"pattern": "two", "new_text": "2", "paths": ["wide.txt", "bom.txt"]}, {"bom.txt": 1, "wide.txt": 1}),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_replace_pattern(server: Server, arguments: dict[str, object], changed: dict[str, int]) -> None:
    rows = done(server, **arguments)["delta"]["files"]
    assert {row["path"]: row["replacements"] for row in rows} == changed


def test_replace_pattern_keeps_line_endings_and_encodings(server: Server) -> None:
    done(server, pattern="(?m)^shop (.)$", new_text=r"\1\nx", path="names.txt")
    assert (server.root / "names.txt").read_bytes() == b"shop\r\na\r\nx\r\nb\r\nx"
    done(server, pattern="two", new_text="zwölf", path="wide.txt")
    assert (server.root / "wide.txt").read_bytes() == "one\nzwölf\n".encode("utf-16")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"pattern": "nothing", "paths": ["**/*.py"]}, ErrorCode.EDIT_NOT_FOUND, "matches nothing in 3 files"),
        ({"pattern": "nothing", "path": "names.txt"}, ErrorCode.EDIT_NOT_FOUND, "matches nothing in names.txt"),
        ({"pattern": "a", "paths": ["**/*.rs"]}, ErrorCode.EDIT_NOT_FOUND, "no file matches paths **/*.rs"),
        (
            {"pattern": "total", "paths": ["**/*.py"], "expected_count": 2},
            ErrorCode.EDIT_COUNT_MISMATCH,
            "4 places would be changed, but expected_count is 2",
        ),
        (
            {"old_text": "shop", "path": "names.txt", "replace_all": True, "expected_count": 2},
            ErrorCode.EDIT_COUNT_MISMATCH,
            "3 places would be changed, but expected_count is 2",
        ),
        ({"pattern": "a", "path": "image.bin"}, ErrorCode.NOT_TEXT, "image.bin"),
        ({"pattern": "a", "path": "none.txt"}, ErrorCode.FILE_NOT_FOUND, "none.txt"),
        ({"pattern": "shop", "paths": ["*"]}, ErrorCode.CONFIRMATION_REQUIRED, ".github/workflows/ci.yml"),
        ({"pattern": "a", "path": ".git/config"}, ErrorCode.PROTECTED_PATH, ""),
        ({"pattern": "a", "paths": [".env"]}, ErrorCode.EDIT_NOT_FOUND, ""),
        ({"pattern": "a", "path": "../x"}, ErrorCode.PATH_ESCAPE, ""),
        ({"pattern": r"(?<=a)b", "paths": ["*"]}, ErrorCode.PATTERN_UNSUPPORTED, "look-behind"),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_invalid_patterns_are_refused(
    server: Server, arguments: dict[str, object], code: ErrorCode, words: str
) -> None:
    assert words in refused(server, code, **arguments, new_text="x")["message"]


def test_a_secret_is_not_changed_by_a_glob(server: Server) -> None:
    write(server.root, ".env", "shop=1\n")
    write(server.root, "plain.txt", "shop=1\n")
    assert refused(server, ErrorCode.SECRET_PATH, pattern="shop", new_text="x", paths=[".env"])
    done(server, pattern="shop=1", new_text="x", paths=["*", "!.github"])
    assert (text_of(server, ".env"), text_of(server, "plain.txt")) == ("shop=1\n", "x\n")


def test_replace_pattern_is_one_change_that_can_be_undone(server: Server) -> None:
    before = tree_of(server.root)
    found = done(server, pattern="total", new_text="amount", paths=["**/*.py"])
    assert found["delta"]["files_changed"] == 3
    assert server.call("rollback", {"mutation_id": found["mutation_id"]})["status"] == "ok"
    assert tree_of(server.root) == before


def test_the_task_scope_holds_for_every_file_of_a_pattern(server: Server) -> None:
    task = server.call("task", {"action": "open", "paths": ["shop/**"]})["result"]["task_id"]
    arguments = {"pattern": "total", "new_text": "amount", "task_id": task}
    refused(server, ErrorCode.TASK_SCOPE, **arguments, paths=["**/*.py"])
    done(server, **arguments, paths=["shop/**/*.py"])


def test_a_cancelled_pattern_changes_nothing(server: Server) -> None:
    polls = iter([False] * 6)
    found = server.call(
        "write_source",
        {"pattern": "total", "new_text": "x", "paths": ["**/*.py"]},
        cancelled=lambda: next(polls, True),
    )
    error_of(found, ErrorCode.CANCELLED)
    assert text_of(server, "shop/cart.py") == CART


def test_the_same_key_at_the_top_level_and_in_a_batch_is_the_same_change(server: Server) -> None:
    edit = {"path": "shop/tax.py", "old_text": "0.19", "new_text": "0.2"}
    first = done(server, **edit, idempotency_key="k")
    assert done(server, edits=[edit], idempotency_key="k") == first


def test_sensitive_files_need_consent_at_the_top_level_too(server: Server) -> None:
    edit = {"path": ".github/workflows/ci.yml", "old_text": "shop", "new_text": "store"}
    refused(server, ErrorCode.CONFIRMATION_REQUIRED, **edit)
    assert codes_of(server.call("write_source", edit | {"allow_sensitive": True})) == ["SENSITIVE_PATH"]


def test_slow_edits_are_aborted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeplane.operations.write_source.targets.MAX_SECONDS", -1.0)
    error = refused(server, ErrorCode.TOO_BUSY, pattern="total", new_text="x", path="shop/tax.py")
    assert "nothing was changed" in error["message"]


def test_globs_work_during_the_first_build(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "new", FILES)
    with build_held(root) as (server, _):
        arguments = {"pattern": "total", "new_text": "amount", "paths": ["**/*.py"]}
        envelope = server.call("write_source", arguments)
        assert envelope["result"]["delta"]["files_changed"] == 3
        assert codes_of(envelope) == ["INDEX_NOT_FRESH"]


def test_globs_work_without_an_index(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    found = call_tool(root, "write_source", {"pattern": "total", "new_text": "amount", "paths": ["**/*.py"]})
    assert found["result"]["delta"]["files_changed"] == 3
