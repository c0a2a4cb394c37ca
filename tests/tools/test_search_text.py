"""Text form of search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.operations.search.evidence import find_template
from support.repositories import make_repository
from support.tooling import Server, serving

FILES: dict[str, str | bytes] = {
    "shop/limits.py": (
        "MAX_BODY_BYTES = 2_000_000\n\n\n"
        "class BodyLimiter:\n"
        '    """Rejects requests that are too large."""\n\n'
        "    def limit_body(self, request):\n"
        "        length = request.content_length\n"
        "        if length > MAX_BODY_BYTES:\n"
        '            raise ValueError("request body is larger than the limit")\n'
        "        return request\n"
    ),
    "shop/form.py": (
        "from shop.limits import BodyLimiter\n\n\n"
        "def read_form(request):\n"
        "    limiter = BodyLimiter()\n"
        "    return limiter.limit_body(request)\n"
    ),
    "shop/long.py": f"WIDE = '{'x' * 300} needle {'y' * 300}'\n",
    "tests/test_form.py": "from shop.form import read_form\n\n\ndef test_form():\n    assert read_form(None)\n",
    "docs/limits.md": "# Limits\n\nThe body limit is two megabytes.\n",
    **{f"many/m{number}.py": "".join(f"value_{n} = repeated_call({n})\n" for n in range(40)) for number in range(8)},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root: Path = tmp_path_factory.mktemp("text") / "repo"
    make_repository(root, FILES)
    with serving(root) as server:
        yield server


def test_exhaustive_search_prints_every_line_under_its_path(shop: Server) -> None:
    assert shop.text("search", {"query": "BodyLimiter", "mode": "lexical"}).splitlines() == [
        "shop/limits.py",
        "4\tclass BodyLimiter:",
        "shop/form.py",
        "1\tfrom shop.limits import BodyLimiter",
        "5\t    limiter = BodyLimiter()",
    ]


def test_exact_name_prints_the_definition_and_the_number_of_uses(shop: Server) -> None:
    assert shop.text("search", {"query": "BodyLimiter"}).splitlines() == [
        "shop/limits.py",
        "4-11 class BodyLimiter",
        "2 uses (mode=references)",
    ]
    assert shop.text("search", {"query": "BodyLimiter.limit_body"}).splitlines()[:2] == [
        "shop/limits.py",
        "7-11 def limit_body(self, request)  [BodyLimiter]",
    ]


def test_error_text_leads_to_its_line(shop: Server) -> None:
    assert shop.text("search", {"query": "ValueError: request body is larger than the limit"}).splitlines() == [
        "shop/limits.py:7-11",
        "    def limit_body(self, request):",
        "        length = request.content_length",
        "        if length > MAX_BODY_BYTES:",
        '            raise ValueError("request body is larger than the limit")',
        "        return request",
    ]


def test_filters_hold_for_the_lines_of_a_message(shop: Server) -> None:
    query = {"query": "request body is larger than the limit"}
    assert "raise ValueError" not in shop.text("search", {**query, "paths": ["docs/"], "scope": "mixed"})
    assert "raise ValueError" not in shop.text("search", {**query, "languages": ["go"]})
    assert not shop.text("search", {**query, "kinds": ["class"]}).startswith("shop/limits.py:")


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ('fail("Cannot index %s with %s", kind, name)', "Cannot index array with string"),
        ('raise E(f"no such option: {name!r} in {where}")', "no such option: 'colour' in settings"),
        ("throw new Error(`Unknown encoding ${name} given`)", "Error: Unknown encoding utf-7 given"),
        ('raise "wrong number of #{kind} (got #{n})"', "wrong number of segments (got 3)"),
    ],
)
def test_template_that_the_query_fits_is_found(line: str, query: str) -> None:
    found = find_template(["x", line], 1, 2, query)
    assert found is not None and found.line == 2
    assert find_template(["x", line], 1, 2, "something else altogether that does not fit") is None


def test_question_shows_signature_and_matching_line(shop: Server) -> None:
    found = shop.text("search", {"query": "where is the content length of a request checked"})
    assert found.splitlines()[:2] == ["shop/limits.py", "7-11 def limit_body(self, request)  [BodyLimiter]"]
    assert "  8\t        length = request.content_length" in found
    bare = shop.text("search", {"query": "where is the content length of a request checked", "include_snippets": False})
    assert "content_length" not in bare


def test_scope_that_leaves_matches_out_says_so(shop: Server) -> None:
    found = shop.text("search", {"query": "body limit two megabytes"})
    assert found.splitlines()[-1].endswith("(scope=mixed)")
    assert "docs/limits.md" in shop.text("search", {"query": "body limit two megabytes", "scope": "mixed"})


def test_references_are_grouped_by_file_and_say_only_uncertain_tiers(shop: Server) -> None:
    assert shop.text("search", {"query": "read_form", "mode": "references"}).splitlines() == [
        "shop/form.py",
        "4-6 def read_form(request)  (definition)",
        "tests/test_form.py",
        "5\t    assert read_form(None)",
        "imports: 1 more (result_mode=raw)",
    ]
    raw = shop.text("search", {"query": "read_form", "mode": "references", "result_mode": "raw"})
    assert "1\tfrom shop.form import read_form" in raw


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("form.py", ["shop/form.py", "tests/test_form.py"]),
        ("FORM", ["shop/form.py", "tests/test_form.py"]),
        ("shop/form", ["shop/form.py"]),
        ("test_*.py", ["tests/test_form.py"]),
        ("shop/*.py", ["shop/form.py", "shop/limits.py", "shop/long.py"]),
        ("docs md", ["docs/limits.md"]),
    ],
)
def test_files_mode_finds_files_by_name_or_glob(shop: Server, query: str, paths: list[str]) -> None:
    assert shop.text("search", {"query": query, "mode": "files"}).splitlines() == paths


def test_query_that_is_a_file_name_finds_the_file(shop: Server) -> None:
    assert shop.text("search", {"query": "limits.py"}) == "shop/limits.py"
    assert shop.text("search", {"query": "shop/form.py"}) == "shop/form.py"


def test_missing_file_name_suggests_near_ones(shop: Server) -> None:
    found = shop.text("search", {"query": "limts.py", "mode": "files"})
    assert found.startswith("no matches in") and found.endswith("; did you mean shop/limits.py or docs/limits.md?")


def test_long_line_is_cut_around_the_match(shop: Server) -> None:
    found = shop.text("search", {"query": "needle", "mode": "lexical"})
    assert " needle " in found and len(found) < 300 and "…" in found


def test_no_match_is_a_fact_about_the_files_searched(shop: Server) -> None:
    assert shop.text("search", {"query": "qqzzxx", "mode": "lexical"}) == f"no matches in {len(FILES)} files"


def test_text_pages_have_no_gaps_or_duplicates(shop: Server) -> None:
    query = {"query": "repeated_call", "mode": "lexical"}
    pages, cursor = [shop.text("search", query)], ""
    while pages[-1].splitlines()[-1].endswith(")") and "cursor=" in pages[-1].splitlines()[-1]:
        cursor = pages[-1].rsplit("cursor=", 1)[1].rstrip(")")
        pages.append(shop.text("search", {"cursor": cursor}))
    rows: list[tuple[str, str]] = []
    for page in pages:
        path = ""
        for line in page.splitlines():
            if line.startswith("many/"):
                path = line
            elif "repeated_call(" in line:
                rows.append((path, line.partition("\t")[0]))
    assert len(pages) > 1 and len(rows) == len(set(rows)) == 320


def test_grouping_and_limits_have_an_effect(shop: Server) -> None:
    by_file = shop.text("search", {"query": "repeated_call", "mode": "lexical", "group_by": "file"})
    assert "1\tvalue_0 = repeated_call(0)  [value_0] +39 more" in by_file
    assert len(shop.text("search", {"query": "repeated_call", "mode": "lexical", "limit": 3}).splitlines()) == 5
    ranked = shop.text("search", {"query": "limit body", "limit": 1})
    assert ranked.splitlines()[-1].endswith("(scope=mixed)") or "more (cursor=" in ranked


def test_levels_of_detail_have_an_effect(shop: Server) -> None:
    query = {"query": "content length of the request"}
    location = shop.text("search", {**query, "detail_level": "location"})
    assert "7-11 BodyLimiter.limit_body" in location
    context = shop.text("search", {**query, "detail_level": "context"})
    assert "        if length > MAX_BODY_BYTES:" in context
    assert "bm25_score" in shop.text("search", {**query, "ranking_explain_level": "basic"})
    assert "debug: {" in shop.text("search", {**query, "debug": True})


def test_errors_say_what_was_expected_and_a_call_that_works(shop: Server) -> None:
    lines = shop.text("search", {"qurey": "x"}).splitlines()
    assert lines[0] == "error UNKNOWN_PARAMETER: search has no parameter 'qurey'"
    assert lines[1:] == ["expected: query", 'example: search query="start the server"', "hint: Use 'query'."]
