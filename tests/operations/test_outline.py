"""Outline of a file: nesting, depth, windows, limits, exact symbols, errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.symbols import symbol_ref
from codeplane.facts.blocks import pack
from codeplane.facts.model import Def, Facts, Scope
from codeplane.operations.outline import Outline, OutlineNode, OutlineOptions, file_outline
from codeplane.operations.outline_tree import MAX_LEVELS
from codeplane.query.defs import list_defs_in_file
from codeplane.query.snapshot import Snapshot, open_snapshot
from codeplane.store.layout import create_state
from operations.fixtures import index
from support.store_sample import Sample

CART = RepoPath("shop/cart.py")
STOCK = RepoPath("crates/stock/src/lib.rs")
ORDER = "server/src/main/java/org/acme/App.java"


def walk(nodes: tuple[OutlineNode, ...], above: str = "") -> Iterator[tuple[str, OutlineNode]]:
    for node in nodes:
        path = f"{above}.{node.name}" if above else node.name
        yield path, node
        yield from walk(node.children, path)


def names(outline: Outline) -> list[str]:
    return [path for path, _ in walk(outline.symbols)]


@pytest.mark.parametrize("path", [CART, STOCK, "pricing/sum.go", ORDER, "packages/core/src/render.ts"])
def test_tree_implies_every_reference(polyglot: Snapshot, path: str) -> None:
    """Names from the top joined by dots, and the first line, identify every symbol."""
    rows = list_defs_in_file(polyglot, path, 100).rows
    told = {
        node.symbol_ref or symbol_ref(path, lexical_path, node.line_start)
        for lexical_path, node in walk(file_outline(polyglot, RepoPath(path)).symbols)
        if node.kind not in ("impl", "receiver")
    }
    assert told == {symbol_ref(path, row.lexical_path, row.start_line) for row in rows}


def test_out_of_line_members_are_nested_under_their_type(polyglot: Snapshot) -> None:
    found = names(file_outline(polyglot, STOCK))
    assert found == ["Item", "Item.count", "Item.take", "Item.fmt", "Shelf", "Shelf.full", "tests", "tests.takes"]
    assert names(file_outline(polyglot, RepoPath("pricing/sum.go"))) == ["Sum", "Price", "Price.Add", "Price.Zero"]


def test_top_depth_counts_hidden_members(polyglot: Snapshot) -> None:
    found = file_outline(polyglot, CART, OutlineOptions(depth="top"))
    assert [(node.name, node.child_count, node.children) for node in found.symbols] == [
        ("LIMIT", 0, ()),
        ("Cart", 5, ()),
        ("total", 0, ()),
    ]
    assert not found.has_more


@pytest.mark.parametrize("depth", ["all", "top"])
def test_limit_counts_symbols_and_reports_the_rest(polyglot: Snapshot, depth: str) -> None:
    whole = file_outline(polyglot, CART, OutlineOptions(depth=depth))  # type: ignore[arg-type]
    for limit in range(1, 12):
        found = file_outline(polyglot, CART, OutlineOptions(depth=depth, limit=limit))  # type: ignore[arg-type]
        assert names(found) == names(whole)[:limit]
        assert found.left_out == len(names(whole)) - len(names(found))
        assert found.as_dict()["has_more"] is (found.left_out > 0)


def test_large_outline_is_truncated(polyglot: Snapshot) -> None:
    found = file_outline(polyglot, CART, OutlineOptions(max_chars=300))
    assert 0 < len(names(found)) < 9
    assert len(names(found)) + found.left_out == 9
    assert len(orjson.dumps(found.as_dict())) < 600


def test_window_keeps_overlapping_symbols_and_ancestors(polyglot: Snapshot) -> None:
    assert names(file_outline(polyglot, CART, OutlineOptions(window=(22, 22)))) == [
        "Cart",
        "Cart.empty",
        "Cart.empty.checked",
    ]
    assert names(file_outline(polyglot, STOCK, OutlineOptions(window=(10, 10)))) == ["Item", "Item.take"]
    assert names(file_outline(polyglot, CART, OutlineOptions(window=(8, 9)))) == []


def test_redundant_signatures_are_omitted(polyglot: Snapshot) -> None:
    shown = {path: node.signature for path, node in walk(file_outline(polyglot, CART).symbols)}
    assert shown["Cart"] == shown["Cart.empty.checked"] == ""
    assert shown["Cart.total"] == "def total(self) -> int"
    assert "signature" not in orjson.dumps(file_outline(polyglot, RepoPath("legacy/app.js")).as_dict()).decode()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Cart.total", [("total", 27)]),
        ("Cart::total", [("total", 27)]),
        ("shop.cart.Cart.total", [("total", 27)]),
        ("Cart", [("Cart", 10)]),
        ("total", [("total", 27), ("total", 31)]),
        ("Cart.empty", [("empty", 16), ("empty", 20)]),
        ("otal", []),
        ("shop/cart.py#Cart.empty@20", [("empty", 20)]),
        ("shop/cart.py#Cart.total@9999", [("total", 27)]),
        ("shop/cart.py#Cart.empty@9999", [("empty", 16), ("empty", 20)]),
        ("shop/cart.py#Cart", [("Cart", 10)]),
        ("shop/cart.py:23", [("checked", 22)]),
        ("shop/cart.py:24", [("empty", 20)]),
        ("shop/cart.py:9", []),
        ("nothing-like-this", []),
    ],
)
def test_one_symbol_is_found_exactly(polyglot: Snapshot, wanted: str, found: list[tuple[str, int]]) -> None:
    answer = file_outline(polyglot, CART, OutlineOptions(symbol=wanted))
    assert [(node.name, node.line_start) for node in answer.symbols] == found
    assert answer.status == {0: "not_found", 1: "ok"}.get(len(found), "ambiguous")
    assert all(node.symbol_ref for node in answer.symbols)


def test_def_uid_names_a_symbol(polyglot: Snapshot) -> None:
    for row in list_defs_in_file(polyglot, CART, 100).rows:
        found = file_outline(polyglot, CART, OutlineOptions(symbol=row.def_uid))
        assert [node.line_start for node in found.symbols] == [row.start_line]


def test_outline_references_round_trip(polyglot: Snapshot) -> None:
    found = file_outline(polyglot, CART, OutlineOptions(symbol="empty"))
    for node in found.symbols:
        again = file_outline(polyglot, CART, OutlineOptions(symbol=node.symbol_ref))
        assert again.symbols == (node,)


def test_a_class_is_not_confused_with_its_constructor(polyglot: Snapshot) -> None:
    found = file_outline(polyglot, RepoPath(ORDER), OutlineOptions(symbol="App"))
    assert [(node.kind, node.child_count) for node in found.symbols] == [("class", 4)]


def test_a_misspelled_name_gets_a_suggestion(polyglot: Snapshot) -> None:
    found = file_outline(polyglot, CART, OutlineOptions(symbol="Cart.totl"))
    assert found.status == "not_found"
    assert found.similar == ("shop/cart.py#Cart.total",)
    assert found.as_dict()["similar"] == list(found.similar)


def test_exact_candidates_are_bounded(polyglot: Snapshot) -> None:
    found = file_outline(polyglot, CART, OutlineOptions(symbol="total", limit=1))
    assert (found.status, len(found.symbols), found.left_out) == ("ambiguous", 1, 1)


def refused(snapshot: Snapshot, file: str, symbol: str | None = None) -> CodePlaneError:
    with pytest.raises(CodePlaneError) as raised:
        file_outline(snapshot, RepoPath(file), OutlineOptions(symbol=symbol))
    return raised.value


@pytest.mark.parametrize(
    ("file", "code", "details"),
    [
        ("shop/carts.py", ErrorCode.FILE_NOT_FOUND, {"nearest": ["shop/cart.py"]}),
        ("cart.py", ErrorCode.FILE_NOT_FOUND, {"nearest": ["shop/cart.py"]}),
        ("zzz.unlike", ErrorCode.FILE_NOT_FOUND, {}),
        ("", ErrorCode.FILE_NOT_FOUND, {}),
        ("pricing", ErrorCode.FILE_NOT_FOUND, {"nearest": [f"pricing/{n}.go" for n in ("sum", "sum_test", "types")]}),
        ("go.mod", ErrorCode.LANGUAGE_UNSUPPORTED, {"reason": "no_grammar"}),
    ],
)
def test_errors_suggest_alternatives(
    polyglot: Snapshot, file: str, code: ErrorCode, details: dict[str, object]
) -> None:
    error = refused(polyglot, file)
    assert (error.code, error.details) == (code, details)


def test_exact_needs_a_symbol_of_this_file(polyglot: Snapshot) -> None:
    for symbol in ("", " . ", "shop/cli.py#main@8"):
        assert refused(polyglot, CART, symbol).code is ErrorCode.ARGUMENT_INVALID


def test_a_file_without_symbols_has_an_empty_outline(polyglot: Snapshot) -> None:
    found = file_outline(polyglot, RepoPath("shop/__init__.py"))
    assert (found.status, found.as_dict()["symbols"], found.has_more) == ("ok", [], False)


def test_syntax_errors_are_counted(tmp_path: Path) -> None:
    with index(tmp_path / "repo", {"bad.py": "def good():\n    pass\n\n\ndef ((:\n"}) as snapshot:
        found = file_outline(snapshot, RepoPath("bad.py"))
    assert "good" in names(found)
    assert found.syntax_errors > 0
    assert found.first_error_line == 5


def test_unusual_file_names_are_supported(tmp_path: Path) -> None:
    odd = os_decoded(b"a#b %41\xff.py")
    with index(tmp_path / "repo", {odd: "def f():\n    pass\n"}) as snapshot:
        found = file_outline(snapshot, RepoPath(odd), OutlineOptions(symbol="f"))
        again = file_outline(snapshot, RepoPath(odd), OutlineOptions(symbol=found.symbols[0].symbol_ref))
    assert again.symbols == found.symbols


def os_decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def test_deep_nesting_is_flattened_and_loses_nothing(tmp_path: Path) -> None:
    levels = 2 * MAX_LEVELS
    source = "".join(f"{' ' * level}def f{level}():\n" for level in range(levels)) + f"{' ' * levels}pass\n"
    with index(tmp_path / "repo", {"deep.py": source}) as snapshot:
        found = file_outline(snapshot, RepoPath("deep.py"))
    shown = list(walk(found.symbols))
    assert len(shown) == levels
    assert max(path.count(".") for path, _ in shown) <= MAX_LEVELS
    assert shown[-1][1].symbol_ref.endswith(f".f{levels - 1}@{levels}")


def _definition(name: str, line: int, parent: int | None) -> Def:
    span = (line, 0, line + 1, 0, max(line, 1), 4)
    return Def(f"uid-{name}-{line}", parent, 0, "class", name, name, name, *span, "", "h", None, "public", ())


def test_symbols_without_metadata_are_counted_and_their_children_kept(tmp_path: Path) -> None:
    """No extractor creates such rows today, but an index may contain them."""
    root = tmp_path / "repo"
    root.mkdir()
    sample, state = Sample(), create_state(root)
    defs = (
        _definition("whole", 1, None),
        _definition("", 2, 0),
        _definition("inner", 3, 1),
        _definition("lost", 0, None),
    )
    facts = Facts(scopes=(Scope(None, "file", 1, 0, 9, 0),), defs=defs)
    with sample.create(state) as writer:
        writer.put_file(sample.row("a.py", "x"), pack(facts), (), None)
        sample.publish(writer)
    state.switch(writer.generation)
    with open_snapshot(writer.generation, lexical=False) as snapshot:
        found = file_outline(snapshot, RepoPath("a.py"))
    assert found.missing_metadata == 2
    assert [(node.name, [child.name for child in node.children]) for node in found.symbols] == [("whole", ["inner"])]
