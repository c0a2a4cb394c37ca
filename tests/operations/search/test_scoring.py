"""Candidates of all retrievers, scored together, with the part of each signal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.operations.search.query_features import analyze_query
from codeplane.operations.search.scoring import MAX_CANDIDATES, Ranking, RankingScope, rank, ranking_order
from codeplane.operations.search.weights import WEIGHTS, Weights
from codeplane.query.text import FileBrief
from operations.search.bookshop import FILES, Shop, opened


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with opened(tmp_path_factory.mktemp("ranked") / "repo") as shop:
        yield shop


ALL = RankingScope(accepts=lambda file: True, in_scope=lambda file: True)


def ranked(
    shop: Shop, query: str, bounds: RankingScope = ALL, weights: Weights = WEIGHTS, *, names_only: bool = False
) -> Ranking:
    return rank(shop.snapshot, analyze_query(query), bounds, weights, names_only=names_only)


def ids(shop: Shop) -> dict[str, int]:
    return {path: file_id for file_id, path in shop.snapshot.reader.rows("SELECT file_id, path FROM files")}


def test_rows_are_in_a_total_order(shop: Shop) -> None:
    for query in ("shop", "book price", "compute_discount", "close"):
        rows = ranked(shop, query).rows
        keys = [ranking_order(row) for row in rows]
        assert keys == sorted(keys) and len(set(keys)) == len(keys) > 0


@pytest.mark.parametrize(
    ("query", "signal", "path"),
    [
        ("verify_checksum", "exact", "engine/src/lib.rs"),
        ("SessionStore.close", "qualified", "shop/session.py"),
        ("sendInvoice", "kind", "billing/src/main/java/org/books/InvoiceMailer.java"),
        ("exponential jitter between things", "bm25_passage", "shop/retry.py"),
        ("exponential jitter between things", "bm25_file", "shop/retry.py"),
        ("all about retry", "stem", "shop/retry.py"),
        ("the warehouse of parcels", "path", "warehouse/parcel.go"),
        ("see theme.js please", "mention", "web/src/theme.js"),
        ("it fails in shop/session.py:6 now and then", "line", "shop/session.py"),
        ("catalogue of titles", "abbreviation", "legacy/catalog.rb"),
        ("postage for a thing computed", "definition", "warehouse/parcel.go"),
    ],
)
def test_every_signal_contributes(shop: Shop, query: str, signal: str, path: str) -> None:
    row = next(row for row in ranked(shop, query).rows if row.path == path)
    assert row.parts[signal] > 0


@pytest.mark.parametrize(
    ("field", "query", "path"),
    [
        ("exact", "verify_checksum", "engine/src/lib.rs"),
        ("mention", "see theme.js please", "web/src/theme.js"),
        ("stem", "all about retry", "shop/retry.py"),
        ("file", "exponential jitter between things", "shop/retry.py"),
        ("passage", "exponential jitter between things", "shop/retry.py"),
        ("name", "postage for a thing computed", "warehouse/parcel.go"),
    ],
)
def test_every_weight_changes_a_score(shop: Shop, field: str, query: str, path: str) -> None:
    def score(weights: Weights) -> float:
        return next(row.score for row in ranked(shop, query, weights=weights).rows if row.path == path)

    assert score(WEIGHTS) > score(replace(WEIGHTS, **{field: 0.0}))  # type: ignore[arg-type]


def test_role_factor_multiplies_the_sum_of_parts(shop: Shop) -> None:
    rows = ranked(shop, "backoff_delay").rows
    assert {row.path for row in rows} >= {"shop/retry.py", "tests/test_retry.py"}
    for row in rows:
        factor = row.parts.get("role_factor", 1.0)
        assert ("role_factor" in row.parts) == (row.path != "shop/retry.py")
        assert row.score == pytest.approx(factor * sum(v for k, v in row.parts.items() if not k.endswith("_factor")))


def test_only_files_restricts_candidates(shop: Shop) -> None:
    known = ids(shop)
    bounds = replace(
        ALL, only_files=[known["shop/cart.py"], known["shop/session.py"]], accepts=lambda file: file.path[:5] == "shop/"
    )
    assert {row.path for row in ranked(shop, "return rows of the book", bounds).rows} == {
        "shop/cart.py",
        "shop/session.py",
    }


def test_scores_are_independent_of_the_file_set(shop: Shop) -> None:
    known = ids(shop)
    whole = {(row.path, row.first, row.name): row.score for row in ranked(shop, "price of the book").rows}
    bounds = replace(ALL, only_files=[known["shop/cart.py"]], accepts=lambda file: file.path == "shop/cart.py")
    part = {(row.path, row.first, row.name): row.score for row in ranked(shop, "price of the book", bounds).rows}
    assert part and part.items() <= whole.items()


def test_rows_per_file_are_capped(shop: Shop) -> None:
    for limit in (1, 2, 10):
        rows = ranked(shop, "self books quantity owner close", replace(ALL, rows_per_file=limit)).rows
        counts = [sum(row.path == path for row in rows) for path in {row.path for row in rows}]
        assert max(counts) <= limit
    assert max(counts) > 2


def test_names_only_ranks_definitions(shop: Shop) -> None:
    rows = ranked(shop, "compute", names_only=True).rows
    assert {row.name for row in rows} == {"compute_discount", "ComputePostage", "TestComputePostage"}
    assert rows and all(row.parts["bm25_file"] == 0 for row in rows)


def test_files_outside_scope_are_counted_by_role(shop: Shop) -> None:
    def in_scope(file: FileBrief) -> bool:
        return not file.path.startswith("tests/")

    found = ranked(shop, "total price", replace(ALL, in_scope=in_scope))
    assert found.outside == {"test": 1}
    assert found.rows and all(in_scope(row.file) for row in found.rows)


def test_retrieval_respects_the_scope(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The source file is found among many better matching tests."""
    files: dict[str, str | bytes] = {f"tests/test_{number:04}.py": "print(wanted, wanted)\n" for number in range(900)}
    files |= {f"z{number}.py": f"# wanted among {'many other words ' * 50}\nx = 1\n" for number in range(3)}
    with opened(tmp_path_factory.mktemp("many") / "repo", files) as many:
        bounds = replace(ALL, scope="runtime", in_scope=lambda file: file.path.startswith("z"))
        found = ranked(many, "wanted", bounds)
        assert {row.path for row in found.rows} == {"z0.py", "z1.py", "z2.py"}
        assert found.outside == {"test": MAX_CANDIDATES}
        assert len({row.path for row in ranked(many, "wanted", ALL).rows}) <= 2 * MAX_CANDIDATES


