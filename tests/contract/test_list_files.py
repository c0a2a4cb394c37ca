"""list_files: like ls and find, from the index, paged, without secrets."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.config.model import Config, FreshnessConfig, IndexConfig, ServerConfig
from support.repositories import make_repository, sync, write
from support.tooling import Server, error_of, follow, serving

FILES: dict[str, str | bytes] = {
    "README.md": "# Shop\n",
    "setup.cfg": "[metadata]\n",
    "shop/__init__.py": "",
    "shop/cart.py": "x = 1\ny = 2\n",
    "shop/api/views.py": "x = 1\n",
    "shop/api/v2/urls.py": "x = 1\n",
    "shop/api/v2/deep/er.py": "x = 1\n",
    "shop/bin/serve": "#!/usr/bin/env python3\nx = 1\n",
    "shop/logo.png": b"\x89PNG\0\0",
    "tests/test_cart.py": "def test_it():\n    pass\n",
    "tests/api/test_views.py": "def test_it():\n    pass\n",
    ".gitignore": "*.tmp\n/out/\n",
    "naïve name/a b.py": "x = 1\n",
}
UNTRACKED: dict[str, str | bytes] = {
    "run.tmp": "x\n",
    "out/gen/made.py": "x = 1\n",
    "node_modules/left/pad.js": "x\n",
    ".env": "KEY=1\n",
    "shop/server.pem": "secret\n",
    ".ssh/id_rsa": "secret\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    root = make_repository(tmp_path_factory.mktemp("listing") / "repo", FILES)
    for path, content in UNTRACKED.items():
        write(root, path, content)
    (root / "shop/link.py").symlink_to("cart.py")
    (root / "hollow").mkdir()
    with serving(root) as server:
        yield server


def entries(server: Server, **arguments: object) -> Any:
    found = server.call("list_files", arguments)
    assert found["status"] == "ok", found
    return found["result"]["entries"]


def names(server: Server, **arguments: object) -> set[str]:
    return {
        folder.removeprefix("./") + name
        for folder, rows in entries(server, **arguments).items()
        for name in rows
        if not name.endswith("/")
    }


def test_a_directory_shows_lines_and_counts(shop: Server) -> None:
    found = shop.call("list_files")
    assert found["result"] == {
        "file_count": len(FILES),
        "entries": {
            "./": {
                "naïve name/": 1,
                "shop/": 7,
                "tests/": 2,
                ".gitignore": {"lines": 2, "role": "config"},
                "README.md": {"lines": 1, "role": "docs"},
                "setup.cfg": 1,
            }
        },
        "roles": {"./": "build"},
    }
    assert found["meta"]["freshness"] == {"status": "fresh"}


def test_attributes_not_visible_in_the_name_are_shown(shop: Server) -> None:
    assert entries(shop, path="shop") == {
        "shop/": {
            "api/": 3,
            "bin/": 1,
            "__init__.py": 0,
            "cart.py": 2,
            "logo.png": {"bytes": 6, "skipped": "binary"},
        }
    }
    assert entries(shop, path="shop/bin") == {"shop/bin/": {"serve": {"lines": 2, "language": "python"}}}


def test_depth_expands_directories_and_counts_the_rest(shop: Server) -> None:
    assert entries(shop, path="shop/api", depth=2) == {
        "shop/api/": {"views.py": 1},
        "shop/api/v2/": {"deep/": 1, "urls.py": 1},
    }
    assert len(names(shop, depth=20)) == len(FILES)
    counted = [value for rows in entries(shop, depth=2).values() for name, value in rows.items() if name[-1] == "/"]
    assert counted == [3, 1, 1], "what is opened is not counted beside it"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"pattern": "test_*.py"}, {"tests/test_cart.py", "tests/api/test_views.py"}),
        (
            {"pattern": "*.py", "path": "shop/api"},
            {"shop/api/views.py", "shop/api/v2/urls.py", "shop/api/v2/deep/er.py"},
        ),
        ({"pattern": "/*.py", "path": "shop"}, {"shop/__init__.py", "shop/cart.py"}),
        ({"pattern": "v2/", "path": "shop/api"}, {"shop/api/v2/urls.py", "shop/api/v2/deep/er.py"}),
        ({"pattern": "shop/api/*.py", "path": "shop"}, {"shop/api/views.py"}),
        ({"pattern": "shop/api", "path": "shop/api", "depth": 1}, {"shop/api/views.py"}),
        ({"pattern": "!*.py", "path": "shop"}, {"shop/logo.png", "shop/bin/serve"}),
        ({"pattern": "a b.py"}, {"naïve name/a b.py"}),
        ({"glob": "**/deep/*"}, {"shop/api/v2/deep/er.py"}),
        ({"pattern": "*.nothing"}, set()),
    ],
)
def test_patterns_follow_gitignore_syntax(shop: Server, arguments: dict[str, object], found: set[str]) -> None:
    assert names(shop, **arguments) == found


def test_counts_include_only_matching_files(shop: Server) -> None:
    assert entries(shop, path="shop", pattern="*.py", depth=1)["shop/"] == {"api/": 3, "__init__.py": 0, "cart.py": 2}
    assert shop.call("list_files", {"pattern": "*.py"})["result"]["file_count"] == 8


def test_a_file_is_shown_by_itself(shop: Server) -> None:
    assert entries(shop, path="shop/cart.py") == {"shop/": {"cart.py": 2}}
    assert entries(shop, path=str(shop.root / "shop/cart.py")) == {"shop/": {"cart.py": 2}}
    assert entries(shop, path="run.tmp", include_ignored=True) == {"./": {"run.tmp": {"ignored": ".gitignore:1 *.tmp"}}}


def test_ignored_files_are_listed_on_request_with_the_reason(shop: Server) -> None:
    assert set(entries(shop)["./"]) == {"naïve name/", "shop/", "tests/", ".gitignore", "README.md", "setup.cfg"}
    everything = entries(shop, include_ignored=True)["./"]
    assert {name: value for name, value in everything.items() if name not in entries(shop)["./"]} == {
        ".codeplane/": {"ignored": "protected"},
        ".git/": {"ignored": "protected"},
        "hollow/": 0,
        "node_modules/": {"ignored": "prunable directory"},
        "out/": {"ignored": ".gitignore:2 /out/"},
        "run.tmp": {"ignored": ".gitignore:1 *.tmp"},
    }
    assert entries(shop, path="shop", include_ignored=True)["shop/"]["link.py"] == {"not_indexed": "symlink"}


def test_an_ignored_directory_can_be_listed_by_its_path(shop: Server) -> None:
    nothing = shop.call("list_files", {"path": "node_modules"})
    assert nothing["result"] == {"file_count": 0, "entries": {}}
    assert nothing["message"] == "No indexed files here."
    shown = follow(shop, nothing["hints"]["ignored"])["result"]["entries"]
    assert shown == {"node_modules/": {"left/": {"ignored": "prunable directory"}}}
    deep = entries(shop, path="out", depth=5, include_ignored=True)
    assert deep == {
        "out/": {"gen/": {"ignored": ".gitignore:2 /out/"}},
        "out/gen/": {"made.py": {"ignored": ".gitignore:2 /out/"}},
    }
    assert names(shop, pattern="*.py", path="out", include_ignored=True) == {"out/gen/made.py"}


def test_secret_files_are_counted_not_named(shop: Server) -> None:
    for arguments in ({}, {"depth": 20}, {"pattern": "*"}, {"path": "shop"}):
        plain = json.dumps(shop.call("list_files", arguments))
        everything = shop.call("list_files", {**arguments, "include_ignored": True})
        for text in (plain, json.dumps(everything)):
            assert ".env" not in text and ".ssh" not in text and ".pem" not in text and "id_rsa" not in text
        assert everything["result"]["secrets"] == {"path": 1}.get("".join(arguments), 2 if not arguments else 3)
    for path in (".env", ".ssh", "shop/server.pem"):
        error_of(shop.call("list_files", {"path": path, "include_ignored": True}), ErrorCode.SECRET_PATH)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "nowhere"}, ErrorCode.ARGUMENT_INVALID),
        ({"path": ".git"}, ErrorCode.PROTECTED_PATH),
        ({"path": ".git/refs", "include_ignored": True}, ErrorCode.PROTECTED_PATH),
        ({"path": ".."}, ErrorCode.ROOT_NOT_REGISTERED),
        ({"path": "/etc"}, ErrorCode.ROOT_NOT_REGISTERED),
        ({"pattern": "/"}, ErrorCode.ARGUMENT_INVALID),
        ({"pattern": "!"}, ErrorCode.ARGUMENT_INVALID),
        ({"depth": 0}, ErrorCode.ARGUMENT_INVALID),
        ({"limit": 0}, ErrorCode.ARGUMENT_INVALID),
        ({"cursor": "c_nothing"}, ErrorCode.ARGUMENT_INVALID),
    ],
)
def test_unlistable_paths_are_rejected(shop: Server, arguments: dict[str, object], code: ErrorCode) -> None:
    refused = error_of(shop.call("list_files", arguments), code)
    assert refused["expected"]


def test_symlink_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.txt", "x\n")
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    (root / "way").symlink_to(tmp_path / "outside")
    with serving(root) as server:
        error_of(server.call("list_files", {"path": "way"}), ErrorCode.ROOT_NOT_REGISTERED)
        assert entries(server, depth=5, include_ignored=True)["./"]["way"] == {"not_indexed": "symlink"}


def test_pages_are_frozen_without_gaps_or_duplicates(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"p{n % 7}/q{n % 3}/file_{n:03}.py": "x = 1\n" for n in range(150)}
    root = make_repository(tmp_path / "repo", files)
    with serving(root) as server:
        arguments: dict[str, object] = {"pattern": "*.py", "limit": 40}
        seen: list[str] = []
        cursors = []
        while True:
            page = server.call("list_files", arguments)["result"]
            seen += [folder + name for folder, rows in page["entries"].items() for name in rows]
            assert page.get("left_out", 0) == 150 - len(seen)
            if "pagination" not in page:
                break
            cursors.append(page["pagination"]["next_cursor"])
            arguments = {"cursor": cursors[-1], "limit": 40}
        assert seen == sorted(files), "files of one directory, then of the next"
        write(root, "p0/q0/file_000a.py", "x = 1\n")
        later = server.call("list_files", {"cursor": cursors[0], "limit": 40})
        assert [f + n for f, rows in later["result"]["entries"].items() for n in rows] == seen[40:80]
        assert later["meta"]["freshness"]["status"] == "stale"
        for name, value in (("depth", 2), ("pattern", "*"), ("include_ignored", True), ("path", "p0")):
            refused = error_of(
                server.call("list_files", {"cursor": cursors[0], name: value}), ErrorCode.ARGUMENT_INVALID
            )
            assert refused["received"] == f"cursor, {name}"
        assert server.call("list_files", {"cursor": cursors[0], "path": "."})["status"] == "ok"
        foreign = server.call("map_repo", {"cursor": cursors[0]})
        error_of(foreign, ErrorCode.ARGUMENT_INVALID)


def test_a_default_answer_stays_small(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"a_rather_long_directory_name_{n % 40}/and_a_long_file_name_{n:04}.py": "x = 1\n" for n in range(600)
    }
    with serving(make_repository(tmp_path / "repo", files)) as server:
        for arguments in ({"depth": 3}, {"pattern": "*.py"}):
            found = server.call("list_files", arguments)
            assert len(json.dumps(found["result"], separators=(",", ":"))) < 4 * 2_100
            assert found["result"]["left_out"] > 300
        # The size limit of an answer always holds; the test server checks it.
        assert server.call("list_files", {"pattern": "*.py", "limit": 1000})["status"] == "ok"


def test_new_file_is_listed_in_the_next_call(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    with serving(root) as server:
        write(root, "b/c.py", "x = 1\n")
        assert entries(server) == {"./": {"b/": 1, "a.py": 1}}
        os.remove(root / "a.py")
        assert entries(server) == {"./": {"b/": 1}}


def test_files_that_git_does_not_track_are_named_where_they_are_not_indexed(tmp_path: Path) -> None:
    config = Config(
        index=IndexConfig(workers=1, overlay="off"),
        freshness=FreshnessConfig(inline_ms=20_000, watcher=False),
        server=ServerConfig(prewarm=False),
    )
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    write(root, "b.py", "x = 1\n")
    with serving(root, config=config) as server:
        assert entries(server) == {"./": {"a.py": 1}}
        assert entries(server, include_ignored=True)["./"]["b.py"] == {"not_indexed": "untracked"}


def test_another_repository_is_listed_by_its_path(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    other = make_repository(tmp_path / "other", {"lib/b.py": "x = 1\n"})
    sync(other)
    with serving(root) as server:
        server.manage("create", path="../other")
        assert entries(server, path="../other/lib") == {"lib/": {"b.py": 1}}
