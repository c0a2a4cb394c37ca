"""Searches from request to complete result, on a real index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.index.indexer import Indexer
from codeplane.operations.search.finder import Finder
from codeplane.operations.search.model import MAX_RANKED, MODES, Hit, SearchRequest
from codeplane.operations.search.weights import WEIGHTS
from codeplane.query.snapshot import open_current
from operations.search.bookshop import FILES, Shop, opened
from support.repositories import make_repository, options_for, write

_HALFWAY = 25.0


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with opened(tmp_path_factory.mktemp("finder") / "repo") as shop:
        yield shop


def place(hit: Hit) -> tuple[str, str]:
    return (hit.path, hit.name)


@pytest.mark.parametrize(
    ("query", "path", "name"),
    [
        ("how is the discount of a book computed", "shop/pricing.py", "compute_discount"),
        ("where do loyal customers pay less", "shop/pricing.py", "compute_discount"),
        ("exponential pause between attempts", "shop/retry.py", "backoff_delay"),
        ("what a parcel costs by its weight", "warehouse/parcel.go", "ComputePostage"),
        ("sending an invoice to an address", "billing/src/main/java/org/books/InvoiceMailer.java", "sendInvoice"),
        ("rendering of the basket", "web/src/basket.ts", "renderBasket"),
        ("check the last digit of an isbn", "engine/src/lib.rs", "verify_checksum"),
        ("import titles into the catalog", "legacy/catalog.rb", "import_titles"),
        ("dark theme", "web/src/theme.js", "darkTheme"),
        ("shopping cart", "shop/cart.py", "ShoppingCart"),
    ],
)
def test_words_find_the_relevant_definition(shop: Shop, query: str, path: str, name: str) -> None:
    assert place(shop.first(query)) == (path, name)


@pytest.mark.parametrize("mode", ["auto", "symbol", "definitions"])
@pytest.mark.parametrize(
    "query", ["compute_discount", "computeDiscount", "ComputeDiscount", "COMPUTE_DISCOUNT", "`compute_discount()`"]
)
def test_a_name_in_any_style(shop: Shop, mode: str, query: str) -> None:
    hit = shop.first(query, mode=mode)
    assert place(hit) == ("shop/pricing.py", "compute_discount")
    assert (hit.match_type, hit.kind, hit.line_start, hit.line_end) == ("exact", "function", 5, 7)
    assert hit.def_uid and hit.signature and hit.language == "python"


@pytest.mark.parametrize("mode", ["auto", "symbol"])
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("compute_discuont", "compute_discount"),
        ("ShopingCart", "ShoppingCart"),
        ("verify_cheksum", "verify_checksum"),
        ("compute_dis", "compute_discount"),
        ("Invoice", "InvoiceMailer"),
        ("checksum", "verify_checksum"),
        ("ackoff", "backoff_delay"),
    ],
)
def test_typos_prefixes_and_parts(shop: Shop, mode: str, query: str, name: str) -> None:
    hit = shop.first(query, mode=mode)
    assert (hit.name, hit.match_type) == (name, "fuzzy")


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("ShoppingCart.close", "shop/cart.py"),
        ("SessionStore.close", "shop/session.py"),
        ("SessionStore::close", "shop/session.py"),
        ("shop.session.SessionStore.close()", "shop/session.py"),
        ("session.close", "shop/session.py"),
    ],
)
def test_qualified_names(shop: Shop, query: str, path: str) -> None:
    for mode in ("auto", "symbol", "definitions"):
        assert place(shop.first(query, mode=mode)) == (path, "close")


def test_definitions_mode_returns_exact_names_only(shop: Shop) -> None:
    found = shop.find("close", mode="definitions")
    assert [place(hit) for hit in found.hits] == [("shop/cart.py", "close"), ("shop/session.py", "close")]
    assert found.similar == ()
    none = shop.find("compute_discuont", mode="definitions")
    assert none.hits == () and none.total == 0
    assert none.similar == ("shop/pricing.py#compute_discount",)
    assert none.not_found == "no symbol named 'compute_discuont'; did you mean shop/pricing.py#compute_discount?"
    assert shop.find("qwertzuiop", mode="definitions").similar == ()


def test_symbol_mode_returns_definitions_only(shop: Shop) -> None:
    found = shop.find("discount", mode="symbol")
    assert {hit.name for hit in found.hits} == {"compute_discount", "DISCOUNT_LIMIT"}
    assert found.hits and all(hit.def_uid for hit in found.hits)
    # A language without a grammar has no definitions, only lines that look like them.
    assert shop.first("import_titles", mode="symbol").path == "legacy/catalog.rb"


def test_scopes(shop: Shop) -> None:
    query = "postage of a parcel"
    runtime, mixed, docs = (shop.find(query, scope=scope) for scope in ("runtime", "mixed", "docs"))
    assert {hit.role for hit in runtime.hits} == {"source"}
    assert runtime.outside_scope == {"docs": 2, "test": 1}
    assert {hit.role for hit in mixed.hits} == {"source", "docs", "test"}
    assert mixed.outside_scope == {}
    assert {hit.role for hit in docs.hits} == {"docs", "test"}
    assert set(docs.outside_scope) == {"source"}
    assert shop.find(query).hits == runtime.hits


def test_mixed_scope_ranks_source_first(shop: Shop) -> None:
    for query, role in [("backoff_delay", "test"), ("postage of a parcel", "docs"), ("ShoppingCart", "example")]:
        roles = [hit.role for hit in shop.find(query, scope="mixed").hits]
        assert roles[0] == "source" and role in roles, query
    demoted = next(hit for hit in shop.find("backoff_delay", scope="mixed").hits if hit.role == "test")
    assert demoted.factors.others["role_factor"] == WEIGHTS.roles["test"] < 1


def test_query_for_tests_includes_tests(shop: Shop) -> None:
    assert place(shop.first("tests for the backoff delay")) == ("tests/test_retry.py", "test_backoff_delay")
    assert "tests/test_retry.py" not in shop.paths("the backoff delay")


@pytest.mark.parametrize("mode", ["auto", "symbol"])
def test_name_defined_only_in_tests_is_found(shop: Shop, mode: str) -> None:
    found = shop.find("make_sample_cart", mode=mode, scope="runtime")
    assert place(found.hits[0]) == ("tests/test_cart.py", "make_sample_cart")
    assert found.hits[0].match_type == "exact"
    assert [hit.name for hit in found.hits if hit.role == "test"] == ["make_sample_cart"]
    assert "test" not in found.outside_scope
    # Only the exact name extends the scope, not a part of it.
    assert all(hit.role != "test" for hit in shop.find("sample_cart", scope="runtime").hits)


def test_must_words_are_found_at_any_rank(shop: Shop) -> None:
    assert place(shop.first("must:jitter weight of parcels")) == ("shop/retry.py", "backoff_delay")
    assert place(shop.first("must:2**attempt parcel")) == ("shop/retry.py", "backoff_delay")
    assert place(shop.first('must:"Loyal customers" theme')) == ("shop/pricing.py", "")
    assert place(shop.first("must:each_line")) == ("legacy/catalog.rb", "import_titles")


def test_all_must_words_are_required(shop: Shop) -> None:
    found = shop.find("must:rebate must:limit price")
    assert found.hits and {hit.path for hit in found.hits} == {"shop/pricing.py"}
    assert found.notices == ()


@pytest.mark.parametrize("query", ["must:zzqqy price", "must:rebate must:isbn price", "lang:go must:rebate price"])
def test_unsatisfied_must_words_are_reported(shop: Shop, query: str) -> None:
    found = shop.find(query)
    assert found.hits == () and found.total == 0
    assert [notice.code for notice in found.notices] == [WarningCode.FILTER_MUST_UNSATISFIED]


@pytest.mark.parametrize(
    ("query", "kinds", "lost"),
    [
        ("must:rebate exclude:rebate rebate", (), "removed_by_exclude"),
        ("must:rebate price", ("enum",), "removed_by_kind"),
    ],
)
def test_other_filters_are_reported_instead_of_must(shop: Shop, query: str, kinds: tuple[str, ...], lost: str) -> None:
    found = shop.find(query, kinds=kinds)
    assert found.hits == () and found.notices == ()
    assert found.hints[lost]


def test_exclude_words(shop: Shop) -> None:
    assert "compute_discount" in shop.names("discount")
    found = shop.find("exclude:rebate discount")
    assert found.hits and "compute_discount" not in {hit.name for hit in found.hits}


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("lang:go computed price of parcel", {"warehouse/parcel.go"}),
        (
            "lang:java,rust invoice checksum",
            {"billing/src/main/java/org/books/InvoiceMailer.java", "engine/src/lib.rs"},
        ),
        ("lang:ruby titles", {"legacy/catalog.rb"}),
        ("path:warehouse/ parcel", {"warehouse/parcel.go"}),
        ("path:*.ts path:*.js theme basket", {"web/src/basket.ts", "web/src/theme.js"}),
        ("-path:shop/ -path:examples/ book price", set()),
        ("path:web/ -path:*.js theme basket", {"web/src/basket.ts"}),
    ],
)
def test_languages_and_paths(shop: Shop, query: str, kept: set[str]) -> None:
    found = set(shop.paths(query))
    assert found == kept if kept else not {path for path in found if path.startswith(("shop/", "examples/"))}


def test_arguments_filter_like_operators(shop: Shop) -> None:
    assert shop.find("parcel", languages=("go",)).hits == shop.find("lang:go parcel").hits
    assert shop.find("price", paths=("shop/",)).hits == shop.find("path:shop/ price").hits
    assert {hit.path for hit in shop.find("price", directory="shop").hits} <= {
        path for path in FILES if path[:5] == "shop/"
    }


def test_kinds(shop: Shop) -> None:
    assert {hit.kind for hit in shop.find("close", kinds=("method",)).hits} == {"method"}
    assert set(shop.names("cart session", kinds=("class",))) == {"ShoppingCart", "SessionStore"}
    assert shop.find("close", kinds=("enum",)).hits == ()


def test_group_by_file_returns_each_file_once(shop: Shop) -> None:
    by_symbol, by_file = shop.find("discount price"), shop.find("discount price", group_by="file")
    paths = [hit.path for hit in by_file.hits]
    assert len(paths) == len(set(paths))
    assert paths == list(dict.fromkeys(hit.path for hit in sorted(by_symbol.hits, key=lambda hit: -hit.score)))
    assert len(by_file.hits) == by_file.total
    assert sum(hit.collapsed + 1 for hit in by_file.hits) == by_symbol.total


def test_raw_results_are_not_rearranged(shop: Shop) -> None:
    raw = shop.find("discount price book", result_mode="raw")
    scores = [hit.score for hit in raw.hits]
    assert scores == sorted(scores, reverse=True)
    assert {place(hit) for hit in raw.hits} >= {
        place(hit) for hit in shop.find("discount price book", limit=5).hits[:5]
    }


TRACES = {
    "python": (
        'Traceback (most recent call last):\n  File "/srv/app/shop/session.py", line 6, in expire_stale\n'
        "    return [row for row in self.rows if row.until < now]\nTypeError: 'NoneType' object is not iterable",
        "shop/session.py",
    ),
    "go": (
        "panic: runtime error: integer divide by zero\n\ngoroutine 1 [running]:\nmain.run(...)\n"
        "\t/home/ci/bookshop/warehouse/parcel.go:10 +0x1d",
        "warehouse/parcel.go",
    ),
    "java": (
        'Exception in thread "main" java.lang.NullPointerException\n'
        "\tat org.books.InvoiceMailer.sendInvoice(InvoiceMailer.java:7)\n"
        "\tat java.base/java.lang.Thread.run(Thread.java:833)",
        "billing/src/main/java/org/books/InvoiceMailer.java",
    ),
    "rust": ("thread 'main' panicked at engine/src/lib.rs:4:9: index out of bounds", "engine/src/lib.rs"),
    "typescript": (
        "TypeError: items.map is not a function\n    at BasketView.renderBasket (C:\\work\\web\\src\\basket.ts:7:18)",
        "web/src/basket.ts",
    ),
    "plain": ("please have a look at theme.js, it has become far too bright", "web/src/theme.js"),
}


@pytest.mark.parametrize("language", TRACES)
def test_stack_trace_finds_its_file(shop: Shop, language: str) -> None:
    trace, path = TRACES[language]
    hit = shop.first(trace)
    assert hit.path == path
    assert hit.factors.path_affinity >= WEIGHTS.mention


@pytest.mark.parametrize(
    "query",
    ["compute_discount", "discount of a book", "compute_discuont", "SessionStore.close", "shop", "tests for cart"],
)
@pytest.mark.parametrize("scope", ["runtime", "mixed"])
def test_factors_sum_to_the_score(shop: Shop, query: str, scope: str) -> None:
    for hit in shop.find(query, scope=scope).hits:
        factors = hit.factors
        added = (
            factors.exact_match_boost
            + factors.qualified_name_boost
            + factors.path_affinity
            + factors.definition_boost
            + factors.kind_match
            + factors.bm25_score
            + factors.others.get("name_match", 0.0)
        )
        factor = factors.others.get("role_factor", 1.0) * factors.others.get("changed_factor", 1.0)
        assert added * factor == pytest.approx(_HALFWAY * hit.score / (1 - hit.score)), hit
        assert 0 < hit.score < 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ["", "   \n\t "])
def test_an_empty_query_is_an_error(shop: Shop, mode: str, query: str) -> None:
    if query and mode in ("lexical", "regex"):
        assert shop.find(query, mode=mode).total == 0, "operators are literal here"
        assert shop.find("    ", mode=mode).total > 20
        return
    with pytest.raises(CodePlaneError) as raised:
        shop.find(query, mode=mode)
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID


@pytest.mark.parametrize("query", ["lang:go", "path:shop/ -path:web/", "exclude:price"])
def test_query_with_only_operators_is_an_error(shop: Shop, query: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        shop.find(query)
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID


@pytest.mark.parametrize("query", ["zxqv wvut yyrk", "qqqqqqqq", "🙂🙂", "?!", "...", "\x00\x01", "the of and"])
@pytest.mark.parametrize("mode", ["auto", "symbol", "definitions"])
def test_nonsense_finds_nothing(shop: Shop, mode: str, query: str) -> None:
    found = shop.find(query, mode=mode)
    assert (found.hits, found.total, found.outside_scope) == ((), 0, {})


@pytest.mark.parametrize(
    "text",
    ["compute the discount of a book ", "def close(self): ", "shop/cart.py ", "x" * 1000, "é" * 1000, "(" * 1000],
)
def test_long_query_is_accepted(shop: Shop, text: str) -> None:
    query = (text * (100_000 // len(text) + 1))[:100_000]
    found = shop.find(query)
    assert shop.find(query) == found
    if "discount" in text:
        assert found.hits[0].path == "shop/pricing.py"


def test_a_query_that_matches_everything(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"d{number % 7}/f{number:03}.py": f"def common_{number}():\n    return shared\n" for number in range(300)
    }
    with opened(tmp_path / "repo", files) as many:
        for query in ("return shared", "shared", "common"):
            found = many.find(query)
            assert len(found.hits) == MAX_RANKED or len(found.hits) == found.total
            assert found.hits
            ties = [(hit.path, hit.line_start) for hit in found.hits if hit.score == found.hits[0].score]
            assert ties == sorted(ties)
        everything = many.find("shared", mode="lexical")
        assert (everything.total, everything.files, len(everything.hits)) == (300, 300, 300)


def test_lexical_and_regex_ignore_operators(shop: Shop) -> None:
    found = shop.find("compute_discount(", mode="lexical")
    assert [(hit.path, hit.match_line) for hit in found.hits] == [("shop/cart.py", 17), ("shop/pricing.py", 5)]
    # Definitions come before uses.
    assert shop.first("compute_discount", mode="lexical").path == "shop/pricing.py"
    assert shop.find(r"def \w+_delay", mode="regex").total == 2
    assert shop.find("lang:go", mode="lexical").total == 0


def test_references(shop: Shop) -> None:
    found = shop.find("compute_discount", mode="references")
    assert {hit.path for hit in found.hits} == {"shop/cart.py"}
    assert found.total == 2


def test_changed_files_rank_first_among_equals(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"{name}/handler.py": "def handle_order(order):\n    return order.total\n" for name in ("aa", "bb", "cc")
    }
    root = make_repository(tmp_path / "repo", files)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        write(root, "bb/handler.py", "def handle_order(order):\n    return order.total\n\n")
        indexer.sync()
        finder = Finder(root)
        with open_current(indexer.state) as snapshot:
            boosted = finder.find(snapshot, SearchRequest("handle_order"))
            plain = finder.find(snapshot, SearchRequest("handle_order", ranking_mode="default"))
        finder.close()
    assert [hit.path for hit in boosted.hits] == ["bb/handler.py", "aa/handler.py", "cc/handler.py"]
    assert boosted.hits[0].factors.others["changed_factor"] == WEIGHTS.changed
    assert [hit.path for hit in plain.hits] == ["aa/handler.py", "bb/handler.py", "cc/handler.py"]
    assert plain.hits and all("changed_factor" not in hit.factors.others for hit in plain.hits)


def test_hits_have_locations(shop: Shop) -> None:
    text = next(hit for hit in shop.find("compute discount").hits if hit.path == "shop/cart.py" and not hit.name)
    assert text.kind == "text"
    assert (text.match_line, text.snippet) == (3, "from shop.pricing import compute_discount")
    docs = shop.first("weighed", scope="docs")
    assert (docs.kind, docs.path, docs.match_line) == ("file", "docs/shipping.md", 3)


def test_debug_payload_describes_the_search(shop: Shop) -> None:
    assert shop.find("discount").debug == {}
    told = shop.find("lang:python must:rebate discount", debug=True).debug
    assert told["scope"] == "runtime"
    assert told["operators"]["must"] == ["rebate"]  # type: ignore[index]
    assert "discount" in told["terms"]  # type: ignore[operator]
    assert told["must_retry"]["lane_files"] == 1  # type: ignore[index]


@pytest.mark.parametrize("letter", ["x", "é", "变", "\U00010400"])
@pytest.mark.parametrize("length", [60, 61, 119, 120, 121, 300, 5000])
def test_name_of_any_length_is_accepted(shop: Shop, letter: str, length: int) -> None:
    for mode in ("auto", "symbol", "definitions"):
        assert shop.find(letter * length, mode=mode).hits == ()
