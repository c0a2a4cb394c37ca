"""Symbol references: formatting and parsing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.symbols import SymbolRef, parse_symbol_ref, symbol_ref


def test_format_matches_documentation() -> None:
    assert symbol_ref("app/checkout.py", "Cart.total", 12) == "app/checkout.py#Cart.total@12"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a/b.py#C.d@4", SymbolRef(RepoPath("a/b.py"), "C.d", 4)),
        ("a/b.py#C.d", SymbolRef(RepoPath("a/b.py"), "C.d", None)),
        ("a/b.py:4", SymbolRef(RepoPath("a/b.py"), None, 4)),
        ("a/b.py:4:9", SymbolRef(RepoPath("a/b.py"), None, 4)),
        ("./a//b.py#C@1", SymbolRef(RepoPath("a/b.py"), "C", 1)),
        ("a.ts#Counter.#value@3", SymbolRef(RepoPath("a.ts"), "Counter.#value", 3)),
        ("C%23/a.py#f@3", SymbolRef(RepoPath("C#/a.py"), "f", 3)),
        ("a.ts#on@click@7", SymbolRef(RepoPath("a.ts"), "on@click", 7)),
        ("a.ts#on@click", SymbolRef(RepoPath("a.ts"), "on@click", None)),
    ],
)
def test_every_form_is_parsed(text: str, meant: SymbolRef) -> None:
    assert parse_symbol_ref(text) == meant


@pytest.mark.parametrize("text", ["", "a.py", "#f@3", "a.py#", "a.py#@3", "a.py:0", "a.py:x", ":4", "f@3"])
def test_other_forms_are_rejected_with_example(text: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        parse_symbol_ref(text)
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID
    assert raised.value.example


def test_reference_outside_repository_is_rejected() -> None:
    with pytest.raises(CodePlaneError) as raised:
        parse_symbol_ref("../a.py#f@3")
    assert raised.value.code is ErrorCode.PATH_ESCAPE


NAMES = st.text(st.sampled_from("ab#%@.: 2é"), min_size=1, max_size=8)


@given(NAMES.filter(lambda name: name.strip(". ") == name), NAMES.map(lambda name: f"x{name}x"), st.integers(1, 10**6))
def test_references_round_trip(folder: str, name: str, line: int) -> None:
    path = RepoPath(f"in{folder}/a.py")
    assert parse_symbol_ref(symbol_ref(path, name, line)) == SymbolRef(path, name, line)
