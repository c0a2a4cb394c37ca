"""Text form of list_files and map_repo: few tokens, and rows that can be used in the next call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeplane.operations.map_repo.structure import TreeRow
from codeplane.tools.text.map_repo import DEFAULT_TOKENS, MAP_CHARS_PER_TOKEN, map_lines, tree_lines
from support.repositories import make_repository, write
from support.tooling import Server, serving

FILES: dict[str, str | bytes] = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "README.md": "# Shop\n",
    "uv.lock": "# generated\nversion = 1\n",
    "shop/__init__.py": "",
    "shop/cart.py": "import requests\n\n\nclass Cart:\n    def total(self):\n        return 1\n",
    "shop/order.py": "from shop.cart import Cart\n\n\ndef place(cart: Cart):\n    return cart.total()\n",
    "shop/pay/card.py": "from shop.cart import Cart\n\n\ndef pay(cart: Cart):\n    return cart.total()\n",
    "shop/cli.py": (
        "from shop.order import place\n\n\ndef main():\n    place(None)\n\n\nif __name__ == '__main__':\n    main()\n"
    ),
    "shop/logo.png": bytes(range(256)) * 20,
    "tests/test_cart.py": (
        "import pytest\nfrom shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 1\n"
    ),
    **{f"many/part_{n}/file_{k}.py": f"def f{k}():\n    return {n}\n" for n in range(40) for k in range(4)},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = make_repository(tmp_path_factory.mktemp("listing-text") / "repo", {**FILES, ".gitignore": "*.tmp\n"})
    write(root, "notes.tmp", "x\n")
    write(root, "left/notes.tmp", "x\n")
    write(root, ".env", "KEY=1\n")
    with serving(root) as server:
        yield server


def listed(server: Server, **arguments: object) -> list[str]:
    return server.text("list_files", arguments).split("\n")


def test_directories_have_files_and_files_have_lines(shop: Server) -> None:
    assert listed(shop, path="shop") == [
        "shop/ 6 files",
        "pay/ 1",
        "__init__.py 0",
        "cart.py 6",
        "cli.py 9",
        "logo.png 5 KB binary",
        "order.py 5",
    ]


def test_role_is_printed_only_if_names_do_not_show_it(shop: Server) -> None:
    shown = listed(shop)
    assert {"README.md 1", "pyproject.toml 2", "uv.lock 2 generated"} <= set(shown)


def test_single_files_of_a_directory_are_one_row(shop: Server) -> None:
    assert listed(shop, pattern="ca*.py") == ["shop/cart.py 6", "shop/pay/card.py 5"]


def test_ignored_files_have_the_rule_and_secrets_no_name(shop: Server) -> None:
    shown = listed(shop, include_ignored=True)
    assert "notes.tmp ignored by .gitignore:1 *.tmp" in shown
    assert shown[-1] == "1 file with secrets not named" and not any(".env" in line for line in shown)


def test_next_page_is_a_call(shop: Server) -> None:
    shown = listed(shop, path="many", depth=2, limit=10)
    assert shown[-1].startswith("more: 150 entries (list_files cursor=c_")
    cursor = shown[-1].partition("cursor=")[2].rstrip(")")
    assert len(listed(shop, cursor=cursor)) > 100


def test_nothing_indexed_suggests_ignored_files(shop: Server) -> None:
    assert listed(shop, path="left") == [
        "no indexed files here",
        "hint: list_files path=left include_ignored=true",
    ]
    assert listed(shop, pattern="*.zig") == ["no files"]


def test_map_of_a_repository(shop: Server) -> None:
    shown = shop.text("map_repo")
    lines = shown.split("\n")
    assert lines[0].startswith("171 files: python 166")
    assert "units: pyproject.toml" in lines
    assert "entry points: shop/cli.py:4 main" in lines
    assert "tests: tests/ 1; pytest" in lines
    assert "dependencies: pytest 1, requests 1" in lines
    first = lines.index("key files, files that use each: names used most") + 1
    assert lines[first] == "shop/cart.py 3: Cart"
    tree = lines[lines.index("directories:") :]
    assert {"many/ 160", "  part_0/ 4", "shop/ 6", "  pay/ 1", "tests/ 1"} <= set(tree)
    assert len(shown) <= DEFAULT_TOKENS * MAP_CHARS_PER_TOKEN


def test_map_of_one_directory(shop: Server) -> None:
    lines = shop.text("map_repo", {"path": "shop"}).split("\n")
    assert lines[0] == "6 files: python 5, other 1"
    assert "entry points: shop/cli.py:4 main" in lines and "tests: none" in lines
    assert "shop/cart.py 3: Cart" in lines, "users outside the directory count"
    assert lines[lines.index("directories:") + 1 :] == ["shop/ 6", "  pay/ 1"]
    assert shop.text("map_repo", {"path": "tests", "include": ["key_files"]}) == "nothing found for these sections"


def test_small_map_counts_what_it_leaves_out(shop: Server) -> None:
    shown = shop.text("map_repo", {"max_tokens": 200})
    assert len(shown) <= 200 * MAP_CHARS_PER_TOKEN
    assert shown.split("\n")[-1].endswith(" rows of the tree (map_repo max_tokens=600)")


def test_tree_alone_has_files_and_goes_on(shop: Server) -> None:
    lines = shop.text("map_repo", {"include": ["structure"], "limit": 20}).split("\n")
    assert "pyproject.toml 2" in lines and len(lines) == 21
    cursor = lines[-1].partition("cursor=")[2].rstrip(")")
    following = shop.text("map_repo", {"cursor": cursor, "limit": 100}).split("\n")
    assert not set(following) & {"pyproject.toml 2"} and len(following) > 50


def test_names_alone_are_grouped_by_file(shop: Server) -> None:
    lines = shop.text("map_repo", {"include": ["public_api"]}).split("\n")
    assert lines[0] == "public names:" and "shop/cart.py: Cart" in lines


def test_tree_rows_stand_under_the_nearest_directory_shown() -> None:
    rows = [TreeRow("a/b/c/", 4), TreeRow("a/", 9), TreeRow("a/b/c/x.py", 10), TreeRow("z.py", 1)]
    lines, taken = tree_lines(rows, 0, 10, 1_000)
    assert [line.text for line in lines] == ["a/ 9", "  b/c/ 4", "    x.py 10", "z.py 1"] and taken == 4


def test_directory_of_key_files_is_printed_once() -> None:
    fields = {
        "key_files": {"a/b/x.py": 9, "a/b/c/y.py": 8, "a/b/z.py": 7},
        "public_api": [{"symbol_ref": "a/b/x.py#Cart@3"}, {"symbol_ref": "a/b/z.py#z@1"}],
    }
    assert [line.text for line in map_lines(fields, [], 800, 60).lines] == [
        "key files in a/b/, files that use each: names used most",
        "x.py 9: Cart",
        "c/y.py 8",
        "z.py 7",
    ]
