"""One symbol resolver: every form and every misspelling, on every tool and command that takes a symbol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.cli.main import app
from codeplane.query.defs import split_name
from support.repositories import make_repository
from support.sandbox import Sandbox
from support.tooling import Server, error_of, serving

Cpl = Callable[..., tuple[int, str, str]]

FILES: dict[str, str | bytes] = {
    "src/Tokens/Analyzer.php": (
        "<?php\n\nnamespace Fixer\\Tokens;\n\nfinal class Analyzer\n{\n    public function isBinary(): bool\n    {\n"
        "        return $this->peek();\n    }\n\n    private function peek(): bool\n    {\n        return true;\n"
        "    }\n}\n"
    ),
    "lib/site/filters.rb": (
        "module Site\n  module Filters\n    def where(input)\n      parse(input)\n    end\n\n    def parse(text)\n"
        "      text\n    end\n  end\nend\n"
    ),
    "go.mod": "module example.org/web\n",
    "context.go": (
        "package web\n\ntype Context struct{}\n\nfunc (c *Context) Next() { c.step() }\n\nfunc (c *Context) step() {}\n"
        "\nfunc Default() {}\n"
    ),
    "java/org/json/Reader.java": (
        "package org.json;\n\nclass Reader {\n    void skip() { peek(); }\n    void peek() { }\n}\n"
    ),
    "shop/__init__.py": "",
    "shop/cart.py": (
        "class Cart:\n    def __init__(self):\n        self.lines = []\n\n    def total(self):\n"
        "        return add_up(self.lines)\n\n\ndef add_up(lines):\n    return len(lines)\n"
    ),
    "shop/orders.py": (
        "class Order:\n    def total(self):\n        return self.ship()\n\n    def ship(self):\n        pass\n"
    ),
    "shop/query.py": "class QuerySet:\n    pass\n\n\nclass Query:\n    pass\n",
    "infra/storage.tf": (
        'resource "aws_s3_bucket" "shop_bucket" {\n  bucket = var.bucket_name\n}\n\n'
        'variable "bucket_name" {}\n\nmodule "network_layer" {\n  source = "./net"\n}\n'
    ),
    "settings.toml": "[tool.linter.rules]\nstrict_mode = true\n",
    "README": "Filters\n",
}
IS_BINARY = "src/Tokens/Analyzer.php#Analyzer.isBinary@7"
WHERE = "lib/site/filters.rb#Site.Filters.where@3"
NEXT = "context.go#Context.Next@5"
SKIP = "java/org/json/Reader.java#Reader.skip@4"
TOTAL = "shop/cart.py#Cart.total@5"
LINES = "shop/cart.py#Cart.lines@3"
BUCKET = "infra/storage.tf#aws_s3_bucket.shop_bucket@1"
RULES = "settings.toml#tool.linter.rules@1"

WRITTEN = [
    ("Analyzer::isBinary", IS_BINARY),
    ("Analyzer::isBinary()", IS_BINARY),
    ("Analyzer->isBinary", IS_BINARY),
    ("Tokens\\Analyzer", "src/Tokens/Analyzer.php#Analyzer@5"),
    ("\\Fixer\\Tokens\\Analyzer::isBinary", IS_BINARY),
    ("Filters#where", WHERE),
    ("Site::Filters#where", WHERE),
    ("where()", WHERE),
    ("`where`", WHERE),
    ("web.Context.Next", NEXT),
    ("(*Context).Next", NEXT),
    ("*Context.Next", NEXT),
    ("Reader#skip", SKIP),
    ("org.json.Reader#skip", SKIP),
    ("Cart.total", TOTAL),
    ("shop.cart.Cart.total", TOTAL),
    ("shop/cart.py#Cart.total", TOTAL),
    ("shop/cart.py#total", TOTAL),
    ("shop/cart.py#Cart.total@5", TOTAL),
    ("shop/cart.py#Cart.total@500", TOTAL),
    ("shop/cart.py:5", TOTAL),
    ("shop/cart.py:6", TOTAL),
    ("shop/cart.py:5-6", TOTAL),
    ("shop/cart.py:5:9", TOTAL),
    ("shop/cart.py:6:16", "shop/cart.py#add_up@9"),
    ("shop/cart.py#L6", TOTAL),
    ("add_up", "shop/cart.py#add_up@9"),
    ("Cart.lines", LINES),
    ("shop.cart.Cart.lines", LINES),
    ("shop/cart.py#Cart.lines", LINES),
]
KEYS = [
    ("shop_bucket", BUCKET),
    ("aws_s3_bucket.shop_bucket", BUCKET),
    ("infra/storage.tf#shop_bucket", BUCKET),
    ("bucket_name", "infra/storage.tf#var.bucket_name@5"),
    ("var.bucket_name", "infra/storage.tf#var.bucket_name@5"),
    ("network_layer", "infra/storage.tf#module.network_layer@7"),
    ("rules", RULES),
    ("tool.linter.rules", RULES),
    ("rules.strict_mode", "settings.toml#tool.linter.rules.strict_mode@2"),
]
"""Blocks and keys of data, which have no calls."""

MISSPELLED = [
    ("Carrt.total", "no symbol named 'Carrt.total'; did you mean shop/cart.py#Cart.total?"),
    ("Cart.totl", "no symbol named 'Cart.totl'; did you mean shop/cart.py#Cart.total?"),
    ("Carrt.totl", "no symbol named 'Carrt.totl'; did you mean shop/cart.py#Cart.total?"),
    ("Cart.liness", "no symbol named 'Cart.liness'; did you mean shop/cart.py#Cart.lines?"),
    ("Basket.ship", "no symbol named 'Basket.ship'; did you mean shop/orders.py#Order.ship?"),
    ("Other::skip", "no symbol named 'Other::skip'; did you mean java/org/json/Reader.java#Reader.skip?"),
    ("web.Default", "no symbol named 'web.Default'; did you mean context.go#Default?"),
    ("QuerySte", "no symbol named 'QuerySte'; did you mean shop/query.py#QuerySet?"),
    ("totla", "no symbol named 'totla'; did you mean shop/cart.py#Cart.total or shop/orders.py#Order.total?"),
    ("zzqqxx", "no symbol named 'zzqqxx'"),
    (
        "shop/cart.py#Carrt.total",
        "no symbol named 'Carrt.total' in shop/cart.py; did you mean shop/cart.py#Cart.total?",
    ),
    ("shop/cart.py#ship", "no symbol named 'ship' in shop/cart.py; did you mean shop/orders.py#Order.ship?"),
    ("shop/cart.py:8", "no symbol at shop/cart.py:8; did you mean shop/cart.py#add_up or shop/cart.py#Cart?"),
    ("ffffffffffffffff", "no symbol named 'ffffffffffffffff'"),
]
INEXACT = [
    ("cart.total", "no symbol named 'cart.total'; did you mean shop/cart.py#Cart.total?"),
    ("CART.TOTAL", "no symbol named 'CART.TOTAL'; did you mean shop/cart.py#Cart.total?"),
    ("queryset", "no symbol named 'queryset'; did you mean shop/query.py#QuerySet?"),
    ("addUp", "no symbol named 'addUp'; did you mean shop/cart.py#add_up?"),
    ("isBin", "no symbol named 'isBin'; did you mean src/Tokens/Analyzer.php#Analyzer.isBinary?"),
    ("QueryS", "no symbol named 'QueryS'; did you mean shop/query.py#Query or shop/query.py#QuerySet?"),
]
"""Names in another case or style, or cut short: a search for symbols finds them, everything else suggests them."""

MISSING_FILES = [
    ("lib/gone.rb#where", "'lib/gone.rb' is not an indexed file; did you mean lib/site/filters.rb#Site.Filters.where?"),
    ("gone.go#Context.Next", "'gone.go' is not an indexed file; did you mean context.go#Context.Next?"),
    (
        "lib/site/filter.rb#Site.Filters.where@3",
        "'lib/site/filter.rb' is not an indexed file; did you mean lib/site/filters.rb#Site.Filters.where?",
    ),
    ("shop/crt.py:5", "'shop/crt.py' is not an indexed file; did you mean shop/cart.py:5?"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Used by every test, changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("resolution") / "repo", FILES)) as server:
        yield server


class Tool(NamedTuple):
    """A tool that takes a symbol."""

    name: str
    arguments: Callable[[str], dict[str, object]]
    found: Callable[[dict[str, Any]], list[str]]
    """References of the symbols that a result is about."""


def _references(rows: list[dict[str, Any]]) -> list[str]:
    """Attributes have no reference in a search: their place says as much."""
    return [row.get("symbol_ref") or f"{row['path']}:{row['line_start']}" for row in rows]


TOOLS = {
    "read": Tool("read", lambda it: {"target": it, "mode": "symbol"}, lambda result: [result["symbol_ref"]]),
    "call_graph": Tool("call_graph", lambda it: {"symbol": it}, lambda result: result["roots"]),
    "references": Tool("search", lambda it: {"query": it, "mode": "references"}, lambda result: result["symbols"]),
    "definitions": Tool(
        "search", lambda it: {"query": it, "mode": "definitions"}, lambda result: _references(result["results"])
    ),
    "symbol": Tool(
        "search", lambda it: {"query": it, "mode": "symbol"}, lambda result: _references(result["results"])[:1]
    ),
}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize(("written", "reference"), WRITTEN)
def test_every_form_names_the_symbol_on_every_tool(server: Server, tool: Tool, written: str, reference: str) -> None:
    found = server.call(tool.name, tool.arguments(written))
    assert found["status"] == "ok", found
    symbols = tool.found(found["result"])
    if reference == LINES and tool.name == "search" and "results" in found["result"] and symbols != [reference]:
        assert symbols == ["shop/cart.py:3"]
    else:
        assert symbols == [reference]


@pytest.mark.parametrize(("written", "reference"), KEYS)
def test_a_key_of_data_is_found_by_the_end_of_its_name(server: Server, cpl: Cpl, written: str, reference: str) -> None:
    for tool in (TOOLS[name] for name in TOOLS if name != "call_graph"):
        found = server.call(tool.name, tool.arguments(written))
        assert (found["status"], tool.found(found["result"])) == ("ok", [reference]), tool.name
    for command in ("defs", "refs", "read"):
        code, shown, _ = cpl(command, written, "--json")
        assert (code, COMMANDS[command](json.loads(shown)["result"])) == (0, [reference]), command


@pytest.mark.parametrize("parameter", ["symbol_id", "symbol_label"])
@pytest.mark.parametrize(("written", "reference"), [*WRITTEN, *KEYS])
def test_every_form_names_the_symbol_in_an_outline(
    server: Server, parameter: str, written: str, reference: str
) -> None:
    file = reference.partition("#")[0]
    found = server.call("file_outline", {"file": file, parameter: written})
    assert (found["status"], [symbol["symbol_ref"] for symbol in found["result"]["symbols"]]) == ("ok", [reference])


def test_an_identity_names_the_symbol_on_every_tool(server: Server) -> None:
    sql = "SELECT def_uid FROM defs WHERE name = 'isBinary'"
    ((uid,),) = server.pipeline._roots.home.workspace.read(lambda snapshot: snapshot.reader.rows(sql)).value
    for tool in TOOLS.values():
        assert tool.found(server.call(tool.name, tool.arguments(uid))["result"]) == [IS_BINARY]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize(("written", "message"), MISSPELLED)
def test_a_misspelled_name_gets_the_same_words_on_every_tool(
    server: Server, tool: Tool, written: str, message: str
) -> None:
    found = server.call(tool.name, tool.arguments(written))
    assert (found["status"], found["message"]) == ("not_found", message)
    suggested = message.partition("did you mean ")[2].rstrip("?").replace(" or ", ", ")
    assert ", ".join(found["result"].get("similar", [])) == suggested
    assert server.text(tool.name, tool.arguments(written)) == message


@pytest.mark.parametrize(("written", "message"), INEXACT)
def test_an_inexact_name_is_only_found_by_a_search_for_symbols(server: Server, written: str, message: str) -> None:
    for name, tool in TOOLS.items():
        found = server.call(tool.name, tool.arguments(written))
        if name == "symbol":
            suggested = message.partition("did you mean ")[2].rstrip("?").split(" or ")
            shown = [reference.rpartition("@")[0] for reference in _references(found["result"]["results"])]
            assert found["status"] == "ok" and set(suggested) <= set(shown)
        else:
            assert (found["status"], found["message"]) == ("not_found", message)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize(("written", "message"), MISSING_FILES)
def test_a_symbol_of_a_missing_file(server: Server, tool: Tool, written: str, message: str) -> None:
    found = server.call(tool.name, tool.arguments(written))
    assert found["status"] == "not_found"
    assert error_of(found, ErrorCode.FILE_NOT_FOUND)["message"] == message


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("Carrt.total", "no symbol named 'Carrt.total' in shop/cart.py; did you mean shop/cart.py#Cart.total?"),
        ("totl", "no symbol named 'totl' in shop/cart.py; did you mean shop/cart.py#Cart.total?"),
        ("Order.ship", "no symbol named 'Order.ship' in shop/cart.py; did you mean shop/orders.py#Order.ship?"),
    ],
)
def test_an_outline_says_in_which_file_it_looked(server: Server, label: str, message: str) -> None:
    arguments = {"file": "shop/cart.py", "symbol_label": label}
    found = server.call("file_outline", arguments)
    assert (found["status"], found["message"]) == ("not_found", message)
    assert server.text("file_outline", arguments) == message


def test_an_outline_of_another_revision_suggests_symbols_of_that_revision(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "class Cart:\n    def total(self): pass\n"})
    (root / "a.py").write_text("x = 1\n")
    with serving(root) as server:
        found = server.call("file_outline", {"file": "a.py", "ref": "HEAD", "symbol_label": "Carrt.total"})
        assert found["message"] == "no symbol named 'Carrt.total' in a.py; did you mean a.py#Cart.total?"
        for written in ("Cart.total", "a.py#Cart.total", "a.py#total@2", "a.py:2", "total"):
            found = server.call("file_outline", {"file": "a.py", "ref": "HEAD", "symbol_label": written})
            assert [symbol["symbol_ref"] for symbol in found["result"]["symbols"]] == ["a.py#Cart.total@2"], written


def test_an_ambiguous_name_lists_symbols_that_can_be_asked_for(server: Server) -> None:
    found = server.call("read", {"target": "total"})
    message = "'total' names 2 symbols: shop/cart.py#Cart.total, shop/orders.py#Order.total"
    assert (found["status"], found["message"]) == ("ambiguous", message)
    assert server.text("read", {"target": "total"}) == message
    for reference in message.partition(": ")[2].split(", "):
        assert server.call("read", {"target": reference})["status"] == "ok"
    for candidate in found["result"]["candidates"]:
        assert server.call("read", {"target": candidate["symbol_ref"]})["status"] == "ok"


@pytest.mark.parametrize(("written", "message"), [*MISSPELLED, *INEXACT])
def test_an_edit_of_a_misspelled_symbol_gets_the_same_words(server: Server, written: str, message: str) -> None:
    found = server.call("write_source", {"action": "replace_symbol", "symbol": written, "new_text": "x"})
    assert error_of(found, ErrorCode.EDIT_NOT_FOUND)["message"].startswith(message)


def test_an_edit_of_an_ambiguous_symbol_gets_the_same_words(server: Server) -> None:
    found = server.call("write_source", {"action": "replace_symbol", "symbol": "total", "new_text": "x"})
    message = "'total' names 2 symbols: shop/cart.py#Cart.total, shop/orders.py#Order.total"
    assert error_of(found, ErrorCode.EDIT_AMBIGUOUS)["message"].startswith(message)


def test_a_long_list_of_candidates_is_cut(tmp_path: Path) -> None:
    classes = {f"m{number:02}.py": f"class C{number}:\n    def run(self): pass\n" for number in range(30)}
    with serving(make_repository(tmp_path / "repo", {**classes})) as server:
        found = server.call("read", {"target": "run"})
        assert found["message"].startswith("'run' names 30 symbols: m00.py#C0.run, m01.py#C1.run, ")
        assert found["message"].endswith(", ...")
        assert (len(found["result"]["candidates"]), found["result"]["left_out"]) == (20, 10)
        lines = server.text("read", {"target": "run"}).splitlines()
        assert lines[1:3] == ["m00.py", "2 def run(self)  [C0]"] and lines[-1] == "more: 10"
        missing = server.call("read", {"target": "Nope.run"})
        assert len(missing["result"]["similar"]) == 5


def test_a_name_is_looked_for_in_a_directory(server: Server) -> None:
    found = server.call("read", {"symbol": "skip", "path": "lib"})
    assert found["message"] == "no symbol named 'skip' in lib; did you mean java/org/json/Reader.java#Reader.skip?"
    assert found["result"]["target"] == "skip"


def test_a_ranked_search_says_that_a_qualified_name_is_misspelled(server: Server) -> None:
    found = server.call("search", {"query": "Carrt.total"})
    assert found["status"] == "ok" and found["result"]["results"]
    assert found["message"] == "no symbol named 'Carrt.total'; did you mean shop/cart.py#Cart.total?"
    for query in ("Cart.total", "total", "shop/cart.py", "zzqqxx.yyqqzz", "add up lines"):
        assert "did you mean" not in server.call("search", {"query": query}).get("message", ""), query


def test_references_of_a_name_of_another_library(server: Server) -> None:
    found = server.call("search", {"query": "builtins.len", "mode": "references"})
    assert (found["status"], found["result"]["searched_as"], found["result"]["matches"]) == ("ok", "len", 1)


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("a.b::c/d", ["a", "b", "c", "d"]),
        ("Box.#count", ["Box", "#count"]),
        ("#count", ["#count"]),
        ("operator()", ["operator()"]),
        ("Map::operator()", ["Map", "operator()"]),
        ("->", ["->"]),
        ("empty?", ["empty?"]),
        ("()", []),
    ],
)
def test_parts_of_a_name(written: str, parts: list[str]) -> None:
    assert split_name(written) == parts


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An indexed repository for commands, which run in this process."""
    place = tmp_path_factory.mktemp("commands")
    sandbox = Sandbox(make_repository(place / "repo", FILES), place / "home")
    sandbox.home.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in sandbox.environment().items():
            patch.setenv(name, value)
        app.main(["-C", str(sandbox.root), "init"], standalone_mode=False)
        yield sandbox.root


