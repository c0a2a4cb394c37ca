"""Repositories that a server answers about: its home, those that a person allowed, and no others."""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.tools.surface import EVERYTHING
from support.fingerprints import tamper
from support.repositories import make_repository, sync, write
from support.tooling import QUIET, Server, codes_of, error_of, follow, serving
from support.workspaces import until

HOME: dict[str, str | bytes] = {"a.py": "def home():\n    return 1\n", "pkg/deep/b.py": "x = 1\n"}
OTHER: dict[str, str | bytes] = {"a.py": "def other():\n    return 1\n", "src/c.py": "y = 1\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "home", HOME)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "other", OTHER)


def first_symbol(server: Server, **arguments: object) -> str:
    found = server.call("file_outline", {"file": "a.py", **arguments})
    return str(found["result"]["symbols"][0]["name"])


def test_unindexed_repository_is_rejected_without_details(root: Path, other: Path) -> None:
    with serving(root) as server:
        there, nowhere = str(other), str(other.parent / "nowhere")
        for tool, arguments in (
            ("map_repo", {}),
            ("file_outline", {"file": "a.py"}),
            ("health_check", {}),
            ("manage_index", {"action": "status"}),
            ("manage_index", {"action": "clear", "confirm": True}),
            ("manage_index", {"action": "create"}),
        ):
            told = []
            for place in (there, nowhere, "/etc", "../other"):
                error = error_of(server.call(tool, {**arguments, "path": place}), ErrorCode.ROOT_NOT_REGISTERED)
                assert error.pop("received") == place
                told.append(error)
            assert told[0] == told[1] == told[2] == told[3], "whether a directory exists is not told"
        assert not (other / ".codeplane").exists()
        assert server.call("list_codebases")["result"] == {"ready": [str(root)]}


def test_indexed_repository_can_be_added_and_removed(root: Path, other: Path) -> None:
    sync(other)
    with serving(root) as server:
        error_of(server.call("map_repo", {"path": str(other)}), ErrorCode.ROOT_NOT_REGISTERED)
        added = server.manage("create", path=str(other))
        assert added["status"] == "ok"
        until(lambda: server.manage("status", path=str(other))["status"] == "ok")
        assert first_symbol(server, path=str(other)) == "other"
        assert first_symbol(server, root=str(other / "src")) == "other", "a sub-directory is of its repository"
        assert first_symbol(server) == "home"
        assert server.call("list_codebases")["result"] == {"ready": [str(root), str(other)]}
    with serving(root) as server:
        assert first_symbol(server, path=str(other)) == "other", "it stays added"
        assert server.manage("clear", confirm=True, path=str(other))["status"] == "ok"
        error_of(server.call("map_repo", {"path": str(other)}), ErrorCode.ROOT_NOT_REGISTERED)
        assert server.call("list_codebases")["result"] == {"ready": [str(root)]}
        assert first_symbol(server) == "home"


def test_rejected_call_adds_no_repository(root: Path, other: Path) -> None:
    sync(other)
    with serving(root) as server:
        for arguments in ({"ignore_patterns": ["a\nb"]}, {"custom_extensions": ["pyx"]}, {"confirm": True}):
            error_of(server.manage("create", path=str(other), **arguments), ErrorCode.ARGUMENT_INVALID)
        cancelled = {"action": "create", "path": str(other)}
        error_of(server.call("manage_index", cancelled, cancelled=lambda: True), ErrorCode.CANCELLED)
        assert server.call("list_codebases")["result"] == {"ready": [str(root)]}


def test_concurrent_additions_are_all_stored(root: Path, tmp_path: Path) -> None:
    others = [make_repository(tmp_path / f"other{number}", OTHER) for number in range(6)]
    config = replace(QUIET, server=replace(QUIET.server, allowed_roots=(str(tmp_path),)))
    with serving(root, config=config) as server:
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda other: server.manage("create", path=str(other)), others))
        assert [answer["status"] for answer in answers] == ["ok"] * 6
        listed = server.call("list_codebases")["result"]
        assert {path for paths in listed.values() for path in paths} == {str(root), *map(str, others)}


def test_repository_under_an_allowed_directory_can_be_added(root: Path, other: Path) -> None:
    config = replace(QUIET, server=replace(QUIET.server, allowed_roots=(str(other),)))
    with serving(root, config=config) as server:
        error_of(server.manage("create", path=str(other.parent)), ErrorCode.ROOT_NOT_REGISTERED)
        error_of(server.manage("create", path=str(other / "nowhere")), ErrorCode.ARGUMENT_INVALID)
        done = server.manage("create", path=str(other), wait=True)
        assert (done["status"], done["result"]["decision"]) == ("ok", "built")
        again = server.manage("create", path=str(other / "src"))
        assert again["reason"] == "already_indexed"
        assert again["hints"]["sync"]["args"] == {"action": "sync", "path": str(other / "src")}
        assert follow(server, again["hints"]["sync"])["result"]["files"] == 2
        assert not (other / "src" / ".codeplane").exists()


