"""Short description of a repository."""

from __future__ import annotations

from pathlib import Path

from codeplane.operations.describe import describe_repo, main_language
from operations.fixtures import index
from support.repositories import git, make_repository


def test_an_indexed_repository(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    files: dict[str, str | bytes] = {"a.py": "def f():\n    pass\n", "b.ts": "let x = 1\n", "c.md": "# long\n" * 50}
    with index(root, files) as snapshot:
        found = describe_repo(snapshot, root, "ready")
    assert found["repo_root"] == str(root)
    assert (found["branch"], found["language"], found["index_status"]) == ("main", "python", "ready")
    assert found["counts"] == {"files": 3, "definitions": 52, "references": 2}


def test_dialects_count_together(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.py": "x = 1\n" * 5, "b.ts": "let x = 1\n" * 3, "c.tsx": "let y = 1\n" * 3}
    with index(tmp_path / "repo", files) as snapshot:
        assert main_language(snapshot) == "typescript"


def test_without_an_index_and_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "feature/new")
    assert describe_repo(None, tmp_path, "absent") == {
        "repo_root": str(tmp_path),
        "branch": "feature/new",
        "index_status": "absent",
    }


def test_detached_head_has_no_branch(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert "branch" not in describe_repo(None, plain, "absent")
    root = make_repository(tmp_path / "repo", {"a.py": ""})
    git(root, "checkout", "-q", "--detach")
    assert "branch" not in describe_repo(None, root, "absent")
    (root / ".git" / "HEAD").write_text("damaged\n")
    assert "branch" not in describe_repo(None, root, "absent")
