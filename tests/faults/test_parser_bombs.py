"""Huge files, endless nesting: the index is built, within its memory, and says what it left out."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from codeplane.config.model import Config
from codeplane.index.indexer import Indexer
from codeplane.languages.registry import languages
from codeplane.operations.context import Context
from codeplane.operations.status import status
from codeplane.query.defs import list_defs_by_name
from codeplane.query.snapshot import open_current
from support.children import start
from support.repositories import make_repository, options_for, write
from support.snapshots import open_view

MEMORY = 700 * 1024 * 1024

INIT = """
from codeplane.config.model import Config, IndexConfig
from codeplane.operations.context import Context
from codeplane.operations.init import initialize
context = Context(root, Config(index=IndexConfig(workers=2)), root.parent / "user-state")
report = initialize(context)
print(report.files, dict(report.skipped), len(report.set_aside))
"""


def peak_of(pid: int, stop: threading.Event) -> list[int]:
    """The most memory that a process and its children had together, by a look every few milliseconds."""
    peak = [0]

    def watch() -> None:
        try:
            process = psutil.Process(pid)
            while not stop.is_set():
                family = [process, *process.children(recursive=True)]
                total = 0
                for member in family:
                    try:
                        total += member.memory_info().rss
                    except psutil.NoSuchProcess:
                        continue
                peak[0] = max(peak[0], total)
                time.sleep(0.005)
        except psutil.NoSuchProcess:
            return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return peak


def test_huge_files_are_skipped_and_reported(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def small():\n    return 1\n"})
    for name, size in (("sparse.bin", 5 * 1024**3), ("line.json", 300 * 1024**2), ("sparse.py", 80 * 1024**2)):
        with (root / name).open("wb") as file:
            file.truncate(size)
    write(root, "bundle.min.js", "function f(a){return a+1};" * 800_000)
    write(root, "rows.csv", "1,2,3,4\n" * 500_000)
    write(root, "just_under.py", "x = [1, 2, 3]\n" * 74_000)
    os.mkfifo(root / "fifo.py")
    growing = threading.Event()

    def grow() -> None:
        with (root / "growing.log.txt").open("ab", buffering=0) as file:
            while not growing.is_set():
                file.write(b"a line of a log that goes on\n" * 100)
                time.sleep(0.001)

    writer = threading.Thread(target=grow, daemon=True)
    writer.start()
    stop = threading.Event()
    child = start(root, INIT)
    peak = peak_of(child.pid, stop)
    try:
        output, errors = child.communicate(timeout=100)
    finally:
        stop.set()
        growing.set()
        writer.join()
    assert child.returncode == 0, errors
    assert 0 < peak[0] < MEMORY, f"{peak[0] / 2**20:.0f} MiB"
    found = status(Context(root, Config(), options_for(root).user_state))
    reasons = dict(found.skipped)
    assert reasons["too_large"] == 4, (reasons, output)
    with open_view(options_for(root)) as view:
        assert [row.path for row in list_defs_by_name(view.snapshot, "small", 5).rows] == ["a.py"]
        for name in ("sparse.bin", "line.json", "bundle.min.js", "sparse.py"):
            assert view.snapshot.reader.row("SELECT reason FROM files WHERE path = ?", (name,)) == ("too_large",)


SUFFIXES = {language.name: (language.extensions or language.filenames)[0] for language in languages()}
OPENERS: dict[str, tuple[str, ...]] = {
    "python": ("if x:\n", "f'{", "lambda: ", "not ", "-", "a.", "a(", "x if y else ", "@", "'''", "\\\n"),
    "javascript": ("`${", "if(x)", "a=>", "new ", "!", "<a>", "/*", "a?b:", "a.b("),
    "typescript": ("A<", "`${", "keyof ", "a=>", "<T>", "/*", "namespace A{", "?:"),
    "tsx": ("<a>", "<A b={", "`${", "{<>"),
    "go": ("*", "func(){", "if x {\n", "[]", "map[a]", "chan ", "<-", "/*"),
    "rust": ("&", "A<", "/*", "if x {", "|a| ", "m!{", "r#", "fn f(){", "mod a{", "unsafe{"),
    "java": ("if(x)", "class A{", "A<", "new A(){", "/*", "(int)", "a->", "!", "@A("),
    "c": ("if(x)", "struct A{", "*", "#if X\n", "/*"),
    "cpp": ("A<", "namespace A{", "[]{", "A::", "/*"),
    "csharp": ("if(x)", "class A{", "A<", "x=>", "#if X\n"),
    "kotlin": ("if(x)", "class A{", "A<", "{a->", "/*"),
    "ruby": ("if x\n", "def f\n", "#{", "->{", "%w["),
    "php": ("<?php if(x){", "<?php function f(){", "${", "fn()=>"),
    "html": ("<div>", "<p", "<!--", "<script>"),
    "yaml": ("- ", "? ", "a:\n "),
    "markdown": ("> ", "- ", "```\n", "# a\n"),
    "bash": ("$(", "if x; then ", "${a:-", "`"),
}
"""Only brackets, for the other languages."""
QUICK: dict[str, tuple[str, ...]] = {
    "python": ("f'{",),
    "javascript": ("`${",),
    "typescript": ("`${",),
    "tsx": ("<A b={",),
    "go": ("func(){",),
    "rust": ("m!{",),
    "java": ("A<",),
}
"""Bombs that parse quickly, or kill their worker quickly."""
DEPTHS = (1_000, 20_000, 100_000, 1_000_000)


def bombs(depths: tuple[int, ...], openers: dict[str, tuple[str, ...]]) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    for language, suffix in SUFFIXES.items():
        for number, opener in enumerate(("(", "[", "{", "([{", *openers.get(language, ()))):
            for depth in depths:
                files[f"{language}/b{number}_{depth}{suffix}"] = (opener * depth)[: 1024 * 1024]
    return files


def run_bombs(tmp_path: Path, files: dict[str, str | bytes], seconds: float) -> None:
    root = make_repository(tmp_path / "repo", {**files, "good.py": "def good():\n    return 1\n"})
    with Indexer.open(options_for(root, parse_seconds=seconds)) as indexer:
        report = indexer.sync()
        assert report.files == len(files) + 1 and report.pending == 0
        with open_current(indexer.state) as snapshot:
            kinds = snapshot.reader.rows("SELECT DISTINCT state, reason FROM files ORDER BY 1, 2")
            assert {state for state, _ in kinds} <= {"indexed", "failed", "text"}, kinds
            assert {reason for state, reason in kinds if state == "failed"} <= {"timeout", "worker_died", "too_deep"}
            assert len(list_defs_by_name(snapshot, "good", 5).rows) == 1
        assert indexer.sync().parsed == len(report.unparsed), "the next sync retries what broke its parser"
        assert indexer.sync().parsed == 0, "a further retry waits"
    with open_view(options_for(root)) as view:
        assert view.freshness.status == "fresh"


def test_every_language_has_bombs() -> None:
    assert {language.name for language in languages()} == set(SUFFIXES) >= set(OPENERS) >= set(QUICK)


@pytest.mark.parametrize("depth", [1_000, 20_000, 1_000_000])
def test_deep_nesting_does_not_crash_the_parent(tmp_path: Path, depth: int) -> None:
    run_bombs(tmp_path, bombs((depth,), OPENERS if depth == 1_000 else QUICK), seconds=3.0)


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_deep_nesting_sweep(tmp_path: Path) -> None:
    run_bombs(tmp_path, bombs(DEPTHS, OPENERS), seconds=5.0)
