"""Exhaustive text search: completeness, counts beyond limits, positions."""

from __future__ import annotations

import codecs
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.index.indexer import Indexer
from codeplane.operations.search import file_scan
from codeplane.operations.search.matching import MAX_SNIPPET_CHARS
from codeplane.operations.search.model import SkippedFile
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import MAX_NAMED, TextMatches, TextQuery, find_text, matches_to_hits
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state
from operations.fixtures import FILES
from support.privileges import ordinary_rights
from support.repositories import make_repository, options_for

Place = tuple[str, int, int]


def opened(root: Path, files: dict[str, str | bytes]) -> tuple[Snapshot, Root]:
    make_repository(root, files)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
    state = open_state(root)
    assert state is not None
    return open_current(state), Root.open(root)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, Root]]:
    snapshot, root = opened(tmp_path_factory.mktemp("shop") / "shop", FILES)
    with snapshot, root:
        yield snapshot, root


def find(tree: tuple[Snapshot, Root], query: str, *, regex: bool = False, **more: object) -> TextMatches:
    cancelled = more.pop("cancelled", None)
    sources = SearchSources(*tree, ScanCache(max_bytes=0), cancelled)  # type: ignore[arg-type]
    return find_text(sources, TextQuery(query, regex, **more))  # type: ignore[arg-type]


def places(found: TextMatches) -> list[Place]:
    return [(row.path, row.match.line, row.match.column) for row in found.rows]


def test_matches_are_ordered_by_path_and_line(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "Cart()")
    assert places(found) == [("shop/cli.py", 9, 5), ("tests/test_cart.py", 7, 12)]
    assert found.lines == 2
    assert found.counts == {"shop/cli.py": 1, "tests/test_cart.py": 1}
    assert found.rows[0].match.text == "    Cart().total()"
    assert find(shop, r"Cart\(\)", regex=True).rows == found.rows


def test_candidate_selection_loses_no_match(shop: tuple[Snapshot, Root]) -> None:
    for query in ("Cart", "total(", "import", "@acme/core", "func main", "pub fn take", "self.size", "no such thing"):
        narrow = find(shop, query)
        everything = find(shop, query, candidates=lambda snapshot, alternatives: None)
        assert narrow.rows == everything.rows
        assert narrow.candidates < everything.candidates


def test_rejected_files_are_not_read(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "Cart", file_filter=lambda row: row.language == "python" and row.path[:6] != "tests/")
    assert set(found.counts) == {"shop/cart.py", "shop/cli.py"}


def test_files_outside_scope_are_counted(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "Cart", in_scope=lambda row: row.path[:6] != "tests/")
    assert {row.path for row in found.rows} == {"shop/cart.py", "shop/cli.py"}
    counts: dict[str, int] = {str(path): count for path, count in found.counts.items()}
    assert found.lines == len(found.rows) == counts["shop/cart.py"] + counts["shop/cli.py"]
    assert counts["tests/test_cart.py"] == 2


@pytest.mark.parametrize("regex", [True, False])
def test_counts_continue_beyond_the_limit(tmp_path: Path, regex: bool) -> None:
    files: dict[str, str | bytes] = {f"{name}.txt": "needle needle\nhay\n" * 10 for name in "abc"}
    tree = opened(tmp_path / "tree", files)
    whole = find(tree, "needle", regex=regex)
    assert (whole.lines, len(whole.rows)) == (30, 30)
    for limit in (0, 1, 10, 15, 29):
        cut = find(tree, "needle", regex=regex, limit=limit)
        assert cut.rows == whole.rows[:limit]
        assert (cut.lines, cut.counts) == (30, whole.counts)


@pytest.mark.parametrize("kinds", [(), {"text"}])
def test_per_file_limit_keeps_counts(tmp_path: Path, kinds: set[str]) -> None:
    files: dict[str, str | bytes] = {f"{name}.py": "\n" + "needle\n" * 10 for name in "abc"}
    tree = opened(tmp_path / "tree", files)
    found = find(tree, "needle", kinds=kinds, per_file=1, limit=3)
    assert places(found) == [(f"{name}.py", 2, 1) for name in "abc"]
    assert (found.lines, set(found.counts.values())) == (30, {10})
    hits = matches_to_hits(tree[0], found, "file")
    assert [(hit.path, hit.collapsed) for hit in hits] == [(f"{name}.py", 9) for name in "abc"]


def test_invalid_encoding_is_searched(tmp_path: Path) -> None:
    wide = codecs.BOM_UTF16_LE + "needle\n".encode("utf-16-le")
    tree = opened(tmp_path / "tree", {"half.txt": wide + b"\x00\xd8\n\x00", "odd.txt": wide + b"x"})
    assert places(find(tree, "needle")) == [("half.txt", 1, 1), ("odd.txt", 1, 1)]


