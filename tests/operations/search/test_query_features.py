from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeplane.operations.search.query_features import (
    MAX_NAMES,
    MAX_PATHS,
    NameEvidence,
    QueryShape,
    analyze_query,
    covered,
    looks_like_identifier,
)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("load", QueryShape.NAME),
        ("`loadFile`", QueryShape.NAME),
        ("load_file()", QueryShape.NAME),
        ("Cart.close", QueryShape.NAME),
        ("isbn::verify", QueryShape.NAME),
        ("Cart->close()", QueryShape.NAME),
        ("größe_ändern", QueryShape.NAME),
        ("load file", QueryShape.WORDS),
        ("close the open cart", QueryShape.WORDS),
        ("where is the price of a book computed", QueryShape.TEXT),
        ("", QueryShape.TEXT),
        ("?! ...", QueryShape.TEXT),
    ],
)
def test_shapes(text: str, shape: QueryShape) -> None:
    assert analyze_query(text).shape is shape


@pytest.mark.parametrize(
    ("text", "last", "qualifiers"),
    [
        ("close", "close", ()),
        ("Cart.close", "close", ("cart",)),
        ("shop.cart.ShoppingCart.close()", "close", ("shop", "cart", "shoppingcart")),
        ("isbn::verify_checksum", "verify_checksum", ("isbn",)),
        ("Cart#close", "close", ("cart",)),
        ("p->grams", "grams", ("p",)),
    ],
)
def test_qualified_names(text: str, last: str, qualifiers: tuple[str, ...]) -> None:
    question = analyze_query(text)
    assert (question.last, question.qualifiers) == (last, qualifiers)
    assert question.names[question.key] is NameEvidence.WHOLE


def test_names_in_a_text() -> None:
    question = analyze_query("why does total_price fail when the shopping cart has sendInvoice and HTTPServer in it")
    for name in ("totalprice", "sendinvoice", "httpserver"):
        assert question.names[name] is NameEvidence.IDENTIFIER
    assert question.names["shoppingcart"] is NameEvidence.NEIGHBOURS
    assert "thecart" not in question.names and "fail" not in question.names


def test_adjacent_words_match_without_plural() -> None:
    assert (
        analyze_query("list all shopping carts of the customer here").names["shoppingcart"] is NameEvidence.NEIGHBOURS
    )


@pytest.mark.parametrize(
    ("word", "code"),
    [("load", False), ("Load", False), ("loadFile", True), ("load_file", True), ("iPhone", True), ("12", False)],
)
def test_identifiers_are_recognized(word: str, code: bool) -> None:
    assert looks_like_identifier(word) is code


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('File "/srv/app/shop/session.py", line 6, in expire', ("srv/app/shop/session.py",)),
        (
            "at org.books.InvoiceMailer.send(InvoiceMailer.java:12)",
            ("org.books.InvoiceMailer.send", "InvoiceMailer.java"),
        ),
        ("panic in ./warehouse/parcel.go:10", ("warehouse/parcel.go",)),
        ("C:\\work\\web\\basket.ts is wrong", ("work/web/basket.ts",)),
        ("look into ../.golangci.yml", (".golangci.yml",)),
        ("version 1.2.3 of the thing", ()),
        ("nothing here", ()),
    ],
)
def test_mentioned_paths_are_extracted(text: str, paths: tuple[str, ...]) -> None:
    assert analyze_query(text).paths == paths


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('File "/srv/app/shop/session.py", line 6, in expire', (("srv/app/shop/session.py", 6),)),
        ("at send (InvoiceMailer.java:12)", (("InvoiceMailer.java", 12),)),
        ("panic in ./warehouse/parcel.go:10:3: x", (("warehouse/parcel.go", 10),)),
        ("in /src/Carts.cs:line 12", (("src/Carts.cs", 12),)),
        ("#1 Carts.php(320): sort() and Carts.cs(4,7): error", (("Carts.php", 320), ("Carts.cs", 4))),
        ("a.py:1 b.py a.py:2 a.py:1", (("a.py", 1), ("a.py", 2))),
        ("session.py has a line 6", ()),
        ("session.py:0 and session.py, line six", ()),
        ("session.py:" + "9" * 5000, ()),
        ("nothing at line 6", ()),
    ],
)
def test_mentioned_lines_are_extracted(text: str, lines: tuple[tuple[str, int], ...]) -> None:
    assert analyze_query(text).lines == lines


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("tests for the cart", True),
        ("unit tests covering retry", True),
        ("where is backoff tested", True),
        ("test_total_price", True),
        ("the latest price", False),
        ("run the contest", False),
        ("run the tests that failed last time first", False),
        ("how is a parcel weighed", False),
    ],
)
def test_requests_for_tests_are_recognized(text: str, asked: bool) -> None:
    assert analyze_query(text).asks_for_tests is asked


def test_covered_terms_of_a_name() -> None:
    terms = analyze_query("compute the discount").terms
    assert covered("compute_discount", terms) == (["comput", "discount"], 2)
    assert covered("computeTotalPrice", terms) == (["comput"], 3)
    assert covered("other", terms) == ([], 1)


@given(st.text(max_size=300))
def test_arbitrary_text_is_analyzed(text: str) -> None:
    question = analyze_query(text)
    assert question == analyze_query(text)
    assert all(question.names) and all(question.terms)


def test_features_of_long_text_are_bounded() -> None:
    for text in (
        "some_name/other.py " * 6000,
        "a." * 50_000,
        "a/" * 50_000,
        "-" * 100_000,
        "x" * 100_000,
        "(" * 100_000,
    ):
        question = analyze_query(text)
        assert len(question.paths) <= MAX_PATHS
        assert len(question.names) <= MAX_NAMES * 5
