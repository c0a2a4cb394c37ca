"""Trees to measure on: copies of repositories, generated ones, and the bare walk that is the floor of every look.

Everything edited or indexed here is a copy in a temporary directory; a repository that was
named by the user is only read.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codeplane.base.limits import RACY_WINDOW_NS
from codeplane.disk.ignore import IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import walk

SEED = 20240229
_FILES_PER_DIRECTORY = 40
_LEFT_OUT = (".git", ".codeplane")


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary directory (under TMPDIR) that goes away with all that is in it."""
    with tempfile.TemporaryDirectory(prefix="codeplane-bench-") as name:
        yield Path(name).resolve()


def copy_repository(source: Path, target: Path) -> Path:
    """The files of a repository as a repository of one commit, without any index of ours."""
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    return commit_all(target)


def generate(target: Path, files: int, seed: int = SEED) -> Path:
    """A tree of small Python modules, the same for the same seed, as a repository of one commit."""
    chance = random.Random(seed)
    words = [
        f"{first}{second}" for first in ("load", "read", "make", "find") for second in ("item", "page", "node", "row")
    ]
    for number in range(files):
        group = number // _FILES_PER_DIRECTORY
        directory = target / f"area{group // 20:03}" / f"part{group % 20:02}"
        if number % _FILES_PER_DIRECTORY == 0:
            directory.mkdir(parents=True)
        (directory / f"module{number:06}.py").write_text(_module(chance, words, number))
    return commit_all(target)


def commit_all(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "tree", "--no-gpg-sign", "--allow-empty")
    return root


def git(root: Path, *arguments: str) -> None:
    # Neither the user's settings nor hooks are to have a say in what is measured.
    settings = ["user.name=benchmark", "user.email=benchmark@localhost", "core.hooksPath=/dev/null", "gc.auto=0"]
    command = ["git", *(part for setting in settings for part in ("-c", setting)), *arguments]
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)


def settle(root: Path) -> None:
    """Wait until no file is so young that its stat cannot be trusted."""
    newest = max((entry.stat(follow_symlinks=False).st_ctime_ns for entry in _entries(root)), default=0)
    wait = (newest + RACY_WINDOW_NS - time.time_ns()) / 1e9 + 0.1
    if wait > 0:
        time.sleep(wait)


def pruned_directories(root: Path) -> tuple[str, ...]:
    """Directories that the product does not enter, so that the floor need not either."""
    with Root.open(root) as opened:
        found = walk(opened, IgnoreRules()).pruned
    return tuple(str(root / path) for path in found)


def bare_walk(root: Path, pruned: tuple[str, ...] = ()) -> int:
    """scandir and lstat of everything, and nothing more; the number of entries."""
    skipped = {*pruned, *(str(root / name) for name in _LEFT_OUT)}
    scandir = os.scandir
    pending = [str(root)]
    seen = 0
    while pending:
        with scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.path not in skipped:
                        pending.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    seen += 1
    return seen


def _entries(root: Path) -> Iterator[os.DirEntry[str]]:
    skipped = {str(root / name) for name in _LEFT_OUT}
    pending = [str(root)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and entry.path not in skipped:
                    pending.append(entry.path)
                yield entry


def _module(chance: random.Random, words: list[str], number: int) -> str:
    lines = [f'"""Module {number}."""', "", "import os", ""]
    for definition in range(chance.randint(1, 4)):
        name = f"{chance.choice(words)}_{number}_{definition}"
        lines += [
            "",
            f"def {name}(value, other=None):",
            f'    """{chance.choice(words)} and {chance.choice(words)}."""',
        ]
        for _ in range(chance.randint(1, 6)):
            lines.append(f"    value = {chance.choice(words)}(value, {chance.randint(0, 999)})")
        lines += ["    return os.fspath(value) if other else value", ""]
    return "\n".join(lines)
