"""describe: the repository, or one tool with all parameters and examples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.tools import catalog
from support.repositories import make_repository
from support.tooling import Server, error_of, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place: Path = tmp_path_factory.mktemp("describe")
    with serving(make_repository(place / "repo", {"a.py": "def a():\n    pass\n"})) as opened:
        yield opened


def test_repository(server: Server) -> None:
    result = server.call("describe")["result"]
    assert result["repo_root"] == str(server.root)
    assert result["language"] == "python"


@pytest.mark.parametrize("tool", catalog.BY_NAME)
def test_tool_with_all_parameters(server: Server, tool: str) -> None:
    result = server.call("describe", {"action": "tool", "name": tool})["result"]
    assert set(result["parameters"]) == {param.name for param in catalog.BY_NAME[tool].params}
    assert result["examples"]


def test_unknown_tool_suggests_the_nearest(server: Server) -> None:
    error = error_of(server.call("describe", {"name": "serch"}), ErrorCode.UNKNOWN_TOOL)
    assert (error["message"], error["expected"]) == ("no tool named 'serch'", "search")
    error_of(server.call("describe", {"action": "tool"}), ErrorCode.ARGUMENT_INVALID)
