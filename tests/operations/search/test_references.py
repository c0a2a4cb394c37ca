"""References with tiers; unresolved occurrences are never omitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.safe_open import Root
from codeplane.operations.search.model import SearchResult
from codeplane.operations.search.references import ReferenceOptions, find_references
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources
from codeplane.query.contents import SearchableFile
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state
from operations import fixtures

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "LIMIT = 3\n\n\nclass Cart:\n    def total(self) -> int:\n        return LIMIT\n\n\n"
        "def make() -> Cart:\n    return Cart()\n\n\n# Cart in a comment is no use of it.\n"
    ),
    "shop/cli.py": "from shop.cart import Cart\n\n\ndef main(total):\n    print(total)\n    return Cart().total()\n",
    "shop/other.py": "class Cart:\n    pass\n\n\ncart = Cart()\n",
    "tests/test_cart.py": (
        "from shop.cart import Cart, make\n\n\ndef test_total():\n    assert make().total() == Cart().total()\n"
    ),
    "wide.py": "def größe(): pass\n\n\nx = 'é', größe()\n",
    "notes.md": "Cart\n",
}


def index(root: Path, files: dict[str, str | bytes]) -> Snapshot:
    """Open with the text index: files without facts are searched."""
    fixtures.index(root, files).close()
    state = open_state(root)
    assert state is not None
    return open_current(state)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, Root]]:
    path = tmp_path_factory.mktemp("references") / "shop"
    with index(path, FILES) as snapshot, Root.open(path) as root:
        yield snapshot, root


def find(tree: tuple[Snapshot, Root], query: str, **more: object) -> SearchResult:
    sources = SearchSources(*tree, ScanCache(max_bytes=0))
    return find_references(sources, query, ReferenceOptions(**more))  # type: ignore[arg-type]


def rows(found: SearchResult) -> list[tuple[str, str, int, int]]:
    return [(hit.tier, hit.path, hit.line_start, hit.column) for hit in found.hits]


def test_proven_references_come_first(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "shop/cart.py#Cart@4")
    assert rows(found) == [
        ("proven", "shop/cart.py", 9, 15),
        ("proven", "shop/cart.py", 10, 12),
        ("strong", "shop/cli.py", 1, 23),
        ("strong", "shop/cli.py", 6, 12),
        ("strong", "tests/test_cart.py", 1, 23),
        ("strong", "tests/test_cart.py", 5, 30),
    ]
    assert found.hints == {
        "tiers": {"proven": 2, "strong": 4},
        # Its own definition, and the other class of that name, whose uses are resolved.
        "definitions": 2,
        "elsewhere": 1,
        "symbols": ["shop/cart.py#Cart@4"],
    }
    assert (found.total, found.files) == (6, 3)


def test_references_have_line_and_enclosing_definition(shop: tuple[Snapshot, Root]) -> None:
    hit = find(shop, "shop/cart.py#Cart").hits[1]
    assert (hit.snippet, hit.kind, hit.name, hit.def_line, hit.def_end) == (
        "    return Cart()",
        "function",
        "make",
        9,
        10,
    )
    assert (hit.language, hit.role, hit.qualified_name) == ("python", "source", "shop.cart.make")
    top = find(shop, "shop/cart.py#Cart").hits[2]
    assert (top.kind, top.name, top.snippet) == ("text", "", "from shop.cart import Cart")


def test_ambiguous_name_means_all_definitions(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "Cart")
    assert [row for row in rows(found) if row[0] == "proven"] == [
        ("proven", "shop/cart.py", 9, 15),
        ("proven", "shop/cart.py", 10, 12),
        ("proven", "shop/other.py", 5, 8),
    ]
    assert found.hints["tiers"] == {"proven": 3, "strong": 4}
    assert found.hints["symbols"] == ["shop/cart.py#Cart@4", "shop/other.py#Cart@1"]


@pytest.mark.parametrize("query", ["shop.cart.Cart.total", "Cart.total", "shop/cart.py#Cart.total", "shop/cart.py:6"])
def test_parameter_of_the_same_name_is_excluded(shop: tuple[Snapshot, Root], query: str) -> None:
    found = find(shop, query)
    assert rows(found) == [
        ("strong", "shop/cli.py", 6, 19),
        ("strong", "tests/test_cart.py", 5, 19),
        ("strong", "tests/test_cart.py", 5, 37),
    ]
    assert found.hints["elsewhere"] == 2


def test_external_name_has_references(shop: tuple[Snapshot, Root]) -> None:
    assert rows(find(shop, "print")) == [("unknown", "shop/cli.py", 5, 5)]


def test_external_qualified_name_is_searched_by_its_last_part(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "builtins.print")
    assert rows(found) == [("unknown", "shop/cli.py", 5, 5)]
    assert found.hints["searched_as"] == "print"


def test_columns_count_characters(shop: tuple[Snapshot, Root]) -> None:
    assert rows(find(shop, "größe")) == [("proven", "wide.py", 4, 10)]


def test_references_outside_scope_are_counted_by_role(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "Cart", in_scope=lambda row: row.role == "source")
    assert {hit.path for hit in found.hits} == {"shop/cart.py", "shop/cli.py", "shop/other.py"}
    assert (found.total, found.outside_scope) == (5, {"test": 2})


def test_total_counts_beyond_the_limit(shop: tuple[Snapshot, Root]) -> None:
    whole = find(shop, "Cart")
    cut = find(shop, "Cart", limit=2)
    assert cut.hits == whole.hits[:2]
    assert (cut.total, cut.files, cut.hints) == (whole.total, whole.files, whole.hints)


def test_missing_name_is_not_found(shop: tuple[Snapshot, Root]) -> None:
    found = find(shop, "Car")
    assert (found.total, found.hits) == (0, ())
    assert found.similar == ("shop/cart.py#Cart", "shop/other.py#Cart", "shop/other.py#cart")


@pytest.mark.parametrize(
    ("query", "code"), [("  ", ErrorCode.ARGUMENT_INVALID), ("shop/none.py#Cart", ErrorCode.FILE_NOT_FOUND)]
)
def test_reference_to_unindexed_file_is_an_error(shop: tuple[Snapshot, Root], query: str, code: ErrorCode) -> None:
    with pytest.raises(CodePlaneError) as raised:
        find(shop, query)
    assert raised.value.code is code


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("shop/cart.py#Missing@4", "no symbol named 'Missing' in shop/cart.py"),
        ("shop/cart.py:13", "no symbol at shop/cart.py:13; did you mean shop/cart.py#make or shop/cart.py#Cart?"),
        ("Carrt.total", "no symbol named 'Carrt.total'; did you mean shop/cart.py#Cart.total?"),
    ],
)
def test_missing_symbol_gets_suggestions(shop: tuple[Snapshot, Root], query: str, message: str) -> None:
    found = find(shop, query)
    assert (found.total, found.hits, found.not_found) == (0, (), message)


def test_changed_line_is_not_shown(tmp_path: Path) -> None:
    with (
        index(tmp_path / "tree", {"a.py": "def one(): pass\n\none()\n"}) as snapshot,
        Root.open(tmp_path / "tree") as root,
    ):
        assert [hit.snippet for hit in find((snapshot, root), "one").hits] == ["one()"]
        (tmp_path / "tree/a.py").write_text("def one(): pass\n\ntwo()\n")
        assert [hit.snippet for hit in find((snapshot, root), "one").hits] == [""]


def test_many_references_are_complete(tmp_path: Path) -> None:
    text = "def one(): pass\n" + "one()\n" * 3000
    with index(tmp_path / "tree", {"a.py": text}) as snapshot, Root.open(tmp_path / "tree") as root:
        found = find((snapshot, root), "one")
        assert (found.total, len(found.hits), found.hints["tiers"]) == (3000, 3000, {"proven": 3000})


RUBY: dict[str, str | bytes] = {
    "shop/cart.py": "def finish_checkout(): pass\n\n\ndef run():\n    finish_checkout()\n\n\nclass Till:\n"
    "    done = finish_checkout()\n",
    "lib/till.pl": "require 'cart'\nCart.finish_checkout(1) # finish_checkout\nfinish_checkouts\nrefinish_checkout\n",
    "lib/till.sql": "SELECT 1; /* é */ finish_checkout(n);\n",
    "tests/till_test.pl": "finish_checkout(2)\n",
    "docs/till.md": "finish_checkout is a word here\n",
    "till.json": '{"run": "finish_checkout"}\n',
    "Gemfile.lock": "finish_checkout\n",
}


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, Root]]:
    path = tmp_path_factory.mktemp("references") / "till"
    with index(path, RUBY) as snapshot, Root.open(path) as root:
        yield snapshot, root


def test_code_without_facts_is_searched_with_unknown_tier(till: tuple[Snapshot, Root]) -> None:
    found = find(till, "finish_checkout")
    assert rows(found) == [
        ("proven", "shop/cart.py", 5, 5),
        ("proven", "shop/cart.py", 9, 12),
        ("unknown", "lib/till.pl", 2, 6),
        ("unknown", "lib/till.sql", 1, 19),
        ("unknown", "tests/till_test.pl", 1, 1),
    ]
    assert (found.total, found.files) == (5, 4)
    assert found.hints["tiers"] == {"proven": 2, "unknown": 3}
    assert found.hints["found_as_text"] == 3
    assert [(hit.kind, hit.match_type) for hit in found.hits[2:]] == [("text", "exact")] * 3
    assert found.hits[2].snippet == "Cart.finish_checkout(1) # finish_checkout"


def test_word_matches_are_counted_by_role_beyond_the_limit(till: tuple[Snapshot, Root]) -> None:
    found = find(till, "finish_checkout", in_scope=lambda row: row.role == "source", limit=3)
    assert len(found.hits) == 3
    assert (found.total, found.files, found.outside_scope) == (4, 3, {"test": 1})
    assert found.hints["tiers"] == {"proven": 2, "unknown": 2}


def test_kind_filter_applies(till: tuple[Snapshot, Root]) -> None:
    def is_source(row: SearchableFile) -> bool:
        return row.role == "source"

    in_functions = find(till, "finish_checkout", kinds={"function"}, in_scope=is_source, limit=1)
    assert rows(in_functions) == [("proven", "shop/cart.py", 5, 5)]
    assert (in_functions.total, in_functions.files, in_functions.outside_scope) == (1, 1, {})
    assert in_functions.hints["tiers"] == {"proven": 1}
    in_none = find(till, "finish_checkout", kinds={"text"}, in_scope=is_source)
    assert [hit.path for hit in in_none.hits] == ["lib/till.pl", "lib/till.sql"]
    assert (in_none.total, in_none.outside_scope) == (2, {"test": 1})
    nothing = find(till, "finish_checkout", kinds={"enum"})
    assert (nothing.hits, nothing.total, nothing.files, nothing.hints["tiers"]) == ((), 0, 0, {})


def test_rejected_lines_are_not_counted(till: tuple[Snapshot, Root]) -> None:
    def is_source(row: SearchableFile) -> bool:
        return row.role == "source"

    found = find(till, "finish_checkout", line_filter=lambda line: "(1)" in line or "(2)" in line, in_scope=is_source)
    assert rows(found) == [("unknown", "lib/till.pl", 2, 6)]
    assert (found.total, found.files, found.outside_scope) == (1, 1, {"test": 1})
    assert found.hints["tiers"] == {"unknown": 1}


@pytest.mark.parametrize("name", ["été", "$till", "till$", "a b", "x" * 5000, "till!"])
def test_any_name_is_accepted(tmp_path: Path, name: str) -> None:
    with index(tmp_path / "tree", {"a.pl": f"{name}\n"}) as snapshot, Root.open(tmp_path / "tree") as root:
        assert rows(find((snapshot, root), name)) == [("unknown", "a.pl", 1, 1)]


@pytest.mark.parametrize("signs", ["(", "->", "::", "..", "!=", "\u2026"])
def test_punctuation_is_not_a_name(shop: tuple[Snapshot, Root], signs: str) -> None:
    found = find(shop, signs)
    assert (found.total, found.similar, found.not_found) == (0, (), f"no symbol named '{signs}'")


def test_one_reference_per_file(till: tuple[Snapshot, Root]) -> None:
    every = find(till, "finish_checkout")
    counts = Counter(hit.path for hit in every.hits)
    assert max(counts.values()) > 1
    found = find(till, "finish_checkout", one_per_file=True, limit=len(counts))
    assert {hit.path: hit.collapsed + 1 for hit in found.hits} == counts
    assert (found.total, found.files, found.hints) == (every.total, every.files, every.hints)
    firsts = {hit.path: hit for hit in reversed(every.hits)}
    assert [hit._replace(collapsed=0) for hit in found.hits] == [hit for hit in every.hits if hit is firsts[hit.path]]
