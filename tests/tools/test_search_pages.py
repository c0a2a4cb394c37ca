"""Pages of results: bounded, without gaps or duplicates for any page size."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.base.limits import MAX_ANSWER_CHARS
from codeplane.base.paths import RepoPath
from codeplane.operations.search.hit_context import HitContext
from codeplane.operations.search.model import Factors, Hit
from codeplane.operations.search.packed_hits import BLOCK, PLAIN, pack_hits
from codeplane.operations.search.result_rows import RowOptions
from codeplane.tools.handlers.search_fields import (
    DEFAULT_CHARS,
    MAX_CHARS,
    fill_page,
    json_chars,
    page_chars,
)
from codeplane.tools.handlers.search_request import DEFAULT_LIMIT

HITS = tuple(
    Hit(
        RepoPath(f"src/part_{n % 7}.py"),
        n + 1,
        n + 1,
        "function",
        f"f{n}",
        score=1 / (n + 1),
        snippet="x" * (n * 37 % 240),
        column=n % 9,
        signature=f"def f{n}(value: int) -> int",
        factors=Factors(bm25_score=n / 3, others={"role": -0.5}),
    )
    for n in range(130)
)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.integers(1_000, MAX_CHARS), st.booleans())
def test_paging_has_no_gaps_or_duplicates(limits: list[int], room: int, compact: bool) -> None:
    kept = pack_hits(HITS)
    names: list[object] = []
    pages = 0
    while len(names) < kept.count:
        limit = limits[pages % len(limits)]
        hits = kept.hits(len(names), len(names) + limit)
        page = fill_page(hits, (), RowOptions(compact=compact), False, limit, room)
        assert 1 <= page.shown <= limit
        assert page.cut == (page.shown < len(hits))
        names += [row["name"] for row in page.rows]
        pages += 1
    assert names == [hit.name for hit in HITS]


@given(st.integers(0, len(HITS)), st.integers(0, 120))
def test_packed_hits_round_trip(start: int, count: int) -> None:
    assert pack_hits(HITS).hits(start, start + count) == HITS[start : start + count]


def test_undecodable_names_round_trip() -> None:
    odd = tuple(Hit(RepoPath(f"a\udc80{n}.py"), 1, 1, "file", "") for n in range(PLAIN + BLOCK + 1))
    assert pack_hits(odd).hits(0, len(odd)) == odd
    assert pack_hits(()).hits(0, 10) == ()


def test_packed_hits_are_small() -> None:
    many = pack_hits(HITS * 70)
    assert sum(map(len, many.blocks)) < 120 * many.count
    for start in (0, 990, 1500, many.count - 10):
        assert many.hits(start, start + 20) == (HITS * 70)[start : start + 20]


def test_rows_fit_into_the_answer() -> None:
    default = fill_page(HITS, (), RowOptions(), False, None, page_chars(None, RowOptions()))
    assert default.shown <= DEFAULT_LIMIT
    assert json_chars(default.rows) <= DEFAULT_CHARS + 2
    asked = fill_page(HITS, (), RowOptions(), False, 100, page_chars(100, RowOptions()))
    assert default.shown < asked.shown and json_chars(asked.rows) <= MAX_CHARS + 2 < MAX_ANSWER_CHARS
    bodies = [HitContext("y" * 700)] * 100
    context = RowOptions("context")
    long = fill_page(HITS, bodies, context, False, None, page_chars(None, context))
    assert long.cut is False and json_chars(long.rows) > DEFAULT_CHARS, "who asks for bodies gets them"


def test_oversized_row_is_shown_alone() -> None:
    page = fill_page(HITS[:5], (), RowOptions(), False, 5, 10)
    assert (page.shown, page.cut) == (1, True)


def test_an_escaped_name_counts_as_it_is_shown() -> None:
    assert json_chars("\udc80") == len('"\\\\udc80"') - 1
    assert json_chars("\x01") == len('"\\u0001"')
