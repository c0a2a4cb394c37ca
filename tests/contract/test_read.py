"""read: targets, valid combinations of arguments, truncation."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.base.limits import MAX_ANSWER_CHARS
from codeplane.tools.calls import CallRequest
from codeplane.tools.surface import EVERYTHING, Surface
from support.ledgers import list_operations
from support.repositories import git, make_repository, sync, write
from support.tooling import AGENT, Envelope, Server, codes_of, error_of, follow, serving

CART = (
    "import os\nfrom typing import Any, cast as c\n\n\n"
    "class Cart:\n    size = 0\n\n    @property\n    def total(self) -> int:\n        return 1\n\n"
    "    def clear(self, now: bool) -> None:\n        self.items = []\n\n\n"
    "def total(carts):\n    return 0\n\n\nLIMIT = 3\n"
)
LONG = "".join(f"def function_{n}(argument):\n    return {n}\n" for n in range(400))
FILES: dict[str, str | bytes] = {
    "shop/cart.py": CART,
    "shop/other.py": "class Other:\n    def clear(self):\n        return 2\n",
    "shop/App.java": (
        "package shop;\n\npublic class App {\n    App(int size) {}\n\n"
        "    /**\n     * Runs.\n     */\n    void run() {}\n}\n"
    ),
    "shop/lib.rs": "pub struct Item;\n\nimpl Item {\n    pub fn take(&self) -> u32 {\n        1\n    }\n}\n",
    "shop/overload.ts": "export function f(a: string): void;\nexport function f(a: any): void {\n  return;\n}\n",
    "long.py": LONG,
    "wide.py": "x = '" + "y" * 30_000 + "'\n",
    "quotes.txt": ('"\\\t' * 100 + "\n") * 60,
    "crlf.txt": "a\r\nb\r\n",
    "bom.txt": b"\xef\xbb\xbfa\n",
    "latin.txt": "grün\n".encode("latin-1"),
    "wide16.txt": b"\xff\xfe" + "ä\n".encode("utf-16-le"),
    "blob.bin": bytes(range(256)),
    "empty.py": "",
    "notes.txt": "one\ntwo\nthree\n",
    "a#b.py": "def inside():\n    return 1\n",
    "odd:10-20": "odd\n",
    "build/made.py": "x = 1\n",
    "trojan.py": "a = 1\nb = 'user\u202e'\n",
    "AGENTS.md": "# Agents\n",
    ".gitignore": "*.tmp\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_repository(tmp_path_factory.mktemp("read") / "repo", FILES)
    write(root, "left.tmp", "left\n")
    write(root, ".env", "KEY=zqsecret\n")
    os.symlink("AGENTS.md", root / "CLAUDE.md")
    os.symlink(".env", root / "innocent.txt")
    os.symlink("/etc/hostname", root / "outside")
    return root


@pytest.fixture(scope="module")
def shop(place: Path) -> Iterator[Server]:
    """Asked by all and changed by none."""
    with serving(place) as server:
        yield server


def lines_of(text: str, first: int, last: int) -> str:
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


TARGETS: list[tuple[str, str, int, int]] = [
    ("shop/cart.py", "file", 1, 20),
    ("./shop/cart.py", "file", 1, 20),
    ("shop\\cart.py", "file", 1, 20),
    ("shop/cart.py:3-5", "snippet", 3, 5),
    ("shop/cart.py:18-", "snippet", 18, 20),
    ("shop/cart.py:18-99", "snippet", 18, 20),
    ("shop/cart.py#L3-L5", "snippet", 3, 5),
    ("shop/cart.py#Cart", "symbol", 5, 13),
    ("shop/cart.py#Cart.total", "symbol", 8, 10),
    ("shop/cart.py#Cart.total@8", "symbol", 8, 10),
    ("shop/cart.py#Cart.total@2", "symbol", 8, 10),
    ("shop/cart.py#total@16", "symbol", 16, 17),
    ("shop/cart.py:9", "symbol", 8, 10),
    ("shop/cart.py:9:4", "symbol", 8, 10),
    ("shop/cart.py#L9", "symbol", 8, 10),
    ("shop/cart.py:3", "snippet", 1, 13),
    ("Cart", "symbol", 5, 13),
    ("Cart.total", "symbol", 8, 10),
    ("Cart::total", "symbol", 8, 10),
    ("shop.cart.Cart.total", "symbol", 8, 10),
    ("LIMIT", "symbol", 20, 20),
    ("Cart.items", "symbol", 13, 13),
]


@pytest.mark.parametrize(("target", "mode", "first", "last"), TARGETS)
def test_mode_is_inferred_from_the_target(shop: Server, target: str, mode: str, first: int, last: int) -> None:
    found = shop.call("read", {"target": target, "fresh": True})
    result = found["result"]
    assert (found["status"], result["mode"], result["path"]) == ("ok", mode, "shop/cart.py")
    assert (result["line_start"], result["line_end"]) == (first, last)
    assert result["content"] == lines_of(CART, first, last)
    assert result["file_sha256"] == hashlib.sha256(CART.encode()).hexdigest()
    assert found["meta"]["token_estimate"] == len(result["content"]) // 4
    assert "truncated" not in found["meta"]
    if mode == "symbol":
        assert (
            shop.call("read", {"target": result["symbol_ref"], "fresh": True})["result"]["content"] == result["content"]
        )


@pytest.mark.parametrize(
    ("arguments", "same_as"),
    [
        ({"path": "shop/cart.py"}, "shop/cart.py"),
        ({"file": "shop/cart.py", "symbol": "Cart.total"}, "Cart.total"),
        ({"path": "shop/cart.py", "symbol": "total@16"}, "shop/cart.py#total@16"),
        ({"path": "shop", "symbol": "Cart"}, "Cart"),
        ({"symbol": "Cart.total"}, "Cart.total"),
        ({"symbol_ref": "shop/cart.py#Cart@5"}, "Cart"),
        ({"mode": "symbol", "target": "Cart"}, "Cart"),
        ({"mode": "symbol", "target": "clear", "path": "shop/cart.py"}, "Cart.clear"),
        ({"mode": "symbol", "target": "clear", "path": "shop/other.py"}, "Other.clear"),
        ({"mode": "snippet", "target": "shop/cart.py:3-5"}, "shop/cart.py:3-5"),
        ({"target": "shop/cart.py", "start_line": 3, "end_line": 5}, "shop/cart.py:3-5"),
        ({"target": "shop/cart.py", "line_start": 3, "lineEnd": "5"}, "shop/cart.py:3-5"),
        ({"target": "shop/cart.py", "lines": "3-5"}, "shop/cart.py:3-5"),
        ({"target": "shop/cart.py", "start_line": 18}, "shop/cart.py:18-20"),
        ({"target": "shop/cart.py", "end_line": 2}, "shop/cart.py:1-2"),
        ({"target": "shop/cart.py:4-4", "context_lines": 1}, "shop/cart.py:3-5"),
        ({"target": "shop/cart.py:4", "mode": "snippet", "context_lines": 1}, "shop/cart.py:3-5"),
        ({"target": "shop/cart.py", "offset": 2, "limit": 3}, "shop/cart.py:3-5"),
        ({"target": "Cart", "offset": 3, "limit": 3}, "shop/cart.py:8-10"),
        ({"target": "shop/cart.py:2-9", "offset": 1, "limit": 3}, "shop/cart.py:3-5"),
        ({"target": "shop/cart.py", "mode": "plain"}, "shop/cart.py"),
    ],
)
def test_argument_spellings_are_lenient(shop: Server, arguments: dict[str, object], same_as: str) -> None:
    found = shop.call("read", {**arguments, "fresh": True})
    assert found["status"] == "ok", found
    assert found["result"]["content"] == shop.call("read", {"target": same_as, "fresh": True})["result"]["content"]


def test_absolute_path_in_the_repository_is_accepted(shop: Server) -> None:
    found = shop.call("read", {"target": f"{shop.root}/notes.txt"})
    assert found["result"]["path"] == "notes.txt"
    found = shop.call("read", {"target": f"{shop.root}/shop/cart.py#Cart"})
    assert found["result"]["symbol_ref"] == "shop/cart.py#Cart@5"


@pytest.mark.parametrize(
    ("mode", "name", "value", "only"),
    [
        ("file", "start_line", 1, "snippet"),
        ("file", "end_line", 1, "snippet"),
        ("symbol", "start_line", 1, "snippet"),
        ("diff_preview", "end_line", 1, "snippet"),
        ("file", "context_lines", 1, "snippet"),
        ("file", "against", "HEAD", "diff_preview"),
        ("symbol", "against", "INDEX", "diff_preview"),
        ("snippet", "against", "HEAD", "diff_preview"),
        ("file", "content", "x", "diff_preview"),
        ("file", "include_context", True, "symbol"),
        ("snippet", "include_context", True, "symbol"),
        ("file", "path", "shop", "symbol"),
        ("file", "symbol", "Cart", "symbol"),
        ("diff_preview", "annotated", True, "file"),
        (None, "against", "HEAD", "diff_preview"),
        (None, "include_context", True, "symbol"),
        (None, "path", "shop", "symbol"),
    ],
)
def test_parameter_of_another_mode_is_rejected(
    shop: Server, mode: str | None, name: str, value: object, only: str
) -> None:
    arguments = {"target": "notes.txt", name: value, **({"mode": mode} if mode else {})}
    if mode == "snippet":
        arguments["target"] = "notes.txt:1-2"
    refused = error_of(shop.call("read", arguments), ErrorCode.ARGUMENT_INVALID)
    assert refused["message"] == f"{name} is only valid for mode='{only}'. Remove it or switch mode."
    assert refused["details"] == {"parameter": name, "mode": mode or "file", "valid_for": only}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"targets": []},
        {"mode": "file"},
        {"target": "notes.txt", "mode": "snippet"},
        {"target": "notes.txt", "start_line": 3, "end_line": 2},
        {"target": "notes.txt:3-2"},
        {"target": "notes.txt", "start_line": 9},
        {"target": "notes.txt", "offset": 3},
        {"target": "notes.txt", "lines": "many"},
        {"targets": ["notes.txt"], "start_line": 2},
        {"targets": [{"start_line": 2}]},
        {"targets": [{"path": "notes.txt", "colour": 1}]},
        {"targets": ["notes.txt"] * 21},
        {"cursor": "c_" + "A" * 12, "limit": 3},
    ],
)
def test_unreadable_target_suggests_a_working_call(shop: Server, arguments: dict[str, object]) -> None:
    found = shop.call("read", arguments)
    assert found["error"]["error"] in ("ARGUMENT_INVALID", "UNKNOWN_PARAMETER"), found
    assert found["error"]["expected"] and "example" in found["error"]


def test_ambiguous_symbol_lists_candidates(shop: Server) -> None:
    found = shop.call("read", {"target": "clear"})
    assert found["status"] == "ambiguous" and "content" not in found["result"]
    assert found["result"]["candidates"] == [
        {
            "symbol_ref": "shop/cart.py#Cart.clear@12",
            "kind": "method",
            "line_end": 13,
            "signature": "def clear(self, now: bool) -> None",
        },
        {"symbol_ref": "shop/other.py#Other.clear@2", "kind": "method", "line_end": 3},
    ]
    for candidate in found["result"]["candidates"]:
        assert shop.call("read", {"target": candidate["symbol_ref"]})["status"] == "ok"
    assert shop.call("read", {"target": "shop/overload.ts#f"})["result"]["declarations"] == ["shop/overload.ts#f@1"]
    assert shop.call("read", {"target": "shop/overload.ts#f@2"})["result"]["line_start"] == 2
    assert shop.call("read", {"target": "App"})["result"]["kind"] == "class", "a constructor gives way to its type"


def test_missing_symbol(shop: Server) -> None:
    found = shop.call("read", {"target": "Car", "mode": "symbol"})
    assert found["status"] == "not_found" and found["result"]["similar"] == ["shop/cart.py#Cart"]
    assert follow(shop, found["hints"]["search"])["status"] == "ok"
    assert shop.call("read", {"target": "shop/cart.py#nothing"})["status"] == "not_found"
    assert shop.call("read", {"target": "notes.txt:2", "mode": "symbol"})["status"] == "not_found"
    assert shop.call("read", {"target": "notes.txt:2"})["result"]["content"] == "one\ntwo\nthree\n"


def test_missing_file(shop: Server) -> None:
    error = error_of(shop.call("read", {"target": "shop/crat.py"}), ErrorCode.FILE_NOT_FOUND)
    assert error["details"]["nearest"] == ["shop/cart.py"]
    assert shop.call("read", error["example"])["status"] == "ok"
    error = error_of(shop.call("read", {"target": "shop"}), ErrorCode.NOT_REGULAR)
    assert shop.call("read", error["example"])["status"] == "ok"
    for missing in ("gone.py", "gone/", "gone.txt", "a/b"):
        assert "error" in shop.call("read", {"target": missing}), missing


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "~/x", "C:\\x", "shop/../../x", "a\x01b"])
def test_paths_outside_the_repository_are_rejected(shop: Server, path: str) -> None:
    for mode in ("file", "snippet", "diff_preview", None):
        arguments = {"target": path, **({"mode": mode} if mode else {})}
        found = shop.call("read", arguments | ({"start_line": 1} if mode == "snippet" else {}))
        assert "content" not in found.get("result", {}), found


def test_file_names_that_look_like_targets(shop: Server) -> None:
    assert shop.call("read", {"target": "a#b.py"})["result"]["mode"] == "file"
    found = shop.call("read", {"target": "inside"})["result"]
    assert found["symbol_ref"] == "a%23b.py#inside@1"
    assert shop.call("read", {"target": found["symbol_ref"]})["result"]["content"] == found["content"]
    assert shop.call("read", {"file": "a#b.py", "symbol": "inside"})["result"]["content"] == found["content"]
    assert shop.call("read", {"target": "odd:10-20"})["result"]["content"] == "odd\n"
    assert shop.call("read", {"target": "odd:10-20:1-1"})["result"]["content"] == "odd\n"


def test_symlinks_are_not_followed_and_name_their_target(shop: Server) -> None:
    error = error_of(shop.call("read", {"target": "CLAUDE.md"}), ErrorCode.PATH_SYMLINK)
    assert error["details"] == {"leads_to": "AGENTS.md"}
    for name in ("innocent.txt", "outside"):
        error = error_of(shop.call("read", {"target": name}), ErrorCode.PATH_SYMLINK)
        assert "details" not in error, "neither a secret nor what lies outside is named"


def test_context_of_a_symbol(shop: Server) -> None:
    plain = shop.call("read", {"target": "Cart.total"})["result"]
    found = shop.call("read", {"target": "Cart.total", "include_context": True})["result"]
    assert found["parents"] == [{"kind": "class", "name": "Cart", "line_start": 5}]
    assert found["imports"] == ["os", "typing: Any, cast as c"]
    assert {name: found[name] for name in plain} == plain
    run = shop.call("read", {"target": "App.run", "include_context": True})["result"]
    assert run["comment"] == "    /**\n     * Runs.\n     */\n" and run["content"] == "    void run() {}\n"
    assert "comment" not in shop.call("read", {"target": "App.run"})["result"]


def test_unusual_encodings_are_reported(shop: Server) -> None:
    unusual = ("encoding", "bom", "line_ending", "lossy")

    def told(path: str) -> dict[str, object]:
        result = shop.call("read", {"target": path})["result"]
        return {name: result[name] for name in unusual if name in result}

    assert told("notes.txt") == {}
    assert told("crlf.txt") == {"line_ending": "crlf"}
    assert told("bom.txt") == {"bom": True}
    assert told("latin.txt") == {"encoding": "latin-1"}
    assert told("wide16.txt") == {"encoding": "utf-16-le", "bom": True}
    assert shop.call("read", {"target": "crlf.txt"})["result"]["content"] == "a\r\nb\r\n"


def test_binary_files(shop: Server) -> None:
    found = shop.call("read", {"target": "blob.bin"})
    assert (found["status"], found["result"]["size"]) == ("unsupported", 256)
    assert found["result"]["file_sha256"] == hashlib.sha256(bytes(range(256))).hexdigest()
    found = shop.call("read", {"target": "empty.py"})
    assert (found["status"], found["result"]["content"], found["result"]["line_count"]) == ("ok", "", 0)
    assert "line_start" not in found["result"]


def test_ignored_files_are_read_and_flagged(shop: Server) -> None:
    for path in ("left.tmp", "build/made.py"):
        found = shop.call("read", {"target": path})
        assert found["status"] == "ok" and codes_of(found) == ["FILE_IGNORED"]
    assert codes_of(shop.call("read", {"target": "notes.txt"})) == []


def test_hidden_characters_are_flagged_and_preserved(shop: Server) -> None:
    found = shop.call("read", {"target": "trojan.py:2-2"})
    assert found["result"]["content"] == "b = 'user\u202e'\n"
    (warning,) = found["warnings"]
    assert (warning["code"], warning["at"], warning["characters"]) == ("HIDDEN_UNICODE", ["2:10"], ["U+202E"])


def pages(server: Server, found: Envelope) -> list[Envelope]:
    all_pages = [found]
    while "next" in all_pages[-1].get("hints", {}):
        all_pages.append(follow(server, all_pages[-1]["hints"]["next"], fresh=True))
        assert len(all_pages) < 50
    return all_pages


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": "long.py"},
        {"target": "long.py", "limit": 1000},
        {"target": "long.py", "limit": 77},
        {"target": "long.py", "max_preview_chars": 500},
        {"target": "long.py:1-800"},
        {"target": "quotes.txt", "max_preview_chars": 20000},
    ],
)
def test_truncated_text_continues_without_gaps(shop: Server, arguments: dict[str, Any]) -> None:
    every = pages(shop, shop.call("read", {**arguments, "fresh": True}))
    assert len(every) > 1
    whole = FILES[arguments["target"].partition(":")[0]]
    assert "".join(page["result"]["content"] for page in every) == whole
    *cut, last = every
    for page in cut:
        assert page["meta"]["truncated"] is True
        assert page["result"]["lines_left"] == page["result"]["line_count"] - page["result"]["line_end"]
        asked = page["result"]["line_end"] - page["result"]["line_start"] + 1 == arguments.get("limit")
        assert ("preview_degraded" in page["meta"]) != asked
        assert len(page["result"]["content"]) <= arguments.get("max_preview_chars", 12_000)
    assert "truncated" not in last["meta"] and "lines_left" not in last["result"]


def test_truncated_symbol_has_hints_for_the_rest_and_members(shop: Server, tmp_path: Path) -> None:
    members = "".join(f"    def method_{n}(self):\n        return {n}\n" for n in range(300))
    root = make_repository(tmp_path / "repo", {"big.py": f"x = 1\n\n\nclass Big:\n{members}\n\ny = 2\n"})
    with serving(root) as server:
        every = pages(server, server.call("read", {"target": "Big"}))
        assert "".join(page["result"]["content"] for page in every) == f"class Big:\n{members}"
        outline = follow(server, every[0]["hints"]["members"])
        assert outline["result"]["symbols"][0]["name"] == "Big"


def test_overlong_line_is_truncated_and_paged(shop: Server) -> None:
    found = shop.call("read", {"target": "wide.py"})
    assert found["result"]["within_line"] is True and len(found["result"]["content"]) == 12_000
    assert found["meta"]["truncated"] is True
    page = follow(shop, found["hints"]["next"])
    text = page["result"]["content"]
    while "pagination" in page["result"]:
        page = shop.call("read_file_full", {"cursor": page["result"]["pagination"]["next_cursor"]})
        text += page["result"]["content"]
    assert text == FILES["wide.py"]


def test_preview_mode_none_reports_tokens(shop: Server) -> None:
    found = shop.call("read", {"target": "long.py", "preview_mode": "none"})
    assert "content" not in found["result"] and "hints" not in found
    assert found["meta"]["token_estimate"] == len(LONG) // 4
    assert found["result"]["line_count"] == 800 and "file_sha256" in found["result"]


def test_annotated_adds_the_outline(shop: Server) -> None:
    found = shop.call("read", {"target": "shop/cart.py", "annotated": True})["result"]
    assert found["content"] == CART and found["outline_status"] == "ok" and found["has_more"] is False
    assert [node["name"] for node in found["outline"]] == ["Cart", "total", "LIMIT"]
    part = shop.call("read", {"target": "shop/cart.py:16-17", "annotated": True})["result"]
    assert [node["name"] for node in part["outline"]] == ["total"]
    assert shop.call("read", {"target": "notes.txt", "annotated": True})["result"]["outline_status"] == "unsupported"
    assert shop.call("read", {"target": "left.tmp", "annotated": True})["result"]["outline_status"] == "not_indexed"
    long = shop.call("read", {"target": "long.py", "annotated": True, "limit": 1000, "max_preview_chars": 20_000})
    assert long["status"] == "ok"


def test_many_targets_in_one_call(shop: Server) -> None:
    targets: list[object] = [
        "Cart.total",
        {"path": "shop/cart.py", "start_line": 1, "end_line": 2},
        {"file": "shop/cart.py", "symbol": "Cart.clear"},
        {"symbol": "LIMIT"},
        {"path": "notes.txt", "lines": "2-3"},
        {"path": "notes.txt", "mode": "diff_preview"},
        "clear",
        "gone.py",
        ".env",
    ]
    found = shop.call("read", {"targets": targets})
    items = found["result"]["items"]
    assert [item.get("status", "ok") for item in items] == ["ok"] * 6 + ["ambiguous", "not_found", "error"]
    assert [item.get("mode") for item in items[:6]] == [
        "symbol",
        "snippet",
        "symbol",
        "symbol",
        "snippet",
        "diff_preview",
    ]
    assert items[4]["content"] == "two\nthree\n"
    assert items[8]["error"] == "SECRET_PATH"
    assert ["file_sha256" in item for item in items[:6]] == [True, False, False, False, True, False], "once for a file"
    assert found["status"] == "ok"
    assert shop.call("read", {"targets": ["gone.py", "clear"]})["status"] == "not_found"
    as_text = shop.call("read", {"targets": json.dumps(["notes.txt", {"path": "notes.txt", "start_line": 3}])})
    assert len(as_text["result"]["items"]) == 2


def test_many_targets_are_paged_in_their_order(shop: Server) -> None:
    targets = [f"long.py:{n}-{n + 149}" for n in range(1, 651, 50)]
    page = shop.call("read", {"targets": targets, "fresh": True})
    items = list(page["result"]["items"])
    while "pagination" in page["result"]:
        assert page["result"]["pagination"]["total_estimate"] == len(targets) - len(items)
        page = shop.call("read", {"cursor": page["result"]["pagination"]["next_cursor"]})
        items += page["result"]["items"]
    assert [item["target"] for item in items] == targets
    for item in items:
        text = item["content"]
        while "next" in item:
            (item,) = shop.call("read", {"targets": [item["next"]], "fresh": True})["result"]["items"]
            text += item["content"]
        assert text.count("\n") == 150
    stolen = shop.call("read", {"cursor": "c_" + "A" * 12})
    error_of(stolen, ErrorCode.HANDLE_EXPIRED)


def test_answer_stays_within_its_size_limit(shop: Server) -> None:
    for path in ("long.py", "wide.py", "quotes.txt"):
        for chars in (200, 12_000, 20_000):
            arguments = {"targets": [path] * 20, "limit": 1000, "max_preview_chars": chars, "annotated": True}
            found = shop.call("read", {**arguments, "fresh": True})
            assert found["status"] == "ok"
            assert len(json.dumps(found, ensure_ascii=False, separators=(",", ":"))) <= MAX_ANSWER_CHARS


def test_people_get_untruncated_text(shop: Server) -> None:
    found = shop.call("read", {"target": "notes.txt"}, surface=EVERYTHING)
    assert found["result"]["content"] == FILES["notes.txt"]
    body, *_ = shop.pipeline.call(CallRequest("read", {"target": "wide.py"}, "person", EVERYTHING))
    assert json.loads(body)["result"]["content"] == FILES["wide.py"]


def test_files_can_be_read_without_an_index(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def f():\n    return 1\n"})
    sync(root)
    with serving(root) as server:
        server.manage("clear", confirm=True)
        assert server.call("read", {"target": "a.py"})["result"]["content"] == "def f():\n    return 1\n"
        assert server.call("read", {"target": "a.py:1"})["result"]["mode"] == "snippet"
        assert server.call("read", {"target": "a.py:1-1"})["status"] == "ok"
        assert server.call("read", {"target": "a.py", "mode": "diff_preview"})["result"]["change"] == "unchanged"
        assert server.call("read", {"target": "a.py", "annotated": True})["result"]["outline_status"] == "not_indexed"
        found = server.call("read", {"target": "f"})
        assert found["status"] == "not_indexed" and found["hints"]["create"]["tool"] == "manage_index"


def test_symbol_lines_match_the_current_bytes(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def f():\n    return 1\n"})
    with serving(root) as server:
        for n in range(30):
            write(root, "a.py", "# moved\n" * n + f"def f():\n    return {n}\n")
            found = server.call("read", {"target": "a.py#f", "fresh": True})
            assert found["result"]["content"] == f"def f():\n    return {n}\n"
            assert found["result"]["line_start"] == n + 1
            assert found["result"]["file_sha256"] == hashlib.sha256((root / "a.py").read_bytes()).hexdigest()


def test_constantly_written_file_is_read_consistently(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def f():\n    return 0\n"})
    done = threading.Event()

    def edit() -> None:
        number = 0
        while not done.is_set():
            number += 1
            write(root, "next", "# more\n" * (number % 50) + f"def f():\n    return {number}\n")
            os.replace(root / "next", root / "a.py")

    with serving(root) as server:
        editor = threading.Thread(target=edit)
        editor.start()
        try:
            for _ in range(25):
                found = server.call("read", {"target": "a.py#f", "fresh": True})
                if found["status"] == "ok":
                    text = found["result"]["content"]
                    assert text.startswith("def f():\n    return ") and text.count("\n") == 2, text
                else:
                    assert found["status"] in ("stale", "not_found", "error"), found
        finally:
            done.set()
            editor.join()


def test_another_repository(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    other = make_repository(tmp_path / "other", {"b.py": "def only_there():\n    return 1\n", "long.py": LONG})
    sync(other)
    with serving(root) as server:
        server.manage("create", path="../other", wait=True)
        found = server.call("read", {"target": "b.py", "path": "../other"})
        assert found["result"]["content"] == "def only_there():\n    return 1\n"
        found = server.call("read", {"target": "only_there", "path": "../other"})
        assert found["result"]["symbol_ref"] == "b.py#only_there@1"
        first = server.call("read", {"target": "long.py", "path": "../other"})
        assert first["hints"]["next"]["args"]["path"] == "../other"
        assert follow(server, first["hints"]["next"])["result"]["line_start"] == first["result"]["line_end"] + 1
        many = server.call("read", {"targets": ["long.py"] * 6, "path": "../other", "fresh": True})
        cursor = many["result"]["pagination"]["next_cursor"]
        assert server.call("read", {"cursor": cursor})["result"]["items"][0]["path"] == "long.py"
        error_of(server.call("read", {"target": "b.py"}), ErrorCode.FILE_NOT_FOUND)


def test_symbol_references_of_other_tools_are_accepted(shop: Server) -> None:
    rows = shop.call("search", {"query": "total", "mode": "symbol"})["result"]["results"]
    refs = [row["symbol_ref"] for row in rows]
    refs += [f"{row['path']}:{row['line_start']}" for row in rows]
    graph = shop.call("call_graph", {"symbol": "Cart.total"})["result"]
    refs += graph["roots"]
    outline = shop.call("file_outline", {"file": "shop/lib.rs", "symbol_label": "Item.take"})["result"]
    refs += [node["symbol_ref"] for node in outline["symbols"]]
    assert len(refs) > 5
    for ref in refs:
        assert shop.call("read", {"target": ref, "fresh": True})["status"] == "ok", ref


def test_only_visible_calls_are_suggested(shop: Server) -> None:
    for surface in (Surface(), Surface(("files",), everything=True), AGENT, EVERYTHING):
        for arguments in ({"target": "long.py"}, {"target": "wide.py", "limit": 1}, {"target": "nothing_like_it"}):
            found = shop.call("read", {**arguments, "max_preview_chars": 500, "fresh": True}, surface=surface)
            for hint in found.get("hints", {}).values():
                if surface.everything:
                    assert hint["command"].startswith("cpl ")
                elif "tool" in hint:
                    assert "error" not in follow(shop, hint)


def test_diffs(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "one\ntwo\nthree\n", "b.txt": "b\n", "c.txt": "c\r\nd\r\n"})
    write(root, "a.py", "one\n2\nthree\n")
    git(root, "add", "a.py")
    write(root, "a.py", "one\n2\n3\n")
    write(root, "new.txt", "n\n")
    write(root, "c.txt", "c\nd\ne\n")
    (root / "b.txt").unlink()
    with serving(root) as server:

        def diff(path: str, **more: object) -> Envelope:
            return server.call("read", {"target": path, "mode": "diff_preview", **more})["result"]  # type: ignore[no-any-return]

        assert diff("a.py")["content"] == "@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n"
        assert (diff("a.py")["insertions"], diff("a.py")["deletions"], diff("a.py")["against"]) == (2, 2, "HEAD")
        assert diff("a.py", against="INDEX")["content"] == "@@ -1,3 +1,3 @@\n one\n 2\n-three\n+3\n"
        assert diff("a.py", against="WORKTREE")["content"] == "@@ -1,3 +1,3 @@\n one\n 2\n-3\n+three\n"
        proposed = diff("a.py", against="WORKTREE", content="one\n2\n4\n")
        assert proposed["content"] == "@@ -1,3 +1,3 @@\n one\n 2\n-3\n+4\n"
        assert diff("a.py", content="one\ntwo\nthree\n")["change"] == "unchanged"
        assert diff("new.txt")["change"] == "added"
        gone = diff("b.txt")
        assert (gone["change"], gone["content"]) == ("deleted", "@@ -1 +0,0 @@\n-b\n") and "file_sha256" not in gone
        endings = diff("c.txt")
        assert (endings["line_endings"], endings["insertions"]) == (["crlf", "lf"], 1)
        assert diff("a.py", limit=2)["lines_left"] == 4
        error_of(server.call("read", {"target": "never.txt", "mode": "diff_preview"}), ErrorCode.FILE_NOT_FOUND)


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        ({"limit": 2}, True),
        ({"offset": 1}, True),
        ({"max_preview_chars": 200}, True),
        ({"preview_mode": "none"}, True),
        ({"preview_mode": "snippet"}, False),
        ({"annotated": True}, True),
        ({"annotated": False}, False),
        ({"fresh": True}, False),
        ({"freshness_policy": "strict"}, False),
    ],
)
def test_every_parameter_has_an_effect(shop: Server, arguments: dict[str, object], changes: bool) -> None:
    plain = shop.call("read", {"target": "long.py:1-100", "fresh": True})["result"]
    assert (shop.call("read", {"target": "long.py:1-100", "fresh": True, **arguments})["result"] != plain) == changes


def test_ledger_records_files_read_and_their_tokens(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": CART, "b.py": LONG})
    with serving(root) as server:
        server.call("read", {"targets": ["a.py#Cart.total", "a.py:1-2", "b.py:1-2", "gone.py"]})
        server.call("read", {"target": "a.py", "preview_mode": "none"})
        server.call("read", {"target": "gone.py"})
        server.call("read_file_full", {"file": "b.py"})
        server.call("read_file_full", {"file": "b.py", "confirm": True})
    rows = [row for row in list_operations(root / ".codeplane", 50) if (row.tool or "").startswith("read")]
    assert [(row.paths, row.whole_tokens) for row in reversed(rows)] == [
        ('["a.py", "b.py"]', len(CART) // 4 + len(LONG) // 4),
        (None, None),
        (None, None),
        (None, None),
        ('["b.py"]', len(LONG) // 4),
    ]
