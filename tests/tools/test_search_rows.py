"""Rows of each detail level: fields, form and size."""

from __future__ import annotations

import json

import pytest

from codeplane.base.paths import RepoPath
from codeplane.operations.search.hit_context import HitContext
from codeplane.operations.search.model import Factors, Hit
from codeplane.operations.search.result_rows import MAX_SNIPPET, Detail, Explain, RowOptions, cut_line, row_of

LOCATION = {"path", "line_start", "line_end", "kind", "name"}
SIGNATURE = LOCATION | {"qualified_name", "signature", "language", "visibility", "symbol_ref", "score"}
CONTEXT = SIGNATURE | {"body_preview", "parent", "related_symbols"}
SIX = (
    "exact_match_boost",
    "qualified_name_boost",
    "path_affinity",
    "definition_boost",
    "kind_match",
    "bm25_score",
)

SYMBOL = Hit(
    RepoPath("app/checkout.py"),
    4,
    9,
    "method",
    "finish",
    score=0.91234,
    qualified_name="app.checkout.Cart.finish",
    lexical_path="Cart.finish",
    signature="def finish(self, order: Order) -> Receipt",
    language="python",
    visibility="public",
    def_line=4,
    def_end=9,
    factors=Factors(exact_match_boost=3.0, bm25_score=1.0, others={"role": -0.004}),
)
MATCH = Hit(
    RepoPath("app/checkout.py"),
    7,
    7,
    "method",
    "finish",
    column=9,
    snippet="        return receipt(order)",
    lexical_path="Cart.finish",
    signature="def finish(self, order: Order) -> Receipt",
    language="python",
    def_line=4,
    def_end=9,
    collapsed=2,
)
TEXT = Hit(RepoPath("notes.md"), 3, 3, "text", "", column=1, snippet="# Receipts")
AROUND = HitContext(
    "        return receipt(order)",
    {"kind": "class", "name": "Cart", "path": "app/checkout.py", "line": 1},
    ({"name": "total", "line": 12},),
)


@pytest.mark.parametrize(("detail", "fields"), [("location", LOCATION), ("signature", SIGNATURE), ("context", CONTEXT)])
def test_fields_of_a_level(detail: Detail, fields: set[str]) -> None:
    row = row_of(SYMBOL, RowOptions(detail), exhaustive=False, context=AROUND)
    assert set(row) == fields
    assert row.get("score", 0.912) == 0.912
    assert row.get("symbol_ref", "app/checkout.py#Cart.finish@4") == "app/checkout.py#Cart.finish@4"


def test_match_has_column_line_and_enclosing_symbol() -> None:
    row = row_of(MATCH, RowOptions(), exhaustive=True)
    assert (row["column"], row["match_type"], row["matches"]) == (9, "exact", 3)
    assert row["snippet"] == "return receipt(order)"
    assert row["symbol_ref"] == "app/checkout.py#Cart.finish@4"
    assert "snippet" not in row_of(MATCH, RowOptions(snippets=False), exhaustive=True)
    assert set(row_of(MATCH, RowOptions("location"), exhaustive=True)) == LOCATION


def test_empty_fields_are_left_out() -> None:
    row = row_of(TEXT, RowOptions("context"), exhaustive=True)
    assert set(row) == LOCATION | {"column", "match_type", "snippet"}
    assert row["name"] == "", "the five fields are there on every level"


def test_compact_has_location_and_score() -> None:
    row = row_of(SYMBOL, RowOptions("context", compact=True), exhaustive=False, context=AROUND)
    assert set(row) == LOCATION | {"score"}


def test_ranking_reasons() -> None:
    def reasons(explain: Explain) -> object:
        return row_of(SYMBOL, RowOptions("location", explain=explain), exhaustive=False).get("ranking_reasons")

    assert reasons("off") is None
    assert reasons("basic") == {"exact_match_boost": 0.75, "bm25_score": 0.25}
    full = reasons("full")
    assert isinstance(full, dict)
    assert list(full) == [*SIX, "role"]
    assert (full["exact_match_boost"], full["kind_match"], full["role"]) == (3.0, 0.0, -0.004)
    assert row_of(TEXT, RowOptions(explain="basic"), exhaustive=True).get("ranking_reasons") is None


@pytest.mark.parametrize("column", [1, 300, 999])
def test_long_line_is_truncated_around_the_match(column: int) -> None:
    line = "".join(f"{n:04}" for n in range(250))
    kept = cut_line(line, column)
    assert len(kept) <= MAX_SNIPPET + 2
    assert line[column - 1 : column + 3] in kept
    assert kept.strip("…") in line


def test_a_row_is_small() -> None:
    """A token is about four characters."""
    for view, tokens in ((RowOptions("location"), 60), (RowOptions("signature"), 120)):
        row = row_of(SYMBOL, view, exhaustive=False)
        assert len(json.dumps(row, separators=(",", ":"))) / 4 < tokens
