from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeplane.facts.words import (
    MAX_IDENTIFIER_CHARS, MAX_TERM_CHARS,
    STOP_WORDS,
    fold_case,
    name_key,
    normalize_text,
    split_words,
    stem,
    terms_of,
    unique_words,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ()),
        ("_", ()),
        ("$", ()),
        ("word", ("word",)),
        ("snake_case_name", ("snake", "case", "name")),
        ("__dunder__", ("dunder",)),
        ("camelCase", ("camel", "case")),
        ("PascalCase", ("pascal", "case")),
        ("HTTPServer", ("http", "server")),
        ("parseHTTPHeader2", ("parse", "http", "header", "2")),
        ("MAX_QUERY_TERMS", ("max", "query", "terms")),
        ("getURL", ("get", "url")),
        ("sha256sum", ("sha", "256", "sum")),
        ("$scope", ("scope",)),
        ("A", ("a",)),
        ("aB", ("a", "b")),
        ("größteZahl", ("größte", "zahl")),
        ("ÜBERTragung", ("über", "tragung")),
        ("имяФайла", ("имя", "файла")),
        ("变量_名", ("变量", "名")),
    ],
)
def test_words_of_an_identifier(name: str, words: tuple[str, ...]) -> None:
    assert split_words(name) == words


@pytest.mark.parametrize(
    "text",
    ["", "def f(a, b):", "a.b->c::d<int>", "$x + 'y'", "\x00\x7f\t\n", "naïve café", "变量 = x", "a\udcffb", "x" * 300],
)
def test_normalized_text_is_identifiers_and_blanks(text: str) -> None:
    assert normalize_text(text).split() == re.findall(r"[\w$]+", text)


@pytest.mark.parametrize("mark", "\u00a0\u00ab\u00d7\u2014\u2026\u2192\u3000\u300c\uff08\uff1a\U0001f642")
def test_non_ascii_punctuation_splits_words(mark: str) -> None:
    assert normalize_text(f"one{mark}two").split() == ["one", "two"]


def test_bytes_and_text_agree() -> None:
    for text in ("def f(a_1): return $x", "größe = 1"):
        assert normalize_text(text) == normalize_text(text.encode())
    assert normalize_text(b"a \xff b").split() == ["a", "b"]


@given(st.binary(max_size=200))
def test_line_endings_keep_their_offsets(data: bytes) -> None:
    assert normalize_text(data).count("\n") == data.count(b"\n")


@pytest.mark.parametrize(
    ("identifier", "terms"),
    [
        ("", ()),
        ("x", ()),
        ("_", ()),
        ("__", ()),
        ("the", ()),
        ("The", ()),
        ("load", ("load",)),
        ("Loading", ("load",)),
        ("x1", ("x1",)),
        ("load_7", ("load_7", "load")),
        ("utf8", ("utf8", "utf")),
        ("pointX", ("pointx", "point")),
        ("_load_", ("load",)),
        ("is_x", ("is_x",)),
        ("load_file", ("load_fil", "load", "fil")),
        ("HTTPServer", ("httpserv", "http", "serv")),
        ("httpserver", ("httpserv",)),
        ("_is_valid_", ("is_valid", "valid")),
        ("to_be", ("to_b",)),
        ("größeÄndern", ("größeändern", "größe", "ändern")),
        ("变量", ("变量",)),
        ("a" * MAX_TERM_CHARS, ("a" * MAX_TERM_CHARS,)),
        ("a" * (MAX_TERM_CHARS + 1), ("a" * MAX_TERM_CHARS,)),
        ("a" * (MAX_IDENTIFIER_CHARS + 1), ()),
    ],
)
def test_terms_of_an_identifier(identifier: str, terms: tuple[str, ...]) -> None:
    assert terms_of(identifier) == terms


@given(st.text(max_size=80))
def test_terms_contain_no_separator(identifier: str) -> None:
    """Terms are joined by spaces, with a bucket after each."""
    for word in normalize_text(identifier).split():
        for term in terms_of(word):
            assert term and not re.search(r"[\s~]", term)
            assert len(term) <= MAX_TERM_CHARS * 3
            assert term not in STOP_WORDS or len(split_words(word)) > 1


@pytest.mark.parametrize(
    "alike",
    [
        ("parse", "parses", "parsed", "parsing", "parser", "parsers"),
        ("index", "indexes", "indexed", "indexing", "indexer"),
        ("run", "runs", "running"),
        ("query", "queries", "querying"),
        ("class", "classes"),
        ("connect", "connected", "connecting", "connection"),
        ("cache", "caches", "cached", "caching"),
        ("serialize", "serialization", "serializer", "serialized"),
        ("file", "files"),
        ("key", "keys"),
    ],
    ids=lambda alike: alike[0],
)
def test_inflected_forms_share_a_stem(alike: tuple[str, ...]) -> None:
    assert len({stem(word) for word in alike}) == 1, [stem(word) for word in alike]


@pytest.mark.parametrize(
    "unrelated",
    [("file", "fill"), ("class", "clas"), ("thing", "th"), ("status", "stat"), ("user", "us")],
    ids=lambda unrelated: unrelated[0],
)
def test_unrelated_words_have_different_stems(unrelated: tuple[str, str]) -> None:
    assert stem(unrelated[0]) != stem(unrelated[1])


@pytest.mark.parametrize("word", ["", "a", "is", "bus", "url", "größen", "变量", "256"])
def test_short_and_non_english_words_are_not_stemmed(word: str) -> None:
    assert stem(word) == word


@given(st.text(min_size=1, max_size=20))
def test_a_stem_is_never_empty(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)


@pytest.mark.parametrize(
    "names",
    [
        (
            "getUserList",
            "get_user_list",
            "GetUserList",
            "GET_USER_LIST",
            "get-user-list",
            "_getUserList",
            "get user list",
        ),
        ("größeÄndern", "größe_ändern"),
        ("HTTPServer", "HttpServer", "http_server"),
    ],
    ids=lambda names: names[0],
)
def test_name_keys_ignore_style(names: tuple[str, ...]) -> None:
    assert len({name_key(name) for name in names}) == 1


def test_different_names_have_different_keys() -> None:
    assert name_key("a1") != name_key("a")
    assert name_key("ab") != name_key("ba")
    assert name_key("==") == ""


def test_name_keys_are_alphanumeric() -> None:
    assert name_key("_Get__User1_") == "getuser1" == name_key("Get-User.1") == name_key("get user 1")
    assert name_key("größe_Ab") == "größeab"


def test_words_are_unique_and_lower_case() -> None:
    assert unique_words(["Load", "file", "Load", "FILE"]) == "load file file"
    assert fold_case("Ma\u017fK\u212a") == "maskk"
    assert fold_case("GRÖSSE") == "grösse"
