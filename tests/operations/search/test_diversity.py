"""Diversity caps, duplicate removal, and their counts."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.operations.search.diversity import DiversitySummary, HitPlace, spread, without_twins


def place(text: str) -> HitPlace:
    """Parse `a.py#f` or `a.py:3-9`; a digit after `#f` distinguishes results of one symbol."""
    if "#" in text:
        path, symbol = text.split("#")
        return HitPlace(path, symbol.rstrip("0123456789"), 1, 1)
    path, lines = text.split(":")
    start, end = map(int, lines.split("-"))
    return HitPlace(path, None, start, end)


def test_at_most_two_per_file_and_one_per_symbol() -> None:
    items = ["a#f", "a#f2", "a#g", "a#h", "b#f", "c#f"]
    kept, summary = spread(items, 4, place)
    assert kept == ["a#f", "a#g", "b#f", "c#f"]
    assert summary == DiversitySummary(1, 1, False, 6, 4, 3)


def test_relaxed_pass_fills_the_page_in_order() -> None:
    items = ["a#f", "a#g", "a#h", "a#i", "b#f", "b#f2"]
    kept, summary = spread(items, 10, place)
    assert kept == ["a#f", "a#g", "a#h", "b#f"]
    assert summary == DiversitySummary(1, 1, True, 6, 4, 2)


def test_relaxed_pass_adds_only_missing_results() -> None:
    items = ["a#f", "a#g", "a#h", "b#f", "b#g", "b#h"]
    kept, summary = spread(items, 5, place)
    assert kept == ["a#f", "a#g", "a#h", "b#f", "b#g"]
    assert summary == DiversitySummary(1, 0, True, 6, 5, 2)


def test_results_outside_symbols_are_only_capped_per_file() -> None:
    assert spread(["a:1-1", "a:2-2", "a:3-3", "b:1-1"], 3, place)[0] == ["a:1-1", "a:2-2", "b:1-1"]


def test_relaxed_pass_keeps_the_symbol_cap() -> None:
    kept, summary = spread(["a#f", "a#g", "a#h", "a#h2"], 4, place)
    assert kept == ["a#f", "a#g", "a#h"]
    assert (summary.skipped_by_file_cap, summary.skipped_by_symbol_cap) == (0, 1)


def test_full_page_stops_early() -> None:
    assert spread(["a#f", "b#f", "a#f2"], 2, place) == (["a#f", "b#f"], DiversitySummary(0, 0, False, 3, 2, 2))
    assert spread([], 5, place) == ([], DiversitySummary())
    assert spread(["a#f"], 0, place)[0] == []


def test_summary_contains_the_caps() -> None:
    fields = spread(["a#f"], 5, place)[1].as_dict()
    assert (fields["max_per_file"], fields["max_per_symbol"], fields["relaxed_max_per_file"]) == (2, 1, 3)
    assert fields["kept"] == 1


def test_duplicates_are_dropped_in_favour_of_the_better() -> None:
    items = ["a#f", "b#f", "a#f2", "a:1-9", "a:9-12", "a:13-14", "b:9-12", "a:1-1"]
    assert without_twins(items, place) == (["a#f", "b#f", "a:1-9", "a:13-14", "b:9-12"], 3)


def test_class_and_method_are_not_duplicates() -> None:
    places = [HitPlace("a", "C", 1, 50), HitPlace("a", "C.m", 5, 9)]
    assert without_twins(places, lambda each: each) == (places, 0)


_PLACES = st.lists(
    st.one_of(
        st.builds(HitPlace, st.sampled_from("abc"), st.sampled_from("fgh"), st.just(1), st.just(1)),
        st.builds(lambda path, line: HitPlace(path, None, line, line + 3), st.sampled_from("abc"), st.integers(1, 20)),
    ),
    max_size=30,
)


@settings(max_examples=200)
@given(_PLACES, st.integers(0, 30))
def test_caps_hold_and_order_is_preserved(places: list[HitPlace], limit: int) -> None:
    items = list(enumerate(places))
    kept, summary = spread(items, limit, lambda item: item[1])
    assert kept == sorted(kept) and len(kept) <= limit and set(kept) <= set(items)
    assert max(Counter(each.path for _, each in kept).values(), default=0) <= (3 if summary.used_relaxed_cap else 2)
    symbols = Counter((each.path, each.symbol) for _, each in kept if each.symbol is not None)
    assert max(symbols.values(), default=0) <= 1
    assert summary.kept == len(kept) and summary.files == len({each.path for _, each in kept})
    if len(kept) < limit:
        assert summary.kept + summary.skipped_by_file_cap + summary.skipped_by_symbol_cap == len(items)
    if items and limit:
        assert kept[0] == items[0]


@settings(max_examples=200)
@given(_PLACES)
def test_exactly_the_duplicates_are_dropped(places: list[HitPlace]) -> None:
    items = list(enumerate(places))
    kept, suppressed = without_twins(items, lambda item: item[1])
    assert len(kept) + suppressed == len(items) and kept == sorted(kept)
    assert without_twins(kept, lambda item: item[1]) == (kept, 0)
    assert {each.path for _, each in kept} == {each.path for each in places}
