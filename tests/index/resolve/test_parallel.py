"""Processes of their own find the same links; one that dies costs nothing but time."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from codeplane.disk import changes
from codeplane.index import invalidation
from codeplane.index.indexer import Indexer
from codeplane.index.resolve import evaluator, parallel, store_library
from codeplane.index.resolve.store_library import StoreLibrary
from codeplane.processes.children import Child
from support.repositories import logical_dump, make_repository, options_for, scratch_dump

PACKAGES = 12


def _tree() -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {
        "base.py": "class Base:\n    def run(self): return self\n\n    def stop(self): ...\n"
    }
    for number in range(PACKAGES):
        before = f"from p{number - 1}.kind import Kind as Other\n" if number else "from base import Base as Other\n"
        files[f"p{number}/__init__.py"] = ""
        files[f"p{number}/kind.py"] = (
            f"{before}class Kind(Other):\n    def step{number}(self): return self.run().step{number}()\n"
        )
        files[f"p{number}/use.py"] = f"from p{number}.kind import Kind\nKind().step{number}().stop()\nKind().run()\n"
        files[f"p{number}/größe.go"] = f"package p{number}\nfunc Größe() int {{ return Größe() }}\n"
    return files


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(invalidation, "_MIN_PARALLEL_FILES", 2)
    monkeypatch.setattr(parallel, "_BATCH", 3)
    return make_repository(tmp_path / "repo", _tree())


def _built(root: Path) -> list[str]:
    options = options_for(root)
    with Indexer.open(type(options)(**{**vars(options), "workers": 3})) as indexer:
        indexer.sync()
        return logical_dump(indexer)


def _watched(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The processes that are started from now on."""
    started: list[Child] = []

    def start(module: str, arguments: tuple[str, ...]) -> Child:
        started.append(Child(module, arguments))
        return started[-1]

    monkeypatch.setattr(parallel, "Child", start)
    return started


def test_parallel_links_equal_serial_links(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = _watched(monkeypatch)
    found = _built(root)
    assert len(started) == 3
    monkeypatch.setattr(invalidation, "_MIN_PARALLEL_FILES", 1000)
    assert found == scratch_dump(root, tmp_path)
    assert len(started) == 3


def test_worker_that_never_starts(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_MODULE", "codeplane.index.resolve.nowhere")
    found = _built(root)
    monkeypatch.setattr(invalidation, "_MIN_PARALLEL_FILES", 1000)
    assert found == scratch_dump(root, tmp_path)


def test_worker_killed_midway(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crew = _watched(monkeypatch)
    decode = parallel.decode

    def killing(frame: bytes) -> object:
        if crew:
            os.kill(crew.pop().pid, signal.SIGKILL)
        return decode(frame)

    monkeypatch.setattr(parallel, "decode", killing)
    found = _built(root)
    assert not crew
    monkeypatch.setattr(invalidation, "_MIN_PARALLEL_FILES", 1000)
    assert found == scratch_dump(root, tmp_path)


@pytest.mark.parametrize("limit", [0, 20_000])
def test_links_do_not_depend_on_the_memory_of_the_resolver(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(invalidation, "_MIN_PARALLEL_FILES", 1000)
    whole = scratch_dump(root, tmp_path)
    reads: list[str] = []
    read = StoreLibrary._read

    def reading(self: StoreLibrary, path: str) -> object:
        reads.append(path)
        return read(self, path)

    monkeypatch.setattr(StoreLibrary, "_read", reading)
    monkeypatch.setattr(store_library, "MAX_FILE_BYTES", limit)
    monkeypatch.setattr(evaluator, "MAX_QUERY_BYTES", limit)
    assert _built(root) == whole
    assert len(reads) > len(set(reads)), "files were dropped and read again"


def test_workers_stay_alive_while_resolving_pauses(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without racy files, a sync between two steps finds no change.
    monkeypatch.setattr(changes, "RACY_WINDOW_NS", 0)
    started = _watched(monkeypatch)
    options = options_for(root)
    with Indexer.open(type(options)(**{**vars(options), "workers": 3})) as indexer:
        indexer.sync_files()
        pauses = 0
        while not indexer.resolve(lambda: True):
            pauses += 1
            assert indexer.sync_files().decision == "fresh"
        found = logical_dump(indexer)
    assert pauses > 10 and len(started) == 3
    monkeypatch.setattr(invalidation, "_MIN_PARALLEL_FILES", 1000)
    assert found == scratch_dump(root, tmp_path)


def test_workers_restart_after_racy_files_were_read_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "RACY_WINDOW_NS", 10**18)
    started = _watched(monkeypatch)
    options = options_for(root)
    with Indexer.open(type(options)(**{**vars(options), "workers": 3})) as indexer:
        indexer.sync_files()
        assert not indexer.resolve(lambda: True)
        assert indexer.sync_files().touched > PACKAGES
        assert indexer.resolve()
        found = logical_dump(indexer)
    assert len(started) == 6
    monkeypatch.setattr(invalidation, "_MIN_PARALLEL_FILES", 1000)
    assert found == scratch_dump(root, tmp_path)
