"""Hunks equal those of git, and take bounded work for any input."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from codeplane.git.text_diff import MAX_LINES, diff_texts
from support.repositories import git, make_repository, write


def test_hunks_are_those_of_git(tmp_path: Path) -> None:
    old = "".join(f"line {n}\n" for n in range(50))
    new = old.replace("line 7\n", "seven\n").replace("line 30\n", "") + "end"
    root = make_repository(tmp_path / "repo", {"a.txt": old})
    write(root, "a.txt", new)
    told = git(root, "diff", "--no-color", "--", "a.txt")
    found = diff_texts(old.encode(), new.encode())
    assert told[told.index("\n@@ ") + 1 :] == found.hunks.decode()
    assert (found.insertions, found.deletions, found.coarse) == (2, 2, False)
    assert diff_texts(b"a\n", b"a\n") == (b"", 0, 0, False)


def applied(tmp_path: Path, old: bytes, hunks: bytes) -> bytes:
    """Apply a patch with git."""
    root = make_repository(tmp_path / "repo", {"a.txt": old})
    write(root, "patch", b"--- a/a.txt\n+++ b/a.txt\n" + hunks)
    git(root, "apply", "--unidiff-zero", "patch")
    return (root / "a.txt").read_bytes()


def digits(seed: int, count: int) -> bytes:
    chance = random.Random(seed)
    return b"".join(b"%d\n" % chance.randrange(10) for _ in range(count))


def lines(count: int) -> bytes:
    return b"".join(b"line %d\n" % n for n in range(count))


CASES = {
    "long and alike": (lines(50_000), lines(50_000).replace(b"line 7\n", b"").replace(b"line 49990\n", b"x\n"), False),
    "long in pieces": (lines(30_000), lines(30_000).replace(b"5\n", b"five\n"), False),
    "nothing in common": (digits(1, 40_000), digits(2, 40_000), True),
    "turned round": (lines(20_000), b"".join(lines(20_000).splitlines(keepends=True)[::-1]), True),
    "no final newline": (digits(1, 20_000) + b"end", digits(2, 20_000) + b"other", True),
    "all gone": (lines(MAX_LINES * 3), b"x\n", True),
    "all new": (b"", lines(MAX_LINES * 3), True),
    "short": (digits(1, 1000), digits(2, 1000), False),
    "carriage returns": (b"a\rb\rc\n" * 10, b"a\rb\rd\n" * 10, False),
}


@pytest.mark.parametrize("name", CASES)
def test_patch_produces_the_new_text(tmp_path: Path, name: str) -> None:
    old, new, coarse = CASES[name]
    found = diff_texts(old, new)
    assert found.coarse == coarse
    assert applied(tmp_path, old, found.hunks) == new


def test_diff_work_is_bounded() -> None:
    """Beside two texts that share nothing, whose lines are merely split and counted."""
    worst = [
        (digits(1, 200_000), digits(2, 200_000)),
        (
            b"".join(b"%d\n" % n + digits(n, 1900) for n in range(50)),
            b"".join(b"%d\n" % n + digits(-n, 1900) for n in range(50)),
        ),
        (b"a\nb\n" * 100_000, b"b\na\n" * 100_000),
        (lines(90_000), lines(90_000)[: -len(b"line 89999\n")] + digits(1, 1900)),
    ]
    for old, new in worst:
        began = time.process_time()
        diff_texts(old, new)
        assert time.process_time() - began < 5.0
