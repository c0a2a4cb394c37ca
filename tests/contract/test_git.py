"""Contract of the git tools that read: states, differences with symbols, paged history, and what stays hidden."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.disk.allowed_secrets import allow_secrets
from codeplane.git import client
from codeplane.tools.surface import Surface
from support.repositories import git, make_repository, write
from support.tooling import AGENT, Server, error_of, serving

CART = "class Cart:\n    def total(self):\n        return 1\n\n    def add(self, item):\n        return item\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = make_repository(tmp_path_factory.mktemp("git") / "repo", {"shop/cart.py": CART, "a.txt": "a\n"})
    git(root, "tag", "v1")
    for number in range(4):
        write(root, "shop/cart.py", CART.replace("return 1", f"return {number + 2}"))
        git(root, "commit", "-qam", f"Change the total {number}\n\nbody")
    with serving(root) as server:
        yield server


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Server]:
    """A repository that a test may change."""
    with serving(make_repository(tmp_path / "repo", {"shop/cart.py": CART, "a.txt": "a\n"})) as server:
        yield server


def test_status_names_the_symbols_that_changed(fresh: Server) -> None:
    root = fresh.root
    assert fresh.text("git_status") == "main  clean"
    write(root, "shop/cart.py", CART.replace("return item", "return [item]"))
    write(root, "a.txt", "b\n")
    git(root, "add", "a.txt")
    write(root, "new.py", "x = 1\n")
    assert fresh.text("git_status").splitlines() == [
        "main",
        "M  a.txt",
        " M shop/cart.py  Cart.add",
        "?? new.py",
    ]
    result = fresh.call("git_status", {"paths": ["shop"]})["result"]
    assert (result["is_clean"], result["staged"], result["untracked"]) == (False, [], [])
    assert result["modified"] == [{"path": "shop/cart.py", "status": "modified", "symbols": ["Cart.add"]}]


def test_status_of_unusual_states(fresh: Server) -> None:
    root = fresh.root
    git(root, "checkout", "-qb", "side")
    write(root, "a.txt", "side\n")
    git(root, "commit", "-qam", "side")
    git(root, "checkout", "-q", "main")
    write(root, "a.txt", "main\n")
    git(root, "commit", "-qam", "main")
    with suppress(subprocess.CalledProcessError):
        git(root, "merge", "side")
    assert fresh.text("git_status").splitlines() == ["main  merge in progress", "UU a.txt"]
    (conflict,) = fresh.call("git_status")["result"]["conflicts"]
    assert set(conflict) == {"path", "ancestor_oid", "ours_oid", "theirs_oid"}
    git(root, "merge", "--abort")
    git(root, "checkout", "-q", "--detach")
    assert fresh.text("git_status").startswith("detached at ")
    assert "branch" not in fresh.call("git_status")["result"]
    git(root, "checkout", "-q", "--orphan", "empty")
    assert fresh.text("git_status").startswith("empty  no commits yet\nA  a.txt")
    assert error_of(fresh.call("git_log"), ErrorCode.ARGUMENT_INVALID)["message"] == "the repository has no commit yet"


def test_diff_names_the_enclosing_symbol(fresh: Server) -> None:
    write(fresh.root, "shop/cart.py", CART.replace("return item", "return [item]"))
    expected = (
        "shop/cart.py +1 -1\n@@ 5 Cart.add\n     def add(self, item):\n-        return item\n+        return [item]"
    )
    assert fresh.text("git_diff") == expected
    assert fresh.text("git_diff", {"staged": True}) == "no changes"
    git(fresh.root, "add", "-A")
    assert fresh.text("git_diff", {"staged": True}) == expected
    assert fresh.text("git_diff", {"base": "HEAD"}) == expected
    assert fresh.text("git_diff", {"base": "HEAD", "context_lines": 0}).count("\n") == 3
    (file,) = fresh.call("git_diff", {"staged": True})["result"]["files"]
    assert file["hunks"][0]["header"] == "Cart.add"
    assert file["hunks"][0]["lines"][1:] == [
        {"origin": "-", "content": "        return item", "old_lineno": 6},
        {"origin": "+", "content": "        return [item]", "new_lineno": 6},
    ]


def test_new_and_deleted_files_are_short(fresh: Server) -> None:
    (fresh.root / "a.txt").unlink()
    write(fresh.root, "new.py", "x = 1\n")
    assert fresh.text("git_diff") == "a.txt +0 -1  deleted"
    assert fresh.text("git_diff", {"paths": ["new.py"]}) == "new.py +1 -0  added\n+x = 1"
    assert fresh.text("git_diff", {"paths": ["a.txt"]}).splitlines()[-1] == "-a"


def test_long_diff_lists_the_files_without_lines(fresh: Server) -> None:
    for name in ("b.txt", "c.txt", "d.txt"):
        write(fresh.root, name, "".join(f"{number}\n" for number in range(20)))
    git(fresh.root, "add", "-A")
    shown = fresh.text("git_diff", {"staged": True, "max_lines": 10}).splitlines()
    assert shown[0] == "b.txt +20 -0  added  cut"
    assert shown[10:] == [
        "+9",
        "c.txt +20 -0  not shown",
        "d.txt +20 -0  not shown",
        "more: 1 file cut, 2 files without lines (paths=..., max_lines=...)",
    ]
    stats = fresh.call("git_diff", {"staged": True, "max_lines": 10})["result"]["stats"]
    assert stats == {"files_changed": 3, "insertions": 60, "deletions": 0}


@pytest.mark.parametrize("surface", [Surface(("all",)), AGENT], ids=["text", "json"])
def test_huge_differences_fit_into_an_answer(fresh: Server, surface: Surface) -> None:
    for number in range(400):
        write(fresh.root, f"many/{'x' * 60}{number}.txt", f"{'long ' * 60}\n" * 20)
    git(fresh.root, "add", "-A")
    for tool, arguments in (("git_diff", {"staged": True, "max_lines": 5000}), ("git_status", {})):
        shown = fresh.text(tool, arguments) if surface is not AGENT else str(fresh.call(tool, arguments)["result"])
        assert "x0.txt" in shown
    assert "files not listed" in fresh.text("git_diff", {"staged": True})


def test_missing_contents_are_named(fresh: Server) -> None:
    write(fresh.root, "a.txt", "other\n")
    git(fresh.root, "commit", "-qam", "Change a")
    blob = git(fresh.root, "rev-parse", "HEAD~1:a.txt").strip()
    (fresh.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert fresh.text("git_diff", {"base": "HEAD~1", "target": "HEAD"}) == "a.txt not in this clone"


def test_log_pages_are_frozen(fresh: Server) -> None:
    root = fresh.root
    for number in range(4):
        write(root, "a.txt", f"{number}\n")
        git(root, "commit", "-qam", f"change {number}")
    first = fresh.call("git_log", {"limit": 2})["result"]
    assert [commit["message"] for commit in first["commits"]] == ["change 3", "change 2"]
    git(root, "commit", "-qm", "later", "--allow-empty")
    cursor = first["pagination"]["next_cursor"]
    second = fresh.call("git_log", {"cursor": cursor, "limit": 10})["result"]
    assert [commit["message"] for commit in second["commits"]] == ["change 1", "change 0", "start"]
    assert "pagination" not in second
    error_of(fresh.call("git_log", {"cursor": cursor, "ref": "main"}), ErrorCode.ARGUMENT_INVALID)
    error_of(fresh.call("git_history", {"cursor": "c_none"}), ErrorCode.ARGUMENT_INVALID)


def test_log_filters(server: Server) -> None:
    assert len(server.call("git_log", {"paths": ["shop"]})["result"]["commits"]) == 5
    assert [commit["message"] for commit in server.call("git_log", {"paths": ["a.txt"]})["result"]["commits"]] == [
        "start"
    ]
    assert len(server.call("git_log", {"ref": "v1"})["result"]["commits"]) == 1
    assert server.text("git_log", {"since": "2100-01-01"}) == "no commits"
    assert server.text("git_log", {"until": "2000-01-01"}) == "no commits"
    error_of(server.call("git_log", {"since": "yesterday"}), ErrorCode.ARGUMENT_INVALID)
    row = server.text("git_log", {"limit": 1}).splitlines()[0]
    assert row.endswith("Change the total 3 (HEAD, main)")


def test_history_of_a_symbol_and_of_a_moved_file(fresh: Server) -> None:
    root = fresh.root
    write(root, "shop/cart.py", CART.replace("return 1", "return 2"))
    git(root, "commit", "-qam", "Change total")
    write(root, "shop/cart.py", "# cart\n" + CART.replace("return 1", "return 2").replace("return item", "return 3"))
    git(root, "commit", "-qam", "Change add")
    git(root, "mv", "shop/cart.py", "shop/basket.py")
    git(root, "commit", "-qm", "Rename")
    subjects = [row.split(" ", 2)[2] for row in fresh.text("git_history", {"symbol": "Cart.total"}).splitlines()]
    assert subjects == ["Change total  shop/cart.py:2-3", "start  shop/cart.py:2-3"]
    whole = [commit["path"] for commit in fresh.call("git_history", {"path": "shop/basket.py"})["result"]["commits"]]
    assert whole == ["shop/basket.py", "shop/cart.py", "shop/cart.py", "shop/cart.py"]
    missing = fresh.call("git_history", {"symbol": "Carrt.total"})
    assert missing["status"] == "not_found" and "did you mean" in missing["message"]
    error_of(fresh.call("git_history", {"symbol": "Cart", "start_line": 1}), ErrorCode.ARGUMENT_INVALID)


def test_inspect(server: Server) -> None:
    shown = server.text("git_inspect", {"ref": "HEAD"}).splitlines()
    assert shown[1:4] == ["Change the total 3", "", "body"]
    assert shown[4:] == [
        "shop/cart.py +1 -1",
        "@@ 2 Cart.total",
        "     def total(self):",
        "-        return 4",
        "+        return 5",
        " ",
    ]
    blamed = server.call("git_inspect", {"action": "blame", "path": "shop/cart.py", "start_line": 2, "end_line": 4})
    assert [row["summary"] for row in blamed["result"]["ranges"]] == ["start", "Change the total 3", "start"]
    assert server.text("git_inspect", {"action": "tags"}).startswith("v1 ")
    error_of(server.call("git_inspect", {"action": "blame"}), ErrorCode.ARGUMENT_INVALID)
    error_of(server.call("git_inspect", {"action": "blame", "path": "no.py"}), ErrorCode.FILE_NOT_FOUND)
    error_of(
        server.call("git_inspect", {"action": "blame", "path": "a.txt", "start_line": 9}), ErrorCode.ARGUMENT_INVALID
    )


@pytest.mark.parametrize(
    "revision",
    [
        "--output=/tmp/x",
        "-x",
        "a..b",
        "@{-1}",
        ":/start",
        "HEAD:a.txt",
        "HEAD^{/start}",
        "refs/heads/--x",
        "nope",
        "../x",
    ],
)
def test_revisions_are_no_options(server: Server, revision: str) -> None:
    for tool, name in (("git_log", "ref"), ("git_diff", "base"), ("git_inspect", "ref")):
        error_of(server.call(tool, {name: revision}), ErrorCode.ARGUMENT_INVALID)


def test_content_of_secrets_is_hidden(fresh: Server) -> None:
    write(fresh.root, ".env", "KEY=hunter22\n")
    git(fresh.root, "add", "-A", "-f")
    git(fresh.root, "commit", "-qm", "Add a secret")
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("git_inspect", {}),
        ("git_diff", {"base": "HEAD~1", "target": "HEAD"}),
        ("git_diff", {"base": "HEAD~1"}),
    )
    for tool, arguments in calls:
        shown = fresh.text(tool, arguments)
        assert ".env +1 -0" in shown and "hunter22" not in shown
    allow_secrets([f"{fresh.root}/.env"])
    try:
        assert "hunter22" in fresh.text("git_inspect")
    finally:
        allow_secrets([])


def test_nothing_that_the_repository_configures_is_run(fresh: Server, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    run = f"touch {canary}"
    settings = {
        "core.fsmonitor": run,
        "core.pager": run,
        "core.editor": run,
        "core.sshCommand": run,
        "diff.external": run,
        "diff.x.textconv": run,
        "diff.x.command": run,
        "filter.x.clean": run,
        "filter.x.smudge": run,
        "filter.x.process": run,
        "alias.status": f"!{run}",
        "core.hooksPath": str(tmp_path),
    }
    for name, value in settings.items():
        git(fresh.root, "config", name, value)
    write(fresh.root, ".gitattributes", "*.py diff=x filter=x\n")
    for hook in ("post-index-change", "pre-commit", "fsmonitor-watchman"):
        write(tmp_path, hook, f"#!/bin/sh\n{run}\n")
        (tmp_path / hook).chmod(0o755)
    write(fresh.root, "shop/cart.py", CART.replace("return 1", "return 2"))
    for tool, arguments in (
        ("git_status", {}),
        ("git_diff", {}),
        ("git_diff", {"base": "HEAD"}),
        ("git_log", {"paths": ["shop"]}),
        ("git_inspect", {}),
        ("git_inspect", {"action": "blame", "path": "shop/cart.py"}),
        ("git_history", {"symbol": "Cart.total"}),
    ):
        fresh.call(tool, arguments)
    assert not canary.exists()


def test_blocked_reads_end(fresh: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """libgit2 opens .gitattributes wherever it lists files, and a FIFO never answers."""
    monkeypatch.setattr(client, "STALL_SECONDS", 1.0)
    (fresh.root / "sub").mkdir()
    os.mkfifo(fresh.root / "sub" / ".gitignore")
    write(fresh.root, "sub/a.py", "x = 1\n")
    error_of(fresh.call("git_status"), ErrorCode.GIT_DAMAGED)
    (fresh.root / "sub" / ".gitignore").unlink()
    assert fresh.call("git_status")["result"]["untracked"] == ["sub/"]


def test_outside_of_git(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    write(tmp_path / "plain", "a.py", "x = 1\n")
    with serving(tmp_path / "plain") as server:
        error_of(server.call("git_status"), ErrorCode.NOT_A_REPOSITORY)