@pytest.mark.parametrize("path", [".", "pkg", "pkg/deep", "pkg/deep/b.py", ""])
def test_path_in_the_home_repository_selects_home(root: Path, path: str) -> None:
    with serving(root) as server:
        assert first_symbol(server, path=path) == "home"
        assert first_symbol(server, path=str(root / path)) == "home"
        assert server.manage("create", path=path)["reason"] == "already_indexed"


def test_symlinks_do_not_select_other_repositories(root: Path, other: Path) -> None:
    (root / "link").symlink_to(other)
    with serving(root) as server:
        error_of(server.call("map_repo", {"path": "link"}), ErrorCode.ROOT_NOT_REGISTERED)


def test_codebases_are_listed_in_order(root: Path, tmp_path: Path) -> None:
    names = ("z", "b", "old", "bad", "gone")
    others = {name: make_repository(tmp_path / name, OTHER) for name in names}
    for other in others.values():
        sync(other)
    with serving(root) as server:
        for other in others.values():
            server.manage("create", path=str(other))
    tamper(others["old"], extractor="0.0")
    write(others["bad"], ".codeplane/CURRENT", "nonsense")
    tamper(others["gone"], extractor="0.0")
    with serving(root) as server:
        server.manage("clear", confirm=True)
        found = server.call("list_codebases")["result"]
        assert list(found) == ["ready", "requires_reindex", "failed", "not_indexed"]
        assert found == {
            "ready": [str(others["b"]), str(others["z"])],
            "requires_reindex": [str(others["gone"]), str(others["old"])],
            "failed": [str(others["bad"])],
            "not_indexed": [str(root)],
        }


def test_the_hint_of_an_answer_about_another_repository_names_it(root: Path, other: Path) -> None:
    sync(other)
    with serving(root) as server:
        server.manage("create", path=str(other))
    tamper(other, extractor="0.0")
    with serving(root) as server:
        until(lambda: server.call("map_repo", {"repo": str(other)})["status"] == "requires_reindex")
        told = server.call("file_outline", {"file": "a.py", "repo": str(other)})
        assert told["hints"]["reindex"]["args"] == {"action": "reindex", "path": str(other)}
        assert follow(server, told["hints"]["reindex"], wait=True)["status"] == "ok"
        assert first_symbol(server, path=str(other)) == "other"


def test_the_command_of_an_answer_about_another_repository_names_it(root: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "it's other", OTHER)
    sync(other)
    with serving(root) as server:
        server.manage("create", path=str(other))
        until(lambda: server.manage("status", path=str(other))["status"] == "ok")
        there = server.call("manage_index", {"action": "create", "path": str(other)}, surface=EVERYTHING)
        command = there["hints"]["sync"]["command"]
        assert shlex.split(command) == ["cpl", "-C", str(other), "init"]
        home = server.call("manage_index", {"action": "create", "path": "."}, surface=EVERYTHING)
        assert home["hints"]["sync"] == {"command": "cpl init"}
    tamper(other, extractor="0.0")
    with serving(root) as server:
        until(lambda: server.call("map_repo", {"repo": str(other)})["status"] == "requires_reindex")
        for tool in ("map_repo", "health_check"):
            told = server.call(tool, {"path": str(other)}, surface=EVERYTHING)
            assert told["hints"]["reindex"] == {"command": command}


def test_unwritable_root_list_is_an_error(root: Path, other: Path, tmp_path: Path) -> None:
    sync(other)
    write(tmp_path, "user-state/roots", "in the way")
    with serving(root) as server:
        error_of(server.manage("create", path=str(other)), ErrorCode.STATE_DIRECTORY_READ_ONLY)
        assert codes_of(server.call("map_repo")) == []


def test_index_settings_of_another_repository_are_rejected(root: Path, other: Path) -> None:
    sync(other)
    with serving(root) as server:
        server.manage("create", path=str(other))
        for action in ("create", "reindex"):
            refused = server.manage(action, path=str(other), ignore_patterns=["*"])
            assert refused["error"]["error"] == "READ_ONLY"
        cleared = server.manage("clear", path=str(other), confirm=True)
        assert cleared["status"] == "ok" and cleared["result"]["removed"] == []
        assert str(other) not in str(server.call("list_codebases"))
    assert (other / ".codeplane" / "CURRENT").exists()


def test_misspelled_path_does_not_select_home(root: Path) -> None:
    with serving(root) as server:
        refused = server.manage("clear", path="no/such/place", confirm=True)
        assert refused["error"]["error"] == "ARGUMENT_INVALID"
        assert server.call("map_repo")["status"] == "ok"
