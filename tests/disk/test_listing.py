"""Directory listings: bounded, never through a link, with the rule that ignores an entry."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import ROOT, RepoPath
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.listing import DirectoryListing, list_directory
from codeplane.disk.safe_open import Root
from support.privileges import ordinary_rights
from support.repositories import write


def listed(
    root: Path, directory: str = "", depth: int = 20, limit: int = 1000, rules: IgnoreRules | None = None
) -> DirectoryListing:
    with Root.open(root) as opened:
        return list_directory(opened, rules or IgnoreRules(), RepoPath(directory), depth, limit)


def test_entries_are_ordered_by_depth_and_name(tmp_path: Path) -> None:
    for path in ("b/z.py", "b/a/x.py", "a.py", "b.py"):
        write(tmp_path, path, "")
    found = listed(tmp_path)
    assert [(entry.path, entry.kind) for entry in found.entries] == [
        ("a.py", "file"),
        ("b", "directory"),
        ("b.py", "file"),
        ("b/a", "directory"),
        ("b/z.py", "file"),
        ("b/a/x.py", "file"),
    ]
    assert found.complete and not found.secrets
    assert [entry.path for entry in listed(tmp_path, depth=1).entries] == ["a.py", "b", "b.py"]


def test_listing_applies_the_ignore_rules_of_the_walk(tmp_path: Path) -> None:
    """Every entry that is not left out, and every one that is, as `why_ignored` says of it alone."""
    files = {
        ".gitignore": "*.tmp\n!keep.tmp\n/only/\n",
        "sub/.gitignore": "inner.py\n",
        "sub/.cplignore": "!x.tmp\n",
        "sub/inner.py": "",
        "sub/x.tmp": "",
        "keep.tmp": "",
        "y.tmp": "",
        "only/a.py": "",
        "sub/only/a.py": "",
        "node_modules/a.js": "",
        ".git/info/exclude": "excluded.py\n",
        "excluded.py": "",
    }
    for path, text in files.items():
        write(tmp_path, path, text)
    found = listed(tmp_path)
    with Root.open(tmp_path) as root:
        for entry in found.entries:
            assert why_ignored(root, IgnoreRules(), entry.path) == (str(entry.ignored) if entry.ignored else None)
    ignored = {entry.path for entry in found.entries if entry.ignored is not None}
    assert ignored == {".git", "node_modules", "only", "y.tmp", "sub/inner.py", "excluded.py"}
    assert not any(entry.path.startswith("only/") for entry in found.entries), "it is not entered"
    within = listed(tmp_path, "only")
    assert [(entry.path, str(entry.ignored)) for entry in within.entries] == [
        ("only/a.py", "gitignore: .gitignore:3 /only/")
    ]


def test_links_and_fifos_are_listed_but_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.py", "")
    root = tmp_path / "repo"
    write(root, "a.py", "")
    (root / "way").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe")
    assert {entry.path: entry.kind for entry in listed(root).entries} == {
        "a.py": "file",
        "way": "symlink",
        "loop": "symlink",
        "pipe": "special",
    }
    with pytest.raises(CodePlaneError) as raised:
        listed(root, "way")
    assert raised.value.code is ErrorCode.PATH_SYMLINK


def test_secrets_are_counted(tmp_path: Path) -> None:
    for path in (".env", "a/id_rsa", ".ssh/config", "node_modules/.env", "a/b.py"):
        write(tmp_path, path, "")
    found = listed(tmp_path)
    assert [entry.path for entry in found.entries] == ["a", "node_modules", "a/b.py"]
    assert found.secrets == 3
    assert listed(tmp_path, "node_modules").secrets == 1
    shown = listed(tmp_path, rules=IgnoreRules(block_secrets=False))
    assert ".env" in [entry.path for entry in shown.entries] and not shown.secrets


def test_listing_stops_at_the_limit(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, f"f{number:02}.py", "")
    found = listed(tmp_path, limit=10)
    assert [entry.path for entry in found.entries] == [f"f{number:02}.py" for number in range(10)]
    assert not found.complete
    assert listed(tmp_path, limit=30).complete


def test_unreadable_directories_are_unscanned_not_empty(tmp_path: Path) -> None:
    write(tmp_path, "closed/a.py", "")
    os.chmod(tmp_path / "closed", 0)
    try:
        with ordinary_rights():
            found = listed(tmp_path)
            assert [entry.path for entry in found.entries] == ["closed"] and not found.complete
            with pytest.raises(CodePlaneError):
                listed(tmp_path, "closed")
    finally:
        os.chmod(tmp_path / "closed", 0o700)


def test_missing_directory_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CodePlaneError) as raised:
        listed(tmp_path, "nothing")
    assert raised.value.code is ErrorCode.FILE_NOT_FOUND
    assert listed(tmp_path, ROOT).entries == ()
