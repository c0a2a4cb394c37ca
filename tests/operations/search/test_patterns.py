"""Patterns: rejected constructs, costs, and fragments."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.search.fragments import MAX_FRAGMENTS
from codeplane.operations.search.matching import make_search_text, match_text
from codeplane.operations.search.patterns import MAX_FOLDED_CHARS, MAX_QUERY_CHARS, compile_query

UNSUPPORTED = {
    r"foo(?=bar)": "look-ahead",
    r"foo(?!bar)": "negative look-ahead",
    r"(?<=def )foo": "look-behind",
    r"(?<!\.)foo": "negative look-behind",
    r"(\w+) \1": "a backreference",
    r"(?P<a>x)(?P=a)": "a backreference",
    r"(?<a>x)\k<a>": "a backreference",
    r"a++b": "a possessive repetition",
    r"a*+": "a possessive repetition",
    r"a{2}+": "a possessive repetition",
    r"(?>a|b)": "an atomic group",
    r"(?(1)a|b)": "a condition",
    r"\((?R)?\)": "recursion",
    r"(?1)": "recursion",
    r"a(?#why)": "a comment",
    r"(?x) a": "the flag 'x'",
    r"\<foo": "the start of a word as '\\<'",
    r"\b{start}foo": "a named boundary",
    r"foo\Z": "the end of the text as '\\Z'",
    r"\hfoo": "horizontal space",
    r"[\R]": "any line ending",
    r"\p{Alphabetic}": r"the property '\p{Alphabetic}'",
    r"[\p{Nope}]": r"the property '\p{Nope}'",
}
INVALID = {
    "(foo": 1,
    "foo)": 1,
    "[foo": 1,
    "a[z-b]": 3,
    "foo\\": 4,
    r"foo\y": 4,
    "*foo": 1,
    "a**": 2,
    "a{2,1}": 2,
    "a{1001}": 2,
    r"[a-\d]": 2,
    r"\p{L": 1,
    "(?": 1,
    "(?i": 1,
    "a(?P<": 2,
    "(?P<na": 1,
    r"\x{110000}": 1,
    r"[a\x{110000}]": 3,
    r"\x{d800}": 1,
}


def matched(query: str, text: str, *, regex: bool = True, case_sensitive: bool | None = None) -> list[str]:
    """Return the first match of each line."""
    pattern = compile_query(query, regex=regex, case_sensitive=case_sensitive)
    rows = match_text(pattern, make_search_text(text.encode()), 1000, lambda: None).rows
    lines = text.split("\n")
    return [lines[row.line - 1][row.column - 1 : row.end_column - 1] for row in rows]


@pytest.mark.parametrize("query", UNSUPPORTED)
def test_unsupported_construct_is_named(query: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        compile_query(query, regex=True, case_sensitive=None)
    error = raised.value
    assert error.code is ErrorCode.PATTERN_UNSUPPORTED
    assert error.details["construct"] == UNSUPPORTED[query]
    assert UNSUPPORTED[query] in error.message
    assert isinstance(error.example, dict)
    compile_query(error.example["query"], regex=True, case_sensitive=None)


@pytest.mark.parametrize("query", INVALID)
def test_invalid_pattern_reports_position(query: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        compile_query(query, regex=True, case_sensitive=None)
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID
    assert raised.value.details["position"] == INVALID[query]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("(?", "the group is not closed"),
        ("(?i", "the group is not closed"),
        ("(?P<", "the group is not closed"),
        (r"\x{110000}", "out of range"),
        (r"\x{123456789}", "out of range"),
        (r"\x{d800}", "half of a surrogate pair"),
    ],
)
def test_invalid_pattern_reports_reason(query: str, why: str) -> None:
    with pytest.raises(CodePlaneError, match=why):
        compile_query(query, regex=True, case_sensitive=None)


@pytest.mark.parametrize("regex", [True, False])
@pytest.mark.parametrize("query", ["", "x" * (MAX_QUERY_CHARS + 1), "a\udc80b"])
def test_invalid_query_is_rejected(query: str, regex: bool) -> None:
    with pytest.raises(CodePlaneError) as raised:
        compile_query(query, regex=regex, case_sensitive=None)
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID


@settings(max_examples=300, derandomize=True)
@given(st.text(alphabet="ab1(){}[]|*+?^$.\\-,:<>=!PpdwsQEnrxuié\n", max_size=12))
def test_arbitrary_pattern_compiles_or_is_rejected(query: str) -> None:
    try:
        pattern = compile_query(query, regex=True, case_sensitive=None)
    except CodePlaneError as error:
        assert error.code in (ErrorCode.PATTERN_UNSUPPORTED, ErrorCode.ARGUMENT_INVALID)
    else:
        match_text(pattern, make_search_text("ab1 é\nxx".encode()), 10, lambda: None)


@pytest.mark.parametrize(
    ("query", "lines"),
    [("(a+)+$", 0), ("(.*)*x", 0), ("(x+x+)+y", 0), ("(a|aa)+$", 0), ("(a|a?)+$", 1), ("(.*a){20}", 1)],
)
def test_nested_quantifiers_do_not_backtrack(query: str, lines: int) -> None:
    pattern = compile_query(query, regex=True, case_sensitive=None)
    found = match_text(pattern, make_search_text(b"a" * 200_000 + b"!\n"), 10, lambda: None)
    assert found.lines == lines


def test_many_alternatives() -> None:
    words = "|".join(f"w{number}x" for number in range(1500))
    assert matched(words, "w1499x w7x\nw1500x\n") == ["w1499x"]
    with pytest.raises(CodePlaneError, match=r"has \d+ characters"):
        compile_query("|".join(f"word{number}" for number in range(10_000)), regex=True, case_sensitive=None)


@pytest.mark.parametrize("query", [r"\p{L}{1000}", r"\w{1000}", "((a{1,100}){1,100}){1,100}"])
def test_oversized_pattern_is_rejected(query: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        compile_query(query, regex=True, case_sensitive=None)
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("total", "Total total", ["Total"]),
        ("Total", "total Total", ["Total"]),
        (r"\Stotal", "xTotal", ["xTotal"]),
        (r"\p{Lu}\w+", "abc Def", ["Def"]),
        ("[A-C]x", "ax Ax", ["Ax"]),
        ("(?i)Total", "tOTAL", ["tOTAL"]),
        (r"\u0041b", "ab Ab", ["Ab"]),
        (r"a{,2}b", "aaab", ["aab"]),
        (r"\Qa.b\E+", "axb a.bb", ["a.bb"]),
        (r"[\W]+", "año -- 1", [" -- "]),
        (r"[^\W\d]+", "12 año", ["año"]),
        (r"[\S]+", "\u00a0añ\u2003o", ["añ"]),
        (r"\d+", "x ١٢", ["١٢"]),
        (r"[\d.]+", "x 1.٢", ["1.٢"]),
        (r"a\s+b", "a\nb\na \u2003b", ["a \u2003b"]),
        ("x{2", "axx{2", ["x{2"]),
    ],
)
def test_pattern_semantics(query: str, text: str, found: list[str]) -> None:
    assert matched(query, text) == found


@pytest.mark.parametrize("query", [r"\s", r"\S", r"[\s]", r"[\S]", r"[^\s]", r"[^\S]", r"[\s_]", r"[^\Sx]"])
def test_space_class_is_independent_of_encoding(query: str) -> None:
    for sign in map(chr, [*range(10), *range(11, 128)]):
        found = matched(f"<{query}>", f"<{sign}>")
        assert found == [line[:3] for line in matched(f"<{query}>", f"<{sign}>é")], repr(sign)
    spaces = [sign for sign in "\t\v\f\r x" if matched(f"<{query}>", f"<{sign}>")]
    assert spaces in (list("\t\v\f\r "), ["x"])


@pytest.mark.parametrize("sensitive", [None, True])
@pytest.mark.parametrize("query", ["-" * 9999 + "=", "-" * 5000 + "=" + "-" * 4999, "ab" * 4999 + "c"])
def test_long_literal_is_found_in_repetitive_text(query: str, sensitive: bool | None) -> None:
    pattern = compile_query(query, regex=False, case_sensitive=sensitive)
    for text in (b"-" * 2_000_000, b"ab" * 1_000_000):
        assert match_text(pattern, make_search_text(text), 10, lambda: None).lines == 0
    assert match_text(pattern, make_search_text(b"x\n" + query.encode()), 10, lambda: None).rows[0].line == 2
    assert pattern.cost == pattern.wide_cost == 0


def test_long_text_is_case_sensitive_by_default() -> None:
    short, long = "x" * MAX_FOLDED_CHARS, "x" * (MAX_FOLDED_CHARS + 1)
    assert matched(short, short.upper(), regex=False) == [short.upper()]
    assert matched(long, long.upper(), regex=False) == []
    assert matched(long, f"{long.upper()} é", regex=False, case_sensitive=False) == [long.upper()]
    assert compile_query(short, regex=False, case_sensitive=False).cost == 0
    pattern = compile_query(long, regex=False, case_sensitive=False)
    assert pattern.cost == 0 and pattern.wide_cost >= len(long), "only odd texts need Unicode case folding"
    assert compile_query(f"{long}é", regex=False, case_sensitive=False).cost >= len(long)


@pytest.mark.parametrize("across", ["", "\n"])
def test_first_only_stops_at_the_first_line(across: str) -> None:
    pattern = compile_query(f"needle{across}", regex=False, case_sensitive=True)
    content = make_search_text(b"hay\nneedle\nneedle\n")
    assert match_text(pattern, content, 10, lambda: None).lines == 2
    found = match_text(pattern, content, 10, lambda: None, first_only=True)
    assert (found.lines, [row.line for row in found.rows]) == (1, [2])


@pytest.mark.parametrize(
    ("query", "fragments"),
    [
        ("finish_checkout(", [("finish_checkout",)]),
        ("def Total(self", [("total", "self", "def")]),
        ("ab", []),
        ("a b c", []),
        ("naïve_café", [("ve_caf",)]),
    ],
)
def test_fragments_of_a_literal(query: str, fragments: list[tuple[str, ...]]) -> None:
    found = compile_query(query, regex=False, case_sensitive=None).fragments
    assert found == tuple(tuple(sorted(runs, key=lambda run: (-len(run), run))) for runs in fragments)


@pytest.mark.parametrize(
    ("query", "fragments"),
    [
        ("finish_checkout", [("finish_checkout",)]),
        (r"def (get|set)_\w+", [("def", "get_"), ("def", "set_")]),
        ("foo.*bar", [("bar", "foo")]),
        ("colou?r", [("color",), ("colour",)]),
        ("gr[ae]y", [("gray",), ("grey",)]),
        ("[Ff]oo", [("foo",)]),
        ("foo|ba", []),
        ("foo|bar", [("bar",), ("foo",)]),
        ("(foo)?bar", [("bar",), ("foobar",)]),
        ("(foo)*bar", [("bar",)]),
        ("(foo)+", [("foo",)]),
        ("(ab){2}", [("abab",)]),
        ("a{3}", [("aaa",)]),
        ("foo{0}bar", [("bar",)]),
        (r"\bfoo\b", [("foo",)]),
        (r"\Qfoo.bar\E", [("bar", "foo")]),
        (r"[[:alpha:]foo]", []),
        (r"[[:alpha:]]foo", [("foo",)]),
        (r"\x66oo", [("foo",)]),
        (r"(?:a|b|c)(?:d|e|f)(?:g|h|i)", []),
        ("^import (foo|bar)$", [("import", "bar"), ("import", "foo")]),
        (".", []),
        ("(?i)stop", [("stop",)]),
        ("ſtop", [("top",)]),
        ("(((foo)))", [("foo",)]),
        ("(" * 900 + "foo" + ")" * 900, [("foo",)]),
        ("foo^*bar", [("bar", "foo")]),
        ("$|foo", []),
    ],
)
def test_fragments_of_a_pattern(query: str, fragments: list[tuple[str, ...]]) -> None:
    found = compile_query(query, regex=True, case_sensitive=None).fragments
    assert set(found) == {tuple(sorted(runs, key=lambda run: (-len(run), run))) for runs in fragments}
    assert list(found) == sorted(found)


def test_fragments_are_bounded() -> None:
    query = " ".join(f"word{number}" for number in range(500))
    for regex_ in (True, False):
        (only,) = compile_query(query, regex=regex_, case_sensitive=None).fragments
        assert len(only) == MAX_FRAGMENTS
    assert compile_query("|".join(f"word{n}" for n in range(500)), regex=True, case_sensitive=None).fragments == ()
