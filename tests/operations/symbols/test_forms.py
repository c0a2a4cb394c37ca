"""Written forms of a symbol: every reading of a text, in the order in which they are tried."""

from __future__ import annotations

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.operations.symbols.forms import (
    DefinitionUid,
    FileMember,
    FilePosition,
    SymbolName,
    WrittenForm,
    looks_like_path,
    named_file,
    parse_written,
)

CART = RepoPath("shop/cart.py")


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("shop/cart.py#Cart.total", [FileMember(CART, "Cart.total", None)]),
        (" shop/cart.py#Cart.total@12 ", [FileMember(CART, "Cart.total", 12)]),
        ("web/view.ts#Box.#count@2", [FileMember(RepoPath("web/view.ts"), "Box.#count", 2)]),
        ("a %231.py#odd@1", [FileMember(RepoPath("a #1.py"), "odd", 1)]),
        ("shop/cart.py:7", [FilePosition(CART, 7, None)]),
        ("shop/cart.py:7:3", [FilePosition(CART, 7, 3)]),
        ("shop/cart.py:7-9", [FilePosition(CART, 7, None)]),
        ("shop/cart.py#L7", [FileMember(CART, "L7", None), FilePosition(CART, 7, None)]),
        ("shop/cart.py#L7-L9", [FileMember(CART, "L7-L9", None), FilePosition(CART, 7, None)]),
        ("Filters#where", [FileMember(RepoPath("Filters"), "where", None)]),
        ("0123456789abcdef", [DefinitionUid("0123456789abcdef")]),
        ("Cart.total", []),
        ("A::b", []),
        ("A\\B::c", []),
        ("(*T).M", []),
        ("::Cart#total", []),
        ("#count", []),
        ("shop/cart.py#", []),
    ],
)
def test_readings_of_a_text(text: str, forms: list[WrittenForm]) -> None:
    assert list(parse_written(text)) == [*forms, SymbolName(text.strip())]


@pytest.mark.parametrize("text", ["`Cart`", "'Cart'", '"Cart"'])
def test_quotes_around_a_name_are_removed(text: str) -> None:
    assert parse_written(text) == (SymbolName("Cart"),)


@pytest.mark.parametrize("text", ["../a.py#f@3", "/etc/passwd.py#root", "../a.py:3"])
def test_path_outside_repository_is_rejected(text: str) -> None:
    with pytest.raises(CodePlaneError) as raised:
        parse_written(text)
    assert raised.value.code is ErrorCode.PATH_ESCAPE


@pytest.mark.parametrize(
    ("text", "files", "found"),
    [
        ("shop/cart.py#Cart", (), CART),
        ("shop/cart.py:3", (), CART),
        ("Filters#where", (), None),
        ("Filters#where", ("Filters",), "Filters"),
        ("shop/odd #1.py:3", ("shop/odd #1.py",), "shop/odd #1.py"),
        ("Cart.total", ("Cart.total",), None),
    ],
)
def test_named_file_is_extracted(text: str, files: tuple[str, ...], found: str | None) -> None:
    assert named_file(text, lambda path: path in files) == found


def test_a_name_does_not_look_like_a_path() -> None:
    assert all(map(looks_like_path, ("a/b", ".env", "cart.py", "notes.txt")))
    assert not any(map(looks_like_path, ("Cart", "Cart.total", "A::b", "web.Context.Next")))
