from __future__ import annotations

import re

import pytest

from codeplane.store.words import normalize_text, parts_text, split_words


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
        ("URLs", ("ur", "ls")),
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
def test_text_becomes_identifiers_and_spaces(text: str) -> None:
    assert normalize_text(text).split() == re.findall(r"[\w$]+", text)


def test_bytes_and_text_agree() -> None:
    for text in ("def f(a_1): return $x", "größe = 1"):
        assert normalize_text(text) == normalize_text(text.encode())
    assert normalize_text(b"a \xff b").split() == ["a", "b"]


def test_parts_hold_the_words_of_compounds_in_order() -> None:
    assert parts_text(["load_file", "HTTPServer", "plain", "file_name"]) == "load file http server file name"
