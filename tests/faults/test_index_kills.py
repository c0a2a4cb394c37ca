"""The indexing process is killed or interrupted anywhere; the next sync leaves an index as if nothing had happened.

The long version: `pytest -m sweep tests/faults -k kill` (rounds by CPL_ROUNDS, seed by CPL_SEED).
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.indexer import Indexer
from codeplane.store.integrity import Verdict
from support.children import start
from support.repositories import logical_dump, make_repository, options_for, scratch_dump, sync, write
from support.snapshots import open_view


def sources(count: int, edition: int = 0) -> dict[str, str | bytes]:
    text = (
        "import os\n\ndef load_{n}_{e}(a):\n    return os.path.join(a, 'x')\n\nclass C{n}:\n    def m(self): return 1\n"
    )
    return {f"pkg/m{number}.py": text.format(n=number, e=edition) * 10 for number in range(count)}


def edit(root: Path, edition: int) -> None:
    for path, content in list(sources(60, edition).items())[::7]:
        write(root, path, content)
    write(root, f"new_{edition}.py", f"def new_{edition}():\n    return 1\n")
    victims = sorted((root / "pkg").iterdir())
    if len(victims) > 30:
        victims[edition % len(victims)].unlink()


KILL_AT = """
def kill(point):
    if point == "{point}":
        os.kill(os.getpid(), signal.SIGKILL)
with Indexer.open(options_for(root), rebuild=True, barrier=kill) as indexer:
    indexer.sync()
"""


@pytest.mark.parametrize("point", ["lexical-committed", "published"])
def test_kill_between_the_two_commits_of_a_sync(tmp_path: Path, point: str) -> None:
    root = make_repository(tmp_path / "repo", sources(40))
    sync(root)
    time.sleep(2.1)
    sync(root)
    write(root, "pkg/m1.py", "def rewritten():\n    return 1\n")
    write(root, "new.py", "def created():\n    return 1\n")
    (root / "pkg/m2.py").unlink()
    child = start(root, KILL_AT.format(point=point))
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    with Indexer.open(options_for(root)) as indexer:
        found = indexer.verify()
        assert found.verdict is Verdict.OK
        report = indexer.sync()
        assert report.rebuild_reason is None
        # Only the delta: the three that changed, never the 38 that did not.
        assert report.hashed <= 3 and report.parsed <= 2
        assert report.repaired == (("pkg/m1.py", "pkg/m2.py") if point == "lexical-committed" else ())
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
        assert indexer.verify("full").verdict is Verdict.OK


@pytest.mark.parametrize("point", ["lexical-committed", "published", "bound"])
@pytest.mark.parametrize("before", ["nothing", "older"])
def test_kill_during_a_build(tmp_path: Path, point: str, before: str) -> None:
    """With an older index in place, that one stays until the switch."""
    root = make_repository(tmp_path / "repo", sources(10))
    if before == "older":
        sync(root)
        with Indexer.open(options_for(root)) as indexer:
            indexer.mark_corrupt()
    child = start(root, KILL_AT.format(point=point))
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    if before == "nothing":
        with pytest.raises(CodePlaneError) as raised, open_view(options_for(root)):
            pass
        assert raised.value.code is ErrorCode.NOT_INDEXED
    with Indexer.open(options_for(root), rebuild=True) as indexer:
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
        assert len(indexer.state.generations()) == 1


RUN = """
print("go", flush=True)
with Indexer.open(options_for(root), rebuild=True) as indexer:
    indexer.sync()
