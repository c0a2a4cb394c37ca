"""Every option of the index changes what it says it changes."""

from __future__ import annotations

import os
from pathlib import Path

from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions
from codeplane.query.files import get_file, list_files
from codeplane.query.snapshot import open_current
from support.repositories import git, make_repository, options_for, write


def states(indexer: Indexer) -> dict[str, tuple[str, str | None]]:
    with open_current(indexer.state) as snapshot:
        return {file.path: (file.state.value, file.reason) for file in list_files(snapshot, 1000).rows}


def test_size_limits_decide_between_parse_text_and_record(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"small.py": "x = 1\n", "middle.py": "y = 2\n" * 50, "large.py": "z = 3\n" * 500}
    root = make_repository(tmp_path / "repo", files)
    with Indexer.open(options_for(root, max_parse_bytes=100, max_lexical_bytes=1000)) as indexer:
        indexer.sync()
        assert states(indexer) == {
            "small.py": ("indexed", None),
            "middle.py": ("text", "too_large_to_parse"),
            "large.py": ("skipped", "too_large"),
        }


def test_worker_count(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {f"m{number}.py": f"x{number} = 1\n" * 200 for number in range(80)})
    options = IndexOptions(root, tmp_path / "state", workers=3)
    with Indexer.open(options) as indexer:
        counts: list[int] = []
        indexer.sync(progress=lambda _: counts.append(len(indexer.pool.pids)))
        assert max(counts) == 3


def test_parse_timeout(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"chain.py": "a" + ".b" * 300_000, "ok.py": "x = 1\n"})
    with Indexer.open(options_for(root, parse_seconds=1.0)) as indexer:
        report = indexer.sync()
        assert report.set_aside == ("chain.py",)
        assert states(indexer) == {"chain.py": ("failed", "timeout"), "ok.py": ("indexed", None)}
        assert indexer.sync().set_aside == ("chain.py",), "the next sync retries"
        again = indexer.sync()
        assert (again.decision, again.parsed) == ("fresh", 0), "a further retry waits"
        write(root, "chain.py", "x = 2\n")
        assert indexer.sync().parsed == 1
        assert states(indexer)["chain.py"] == ("indexed", None)


def test_full_hash_every(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.md": "a\n", "b.md": "b\n"})
    for path in ("a.md", "b.md"):
        os.utime(root / path, ns=(0, 0))
    runs = []
    with Indexer.open(options_for(root, full_hash_every=3)) as indexer:
        indexer.sync()
        for _ in range(6):
            runs.append(indexer.sync().full_hash_run)
    assert runs == [False, False, True, False, False, True]
    with Indexer.open(options_for(root, full_hash_every=2)) as indexer:
        assert [indexer.sync().full_hash_run for _ in range(2)] == [False, True]


def test_ignore_patterns(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n", "gen/b.py": "y = 1\n"})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        assert set(states(indexer)) == {"a.py", "gen/b.py"}
    with Indexer.open(options_for(root, ignore=("gen/",))) as indexer:
        assert indexer.sync().removed == 1
        assert set(states(indexer)) == {"a.py"}


def test_overlay_off_indexes_tracked_files_only(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    write(root, "untracked.py", "y = 1\n")
    with Indexer.open(options_for(root, overlay=False)) as indexer:
        indexer.sync()
        assert set(states(indexer)) == {"a.py"}
        git(root, "add", "untracked.py")
        assert indexer.sync().added == 1
        assert set(states(indexer)) == {"a.py", "untracked.py"}


def test_size_cap_leaves_files_pending_and_warns(tmp_path: Path) -> None:
    root = make_repository(
        tmp_path / "repo", {f"m{number:03}.py": f"def f{number}(): pass\n" * 40 for number in range(300)}
    )
    with Indexer.open(options_for(root, max_bytes=500_000)) as indexer:
        report = indexer.sync()
        assert 0 < report.pending < 300
        assert any("size limit" in warning for warning in report.warnings)
        epoch = report.epoch
        assert indexer.sync().epoch == epoch, "a full index does not grow, and publishes nothing"
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.sync().pending == 0
        with open_current(indexer.state) as snapshot:
            assert get_file(snapshot, "m299.py") is not None


def test_hash_concurrency_does_not_change_results(tmp_path: Path) -> None:
    root = make_repository(
        tmp_path / "repo", {f"d{number % 7}/f{number}.md": f"text {number}\n" for number in range(300)}
    )
    roots = set()
    for concurrency in (1, 16, 64):
        with Indexer.open(
            IndexOptions(root, tmp_path / f"state{concurrency}", hash_concurrency=concurrency)
        ) as indexer:
            roots.add(indexer.sync().merkle_root)
    assert len(roots) == 1