def test_long_line_is_cut_around_the_match(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", {"min.js": f"{'é' * 5000}needle{'ü' * 5000}\n", "short.js": "a needle\n"})
    long, short = find(tree, "needle").rows
    assert (long.match.column, long.match.end_column) == (5001, 5007)
    assert "needle" in long.match.text
    assert long.match.text.startswith("…é")
    assert long.match.text.endswith("ü…")
    assert len(long.match.text) == MAX_SNIPPET_CHARS + 2
    assert short.match.text == "a needle"


def test_multiline_match_reports_its_end(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", {"a.txt": "one\r\ntwo é\r\nthree\r\n"})
    for query, regex in (("ne\ntwo é\nth", False), (r"ne\ntwo .\nth", True), (r"(?s)ne.*th", True)):
        (row,) = find(tree, query, regex=regex).rows
        assert row.match[:4] == (1, 2, 3, 3)
        assert row.match.text == "one"
    (row,) = find(tree, r"two .\n", regex=True).rows
    assert row.match[:4] == (2, 1, 2, 6)


def test_time_limit_is_reported(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", {f"{number:03}.txt": "needle\n" for number in range(50)})
    for regex in (True, False):
        found = find(tree, "needle", regex=regex, seconds=-1.0)
        assert (found.rows, found.lines) == ((), 0)
        assert found.not_searched == {"time_limit": 50}
        assert found.skipped == tuple(SkippedFile(RepoPath(f"{at:03}.txt"), "time_limit") for at in range(MAX_NAMED))


SLOW = "[ab]*a[ab]{200}c|bac"
SLOW_LINE = "".join(random.Random(1).choices("ab", k=900_000))
"""RE2 falls back to its slowest engine here, on a line that cannot be split and is short enough to be searched."""


def running() -> int:
    return sum(thread.name == "scan" for thread in threading.enumerate())


def wait_for_scans() -> None:
    for thread in threading.enumerate():
        if thread.name == "scan":
            thread.join(60)


def test_slow_pattern_is_abandoned_at_the_deadline(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", {"a.txt": "bac\n", "slow.txt": SLOW_LINE, "z.txt": "bac\n"})
    found = find(tree, SLOW, regex=True, seconds=0.3)
    assert places(found) == [("a.txt", 1, 1), ("z.txt", 1, 1)], "the slow line does not delay other files"
    assert found.not_searched == {"time_limit": 1}
    wait_for_scans()


def test_abandoned_scans_are_bounded(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", {"a.txt": "bac\n", "slow.txt": SLOW_LINE})
    left = [find(tree, SLOW, regex=True, seconds=0.05) for _ in range(file_scan.MAX_THREADS)]
    assert all(found.not_searched for found in left)
    assert running() == file_scan.MAX_THREADS
    refused = find(tree, SLOW, regex=True, seconds=0.05)
    assert (refused.rows, refused.not_searched) == ((), {"time_limit": 2})
    assert running() <= file_scan.MAX_THREADS
    assert places(find(tree, "bac", seconds=5)) == [("a.txt", 1, 1)], "a literal needs no thread"
    wait_for_scans()
    assert places(find(tree, "b.c", regex=True, file_filter=lambda row: row.path == "a.txt")) == [("a.txt", 1, 1)]


def test_long_case_insensitive_text_skips_expensive_lines(tmp_path: Path) -> None:
    text = "a-" * 2000 + "="
    files: dict[str, str | bytes] = {
        "a.txt": f"{text.upper()}\n",
        "nearly.txt": "a-" * 100_000,
        "odd.txt": "\u017f" + "a-" * 100_000,
    }
    tree = opened(tmp_path / "tree", files)
    found = find(tree, text, case_sensitive=False, seconds=1.0)
    assert places(found) == [("a.txt", 1, 1)]
    assert found.skipped == (SkippedFile(RepoPath("odd.txt"), "line_too_long"),)


def test_late_files_keep_their_order(tmp_path: Path) -> None:
    long = "é" * 10_000
    tree = opened(tmp_path / "tree", {"a.txt": "abc\n" * 2, "b.txt": f"abc\n{long}\nabc\n", "c.txt": "abc\n" * 2})
    whole = find(tree, r"\w{0,3}c", regex=True, seconds=20)
    assert [path for path, *_ in places(whole)] == ["a.txt"] * 2 + ["b.txt"] * 2 + ["c.txt"] * 2
    for limit in range(7):
        cut = find(tree, r"\w{0,3}c", regex=True, seconds=20, limit=limit)
        assert (cut.rows, cut.counts) == (whole.rows[:limit], whole.counts)


def test_overlong_line_is_reported(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", {"a.txt": "bac\n", "slow.txt": "é" * 600_000 + "\n"})
    found = find(tree, r"\w{1,20}c", regex=True)
    assert places(found) == [("a.txt", 1, 1)]
    assert found.skipped == (SkippedFile(RepoPath("slow.txt"), "line_too_long"),)


def test_cancelled_search_raises(shop: tuple[Snapshot, Root]) -> None:
    for regex in (True, False):
        with pytest.raises(CodePlaneError) as raised:
            find(shop, "Cart", regex=regex, cancelled=lambda: True)
        assert raised.value.code is ErrorCode.CANCELLED


def test_deleted_and_changed_files_are_reported(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"d/{name}.txt": "needle\n" for name in "abcde"}
    snapshot, root = opened(tmp_path / "tree", {**files, "gone/x.txt": "needle\n", "shut/x.txt": "needle\n"})
    (root.path / "d/a.txt").unlink()
    (root.path / "d/b.txt").unlink()
    (root.path / "d/b.txt").symlink_to("c.txt")
    (root.path / "d/c.txt").unlink()
    os.mkfifo(root.path / "d/c.txt")
    (root.path / "d/d.txt").write_text("another\nneedle\n")
    (root.path / "gone").rename(root.path / "went")
    (root.path / "shut/x.txt").chmod(0)
    with ordinary_rights():
        found = find((snapshot, root), "needle")
    assert places(found) == [("d/d.txt", 2, 1), ("d/e.txt", 1, 1)]
    assert found.skipped == tuple(
        SkippedFile(RepoPath(path), reason)
        for path, reason in (
            ("d/a.txt", "vanished"),
            ("d/b.txt", "not_regular"),
            ("d/c.txt", "not_regular"),
            ("gone/x.txt", "vanished"),
            ("shut/x.txt", "unreadable"),
        )
    )


@pytest.mark.parametrize("regex", [True, False])
def test_no_descriptor_leaks(shop: tuple[Snapshot, Root], regex: bool) -> None:
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        find(shop, "Cart", regex=regex)
    assert len(os.listdir("/dev/fd")) == before


def test_oversized_files_are_searched(tmp_path: Path) -> None:
    filler = b"some text that fills the file\n" * (MAX_LEXICAL_BYTES // 30 + 1000)
    lines = filler.count(b"\n")
    tree = opened(
        tmp_path / "tree",
        {
            "big.txt": b"needle first\n" + filler + b"caf\xc3\xa9 needle last",
            "bom.txt": b"\xef\xbb\xbfneedle\n" + filler,
            "data.bin": b"\0needle\n" + filler,
            "latin.txt": filler + b"caf\xe9 needle\n",
            "small.txt": "no such\n",
            "wide.txt": b"\xff\xfe" + (filler.decode() + "caf\u00e9 needle\r\n").encode("utf-16-le"),
        },
    )
    for query, regex in (("needle", False), ("need[l]e", True)):
        found = find(tree, query, regex=regex)
        assert places(found) == [
            ("big.txt", 1, 1),
            ("big.txt", lines + 2, 6),
            ("bom.txt", 1, 1),
            ("latin.txt", lines + 1, 6),
            ("wide.txt", lines + 1, 6),
        ]
        assert not found.not_searched
    assert find(tree, "fills", limit=10).counts[RepoPath("big.txt")] == lines
    assert places(find(tree, "first\nsome")) == [("big.txt", 1, 8)]


def test_large_files_beyond_the_budget_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = b"needle\n" * 9 + b"hay\n" * (MAX_LEXICAL_BYTES // 4)
    tree = opened(tmp_path / "tree", {"a.txt": large, "b.txt": large, "c.txt": "needle\n"})
    monkeypatch.setattr(file_scan, "MAX_LARGE_BYTES", len(large) + 1)
    found = find(tree, "needle", limit=5)
    assert found.counts == {"a.txt": 9, "c.txt": 1}
    assert found.skipped == (SkippedFile(RepoPath("b.txt"), "too_large"),)
    assert find(tree, "needle", first_only=True).counts == {"a.txt": 1, "c.txt": 1}


def test_files_in_scope_are_searched_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = b"needle\n" + b"hay\n" * (MAX_LEXICAL_BYTES // 4)
    tree = opened(tmp_path / "tree", {"a.txt": large, "b.txt": "needle\n", "c.txt": large, "d.txt": "needle\n"})
    monkeypatch.setattr(file_scan, "MAX_LARGE_BYTES", len(large) + 1)
    found = find(tree, "needle", in_scope=lambda row: row.path > "b.txt")
    assert places(found) == [("c.txt", 1, 1), ("d.txt", 1, 1)]
    assert list(found.counts) == ["b.txt", "c.txt", "d.txt"], "still ordered by path"
    assert found.skipped == (SkippedFile(RepoPath("a.txt"), "too_large"),)


def test_repeated_searches_are_identical(shop: tuple[Snapshot, Root]) -> None:
    first = find(shop, r"\w+", regex=True, limit=50)
    assert all(find(shop, r"\w+", regex=True, limit=50) == first for _ in range(5))


def test_match_has_enclosing_definition(shop: tuple[Snapshot, Root]) -> None:
    snapshot, _ = shop
    found = find(shop, "return value")
    (hit,) = matches_to_hits(snapshot, found)
    assert (hit.path, hit.line_start, hit.line_end, hit.column) == ("shop/cart.py", 23, 23, 13)
    assert (hit.kind, hit.name, hit.lexical_path) == ("function", "checked", "Cart.empty.checked")
    assert (hit.def_line, hit.def_end, hit.language, hit.role) == (22, 23, "python", "source")
    assert hit.signature == "def checked()"
    assert hit.qualified_name == "shop.cart.Cart.empty.checked"
    assert hit.snippet == "            return value"


def test_match_outside_definitions_is_text(shop: tuple[Snapshot, Root]) -> None:
    snapshot, _ = shop
    found = find(shop, "import click")
    (hit,) = matches_to_hits(snapshot, found)
    assert (hit.kind, hit.name, hit.def_line, hit.language) == ("text", "", 0, "python")
    (hit,) = matches_to_hits(snapshot, find(shop, "# Guide"))
    assert (hit.kind, hit.language, hit.role) == ("heading", "markdown", "docs")


def test_column_selects_among_definitions_on_one_line(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", {"a.js": "function one() { return 1 } function two() { return 2 }\n"})
    texts = [find(tree, query) for query in ("return 1", "return 2")]
    hits = [matches_to_hits(tree[0], text)[0] for text in texts]
    assert [hit.name for hit in hits] == ["one", "two"]


KINDS: dict[str, str | bytes] = {
    "a.py": "print(needle)\n\n\ndef one():\n    needle\n    needle\n\n\nclass Two:\n    needle = 2\n\n"
    "    def three(self):\n        return needle\n",
    "b.py": "print(needle)\n",
    "c.txt": "needle\n" * 5,
    "tests/d.py": "def four():\n    needle\n",
    "z.py": "def five():\n    needle\n    # needle\n",
}


@pytest.mark.parametrize("regex", [True, False])
def test_kind_filter_applies(tmp_path: Path, regex: bool) -> None:
    tree = opened(tmp_path / "tree", KINDS)
    found = find(tree, "needle", regex=regex, kinds={"function"}, in_scope=lambda row: row.path[:6] != "tests/")
    assert places(found) == [("a.py", 5, 5), ("a.py", 6, 5), ("z.py", 2, 5), ("z.py", 3, 7)]
    assert (found.lines, found.counts) == (4, {"a.py": 2, "tests/d.py": 1, "z.py": 2})
    assert found.removed_by_kind == 3
    for limit in (0, 1, 3):
        cut = find(tree, "needle", regex=regex, kinds={"function"}, limit=limit)
        assert places(cut) == places(find(tree, "needle", regex=regex, kinds={"function"}))[:limit]
        assert (cut.lines, cut.counts) == (5, found.counts)
    in_none = find(tree, "needle", regex=regex, kinds={"text", "method"}, limit=4)
    assert places(in_none) == [("a.py", 1, 7), ("a.py", 13, 16), ("b.py", 1, 7), ("c.txt", 1, 1)]
    assert (in_none.lines, in_none.counts) == (8, {"a.py": 2, "b.py": 1, "c.txt": 5})
    assert find(tree, "needle", regex=regex, kinds={"nonesuch"}).candidates == 0


def test_kind_filter_applies_across_batches(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"{n:03}.py": "needle = 1\ndef one():\n    needle\n" for n in range(150)}
    tree = opened(tmp_path / "tree", files)
    found = find(tree, "needle", kinds={"function"})
    assert places(found) == [(path, 3, 5) for path in sorted(files)]
    assert find(tree, "needle", kinds={"function"}, seconds=-1.0).not_searched == {"time_limit": 150}


def test_file_count_respects_kinds(tmp_path: Path) -> None:
    tree = opened(tmp_path / "tree", KINDS)
    found = find(tree, "needle", kinds={"method", "function"})
    hits = matches_to_hits(tree[0], found, "file")
    assert [(hit.path, hit.kind, hit.collapsed + 1) for hit in hits] == [
        ("a.py", "function", 3),
        ("tests/d.py", "function", 1),
        ("z.py", "function", 2),
    ]