"""


def kill_rounds(tmp_path: Path, seed: int, rounds: int) -> int:
    """Kill at random times while an index is built, then while it is kept up to date; returns how many hit."""
    chooser = random.Random(seed)
    print(f"seed {seed}")
    root = make_repository(tmp_path / "repo", sources(60))
    hit = 0
    for number in range(rounds):
        building = number % 3 == 0
        if building and (root / ".codeplane/CURRENT").exists():
            (root / ".codeplane/CURRENT").unlink()
        edit(root, number)
        child = start(root, RUN)
        assert child.stdout is not None and child.stdout.readline() == "go\n"
        time.sleep(chooser.uniform(0.0, 0.6 if building else 0.35))
        child.send_signal(chooser.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        child.communicate(timeout=60)
        hit += child.returncode < 0
        if number % 3 == 2 or not building:
            with Indexer.open(options_for(root), rebuild=True) as indexer:
                indexer.sync()
                if number % 3 == 2:
                    assert logical_dump(indexer) == scratch_dump(root, tmp_path), f"seed {seed}, round {number}"
                    assert indexer.verify("full").verdict is Verdict.OK, f"seed {seed}, round {number}"
    assert not list((root / ".codeplane").glob(".tmp*"))
    assert len(list((root / ".codeplane/generations").iterdir())) == 1
    return hit


def test_kills_at_random_times(tmp_path: Path) -> None:
    assert kill_rounds(tmp_path, seed=5, rounds=12) >= 2


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_many_kills_at_random_times(tmp_path: Path) -> None:
    rounds, seed = int(os.environ.get("CPL_ROUNDS", "600")), int(os.environ.get("CPL_SEED", "20261115"))
    assert kill_rounds(tmp_path, seed, rounds) > rounds // 8


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", sources(60))
    child = start(
        root,
        """
        def report(progress):
            if progress.phase == "index":
                print(*indexer.pool.pids, flush=True)
                time.sleep(30)
        indexer = Indexer.open(options_for(root))
        indexer.sync(report)
        """,
    )
    assert child.stdout is not None
    pids = [int(pid) for pid in child.stdout.readline().split()]
    assert pids
    child.kill()
    child.communicate(timeout=60)
    deadline = time.monotonic() + 30
    while any(_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a parse worker outlived its parent"
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


@pytest.mark.parametrize("after", [0, 1, 7, 30, 59])
def test_cancelled_build_is_usable_and_resumed(tmp_path: Path, after: int) -> None:
    root = make_repository(tmp_path / "repo", sources(60))
    calls = iter(range(1000))
    with Indexer.open(options_for(root)) as indexer:
        report = indexer.sync(cancelled=lambda: next(calls) >= after)
        assert report.decision == "interrupted"
        assert report.files + report.pending == 60 and report.pending >= 60 - after
        # What is there can be asked, in this state.
        assert sum(line.startswith("files\t") for line in logical_dump(indexer)) == report.files
        assert indexer.verify("full").verdict is Verdict.OK
    with Indexer.open(options_for(root)) as indexer:
        report = indexer.sync()
        assert (report.decision, report.rebuild_reason, report.pending) == ("resumed", None, 0)
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
        assert indexer.sync().decision == "fresh"


def test_cancelled_sync_is_usable_and_resumed(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", sources(60))
    sync(root)
    for edition, after in enumerate((0, 2, 5), 1):
        edit(root, edition)
        calls = iter(range(1000))
        with Indexer.open(options_for(root)) as indexer:
            report = indexer.sync(cancelled=lambda calls=calls, after=after: next(calls) >= after)  # type: ignore[misc]
            assert report.decision == "interrupted" and report.pending
            assert indexer.verify("full").verdict is Verdict.OK
        with open_view(options_for(root)) as view:
            assert view.freshness.status == "fresh"
        with Indexer.open(options_for(root)) as indexer:
            indexer.sync()
            assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_interrupt_leaves_a_usable_index(tmp_path: Path) -> None:
    """KeyboardInterrupt out of the callback, as a signal handler would raise it."""
    root = make_repository(tmp_path / "repo", sources(60))
    for phase in ("scan", "index", "finish"):
        with Indexer.open(options_for(root)) as indexer:
            with pytest.raises(KeyboardInterrupt):
                indexer.sync(lambda progress, phase=phase: _interrupt(progress, phase))  # type: ignore[misc]
            indexer.sync()
            edit(root, len(phase))
            with pytest.raises(KeyboardInterrupt):
                indexer.sync(lambda progress, phase=phase: _interrupt(progress, phase))  # type: ignore[misc]
        with Indexer.open(options_for(root)) as indexer:
            assert indexer.sync().rebuild_reason is None
            assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def _interrupt(progress: object, phase: str) -> None:
    if getattr(progress, "phase", "") == phase:
        raise KeyboardInterrupt
