"""A text is parsed once per user, in whichever repository it is, and gives the same facts everywhere."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from codeplane.facts.blocks import pack
from codeplane.facts.extract import extract
from codeplane.facts.identity import relocate
from codeplane.index.indexer import Indexer
from codeplane.index.options import SyncReport
from codeplane.languages.registry import detect, languages
from codeplane.store.extraction_store import NAME, ExtractionStore
from support.repositories import git, logical_dump, make_repository, options_for, scratch_dump, write

FILES: dict[str, str | bytes] = {
    "shop/cart.py": "import os\n\n\nclass Cart:\n    def total(self):\n        return os.sep\n",
    "shop/util.go": "package shop\n\nfunc Total() int { return 1 }\n",
    "ui/App.vue": "<script>\nexport function mount() {}\n</script>\n",
    "notes.txt": "total of the cart\n",
}
CASES = sorted(
    path
    for folder in (Path(__file__).parents[1] / "facts").iterdir()
    if folder.is_dir()
    for path in folder.iterdir()
    if path.is_file() and path.suffix not in (".facts", ".pyc")
)


def look(root: Path, **changes: object) -> SyncReport:
    with Indexer.open(options_for(root, **changes)) as indexer:
        return indexer.sync()


def test_hits_in_another_repository_and_path(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "one", FILES)
    assert look(root).parsed == 4
    moved = {f"deep/{path}": content for path, content in FILES.items() if not path.endswith(".vue")}
    other = make_repository(tmp_path / "other", {**FILES, **moved})
    with Indexer.open(options_for(other)) as indexer:
        assert indexer.sync().parsed == 0
        assert logical_dump(indexer) == scratch_dump(other, tmp_path)


def test_path_dependent_facts_are_parsed_again(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "one", FILES)
    look(root)
    (root / "ui/App.vue").rename(root / "ui/Other.vue")
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.sync().parsed == 1
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_revisited_branch_is_not_parsed_again(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "one", FILES)
    look(root)
    git(root, "checkout", "-q", "-b", "other")
    write(root, "shop/cart.py", "class Basket:\n    pass\n")
    git(root, "commit", "-qam", "other")
    assert look(root).parsed == 1
    for branch in ("main", "other", "main"):
        git(root, "checkout", "-q", branch)
        with Indexer.open(options_for(root)) as indexer:
            report = indexer.sync()
            assert (report.modified, report.parsed) == (1, 0)
            assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_cache_can_be_turned_off_and_deleted(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "one", FILES)
    look(root, extraction_cache_bytes=0)
    kept = tmp_path / "user-state" / NAME
    assert not kept.exists()
    assert look(make_repository(tmp_path / "two", FILES)).parsed == 4
    assert kept.stat().st_mode & 0o077 == 0
    for name in os.listdir(tmp_path / "user-state"):
        if name.startswith(NAME):
            (tmp_path / "user-state" / name).unlink()
    assert look(make_repository(tmp_path / "three", FILES)).parsed == 4


@pytest.mark.parametrize("damage", ["bytes", "cut", "other", "folder"])
def test_damaged_cache_is_recreated(tmp_path: Path, damage: str) -> None:
    look(make_repository(tmp_path / "one", FILES))
    kept = tmp_path / "user-state" / NAME
    data = kept.read_bytes()
    if damage == "bytes":
        kept.write_bytes(bytes(byte ^ 0x55 if number % 97 == 0 else byte for number, byte in enumerate(data)))
    elif damage == "cut":
        kept.write_bytes(data[: len(data) // 2])
    elif damage == "other":
        kept.unlink()
        with sqlite3.connect(kept) as other:
            other.execute("CREATE TABLE extractions (key, used, data)")
    else:
        kept.unlink()
        kept.mkdir()
    root = make_repository(tmp_path / "two", FILES)
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.sync().files == 4
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
    assert look(make_repository(tmp_path / "three", FILES)).files == 4


def test_least_recently_used_entries_are_evicted(tmp_path: Path) -> None:
    kept = ExtractionStore(tmp_path, 2_000_000)
    for number in range(10):
        kept.put(bytes([number]), b"x" * 100_000)
    kept.close()
    kept = ExtractionStore(tmp_path, 2_000_000)
    assert kept.get(bytes([3])) == b"x" * 100_000
    for number in range(100, 110):
        kept.put(bytes([number]), b"y" * 100_000)
    kept.flush()
    assert kept.get(bytes([3])) is not None and kept.get(bytes([109])) is not None
    assert kept.get(bytes([0])) is None
    kept.close()
    assert (tmp_path / NAME).stat().st_size < 4_000_000


def test_two_processes_share_the_cache(tmp_path: Path) -> None:
    one, two = ExtractionStore(tmp_path, 10**8), ExtractionStore(tmp_path, 10**8)
    one.put(b"a", b"1")
    one.flush()
    assert two.get(b"a") == b"1"
    two.put(b"b", b"2")
    two.flush()
    assert one.get(b"b") == b"2"
    one.close()
    two.close()


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_relocated_facts_equal_parsed_facts(path: Path) -> None:
    source = path.read_bytes().replace(b"\r\n", b"\n")
    language = detect(path.name, source)
    if language is None or language.read is not None:
        return
    here = pack(extract(language.name, f"src/one/{path.name}", source).facts)
    there = pack(extract(language.name, f"lib/other_{path.name}", source).facts)
    assert here != there or not here.defs
    assert relocate(here, language, f"lib/other_{path.name}") == there


def test_every_language_is_covered() -> None:
    assert {language.name for language in languages() if language.read is None} <= {
        found.name for path in CASES if (found := detect(path.name, path.read_bytes())) is not None
    }
