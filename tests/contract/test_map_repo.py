"""map_repo: sections, directories, and pages of the tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.tools.catalog.map_repo import SECTIONS
from support.repositories import make_repository
from support.tooling import Server, error_of, serving

FILES: dict[str, str | bytes] = {
    f"src/part{number}/module.py": f"def run{number}():\n    pass\n" for number in range(30)
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place: Path = tmp_path_factory.mktemp("map")
    with serving(make_repository(place / "repo", FILES)) as opened:
        yield opened


def test_all_sections_by_default(server: Server) -> None:
    assert set(SECTIONS) <= set(server.call("map_repo")["result"])


def test_only_requested_sections(server: Server) -> None:
    result = server.call("map_repo", {"include": ["languages"]})["result"]
    assert not set(result) & (set(SECTIONS) - {"languages"})
    error_of(server.call("map_repo", {"include": ["everything"]}), ErrorCode.ARGUMENT_INVALID)


def test_missing_directory_is_an_error(server: Server) -> None:
    error_of(server.call("map_repo", {"path": "missing"}), ErrorCode.ARGUMENT_INVALID)


def test_pages_of_the_tree_do_not_overlap(server: Server) -> None:
    first = server.call("map_repo", {"include": ["structure"], "limit": 10, "depth": 5})["result"]
    cursor = first["pagination"]["next_cursor"]
    second = server.call("map_repo", {"cursor": cursor, "limit": 10})["result"]
    assert len(second["structure"]["tree"]) == 10
    assert not set(first["structure"]["tree"]) & set(second["structure"]["tree"])
    error_of(server.call("map_repo", {"cursor": cursor, "include": ["languages"]}), ErrorCode.ARGUMENT_INVALID)