def test_empty_query_ranks_nothing(shop: Shop) -> None:
    for query in ("", "the of", "zzqqxx wwvvyy"):
        assert ranked(shop, query).rows == ()


def test_fixture_covers_many_languages() -> None:
    assert len({path.rpartition(".")[2] for path in FILES}) >= 8


FRAMES: dict[str, str | bytes] = {
    "web/handlers.py": (
        "class Site:\n    def get_response(self, request):\n        response = self.chain(request)\n"
        "        return response\n\n"
        "    def _get_response(self, request):\n        view = self.resolve(request)\n        return view(request)\n\n"
        "    def resolve(self, request):\n        return self.views[request]\n"
    ),
    **{f"web/models/m{number}.py": f"def model_{number}():\n    return {number}\n" for number in range(60)},
    "web/other.py": "def get_response(request):\n    response = request.response\n    return response\n",
}


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ('File "web/handlers.py", line 8, in _get_response', "_get_response"),
        ('File "/srv/site/web/handlers.py", line 3, in get_response', "get_response"),
        ("the error comes from web/handlers.py:11 again", "resolve"),
        ("why does _get_response call a view with the request", "_get_response"),
    ],
)
def test_stack_frame_boosts_its_definition(tmp_path: Path, frame: str, name: str) -> None:
    with opened(tmp_path / "repo", FRAMES) as shop:
        first = ranked(shop, frame).rows[0]
        assert (first.path, first.name) == ("web/handlers.py", name)
