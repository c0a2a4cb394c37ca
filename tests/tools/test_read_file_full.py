"""read_file_full, and the deprecated names of read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from support.repositories import make_repository, write
from support.tooling import Envelope, Server, codes_of, error_of, follow, serving

LONG = "".join(f"def function_{n}(argument):\n    return 'ä' * {n}\n" for n in range(900))
CART = (
    "class Cart:\n    def total(self):\n        return 1\n\n    def clear(self):\n        return 2\n\n\n"
    "def total():\n    return 0\n"
)
FILES: dict[str, str | bytes] = {
    "long.py": LONG,
    "cart.py": CART,
    "quotes.txt": '"\\\n' * 20_000,
    "line.txt": "語" * 50_000,
    "controls.txt": "a" * 9_000 + "\n" + "\x01" * 30_000,
    "crlf.txt": "a\r\n" * 9_000,
    "empty.txt": "",
    "blob.bin": b"\0\1",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("whole") / "repo", FILES)) as found:
        yield found


def test_size_is_reported_first(server: Server) -> None:
    found = server.call("read_file_full", {"path": "long.py"})
    assert "content" not in found["result"]
    assert found["result"] == {
        "path": "long.py",
        "size": len(LONG.encode()),
        "line_count": 1800,
        "token_estimate": len(LONG) // 4,
        "pages": -(-len(LONG) // 20_000),
        "file_sha256": hashlib.sha256(LONG.encode()).hexdigest(),
    }
    assert found["hints"]["confirm"] == {"tool": "read_file_full", "args": {"file": "long.py", "confirm": True}}
    assert follow(server, found["hints"]["outline"])["status"] == "ok"
    assert "content" in follow(server, found["hints"]["confirm"])["result"]
    assert "content" not in server.call("read_file_full", {"file": "long.py", "confirm": False})["result"]


@pytest.mark.parametrize("path", [path for path in FILES if path != "blob.bin"])
def test_pages_concatenate_to_the_file(server: Server, path: str) -> None:
    page = server.call("read_file_full", {"file": path, "confirm": True})
    text, line = "", 1
    while True:
        result = page["result"]
        text += result["content"]
        if result["content"]:
            assert result["line_start"] == line
            line = result["line_end"] + result["content"].endswith("\n")
        if "pagination" not in result:
            break
        assert page["meta"]["truncated"] is True
        page = server.call("read_file_full", {"cursor": result["pagination"]["next_cursor"]})
    assert text == FILES[path]
    assert "truncated" not in page["meta"]


def test_file_changed_between_pages_is_an_error(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"long.py": LONG})
    with serving(root) as server:
        first = server.call("read_file_full", {"file": "long.py", "confirm": True})
        cursor = first["result"]["pagination"]["next_cursor"]
        write(root, "long.py", LONG + "# more\n")
        error_of(server.call("read_file_full", {"cursor": cursor}), ErrorCode.FILE_CHANGED)
        (root / "long.py").unlink()
        error_of(server.call("read_file_full", {"cursor": cursor}), ErrorCode.FILE_NOT_FOUND)


def test_targets_without_a_whole_text(server: Server) -> None:
    assert server.call("read_file_full", {"file": "blob.bin", "confirm": True})["status"] == "unsupported"
    error_of(server.call("read_file_full", {"file": "gone.py"}), ErrorCode.FILE_NOT_FOUND)
    error_of(server.call("read_file_full", {"file": ".git/config"}), ErrorCode.PROTECTED_PATH)
    error_of(server.call("read_file_full", {}), ErrorCode.ARGUMENT_INVALID)
    error_of(server.call("read_file_full", {"cursor": "c_" + "A" * 12}), ErrorCode.HANDLE_EXPIRED)
    search = server.call("search", {"query": "argument", "mode": "lexical", "limit": 2})
    other = search["result"]["pagination"]["next_cursor"]
    error_of(server.call("read_file_full", {"cursor": other}), ErrorCode.ARGUMENT_INVALID)
    error_of(server.call("read", {"cursor": other}), ErrorCode.ARGUMENT_INVALID)


def older(server: Server, tool: str, arguments: dict[str, object]) -> Envelope:
    found = server.call(tool, arguments)
    assert codes_of(found)[0] == "DEPRECATED_TOOL"
    return found


def test_read_file(server: Server) -> None:
    plain = older(server, "read_file", {"path": "cart.py"})["result"]
    assert (plain["path"], plain["mode"], plain["content"]) == ("cart.py", "plain", CART)
    assert (plain["lineStart"], plain["lineCount"]) == (1, 10) and len(plain["fileSha256"]) == 64
    part = older(server, "read_file", {"path": "cart.py", "start_line": 9, "end_line": 99})["result"]
    assert (part["content"], part["lineEnd"]) == ("def total():\n    return 0\n", 10)
    annotated = older(server, "read_file", {"path": "cart.py", "mode": "annotated"})["result"]
    assert annotated["mode"] == "annotated" and annotated["content"] == CART
    assert annotated["outlineStatus"] == "ok" and annotated["hasMore"] is False
    assert [node["name"] for node in annotated["outline"]] == ["Cart", "total"]


def test_read_file_returns_1000_lines(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"thin.txt": "".join(f"{n}\n" for n in range(1500))})
    with serving(root) as server:
        found = older(server, "read_file", {"path": "thin.txt"})
        assert found["result"]["lineEnd"] == 1000 and found["meta"]["truncated"] is True
        assert follow(server, found["hints"]["next"])["result"]["line_start"] == 1001


@pytest.mark.parametrize(
    ("symbol", "first", "last"),
    [
        ("Cart.clear", 5, 6),
        ("cart.py#Cart.clear@5", 5, 6),
        ({"symbolLabel": "Cart.clear"}, 5, 6),
        ({"symbolId": "cart.py#total@9"}, 9, 10),
        ({"symbolId": "cart.py#total@9", "symbolLabel": "Cart.clear"}, 9, 10),
        ({"symbolLabel": "Cart.clear", "start_line": 1, "end_line": 3}, 1, 3),
        ({"start_line": 2}, 2, 10),
    ],
)
def test_read_file_opens_a_symbol(server: Server, symbol: object, first: int, last: int) -> None:
    found = older(server, "read_file", {"path": "cart.py", "open_symbol": symbol})["result"]
    assert (found["lineStart"], found["lineEnd"]) == (first, last)


def test_read_file_reports_ambiguous_symbols(server: Server) -> None:
    found = older(server, "read_file", {"path": "cart.py", "open_symbol": "nothing"})
    assert found["status"] == "not_found"
    found = older(server, "read_file", {"path": "cart.py", "open_symbol": {"symbolLabel": "total"}})
    assert found["status"] == "ok" and found["result"]["lineStart"] == 9, "the whole lexical path"
    write(server.root, "two.py", "def f():\n    return 1\n\n\ndef f():\n    return 2\n")
    found = older(server, "read_file", {"path": "two.py", "open_symbol": "f"})
    assert found["status"] == "ambiguous"
    assert [match["symbolRef"] for match in found["result"]["matches"]] == ["two.py#f@1", "two.py#f@5"]


def test_read_source(server: Server) -> None:
    targets = [{"path": "cart.py", "start_line": 1, "end_line": 3}, {"path": "cart.py"}, {"path": "gone.py"}]
    found = older(server, "read_source", {"targets": targets})["result"]
    assert (found["resource_kind"], found["delivery"], found["has_more"]) == ("source", "inline", False)
    part, whole, gone = found["files"]
    assert part == {
        "path": "cart.py",
        "content": "class Cart:\n    def total(self):\n        return 1\n",
        "language": "python",
        "line_count": 10,
        "range": [1, 3],
        "file_sha256": hashlib.sha256(CART.encode()).hexdigest(),
    }
    assert (whole["content"], whole["file_sha256"]) == (CART, part["file_sha256"])
    assert gone["status"] == "not_found"


def test_read_source_continues_with_a_cursor(server: Server) -> None:
    targets = [{"path": "long.py", "start_line": n, "end_line": n + 199} for n in range(1, 1601, 200)]
    page = older(server, "read_source", {"targets": targets})["result"]
    files = list(page["files"])
    while "cursor" in page:
        assert page["has_more"] is True
        page = older(server, "read_source", {"cursor": page["cursor"]})["result"]
        files += page["files"]
    assert page["has_more"] is any(file["range"][1] % 200 for file in page["files"])
    assert [file["range"][0] for file in files] == list(range(1, 1601, 200))
    assert all(len(file["file_sha256"]) == 64 for file in files)


def test_read_symbol(server: Server) -> None:
    found = older(server, "read_symbol", {"name": "total", "path": "cart.py"})
    assert found["status"] == "ambiguous"
    found = older(server, "read_symbol", {"symbol": "Cart.total", "include_context": True})["result"]
    assert found["parents"][0]["name"] == "Cart" and found["mode"] == "symbol"
    assert older(server, "read_symbol", {"symbol": "function_3", "path": "long.py"})["status"] == "ok"
    assert older(server, "read_symbol", {"symbol": "function_3", "path": "cart.py"})["status"] == "not_found"


def test_get_snippet(server: Server) -> None:
    asked: dict[str, object] = {"path": "cart.py", "start_line": 5, "end_line": 6}
    assert older(server, "get_snippet", asked)["result"]["content"] == "    def clear(self):\n        return 2\n"
    wider = older(server, "get_snippet", {**asked, "context_lines": 1})["result"]
    assert (wider["line_start"], wider["line_end"]) == (4, 7)
    error_of(server.call("get_snippet", {"path": "cart.py"}), ErrorCode.ARGUMENT_INVALID)


def test_dry_run_diff(server: Server) -> None:
    assert older(server, "dry_run_diff", {"path": "cart.py"})["result"]["change"] == "unchanged"
    proposed = CART.replace("return 2", "return 3")
    found = older(server, "dry_run_diff", {"path": "cart.py", "content": proposed, "against": "worktree"})["result"]
    assert (found["against"], found["insertions"], found["deletions"]) == ("WORKTREE", 1, 1)
    assert "+        return 3\n" in found["content"]
