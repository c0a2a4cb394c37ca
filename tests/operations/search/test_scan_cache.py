"""Scan cache: never the text or file list of another epoch, never above its limits."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.index.indexer import Indexer
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.matching import make_search_text, match_text
from codeplane.operations.search.must_filter import find_must_files
from codeplane.operations.search.patterns import compile_query
from codeplane.operations.search.scan_cache import TEXT_BYTES, ScanCache, TextCache
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import TextQuery, find_text, matches_to_hits
from codeplane.query.enclosing import SpanCache, find_enclosing
from codeplane.query.snapshot import Snapshot, open_current
from support.repositories import make_repository, options_for, write

FILES: dict[str, str | bytes] = {
    "a.py": "needle = 1\n",
    "b.py": "other = 2\n",
    "marked.py": b"\xef\xbb\xbfneedle = 3\r\nneedle = 4\r\n",
    "old.txt": "caf\u00e9 needle\n".encode("latin-1"),
}


def _sources(snapshot: Snapshot, root: Root, cache: ScanCache | None) -> SearchSources:
    return SearchSources(snapshot, root, cache or ScanCache(max_bytes=0))


def places(
    snapshot: Snapshot, root: Path, cache: ScanCache | None, query: str = "needle"
) -> list[tuple[str, int, str]]:
    with Root.open(root) as opened:
        found = find_text(_sources(snapshot, opened, cache), TextQuery(query, case_sensitive=True))
    return [(row.path, row.match.line, row.match.text) for row in found.rows]


def put(texts: TextCache, data: bytes) -> bytes:
    digest = hashlib.sha256(data).digest()
    texts.put(digest, data, make_search_text(data))
    return digest


def test_cached_text_gives_the_same_result(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", FILES)
    kept = ScanCache()
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            first = places(snapshot, root, kept)
            assert first == places(snapshot, root, None)
            assert [path for path, _, _ in first] == ["a.py", "marked.py", "marked.py", "old.txt"]
            for path in FILES:
                (root / path).unlink()
            assert places(snapshot, root, kept) == first
            assert places(snapshot, root, None) == []


def test_next_epoch_has_its_own_file_list(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", FILES)
    kept = ScanCache()
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            places(snapshot, root, kept)
        write(root, "a.py", "changed = 1\n")
        write(root, "new.py", "needle = 5\n")
        (root / "old.txt").unlink()
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            found = places(snapshot, root, kept)
            assert [path for path, _, _ in found] == ["marked.py", "marked.py", "new.py"]
            assert found == places(snapshot, root, None)


def test_changed_file_is_not_cached_under_the_indexed_digest(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", FILES)
    kept = ScanCache()
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            write(root, "a.py", "needle = 7\n")
            assert ("a.py", 1, "needle = 7") in places(snapshot, root, kept)
            write(root, "a.py", "needle = 1\n")
            assert ("a.py", 1, "needle = 1") in places(snapshot, root, kept)


def test_file_list_beyond_the_limit_is_not_cached(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", FILES)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            assert places(snapshot, root, ScanCache(max_files=1)) == places(snapshot, root, None)


def test_least_recently_used_text_is_evicted() -> None:
    texts = TextCache(limit=3 * (10 + TEXT_BYTES))
    one, two = put(texts, b"1" * 10), put(texts, b"2" * 10)
    three = put(texts, b"3" * 10)
    assert texts.get(one) is not None
    four = put(texts, b"4" * 10)
    assert [texts.get(digest) is not None for digest in (one, two, three, four)] == [True, False, True, True]
    put(texts, b"5" * (31 + 3 * TEXT_BYTES))
    assert texts.get(one) is not None, "an oversized text evicts nothing"
    assert put(texts, b"1" * 10) == one
    assert texts.get(three) is not None, "a cached text takes no more space"


def test_overhead_of_small_texts_is_bounded() -> None:
    texts = TextCache(limit=10 * TEXT_BYTES)
    kept = [put(texts, str(number).encode()) for number in range(100)]
    assert sum(texts.get(digest) is not None for digest in kept) == 9


SHARED: dict[str, str | bytes] = {
    "a.py": "def task():\n    return 'needle'\n",
    "b.txt": "needle without an end of line",
    "c.txt": "",
    "d.txt": "Task force\nTASKS\n\n",
    "e.txt": "caf\u00e9 NEEDLE task\n",
    "f.txt": "ta\u017f\u212as, odd letters, needle\n",
    "g.txt": b"needle\r\ntask\r\n",
    "h.txt": b"\xef\xbb\xbfneedle at the start\n",
    "i.txt": "gr\u00fc\u00dfe, \u00dcber\ntask",
    "j.py": "class Needle:\n    def task(self):\n        x = 'aaaaaaaaaaaaaaaaaaaab needle in a haystack'\n",
}
PLAIN = (
    "needle",
    "task",
    "Task",
    "TASKS",
    "k",
    "s",
    "e",
    "\u00fcber",
    "gr\u00fc\u00dfe",
    "needle in a haystack",
    "caf\u00e9 needle task",
    "caf\u00e9 needle tasks",
    "aaaaaaaaab",
    "\n",
    "e\n",
)
PATTERNS = (
    "^",
    "$",
    "^$",
    "x*",
    r"\Aneedle",
    r"task\z",
    "(?-m)^task",
    "(?-m:task$)",
    r"\btask\b",
    r"\Bask",
    r"\w+s\b",
    "[^a]$",
    "(?s)e.t",
    r"\s+",
)


@pytest.mark.parametrize("bundle_bytes", [1, 1000, 2_000, 1_000_000])
def test_bundled_texts_match_like_single_ones(tmp_path: Path, bundle_bytes: int) -> None:
    root = make_repository(tmp_path / "tree", SHARED)
    kept = ScanCache()
    kept.texts = TextCache(bundle_bytes=bundle_bytes)
    asked = [(text, False, case) for text in PLAIN for case in (None, True, False)]
    asked += [(pattern, True, None) for pattern in PATTERNS]
    with Indexer.open(options_for(root)) as indexer, Root.open(root) as opened:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            places(snapshot, root, kept, "e")
            for query, regex, case in asked:
                alone, together = (
                    find_text(_sources(snapshot, opened, each), TextQuery(query, regex, case)) for each in (None, kept)
                )
                assert together.rows == alone.rows, query
                assert replace(together, found=()) == replace(alone, found=())
                for group_by in (None, "symbol", "file"):
                    assert matches_to_hits(snapshot, together, group_by, kept.spans) == matches_to_hits(
                        snapshot, alone, group_by
                    )


@pytest.mark.parametrize("bundle_bytes", [1000, 3_000, 1_000_000])
def test_limits_apply_to_bundled_texts(tmp_path: Path, bundle_bytes: int) -> None:
    files: dict[str, str | bytes] = {f"{n:02}.txt": f"needle late{n % 2}\n" * (n + 1) for n in range(12)}
    root = make_repository(tmp_path / "tree", files)
    kept = ScanCache()
    kept.texts = TextCache(bundle_bytes=bundle_bytes)
    with Indexer.open(options_for(root)) as indexer, Root.open(root) as opened:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            # Not in path order.
            for query in ("late1", "late0", "late"):
                places(snapshot, root, kept, query)
            for limit in (1, 4, 30, 100):
                for more in ({"first_only": True}, {"per_file": 2}, {"in_scope": lambda row: row.path > "05.txt"}, {}):
                    alone, together = (
                        find_text(_sources(snapshot, opened, each), TextQuery("needle", limit=limit, **more))
                        for each in (None, kept)
                    )
                    assert together.rows == alone.rows and len(alone.rows) <= limit
                    assert replace(together, found=()) == replace(alone, found=())


def test_repetitive_text_is_searched() -> None:
    needle = "a" * 30 + "b"
    text = b"a" * 300_000 + b"B\n" + b"aaaa " * 60_000 + b"a" * 30 + b"b"
    for query, case, lines in ((needle, False, [1, 2]), (needle, True, [2]), (needle + "c", None, [])):
        pattern = compile_query(query, regex=False, case_sensitive=case)
        found = match_text(pattern, make_search_text(text), 10, lambda: None)
        assert [row.line for row in found.rows] == lines


def test_enclosing_definitions_belong_to_the_epoch(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", {"a.py": "def first():\n    needle = 1\n"})
    kept = ScanCache()
    names = []
    with Indexer.open(options_for(root)) as indexer, Root.open(root) as opened:
        for text in (
            "def first():\n    needle = 1\n",
            "\ndef other():\n    needle = 1\n",
            "def first():\n    needle = 1\n",
        ):
            write(root, "a.py", text)
            indexer.sync()
            with open_current(indexer.state) as snapshot:
                found = find_text(_sources(snapshot, opened, kept), TextQuery("needle"))
                names += [hit.name for hit in matches_to_hits(snapshot, found, cache=kept.spans)]
    assert names == ["first", "other", "first"]


def test_span_cache_is_bounded(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"m{number}.py": "def f():\n    pass\n" for number in range(4)}
    root = make_repository(tmp_path / "tree", files)
    kept = SpanCache(limit=4)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            places = {RepoPath(path): [(2, 4)] for path in files}
            found = list(find_enclosing(snapshot, places, kept))
            assert (
                found == list(find_enclosing(snapshot, places))
                and [around[0] is not None for _, _, around in found] == [True] * 4
            )
            assert kept.files == 2, "a file counts as one, plus its definitions"


def test_must_words_use_the_text_cache(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", FILES)
    kept = ScanCache()
    filters = Filters(must=("needle", "= 1"))
    with Indexer.open(options_for(root)) as indexer, Root.open(root) as opened:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            places(snapshot, root, kept, "e")
            for path in FILES:
                (root / path).unlink()
            found = find_must_files(_sources(snapshot, opened, kept), filters)
            assert [file.path for file in found.files.values()] == ["a.py"]
            assert found.lines == {"a.py": 1, "marked.py": 1, "old.txt": 1} and not found.not_searched


def test_text_with_another_digest_is_not_cached() -> None:
    texts = TextCache()
    digest = hashlib.sha256(b"what the index saw").digest()
    texts.put(digest, b"what is there now", make_search_text(b"what is there now"))
    assert texts.get(digest) is None
    assert texts.get(None) is None
