"""Answers from disk while the first index is being built."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.disk.locks import FileLock
from support.held_index import HeldBuild, build_held
from support.repositories import make_repository, write
from support.tooling import Envelope, Server, serving

FILES: dict[str, str | bytes] = {
    "shop/cart.py": (
        '"""The cart."""\n\n\nclass Cart:\n    def __init__(self, items):\n        self.items = items\n\n'
        "    def total(self, discount: int = 0) -> int:\n        return sum(self.items) - discount\n\n\n"
        "def total(items):\n    return Cart(items).total()\n"
    ),
    "shop/limits.py": "MAX_BODY_BYTES = 2048\n\n\ndef limit_body(request):\n    return request[:MAX_BODY_BYTES]\n",
    "tests/test_limits.py": "from shop.limits import limit_body\n\n\ndef test_limit_body():\n    limit_body('')\n",
    "docs/limits.md": "# Limits\n\nA body has at most 2048 bytes, see `limit_body`.\n",
    "notes.txt": "no grammar reads limit_body here\n",
    ".env": "TOKEN=limit_body\n",
    **{f"pkg/m{number:02}.py": f"def filler_{number}():\n    return {number}\n" for number in range(30)},
}


@pytest.fixture
def building(tmp_path: Path) -> Iterator[tuple[Server, HeldBuild]]:
    with build_held(make_repository(tmp_path / "repo", FILES)) as found:
        yield found


def rows(answer: Envelope) -> list[tuple[str, int]]:
    return [(row["path"], row["line_start"]) for row in answer["result"]["results"]]


def test_text_is_searched_on_disk(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    asked: list[dict[str, object]] = [
        {"query": "limit_body", "mode": "lexical"},
        {"query": r"limit_\w+\(", "mode": "regex"},
        {"query": "limit_body", "mode": "lexical", "scope": "runtime"},
        {"query": "limit_body", "mode": "lexical", "paths": ["tests/"]},
        {"query": "LIMIT_BODY", "mode": "lexical"},
    ]
    early = [server.call("search", {**arguments, "result_mode": "raw"}) for arguments in asked]
    for answer in early:
        assert answer["status"] == "ok" and answer["meta"]["source"] == "disk"
        assert answer["result"]["index"]["state"] == "building"
        assert 0 <= answer["result"]["index"]["files_done"] < answer["result"]["index"]["files_total"] == len(FILES) - 1
        assert not {"epoch", "freshness", "completeness"} & answer["meta"].keys()
    held.release()
    server.wait_ready()
    late = [server.call("search", {**arguments, "result_mode": "raw"}) for arguments in asked]
    assert [sorted(rows(answer)) for answer in early] == [sorted(rows(answer)) for answer in late]
    for name in ("matches", "files", "outside_scope", "searched"):
        assert [answer["result"].get(name) for answer in early] == [answer["result"].get(name) for answer in late]
    assert not any("index" in answer["result"] or "source" in answer["meta"] for answer in late)


def test_a_question_is_ranked_by_its_words(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    answer = server.call("search", {"query": "where is the size of a body limited"})
    assert rows(answer)[0] == ("shop/limits.py", 4)
    assert answer["result"]["results"][0]["snippet"] == "def limit_body(request):"
    assert (answer["meta"]["source"], answer["meta"]["completeness"]) == ("disk", "partial")
    assert server.call("search", {"query": "=>"})["result"]["searched"] == {"files": 32}


FILE_QUERIES = ["*.md", "cart.py", "CART", "shop/*.py", "m0?.py", "no such file", "limits", ".env", "*", "carts.py"]


def test_files_are_found_by_name(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    asked = [
        {"query": query, "mode": "files", "scope": scope} for query in FILE_QUERIES for scope in ("mixed", "runtime")
    ]
    early = [server.call("search", arguments) for arguments in asked]
    assert all(answer["meta"]["source"] == "disk" for answer in early)
    held.release()
    server.wait_ready()
    late = [server.call("search", arguments) for arguments in asked]
    for before, after in zip(early, late, strict=True):
        assert [path for path, _ in rows(before)] == [path for path, _ in rows(after)]
        for name in ("matches", "files", "similar", "outside_scope", "searched"):
            assert before["result"].get(name) == after["result"].get(name)
    assert [path for path, _ in rows(early[0])] == ["docs/limits.md"]


TEXTS = {
    ("limit_body", "lexical", "runtime"): """\
