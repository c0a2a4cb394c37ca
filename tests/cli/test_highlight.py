"""Syntax colours of `cpl read`: keywords, strings and comments; the text is never changed."""

from __future__ import annotations

import re

import pytest

from codeplane.base.text_lines import diff, source
from codeplane.cli.highlight import make_highlighter
from codeplane.cli.lines import terminal_lines
from codeplane.cli.terminal import Style

COLOUR = Style(colour=True)
NAMES = {"2": "C", "32": "S", "33": "K"}


def shown(path: str, *lines: str) -> list[str]:
    """Lines with `<K:def>` in place of colours."""
    highlight = make_highlighter(path, COLOUR)
    return [
        re.sub(r"\x1b\[(\d+)m(.*?)\x1b\[0m", lambda m: f"<{NAMES[m[1]]}:{m[2]}>", highlight(line)) for line in lines
    ]


@pytest.mark.parametrize(
    ("path", "line", "coloured"),
    [
        ("a.py", "def f(x='#'):  # one", "<K:def> f(x=<S:'#'>):  <C:# one>"),
        ("a.go", 'return "//" // two', '<K:return> <S:"//"> <C:// two>'),
        ("a.rs", "fn f<'a>(x: &'a str, c: char) { 'b' }", "<K:fn> f<'a>(x: &'a str, c: char) { <S:'b'> }"),
        ("q.sql", "SELECT x -- all", "<K:SELECT> x <C:-- all>"),
        ("Makefile", "all: # it", "all: <C:# it>"),
        ("notes.txt", "return it's # plain", "return it's # plain"),
        ("a.py", "returned = define", "returned = define"),
        ("a.py", r"x = 'it\'s'", r"x = <S:'it\'s'>"),
    ],
)
def test_line_is_coloured(path: str, line: str, coloured: str) -> None:
    assert shown(path, line) == [coloured]


def test_open_comments_and_strings_continue() -> None:
    assert shown("a.c", "int x; /* one", "if two */ if") == ["int x; <C:/*><C: one>", "<C:if two */> <K:if>"]
    assert shown("a.py", '"""one', "if", 'two""" if') == ['<S:"""><S:one>', "<S:if>", '<S:two"""> <K:if>']


def test_nothing_is_coloured_without_colours() -> None:
    assert make_highlighter("a.py", Style())("def f(): pass") == "def f(): pass"


def test_unterminated_string_ends_with_its_passage() -> None:
    lines = [source("a.py", 9, '"""open'), source("a.py", 20, "if x:"), diff("+a"), diff(" b")]
    assert terminal_lines(lines, COLOUR)[1:] == [
        "\x1b[2m20\x1b[0m  \x1b[33mif\x1b[0m x:",
        "\x1b[32m+a\x1b[0m",
        " b",
    ]
    assert terminal_lines(lines, Style())[0] == ' 9  """open'
