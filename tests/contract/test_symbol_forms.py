"""Every form of a symbol in an answer names the same symbol in the next call, tool by tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from support.repositories import make_repository
from support.tooling import Server, error_of, serving

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "import json\n\n\n@staticmethod\ndef decorated():\n    pass\n\n\n"
        "class Cart:\n    def total(self):\n        return add(1)\n\n    class Inner:\n        def deep(self):\n"
        "            return decorated()\n\n\ndef add(n):\n    return n\n"
    ),
    "shop/odd #1 (100%).py": "def odd():\n    return 1\n\n\nodd()\n",
    "shop/use.py": (
        "from shop.cart import Cart, add\n\n\ndef main():\n    return Cart().total() + add(2)\n\n\n"
        'if __name__ == "__main__":\n    main()\n'
    ),
    "go.mod": "module example.org/shop\n",
    "price/price.go": (
        "package price\n\ntype Price struct {\n\tCents int\n}\n\nfunc (p *Price) Add(o Price) Price { return o }\n\n"
        "func Sum(p Price) Price { return p.Add(p) }\n"
    ),
    "web/view.ts": (
        "export class Box {\n  #count = 0;\n  draw(): number {\n    return area(this);\n  }\n}\n\n"
        "export function area(b: Box): number {\n  return b.draw();\n}\n"
    ),
    "src/lib.rs": (
        "pub struct Item;\n\nimpl Item {\n    pub fn take(&self) -> u32 {\n        count()\n    }\n}\n\n"
        "pub fn count() -> u32 {\n    1\n}\n"
    ),
    "Cargo.toml": '[package]\nname = "stock"\n',
    "notes.md": "# Heading\n\ntext\n",
    "run.sh": "start() {\n  echo hi\n}\nstart\n",
}
SYMBOLS = [
    "shop/cart.py#Cart@9",
    "shop/cart.py#Cart.total@10",
    "shop/cart.py#Cart.Inner.deep@14",
    "shop/cart.py#decorated@4",
    "shop/cart.py#add@18",
    "shop/odd %231 (100%25).py#odd@1",
    "shop/use.py#main@4",
    "price/price.go#Price@3",
    "price/price.go#Price.Add@7",
    "price/price.go#Sum@9",
    "web/view.ts#Box@1",
    "web/view.ts#Box.#count@2",
    "web/view.ts#Box.draw@3",
    "web/view.ts#area@8",
    "src/lib.rs#Item.take@4",
    "src/lib.rs#count@9",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("forms") / "repo", FILES)) as server:
        yield server


def split_reference(reference: str) -> tuple[str, str, str]:
    head, _, tail = reference.partition("#")
    name, _, line = tail.rpartition("@")
    return head.replace("%23", "#").replace("%25", "%"), name, line


def outlined(server: Server, file: str, reference: str) -> list[str]:
    found = server.call("file_outline", {"file": file, "symbol_id": reference})
    assert found["status"] == "ok", (reference, found)
    return [symbol["symbol_ref"] for symbol in found["result"]["symbols"]]


def graphed(server: Server, reference: str) -> list[str]:
    found = server.call("call_graph", {"symbol": reference})
    assert found["status"] == "ok", (reference, found)
    roots: list[str] = found["result"]["roots"]
    return roots


def forms_of(server: Server, reference: str) -> dict[str, str]:
    """Return the forms of a symbol that a reader of an answer can use."""
    file, name, line = split_reference(reference)
    head = reference.partition("#")[0]
    text = str(FILES[file]).splitlines()
    own = name.rpartition(".")[2]
    at = next(number for number in range(int(line), len(text) + 1) if own in text[number - 1])
    column = text[at - 1].index(own) + 1
    return {
        "symbol_ref": reference,
        "without a line": f"{head}#{name}",
        "a line that has moved": f"{head}#{name}@{int(line) + 1000}",
        "path:line": f"{file}:{at}",
        "path:line:column": f"{file}:{at}:{column}",
    }


@pytest.mark.parametrize("reference", SYMBOLS)
def test_every_form_names_the_symbol_in_both_tools(server: Server, reference: str) -> None:
    file, _, _ = split_reference(reference)
    for form, written in forms_of(server, reference).items():
        assert outlined(server, file, written) == [reference], form
        assert graphed(server, written) == [reference], form


def nodes(symbols: list[dict[str, Any]], above: str = "") -> Iterator[tuple[str, int]]:
    for symbol in symbols:
        name = f"{above}.{symbol['name']}" if above else symbol["name"]
        yield name, symbol["line_start"]
        yield from nodes(symbol.get("children", []), name)


@pytest.mark.parametrize(
    "file", ["shop/cart.py", "price/price.go", "web/view.ts", "src/lib.rs", "shop/odd #1 (100%).py"]
)
def test_outline_references_are_accepted_elsewhere(server: Server, file: str) -> None:
    result = server.call("file_outline", {"file": file, "limit_symbols": 500})["result"]
    head = file.replace("%", "%25").replace("#", "%23")
    found = list(nodes(result["symbols"]))
    assert found
    for name, line in found:
        reference = f"{head}#{name}@{line}"
        assert outlined(server, file, reference) == [reference]
        assert graphed(server, reference) == [reference]


SEARCHES: list[dict[str, object]] = [
    {},
    {"mode": "definitions", "detail_level": "location"},
    {"mode": "definitions", "detail_level": "context"},
    {"mode": "symbol", "compact": True},
    {"mode": "references"},
]


@pytest.mark.parametrize("more", SEARCHES, ids=str)
def test_search_references_are_accepted_elsewhere(server: Server, more: dict[str, object]) -> None:
    seen = 0
    for query in ("Cart", "total", "Sum", "Box", "take", "odd", "deep", "main", "add"):
        for row in server.call("search", {"query": query, "scope": "mixed", **more})["result"]["results"]:
            if row["kind"] in ("text", "file"):
                continue
            place = f"{row['path']}:{row['line_start']}"
            for reference in (place, row.get("symbol_ref", place)):
                roots = graphed(server, reference)
                assert len(roots) == 1
                file, _, _ = split_reference(roots[0])
                assert outlined(server, file, roots[0]) == roots
                assert outlined(server, row["path"], reference) == roots or more.get("mode") == "references"
            seen += 1
    assert seen >= 5


def test_call_graph_references_are_accepted_elsewhere(server: Server) -> None:
    seen = set()
    for reference in SYMBOLS:
        result = server.call("call_graph", {"symbol": reference, "depth": 3})["result"]
        for node in result["nodes"]:
            name = node["symbol_ref"]
            seen.add(name)
            # Top-level code is not a symbol.
            if "file" not in node:
                assert graphed(server, name) == [name]
                assert outlined(server, split_reference(name)[0], name) == [name]
        ends = {end for edge in result["edges"] for end in (edge["caller"], edge["callee"])}
        assert ends <= {node["symbol_ref"] for node in result["nodes"]}
    assert len(seen) >= len(SYMBOLS)


def test_map_references_are_accepted_elsewhere(server: Server) -> None:
    result = server.call("map_repo", {"include": ["entry_points", "public_api", "key_files"]})["result"]
    shown = [row["symbol_ref"] for row in result["entry_points"] + result["public_api"] if "symbol_ref" in row]
    assert "shop/use.py#main@4" in shown and "shop/cart.py#add@18" in shown
    for reference in shown:
        assert graphed(server, reference) == [reference]
        assert outlined(server, split_reference(reference)[0], reference) == [reference]
    for file in result["key_files"]:
        assert server.call("file_outline", {"file": file})["status"] == "ok"


def test_an_identity_names_a_symbol_in_both_tools(server: Server) -> None:
    sql = "SELECT def_uid FROM defs WHERE name = 'total'"
    ((uid,),) = server.pipeline._roots.home.workspace.read(lambda snapshot: snapshot.reader.rows(sql)).value
    assert graphed(server, uid) == outlined(server, "shop/cart.py", uid) == ["shop/cart.py#Cart.total@10"]
    assert server.call("call_graph", {"symbol": "0" * 16})["status"] == "not_found"


def test_statuses_of_a_call_graph(server: Server) -> None:
    assert server.call("call_graph", {"symbol": "add"})["status"] == "ok"
    for nothing in ("nothing_called_so", "shop/cart.py:7", "shop/cart.py#Gone@1", "nowhere.py#add@1", "nowhere.py:3"):
        assert server.call("call_graph", {"symbol": nothing})["status"] == "not_found", nothing
    unsupported = server.call("call_graph", {"symbol": "notes.md#Heading@1"})
    assert unsupported["status"] == "unsupported"
    error_of(unsupported, ErrorCode.LANGUAGE_UNSUPPORTED)
    within = server.call("call_graph", {"symbol": "start"})
    assert within["status"] == "ok" and "within a file only" in within["message"]
