"""Builds on a busy machine: every file is parsed, or every answer says which files are not."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codeplane.base.digests import Digest
from codeplane.index.indexer import Indexer
from codeplane.store.parse_failures import next_failure
from support.repositories import make_repository, options_for, write
from support.sandbox import Sandbox

SOURCES = {
    "cc": "struct S{n} {{ int v{n}; }};\nint f{n}(S{n} s) {{ return s.v{n}; }}\n",
    "py": "class S{n}:\n    def f{n}(self):\n        return {n}\n",
    "ts": "export class S{n} {{ f{n}(): number {{ return {n}; }} }}\n",
    "go": "package p\n\nfunc F{n}() int {{ return {n} }}\n",
    "rs": "pub fn f{n}() -> i32 {{ {n} }}\n",
    "java": "class S{n} {{ int f{n}() {{ return {n}; }} }}\n",
}


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def build_once(generator: random.Random, root: Path) -> tuple[int, int]:
    """Build a random small repository. Return the files that were not parsed: stated, and not stated."""
    files: dict[str, str | bytes] = {}
    for number in range(generator.randint(1, 8)):
        extension = generator.choice(sorted(SOURCES))
        files[f"d{generator.randint(0, 2)}/m{number}.{extension}"] = SOURCES[extension].format(n=number)
    make_repository(root, files)
    options = options_for(root, extraction_cache_bytes=0, index_cache_bytes=0, workers=2)
    with Indexer.open(options) as indexer:
        report = indexer.sync()
        assert indexer.writer is not None
        parsed = {path for (path,) in indexer.writer.rows("SELECT path FROM files WHERE state = 'indexed'")}
    missing = files.keys() - parsed
    return len(missing & set(report.unparsed)), len(missing - set(report.unparsed))


def run_rounds(rounds: int, loops: int, tmp_path: Path) -> tuple[int, int]:
    seed = int(os.environ.get("CPL_SEED", "1"))
    generator = random.Random(seed)
    stated = silent = 0
    with busy_loops(loops):
        for number in range(rounds):
            root = tmp_path / f"r{number}"
            counts = build_once(generator, root)
            stated, silent = stated + counts[0], silent + counts[1]
            shutil.rmtree(root)
    print(f"seed {seed}: {rounds} builds beside {loops} busy loops, {stated} files not parsed, {silent} of them lost")
    return stated, silent


def test_builds_beside_busy_loops_lose_no_file(tmp_path: Path) -> None:
    assert run_rounds(2, 4, tmp_path) == (0, 0)


@pytest.mark.sweep
def test_builds_under_heavy_load_lose_no_file(tmp_path: Path) -> None:
    assert run_rounds(int(os.environ.get("CPL_ROUNDS", "2000")), 16, tmp_path)[1] == 0


EXPENSIVE = "def wanted():\n    return 1\n" + "a" + ".b" * 300_000 + "\n"
SETTINGS = ("--set", "index.parse_timeout_sec=0.3")


def test_answers_name_files_that_were_not_parsed(tmp_path: Path) -> None:
    sandbox = Sandbox(make_repository(tmp_path / "repo", {}), tmp_path / "home")
    assert sandbox.run(*SETTINGS, "init").returncode == 0
    write(sandbox.root, "chain.py", EXPENSIVE)
    write(sandbox.root, "ok.py", "from chain import wanted\n\n\ndef given():\n    return wanted()\n")
    for command in (
        ("search", "wanted", "--mode", "definitions"),
        ("search", "wanted", "--mode", "lexical"),
        ("search", "wanted", "--mode", "references"),
        ("search", "how is wanted computed"),
        ("defs", "wanted"),
        ("refs", "given"),
        ("calls", "given"),
        ("outline", "chain.py"),
        ("imports", "ok.py"),
        ("unused",),
    ):
        ran = sandbox.run(*SETTINGS, *command)
        assert "chain.py" in ran.stdout + ran.stderr and "not be parsed" in ran.stdout + ran.stderr, (command, ran)
    assert "1 file could not be parsed" in sandbox.run("status").stdout
    doctor = sandbox.run("doctor")
    assert "1 files could not be parsed" in doctor.stdout + doctor.stderr


def test_retries_are_bounded_and_start_again_with_new_content() -> None:
    failure, waits = None, []
    for _ in range(7):
        failure = next_failure(failure, Digest("a"), 1000.0)
        waits.append(failure.retry_at - 1000.0 if failure.is_due(failure.retry_at) else None)
    assert waits == [0.0, 10.0, 30.0, 90.0, 270.0, None, None]
    assert next_failure(failure, Digest("b"), 1000.0).is_due(1000.0)
