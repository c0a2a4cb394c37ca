"""Answers of deprecated names: camelCase fields, echoed arguments, pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.tools.routing import MAX_ECHO, camelled
from support.repositories import make_repository, write
from support.tooling import Server, serving

FILES: dict[str, str | bytes] = {
    "shop/names.py": "".join(f"def get_user_name_{n}(user):\n    return user\n\n\n" for n in range(7)),
    "tests/test_names.py": "def test_get_user_name():\n    assert get_user_name_1\n",
    "pages/[id]/view.py": "def show_page(): ...\n",
    "pages/other.py": "def show_page(): ...\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("older") / "shop", FILES)) as server:
        yield server


@pytest.mark.parametrize(
    ("fields", "spelled"),
    [
        ({"line_start": 1, "rows": [{"symbol_ref": "a_b"}]}, {"lineStart": 1, "rows": [{"symbolRef": "a_b"}]}),
        ({"terms": {"get_user_nam": 3}}, {"terms": {"get_user_nam": 3}}),
        ({"debug_search": {"terms": {"a_b": 1}}}, {"debugSearch": {"terms": {"a_b": 1}}}),
        ({"not_searched": {"too_large": 1}}, {"notSearched": {"too_large": 1}}),
        ({"outside_scope": {"a_role": 1}, "tiers": {"a_b": 2}}, {"outsideScope": {"a_role": 1}, "tiers": {"a_b": 2}}),
        ({"next_page": {"args": {"start_line": 1}}}, {"nextPage": {"args": {"start_line": 1}}}),
    ],
)
def test_field_names_are_camel_case_and_data_is_unchanged(
    fields: dict[str, object], spelled: dict[str, object]
) -> None:
    assert camelled(fields) == spelled


def test_query_terms_are_unchanged(shop: Server) -> None:
    found = shop.call("search_codebase", {"query": "get_user_name_1", "debug": True})
    debug = found["hints"]["debugSearch"]
    same = shop.call("search", {"query": "get_user_name_1", "debug": True, "scope": "runtime"})
    assert debug["terms"] == same["hints"]["debug_search"]["terms"]
    assert any("_" in term for term in debug["terms"]), "or nothing is shown here"
    assert "changedFilesBoost" in debug


def test_arguments_are_echoed(shop: Server) -> None:
    plain = shop.call("search_codebase", {"query": "get user name"})["result"]
    told = {name: plain[name] for name in ("path", "query", "scope", "groupBy", "resultMode", "limit")}
    assert told == {
        "path": ".",
        "query": "get user name",
        "scope": "runtime",
        "groupBy": "symbol",
        "resultMode": "grouped",
        "limit": 20,
    }
    assert plain["freshnessDecision"] == "fresh"
    chosen = {"query": "get", "scope": "mixed", "resultMode": "raw", "groupBy": "file", "limit": 2, "path": "shop"}
    given = shop.call("search_codebase", chosen)["result"]
    assert {name: given[name] for name in chosen} == chosen
    long = shop.call("search_codebase", {"query": "get user name " * 10_000})["result"]
    assert len(long["query"]) == MAX_ECHO and long["query"].startswith("get user name get")
    assert "freshnessDecision" not in shop.call("search_code", {"query": "get user name"})["result"]


def test_freshness_decision_is_echoed(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def first_thing(): ...\n"})
    with serving(root) as server:
        write(root, "b.py", "def second_thing(): ...\n")
        found = server.call("search_codebase", {"query": "second_thing"})
        assert found["result"]["freshnessDecision"] == found["meta"]["freshness"]["decision"] == "synced"


@pytest.mark.parametrize(
    ("tool", "first", "cursor"),
    [
        ("search_codebase", {"query": "get_user_name", "scope": "mixed", "limit": 2}, "nextCursor"),
        ("search_codebase", {"query": "get_user_name", "resultMode": "raw", "limit": 2}, "nextCursor"),
        ("search_code", {"query": "get_user_name", "limit": 2}, "next_cursor"),
        ("locate_symbol", {"name": "get_user_name", "limit": 2}, "next_cursor"),
    ],
)
def test_a_cursor_is_enough_for_the_next_page(shop: Server, tool: str, first: dict[str, object], cursor: str) -> None:
    page = shop.call(tool, first)
    seen = [row["name"] for row in page["result"]["results"]]
    following = shop.call(tool, {"cursor": page["result"]["pagination"][cursor]})
    assert following["status"] == "ok", following
    more = [row["name"] for row in following["result"]["results"]]
    assert seen and more and not set(seen) & set(more)
    assert not {"query", "scope", "path"} & set(following["result"]), "those were settled by the first call"


def test_a_directory_may_have_brackets_in_its_name(shop: Server) -> None:
    asked = {"query": "show_page", "mode": "lexical"}
    found = shop.call("search", {**asked, "path": "pages/[id]"})
    assert [row["path"] for row in found["result"]["results"]] == ["pages/[id]/view.py"]
    for pattern in ("pages/[ab]", "pages/*"):
        refused = shop.call("search", {**asked, "path": pattern})["error"]
        assert (refused["error"], refused["expected"]) == ("ARGUMENT_INVALID", "a directory")
    assert refused["remedy"] == "Use 'paths'."
