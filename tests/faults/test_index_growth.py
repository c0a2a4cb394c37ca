"""Bounds on disk usage: of the whole index, the write-ahead log, the history, and leftovers.

The long version: `pytest -m sweep tests/faults -k growth` (syncs by CPL_ROUNDS).
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from codeplane.base.limits import MAX_WAL_BYTES
from codeplane.config.model import Config, IndexConfig
from codeplane.index.indexer import Indexer
from codeplane.operations.context import Context
from codeplane.operations.init import initialize
from codeplane.operations.status import status
from codeplane.query.snapshot import open_current
from codeplane.store.schema import KEPT_EPOCHS
from support.repositories import logical_dump, make_repository, options_for, scratch_dump, sync, write
from support.snapshots import open_view


def noise(seed: int, words: int) -> str:
    chooser = random.Random(seed)
    return "".join(f"name_{chooser.getrandbits(64):x} = value_{chooser.getrandbits(64):x}\n" for _ in range(words))


def test_size_cap_excludes_files_and_warns(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"m{number:03}.py": noise(number, 150) for number in range(300)}
    root = make_repository(tmp_path / "repo", files)
    cap = 2 * 1024 * 1024
    config = Config(index=IndexConfig(workers=1, max_bytes=cap))
    context = Context(root, config, options_for(root).user_state)
    report = initialize(context)
    assert 0 < report.pending < 300
    assert any("size limit" in warning and str(report.pending) in warning for warning in report.warnings)
    # What is in the workers when the cap is met is still put: for a cap this small that counts, but it is bounded.
    assert report.index_bytes < 2.5 * cap
    found = status(context)
    assert (found.pending, found.state, found.cap_bytes) == (report.pending, "ready", cap)
    assert found.reason is not None and "size limit" in found.reason
    with open_view(options_for(root, max_bytes=cap)) as view:
        assert view.freshness.status == "stale" and view.notices
    again = initialize(context)
    assert again.pending == report.pending and again.index_bytes <= report.index_bytes + 64 * 1024
    with Indexer.open(options_for(root)) as indexer:
        report_2 = indexer.sync()
        assert (report_2.pending, report_2.decision) == (0, "synced")
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_full_index_follows_edits_and_removals(tmp_path: Path) -> None:
    """Indexed files must stay up to date although no file can be added."""
    files: dict[str, str | bytes] = {f"m{number:03}.py": noise(number, 150) for number in range(200)}
    root = make_repository(tmp_path / "repo", files)
    changes = {"max_bytes": 2 * 1024 * 1024}
    sync(root, **changes)
    write(root, "m000.py", "def edited():\n    return 1\n")
    (root / "m001.py").unlink()
    report = sync(root, **changes)
    assert report.pending and report.removed == 1
    with open_view(options_for(root, **changes)) as view:
        rows = view.snapshot.reader.rows
        assert rows("SELECT path FROM files WHERE path = 'm001.py'") == []
        assert len(rows("SELECT 1 FROM defs WHERE name = 'edited'")) == 1


WORDS = tuple(f"word_{number}" for number in range(500))


def source(number: int) -> str:
    """Another file each time, out of the same words."""
    chooser = random.Random(number)
    body = "".join(f"    {chooser.choice(WORDS)} = {chooser.choice(WORDS)}({number})\n" for _ in range(40))
    return f"def {chooser.choice(WORDS)}():\n{body}"


def growth(tmp_path: Path, syncs: int) -> list[int]:
    """Sizes of the index after every fiftieth of many small syncs."""
    root = make_repository(tmp_path / "repo", {f"m{number}.py": source(number) for number in range(20)})
    sizes: list[int] = []
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number in range(syncs):
            write(root, f"m{number % 20}.py", source(1000 + number))
            indexer.sync()
            assert indexer.writer is not None
            assert indexer.writer.wal_bytes() < MAX_WAL_BYTES // 4
            if number % 50 == 49:
                sizes.append(indexer.state.size_bytes() - indexer.writer.wal_bytes())
        with open_current(indexer.state) as snapshot:
            count = snapshot.reader.count
            assert count("SELECT count(*) FROM epochs") <= KEPT_EPOCHS
            assert count("SELECT count(DISTINCT epoch) FROM epoch_files") <= KEPT_EPOCHS
            assert count("SELECT count(DISTINCT until_epoch) FROM def_snapshots") <= KEPT_EPOCHS
        print(f"sizes {sizes}")
        assert sum(path.is_file() for path in indexer.state.path.rglob("*")) < 250
    return sizes


def test_many_small_syncs_stay_bounded(tmp_path: Path) -> None:
    sizes = growth(tmp_path, 200)
    # Each epoch adds its history, a few hundred bytes, and nothing else.
    assert sizes[-1] - sizes[0] < 150 * 2048 + 256 * 1024, sizes


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_growth_over_many_syncs(tmp_path: Path) -> None:
    """Beyond the epochs that are kept, the size no longer grows at all."""
    sizes = growth(tmp_path, int(os.environ.get("CPL_ROUNDS", "3000")))
    settled = sizes[KEPT_EPOCHS // 50 + 1 :]
    assert max(settled) < 1.2 * min(settled) + 256 * 1024, sizes


def test_wal_stays_bounded_with_an_open_reader(tmp_path: Path) -> None:
    """A reader keeps old pages alive; the log grows no further than the cap, and shrinks when the reader is gone."""
    root = make_repository(tmp_path / "repo", {f"m{number}.py": noise(number, 100) for number in range(10)})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        assert indexer.writer is not None
        with open_current(indexer.state):
            for number in range(60):
                write(root, f"m{number % 10}.py", noise(number, 100))
                indexer.sync()
            held = indexer.writer.wal_bytes()
        for number in range(3):
            write(root, "m0.py", noise(1000 + number, 100))
            indexer.sync()
        assert indexer.writer.wal_bytes() < max(held, 2 * 1024 * 1024)
    assert not list((root / ".codeplane").rglob("*-wal")) or all(
        path.stat().st_size == 0 for path in (root / ".codeplane").rglob("*-wal")
    )


def test_history_is_pruned_at_the_size_cap(tmp_path: Path) -> None:
    """Definitions of earlier epochs are kept as long as there is room; switching back and forth costs only once."""
    files: dict[str, str | bytes] = {f"m{number:03}.py": noise(number, 60) for number in range(120)}
    root = make_repository(tmp_path / "repo", files)
    sync(root)
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.writer is not None
        cap = int(indexer.writer.size_bytes() * 1.5)
    sizes = []
    for turn in range(8):
        for number in range(120):
            write(root, f"m{number:03}.py", noise(number + 1000 * (turn % 2 + 1), 60))
        with Indexer.open(options_for(root, max_bytes=cap)) as indexer:
            indexer.sync()
            assert indexer.writer is not None
            sizes.append(indexer.writer.size_bytes())
    assert max(sizes[4:]) <= 1.2 * max(sizes[:4]), sizes
