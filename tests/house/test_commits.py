"""scripts/check_commits.py rejects bad commit messages and skips incomplete history."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from support.repositories import git, make_repository

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_commits.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize(
    "message",
    [
        "Look up known mutation ids once at startup",
        "Embed models in the wheel",
        "Bring tests up to date\n\nThe reason is long.\n",
        "Add " + "x" * 68,
    ],
)
def test_good_messages_pass(script: dict[str, Any], message: str) -> None:
    assert script["find_problems"](message) == []


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Add " + "x" * 69, "73 characters"),
        ("Add a test\nand more", "second line"),
        ("wip", "does not say"),
        ("fixup! Add a test", "does not say"),
        ("x", "does not say"),
        ("", "does not say"),
        ("Added a test", "imperative"),
        ("Renaming modules of the server", "imperative"),
        ("Made it faster again", "imperative"),
        ("add a test", "capitalized"),
    ],
)
def test_bad_messages_are_reported(script: dict[str, Any], message: str, words: str) -> None:
    problems = script["find_problems"](message)
    assert len(problems) == 1 and words in problems[0]


def test_only_commits_after_the_base_are_read(script: dict[str, Any], tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "one\n"})
    base = git(root, "rev-parse", "HEAD").strip()
    git(root, "commit", "-q", "--allow-empty", "-m", "Add nothing", "-m", "A body.")
    ((_, message),) = script["read_messages"](root, base)
    assert message.splitlines() == ["Add nothing", "", "A body."]


def test_an_unknown_base_or_a_directory_without_git_is_skipped(script: dict[str, Any], tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "one\n"})
    (tmp_path / "plain").mkdir()
    assert script["read_messages"](root, "0" * 40) == []
    assert script["read_messages"](tmp_path / "plain", "HEAD") == []
