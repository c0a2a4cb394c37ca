"""Noise hint: when it appears, its content, and parsing of the root .gitignore."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.disk.safe_open import Root
from codeplane.languages.roles import decide_role_of_text
from codeplane.operations.search.noise_hint import (
    PATTERNS,
    RELOAD_EVERY,
    GitignoreState,
    RootGitignore,
    category_of,
    noise_hint,
)

ABSENT = GitignoreState("absent")
FIRST = 'Use scope="runtime" to reduce noise.'
LAST = "Reindex is only required when you see requires_reindex (fingerprint mismatch)."
EDIT = (
    "If you edit ignores, add only patterns not already ignored by root .gitignore (root-only check),"
    " then run manage_index sync."
)
COVERED = (
    "Top noisy files appear already covered by root .gitignore (root-only check);"
    " .cplignore changes may be unnecessary."
    " If you changed ignores, run manage_index sync for immediate convergence."
)
NOISY = ("tests/test_a.py", "docs/a.md", "src/generated/a.py")


def everything(name: str) -> bool:
    return True


def categories_of(paths: Iterable[str]) -> dict[str, str]:
    return {path: decide_role_of_text(path, b"").role for path in paths}


def hint(paths: tuple[str, ...], gitignore: GitignoreState = ABSENT, **more: Any) -> dict[str, Any]:
    found = noise_hint(categories_of(paths), gitignore, everything, **more)
    assert found is not None
    return found


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    with Root.open(tmp_path) as opened:
        yield opened


def state_of(root: Root, text: str | bytes) -> GitignoreState:
    (root.path / ".gitignore").write_bytes(text if isinstance(text, bytes) else text.encode())
    return RootGitignore(root).read()


@pytest.mark.parametrize(
    ("path", "category"),
    [
        ("tests/a_pb2.py", "generated"),
        ("docs/generated/a.md", "generated"),
        ("tests/fixtures/a.json", "tests"),
        ("shop/fixtures/a.json", "fixtures"),
        ("docs/fixtures/a.json", "fixtures"),
        ("docs/a.md", "docs"),
        ("examples/a.py", "runtime"),
        ("src/a.py", "runtime"),
    ],
)
def test_categories_have_a_precedence(path: str, category: str) -> None:
    assert category_of(path, decide_role_of_text(path, b"").role) == category


@pytest.mark.parametrize(
    ("noisy", "runtime", "hinted"),
    [(3, 2, True), (2, 3, False), (1, 0, True), (1, 1, False), (2, 1, True), (0, 0, False)],
)
def test_three_of_five_noisy_results_trigger_the_hint(noisy: int, runtime: int, hinted: bool) -> None:
    paths = [f"tests/test_{number}.py" for number in range(noisy)] + [f"src/{number}.py" for number in range(runtime)]
    assert (noise_hint(categories_of(paths), ABSENT, everything) is not None) is hinted


def test_only_the_first_five_count() -> None:
    paths = [f"src/{number}.py" for number in range(3)] + [f"tests/{number}.py" for number in range(50)]
    assert noise_hint(categories_of(paths), ABSENT, everything) is None


def test_complete_hint(root: Root) -> None:
    found = hint((*NOISY, "src/a.py", "tests/b.py"), state_of(root, "docs/\n"), debounce_ms=7)
    assert found == {
        "version": 1,
        "reason": "top_results_noise_dominant",
        "top_k": 5,
        "ratios": {"generated": 0.2, "tests": 0.4, "fixtures": 0.0, "docs": 0.2, "runtime": 0.2},
        "recommended_scope": "runtime",
        "suggested_ignore_patterns": ["**/generated/**", "**/tests/**", "**/test_*.py"],
        "debounce_ms": 7,
        "next_step": f"{FIRST} {EDIT} {LAST}",
        "already_ignored": ["docs/a.md"],
        "new_ignore_only": ["src/generated/a.py", "tests/b.py", "tests/test_a.py"],
        "confidence": "high",
    }


def test_already_ignored_patterns_are_not_suggested(root: Root) -> None:
    found = hint(NOISY, state_of(root, "tests/\n*.md\ngenerated\n"))
    assert found["suggested_ignore_patterns"] == []
    assert found["next_step"] == f"{FIRST} {COVERED} {LAST}"
    assert found["already_ignored"] == sorted(NOISY) and found["new_ignore_only"] == []


def test_uncovered_files_are_not_reported_as_covered(root: Root) -> None:
    found = hint(("e2e/login.ts",), state_of(root, "dist/\n"))
    assert found["suggested_ignore_patterns"] == []
    assert (
        found["next_step"] == f"{FIRST} If you changed ignores, run manage_index sync for immediate convergence. {LAST}"
    )


def test_without_gitignore_all_patterns_are_suggested(root: Root) -> None:
    (root.path / ".gitignore").mkdir()
    unreadable = RootGitignore(root).read()
    assert unreadable.state == "error"
    for state in (ABSENT, unreadable):
        found = hint(NOISY, state)
        assert found["suggested_ignore_patterns"] == list(PATTERNS)
        assert found["next_step"] == f"{FIRST} {EDIT} {LAST}"
        assert (found["confidence"], found["already_ignored"], found["new_ignore_only"]) == ("low", [], [])


@pytest.mark.parametrize("paths", [("../tests/a.py",), ("/tests/a.py",)])
def test_files_outside_the_root_are_not_reported_as_covered(root: Root, paths: tuple[str, ...]) -> None:
    found = hint(paths, state_of(root, "tests/\n"))
    assert "already covered" not in found["next_step"]
    assert found["already_ignored"] == found["new_ignore_only"] == []


def test_hint_names_only_visible_tools(root: Root) -> None:
    found = noise_hint(categories_of(NOISY), state_of(root, "x\n"), lambda name: name != "manage_index")
    assert found is not None
    step = str(found["next_step"])
    assert "then run 'cpl init'." in step and "manage_index" not in step


def test_suggested_patterns_match_the_noisy_files(root: Root) -> None:
    for path in ("tests/test_a.py", "a/__tests__/b.js", "pkg/a_test.go", "web/a.spec.ts", "docs/x.rst", "yarn.lock"):
        found = hint((path,), state_of(root, "nothing\n"))
        again = hint((path,), state_of(root, "\n".join(found["suggested_ignore_patterns"])))
        assert again["already_ignored"] == [path], path


@pytest.mark.parametrize(
    ("text", "path", "ignored"),
    [
        ("docs/\n", "docs/a/b.md", True),
        ("*.md\n!keep.md\n", "docs/keep.md", False),
        ("docs/\n!docs/keep.md\n", "docs/keep.md", True),
        ("/docs\n", "a/docs/b.md", False),
        ("# docs\n", "docs/b.md", False),
        (b"\xff\n*.md\n", "a.md", True),
    ],
)
def test_gitignore_semantics_match_git(root: Root, text: str | bytes, path: str, ignored: bool) -> None:
    state = state_of(root, text)
    assert state.state == "ready" and state.ignores(path) is ignored


def rewrite(path: Path, text: str, times: tuple[int, int] | None = None) -> None:
    path.write_text(text)
    if times is not None:
        os.utime(path, ns=times)


def test_changed_gitignore_is_reloaded(root: Root) -> None:
    cache, file = RootGitignore(root), root.path / ".gitignore"
    assert cache.read() == ABSENT
    rewrite(file, "a\n", (0, 10**9))
    assert cache.read().ignores("a")
    rewrite(file, "b\n", (0, 2 * 10**9))
    assert cache.read().ignores("b")
    rewrite(file, "bb\n", (0, 2 * 10**9))
    assert cache.read().ignores("bb")
    file.unlink()
    assert cache.read() == ABSENT
    file.symlink_to("elsewhere")
    assert cache.read().state == "error"


@pytest.mark.parametrize("every", [2, RELOAD_EVERY])
def test_same_stat_change_is_found_by_periodic_reload(root: Root, every: int) -> None:
    cache, file = RootGitignore(root, every), root.path / ".gitignore"
    rewrite(file, "a\n", (0, 10**9))
    assert cache.read().ignores("a")
    rewrite(file, "b\n", (0, 10**9))
    for _ in range(every - 1):
        assert cache.read().ignores("a")
    assert cache.read().ignores("b")
    rewrite(file, "c\n", (0, 10**9))
    assert cache.read().ignores("b")


def test_unreadable_gitignore_is_retried(root: Root) -> None:
    cache, file = RootGitignore(root, 3), root.path / ".gitignore"
    rewrite(file, "\n".join(f"*{number}*" for number in range(2000)), (0, 10**9))
    size = file.stat().st_size
    assert cache.read().state == "error"
    rewrite(file, "a\n".ljust(size, "\n"), (0, 10**9))
    assert cache.read().state == "error"
    assert cache.read().ignores("a")


def test_oversized_gitignore_is_an_error(root: Root) -> None:
    assert state_of(root, b"a\n" * (1024 * 1024)).state == "error"
