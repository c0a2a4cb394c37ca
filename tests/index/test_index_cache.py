"""Cached indexes seed generations of similar trees, and never change the result."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.indexer import Indexer
from codeplane.index.options import SyncReport
from codeplane.query.defs import list_defs_by_name
from codeplane.query.snapshot import open_current
from codeplane.query.text import rank_passages
from codeplane.store.database import PAGE_BYTES
from codeplane.store.index_cache import MAX_ENTRIES, MIN_FILES, IndexCache, similarity, tree_signature
from support.repositories import git, logical_dump, make_repository, options_for, scratch_dump, write

COUNT = MIN_FILES + 20


def files(word: str, count: int = COUNT) -> dict[str, str | bytes]:
    return {
        f"pkg{number % 7}/mod{number}.py": f"def {word}_{number}(a):\n    return a + {number}\n"
        for number in range(count)
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """On the branch main; all files are others on the branch other."""
    root = make_repository(tmp_path / "repo", {**files("first"), "same.py": "def same():\n    pass\n"})
    git(root, "checkout", "-q", "-b", "other")
    for path, content in files("other_name").items():
        write(root, path, content)
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")
    return root


def look(root: Path, **changes: object) -> SyncReport:
    with Indexer.open(options_for(root, **changes)) as indexer:
        return indexer.sync()


def cached_names(root: Path) -> list[str]:
    path = root.parent / "user-state" / "index-cache"
    return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []


def names(root: Path, name: str) -> list[str]:
    with Indexer.open(options_for(root)) as indexer, open_current(indexer.state) as snapshot:
        return [row.path for row in list_defs_by_name(snapshot, name, 5).rows]


def test_revisited_branch_is_not_parsed_again(repository: Path, tmp_path: Path) -> None:
    built = look(repository)
    assert (built.decision, built.parsed) == ("built", COUNT + 1)
    git(repository, "checkout", "-q", "other")
    assert look(repository).parsed == COUNT
    git(repository, "checkout", "-q", "main")
    write(repository, "same.py", "def changed_meanwhile():\n    pass\n")
    with Indexer.open(options_for(repository)) as indexer:
        before = indexer.epoch
        back = indexer.sync()
        assert (back.parsed, back.modified) == (1, 1)
        assert before is not None and back.epoch > before
        with open_current(indexer.state) as snapshot:
            assert snapshot.epoch.epoch == back.epoch
            assert list_defs_by_name(snapshot, "first_5", 5).total == 1
            assert list_defs_by_name(snapshot, "other_name_5", 5).total == 0
            assert list_defs_by_name(snapshot, "changed_meanwhile", 5).total == 1
            assert [hit.file.path for hit in rank_passages(snapshot, {"meanwhil": 1}, 5, per_file=1)] == ["same.py"]
        assert logical_dump(indexer) == scratch_dump(repository, tmp_path)
    again = look(repository)
    assert (again.decision, again.parsed) == ("fresh", 0)


def test_worktree_and_clone_are_seeded(repository: Path, tmp_path: Path) -> None:
    look(repository)
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "third")
    git(tmp_path, "clone", "-q", str(repository), str(tmp_path / "clone"))
    (tmp_path / "clone/pkg0/mod0.py").unlink()
    write(tmp_path / "clone", "pkg0/new.py", "def brand_new():\n    pass\n")
    for name, parsed in (("tree", 0), ("clone", 1)):
        with Indexer.open(options_for(tmp_path / name)) as indexer:
            report = indexer.sync()
            assert (report.decision, report.parsed, report.files) == ("built", parsed, COUNT + 1)
            assert logical_dump(indexer) == scratch_dump(tmp_path / name, tmp_path)
            assert indexer.verify("pages").verdict.value == "ok"
    with (
        Indexer.open(options_for(repository)) as one,
        Indexer.open(options_for(tmp_path / "tree")) as other,
    ):
        assert one.index_id != other.index_id


def test_requested_rebuild_uses_no_seed(repository: Path) -> None:
    look(repository)
    with Indexer.open(options_for(repository)) as indexer:
        assert indexer.rebuild().parsed == COUNT + 1


def test_index_in_a_repository_is_never_a_seed(repository: Path, tmp_path: Path) -> None:
    """An index that came with a clone is foreign, and is not cached either."""
    look(repository)
    shutil.rmtree(repository.parent / "user-state")
    stranger = tmp_path / "elsewhere" / "repo"
    shutil.copytree(repository, stranger)
    assert look(stranger).parsed == COUNT + 1


@pytest.mark.parametrize("damage", ["database", "text", "note", "gone", "link"])
def test_damaged_seed_is_ignored(repository: Path, tmp_path: Path, damage: str) -> None:
    look(repository)
    [name] = cached_names(repository)
    entry = repository.parent / "user-state" / "index-cache" / name
    if damage == "database":
        data = bytearray((entry / "index.db").read_bytes())
        for page in range(1, len(data) // PAGE_BYTES):
            data[page * PAGE_BYTES + PAGE_BYTES // 2] ^= 0xFF
        (entry / "index.db").write_bytes(data)
    elif damage == "text":
        largest = max((entry / "tantivy").iterdir(), key=lambda path: path.stat().st_size)
        largest.write_bytes(largest.read_bytes()[:-1])
    elif damage == "note":
        (entry / "entry.json").write_bytes(b'{"signature": [1, "x"]}')
    elif damage == "gone":
        (entry / "index.db").unlink()
    else:
        (entry / "index.db").rename(tmp_path / "index.db")
        (entry / "index.db").symlink_to(tmp_path / "index.db")
    git(tmp_path, "clone", "-q", str(repository), str(tmp_path / "clone"))
    with Indexer.open(options_for(tmp_path / "clone")) as indexer:
        report = indexer.sync()
        assert report.files == COUNT + 1
        assert logical_dump(indexer) == scratch_dump(tmp_path / "clone", tmp_path)


def test_interrupted_seeding_is_resumed(repository: Path, tmp_path: Path) -> None:
    look(repository)
    git(tmp_path, "clone", "-q", str(repository), str(tmp_path / "clone"))
    for path, content in files("changed", 40).items():
        write(tmp_path / "clone", path, content)
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 100

    with Indexer.open(options_for(tmp_path / "clone")) as indexer:
        first = indexer.sync(cancelled=cancelled)
        assert first.decision == "interrupted" and first.pending > 0
    with Indexer.open(options_for(tmp_path / "clone")) as indexer:
        assert indexer.sync().pending == 0
        assert logical_dump(indexer) == scratch_dump(tmp_path / "clone", tmp_path)


def test_cache_can_be_turned_off_and_is_bounded(repository: Path, tmp_path: Path) -> None:
    look(repository, index_cache_bytes=0)
    assert cached_names(repository) == []
    room = IndexCache(tmp_path / "user-state", 10**9)
    with Indexer.open(options_for(repository)) as indexer:
        writer = indexer.writer
        assert writer is not None
        for number in range(MAX_ENTRIES + 3):
            room.store(writer, runtime_fingerprint(), f"{number:032d}", tree_signature([]))
        names = cached_names(repository)
        assert len(names) == MAX_ENTRIES
        assert not any(name.endswith(f"{0:032d}") for name in names), "the oldest went"
        size = sum(path.stat().st_size for path in (tmp_path / "user-state/index-cache").rglob("*") if path.is_file())
        IndexCache(tmp_path / "user-state", size // 3).store(
            writer, runtime_fingerprint(), "f" * 64, tree_signature([])
        )
        assert len(cached_names(repository)) <= MAX_ENTRIES // 3 + 1
    (tmp_path / "user-state/index-cache/.tmp-0-999999999").mkdir()
    IndexCache(tmp_path / "user-state", 10**9).find(runtime_fingerprint(), tree_signature([]), 0.5)
    assert not (tmp_path / "user-state/index-cache/.tmp-0-999999999").exists(), "leftovers are removed"
    assert not any(os.stat(path).st_mode & 0o077 for path in (tmp_path / "user-state/index-cache").rglob("index.db"))


def test_similarity_estimate() -> None:
    def tree(first: int, last: int) -> list[tuple[str, int]]:
        return [(f"dir/file{number}.py", number % 97) for number in range(first, last)]

    for first in (0, 300, 900, 1500, 3000):
        one, other = tree_signature(tree(0, 3000)), tree_signature(tree(first, 3000 + first))  # type: ignore[arg-type]
        truth = max(0, 3000 - first) / (3000 + first)
        assert abs(similarity(one, other) - truth) < 0.1
    assert similarity(tree_signature([]), tree_signature([])) == 0.0