shop/limits.py
4\tdef limit_body(request):
docs and tests: 5 more (scope=mixed)
index: building, N of 35 files; text only""",
    ("where is a body limited", "auto", "runtime"): """\
shop/limits.py
4\tdef limit_body(request):
index: building, N of 35 files; text only""",
    ("*.md", "files", "mixed"): """\
docs/limits.md
index: building, N of 35 files; text only""",
    ("cart.py", "auto", "mixed"): """\
shop/cart.py
index: building, N of 35 files; text only""",
    ("nothing_such", "regex", "mixed"): """\
no matches in 35 files
index: building, N of 35 files; text only""",
    ("Cart.total", "definitions", "mixed"): """\
error NOT_READY: the index is being built
example: search query=total mode=lexical
hint: Mode 'definitions' needs the index: search for text meanwhile, or retry in a moment.""",
}


def test_text_answers_end_with_the_state_of_the_index(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    for (query, mode, scope), expected in TEXTS.items():
        shown = server.text("search", {"query": query, "mode": mode, "scope": scope})
        assert re.sub(r"building, \d+ of", "building, N of", shown) == expected


def test_no_secret_is_shown(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    for mode, query in (("lexical", "TOKEN"), ("regex", "TOK.N"), ("auto", "token"), ("lexical", "limit_body")):
        answer = server.call("search", {"query": query, "mode": mode, "scope": "mixed"})
        assert ".env" not in {path for path, _ in rows(answer)}
        assert "TOKEN" not in json.dumps(answer["result"])


def test_empty_result_counts_the_files_searched(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    answer = server.call("search", {"query": "nothing_like_this", "mode": "lexical"})
    assert answer["result"]["searched"] == {"files": len(FILES) - 1}
    error = server.call("search", {"query": "x", "mode": "lexical", "path": "shop/limits.py"})
    assert error["status"] == "ok"
    (server.root / "empty").mkdir()
    error = server.call("search", {"query": "x", "mode": "lexical", "path": "empty"})["error"]
    assert error["error"] == "FILE_NOT_FOUND"


@pytest.mark.parametrize("mode", ["symbol", "definitions", "references"])
def test_modes_that_need_facts_name_a_call_that_works(building: tuple[Server, HeldBuild], mode: str) -> None:
    server, _ = building
    answer = server.call("search", {"query": "Cart.total", "mode": mode})
    assert (answer["status"], answer["reason"]) == ("not_ready", "indexing")
    assert mode in answer["error"]["remedy"] and answer["error"]["details"]["files_total"]
    assert answer["error"]["example"] == {"query": "total", "mode": "lexical"}
    assert server.call("search", answer["error"]["example"])["result"]["matches"] == 3


def test_kinds_need_the_index(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    answer = server.call("search", {"query": "total", "mode": "lexical", "kinds": ["class"]})
    assert answer["status"] == "not_ready" and "kinds" in answer["error"]["remedy"]


def test_pages_of_a_disk_search_have_no_gaps_or_duplicates(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    page = server.call("search", {"query": "filler_", "mode": "lexical", "limit": 7})
    found = rows(page)
    held.release()
    server.wait_ready()
    while "next_cursor" in page["result"]["pagination"]:
        page = server.call("search", {"cursor": page["result"]["pagination"]["next_cursor"]})
        assert page["meta"]["source"] == "disk"
        found += rows(page)
    assert found == [(f"pkg/m{number:02}.py", 1) for number in range(30)]


def test_a_change_made_before_the_call_is_seen(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    for number in range(3):
        write(server.root, f"new{number}.py", "brand_new = 1\n")
        assert server.call("search", {"query": "brand_new", "mode": "lexical"})["result"]["files"] == number + 1


def test_a_search_is_answered_while_another_process_builds(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    (root / ".codeplane").mkdir(mode=0o700)
    with FileLock(root / ".codeplane" / "lock").acquire(), serving(root, ready=False) as server:
        answer = server.call("search", {"query": "limit_body", "mode": "lexical"})
        assert answer["result"]["matches"] == 6 and answer["result"]["index"] == {"state": "building"}
        assert server.call("search", {"query": "Cart", "mode": "definitions"})["status"] == "not_ready"


def test_a_cancelled_search_ends(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    polls = iter([False] * 2)
    answer = server.call("search", {"query": "limit", "mode": "lexical"}, cancelled=lambda: next(polls, True))
    assert answer["error"]["error"] == "CANCELLED"


def test_an_outline_is_made_from_the_file_alone(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    asked: list[dict[str, object]] = [
        {"file": "shop/cart.py"},
        {"file": "shop/cart.py", "depth": "top"},
        {"file": "shop/cart.py", "symbol_label": "Cart.total"},
        {"file": "shop/cart.py", "start_line": 12},
    ]
    early = [server.call("file_outline", arguments) for arguments in asked]
    assert all(answer["meta"]["source"] == "disk" and "epoch" not in answer["meta"] for answer in early)
    held.release()
    server.wait_ready()
    late = [server.call("file_outline", arguments) for arguments in asked]
    assert [answer["result"] for answer in early] == [answer["result"] for answer in late]
    assert all("source" not in answer["meta"] for answer in late)


def test_files_without_an_outline_are_refused_as_with_an_index(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    write(server.root, ".gitignore", "hidden.py\n")
    write(server.root, "hidden.py", "x = 1\n")
    files = ("notes.txt", ".env", ".git/config", "hidden.py", "no/such.py", "shop")
    early = [server.call("file_outline", {"file": file})["error"] for file in files]
    held.release()
    server.wait_ready()
    late = [server.call("file_outline", {"file": file})["error"] for file in files]
    assert [error["error"] for error in early] == [error["error"] for error in late]
    assert [error["error"] for error in early][:3] == ["LANGUAGE_UNSUPPORTED", "SECRET_PATH", "PROTECTED_PATH"]
    assert early[3]["details"]["ignored_by"] == late[3]["details"]["ignored_by"]


READS: list[dict[str, object]] = [
    {"target": "shop/cart.py"},
    {"target": "shop/cart.py:4-6"},
    {"target": "shop/cart.py#Cart.total"},
    {"target": "shop/cart.py#Cart.total@8"},
    {"target": "shop/cart.py#Cart"},
    {"target": "shop/cart.py:9"},
    {"target": "shop/cart.py:1"},
    {"target": "shop/cart.py", "symbol": "Cart.total"},
    {"target": "shop/cart.py#Cart.total", "include_context": True},
    {"target": "shop/cart.py:8-9", "annotated": True},
    {"target": "notes.txt:1"},
    {"target": "shop/limits.py", "mode": "diff_preview"},
]


def test_files_lines_and_symbols_of_a_file_can_be_read(building: tuple[Server, HeldBuild]) -> None:
    server, held = building
    early = [server.call("read", {**arguments, "fresh": True}) for arguments in READS]
    held.release()
    server.wait_ready()
    late = [server.call("read", {**arguments, "fresh": True}) for arguments in READS]
    assert [answer["status"] for answer in early] == ["ok"] * len(READS)
    assert [answer["result"] for answer in early] == [answer["result"] for answer in late]


def test_missing_or_ambiguous_symbols(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    several = server.call("read", {"target": "shop/cart.py#total"})
    assert several["status"] == "ok" and several["result"]["line_start"] == 12, "the whole name comes first"
    missing = server.call("read", {"target": "shop/cart.py#Carrt.total"})
    assert missing["status"] == "not_found" and missing["result"]["similar"] == ["shop/cart.py#Cart.total"]
    nowhere = server.call("read", {"target": "notes.txt#total"})
    assert nowhere["status"] == "not_found"
    assert server.call("read", {"target": "no/such.py#total"})["error"]["error"] == "FILE_NOT_FOUND"
    assert server.call("read", {"target": ".env#TOKEN"})["error"]["error"] == "SECRET_PATH"


def test_a_bare_name_is_answered_with_the_form_that_works(building: tuple[Server, HeldBuild]) -> None:
    server, _ = building
    answer = server.call("read", {"target": "Cart.total"})
    assert (answer["status"], answer["error"]["error"]) == ("not_ready", "NOT_READY")
    assert "path#name" in answer["error"]["expected"] and "Name the file" in answer["error"]["remedy"]
    many = server.call("read", {"targets": ["Cart.total", "shop/cart.py#Cart.total"]})
    assert many["status"] == "ok" and many["result"]["items"][1]["line_start"] == 8