@pytest.fixture
def cpl(repository: Path, capsys: pytest.CaptureFixture[str]) -> Cpl:
    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = app.main(["-C", str(repository), *arguments], standalone_mode=False)
        shown = capsys.readouterr()
        return code or 0, shown.out, shown.err

    return run


COMMANDS: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "defs": lambda result: _references(result["results"]),
    "refs": lambda result: _references(result["symbols"]),
    "calls": lambda result: result["roots"],
    "read": lambda result: [result["symbol_ref"]],
}
_READ_AS_PLACES = ("shop/cart.py:5-6", "shop/cart.py:6:16")
"""`cpl read` reads these lines, and not the symbol that is meant there."""


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("written", "reference"), WRITTEN)
def test_every_form_names_the_symbol_in_every_command(cpl: Cpl, command: str, written: str, reference: str) -> None:
    if command == "read" and written in _READ_AS_PLACES:
        return
    code, shown, _ = cpl(command, written, "--json")
    found = json.loads(shown)
    assert (code, COMMANDS[command](found["result"])) == (0, [reference])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("written", "message"), [*MISSPELLED, *INEXACT])
def test_a_misspelled_name_gets_the_same_words_in_every_command(
    cpl: Cpl, command: str, written: str, message: str
) -> None:
    if command == "read" and written == "shop/cart.py:8":
        return
    code, shown, _ = cpl(command, written, "--json")
    found = json.loads(shown)
    assert (code, found["status"], found["message"]) == (1, "not_found", message)
    assert cpl(command, written) == (1, f"{message}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("written", "message"), MISSING_FILES[:3])
def test_a_symbol_of_a_missing_file_in_every_command(cpl: Cpl, command: str, written: str, message: str) -> None:
    code, shown, _ = cpl(command, written, "--json")
    found = json.loads(shown)
    assert (code, found["status"], found["error"]["message"]) == (1, "not_found", message)
    assert message in cpl(command, written)[2]


def test_definitions_are_narrowed_by_kind_and_path(cpl: Cpl) -> None:
    missing = "no function named 'Cart'; did you mean shop/cart.py#Cart?\n"
    assert cpl("defs", "Cart", "--kind", "function") == (1, missing, "")
    missing = "no symbol named 'ship' in lib; did you mean shop/orders.py#Order.ship?\n"
    assert cpl("defs", "ship", "--path", "lib") == (1, missing, "")
    rows = "shop/cart.py:5:def total(self)  [Cart]\nshop/orders.py:2:def total(self)  [Order]\n"
    assert cpl("defs", "total") == (0, rows, "")
