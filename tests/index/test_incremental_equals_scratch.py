"""After any sequence of changes from outside, the index equals one built from scratch.

The long version: `pytest -m sweep tests/index -k oracle` (steps by CPL_ORACLE_STEPS, seed by CPL_SEED).
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from support.repositories import git, logical_dump, make_repository, options_for, write

from codeplane.index.indexer import Indexer

SNIPPETS: dict[str, list[str]] = {
    ".py": ["import os\n", "def {n}(a, b=1):\n    '''Doc of {n}.'''\n    return a + b\n", "class {N}:\n    x = 1\n    def {n}(self):\n        return self.x\n", "{n} = 3\n", "from .{m} import {n}\n"],
    ".js": ["export function {n}(a) {{ return a }}\n", "class {N} {{ {n}() {{ return this.x }} }}\n", "const {n} = (x) => x;\n"],
    ".ts": ["export interface {N} {{ {n}: string }}\n", "export const {n} = 1;\n"],
    ".go": ["package main\n", "func {n}(a int) int {{ return a }}\n", "type {N} struct {{ X int }}\n"],
    ".rs": ["pub fn {n}(a: i32) -> i32 {{ a }}\n", "struct {N} {{ x: i32 }}\n"],
    ".java": ["class {N} {{ int {n}(int a) {{ return a; }} }}\n"],
    ".md": ["# {N}\n\nText about {n}.\n"],
}
NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"]


class Outside:
    """Somebody who changes the working tree without telling."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.branches = ["main"]

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file() and not {".git", ".codeplane"} & set(path.relative_to(self.root).parts))

    def content(self, suffix: str) -> str:
        pieces = self.random.choices(SNIPPETS.get(suffix, ["{n}\n"]), k=self.random.randint(0, 4))
        return "".join(piece.format(n=self.random.choice(NAMES), N=self.random.choice(NAMES).title(), m="alpha") for piece in pieces)

    def step(self) -> str:
        action = self.random.choice(["create", "create", "modify", "modify", "modify", "delete", "rename", "touch", "chmod", "commit", "branch", "switch", "ignore", "crlf", "directory", "binary", "same_size"])
        getattr(self, f"do_{action}")()
        return action

    def do_create(self) -> None:
        suffix = self.random.choice(sorted(SNIPPETS))
        folder = self.random.choice(["", "pkg/", "pkg/deep/", "web/"])
        write(self.root, f"{folder}{self.random.choice(NAMES)}{suffix}", self.content(suffix))

    def _pick(self) -> Path | None:
        files = self.files()
        return self.random.choice(files) if files else None

    def do_modify(self) -> None:
        path = self._pick()
        if path is not None:
            path.write_text(path.read_bytes().decode("latin-1") + self.content(path.suffix), "utf-8")

    def do_same_size(self) -> None:
        path = self._pick()
        if path is not None:
            stat = path.stat()
            path.write_bytes(path.read_bytes().replace(b"a", b"e", 1))
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def do_delete(self) -> None:
        path = self._pick()
        if path is not None:
            path.unlink()

    def do_rename(self) -> None:
        path = self._pick()
        if path is not None:
            path.rename(path.with_name(f"{self.random.choice(NAMES)}_{self.random.randint(0, 9)}{path.suffix}"))

    def do_touch(self) -> None:
        path = self._pick()
        if path is not None:
            os.utime(path, ns=(0, self.random.randint(0, 2_000_000_000_000_000_000)))

    def do_chmod(self) -> None:
        path = self._pick()
        if path is not None:
            path.chmod(self.random.choice([0o644, 0o755]))

    def do_commit(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "step", "--allow-empty")

    def do_branch(self) -> None:
        name = f"b{len(self.branches)}"
        self.do_commit()
        git(self.root, "switch", "-qc", name)
        self.branches.append(name)

    def do_switch(self) -> None:
        self.do_commit()
        git(self.root, "switch", "-q", self.random.choice(self.branches))

    def do_ignore(self) -> None:
        patterns = self.random.sample(["*.md", "web/", "pkg/deep", "!alpha.md", "beta.*"], k=self.random.randint(0, 2))
        write(self.root, self.random.choice([".gitignore", ".cplignore", "pkg/.gitignore"]), "\n".join(patterns) + "\n")

    def do_crlf(self) -> None:
        path = self._pick()
        if path is not None:
            data = path.read_bytes()
            path.write_bytes(data.replace(b"\r\n", b"\n") if b"\r\n" in data else data.replace(b"\n", b"\r\n"))

    def do_directory(self) -> None:
        """A directory where a file was, or the other way round."""
        path = self._pick()
        if path is not None and path.suffix == ".md":
            path.unlink()
            write(self.root, f"{path.relative_to(self.root)}/alpha.py", self.content(".py"))
        elif (self.root / "pkg/deep").is_dir():
            shutil.rmtree(self.root / "pkg/deep")

    def do_binary(self) -> None:
        write(self.root, f"{self.random.choice(NAMES)}.py", bytes(self.random.randrange(256) for _ in range(64)) + b"\0")


def run_oracle(tmp_path: Path, seed: int, steps: int, compare_every: int) -> None:
    root = make_repository(tmp_path / "repo", {"pkg/alpha.py": "def alpha():\n    return 1\n", "README.md": "# Read\n"})
    outside = Outside(root, seed)
    history: list[str] = []
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number in range(steps):
            history.append(outside.step())
            indexer.sync()
            if number % compare_every == compare_every - 1:
                assert logical_dump(indexer) == scratch_dump(root, tmp_path), f"seed {seed}, after {history}"


def scratch_dump(root: Path, tmp_path: Path) -> list[str]:
    """The dump of an index of the same tree, made by a user who never indexed it."""
    copy = tmp_path / "scratch" / "repo"
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".codeplane"))
    with Indexer.open(options_for(copy)) as indexer:
        indexer.sync()
        return logical_dump(indexer)


@pytest.mark.parametrize("seed", range(4))
def test_random_changes(tmp_path: Path, seed: int) -> None:
    run_oracle(tmp_path, seed, steps=40, compare_every=8)


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_oracle_sweep(tmp_path: Path) -> None:
    steps = int(os.environ.get("CPL_ORACLE_STEPS", "10000"))
    seed = int(os.environ.get("CPL_SEED", "20261115"))
    print(f"seed {seed}, {steps} steps")
    for part in range(0, steps, 500):
        run_oracle(tmp_path / str(part), seed + part, min(500, steps - part), 1)
