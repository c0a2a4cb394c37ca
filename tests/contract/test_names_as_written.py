"""A symbol is found by its name as people write it in the language it is of, by every tool that takes a name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.query.defs import name_parts
from support.repositories import make_repository
from support.tooling import Server, error_of, serving

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
    "README": "Filters\n",
}
WRITTEN = [
    ("Analyzer::isBinary", "src/Tokens/Analyzer.php#Analyzer.isBinary@7"),
    ("Analyzer::isBinary()", "src/Tokens/Analyzer.php#Analyzer.isBinary@7"),
    ("Analyzer->isBinary", "src/Tokens/Analyzer.php#Analyzer.isBinary@7"),
    ("Tokens\\Analyzer", "src/Tokens/Analyzer.php#Analyzer@5"),
    ("\\Fixer\\Tokens\\Analyzer::isBinary", "src/Tokens/Analyzer.php#Analyzer.isBinary@7"),
    ("Filters#where", "lib/site/filters.rb#Site.Filters.where@3"),
    ("Site::Filters#where", "lib/site/filters.rb#Site.Filters.where@3"),
    ("where()", "lib/site/filters.rb#Site.Filters.where@3"),
    ("web.Context.Next", "context.go#Context.Next@5"),
    ("(*Context).Next", "context.go#Context.Next@5"),
    ("*Context.Next", "context.go#Context.Next@5"),
    ("Reader#skip", "java/org/json/Reader.java#Reader.skip@4"),
    ("org.json.Reader#skip", "java/org/json/Reader.java#Reader.skip@4"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("written") / "repo", FILES)) as server:
        yield server


@pytest.mark.parametrize(("written", "reference"), WRITTEN)
def test_a_name_is_found_as_it_is_written(server: Server, written: str, reference: str) -> None:
    assert server.call("read", {"target": written})["result"]["symbol_ref"] == reference
    assert server.call("call_graph", {"symbol": written})["result"]["roots"] == [reference]
    file = reference.partition("#")[0]
    if written.count(".") + written.count("\\") < 2:
        outlined = server.call("file_outline", {"file": file, "symbol_label": written})["result"]
        assert [symbol["symbol_ref"] for symbol in outlined["symbols"]] == [reference]
    used = server.call("search", {"query": written, "mode": "references"})
    assert used["status"] == "ok" and used["result"]["symbols"] == [reference]


def test_what_is_not_there_names_what_may_be_meant(server: Server) -> None:
    def similar(target: str) -> list[str]:
        found = server.call("read", {"target": target})
        assert found["status"] == "not_found"
        shown: list[str] = found["result"]["similar"]
        return shown

    assert similar("web.Default") == ["context.go#Default@9"]
    assert similar("Other::skip") == ["java/org/json/Reader.java#Reader.skip@4"]
    assert similar("lib/site/filters.rb#Filters.wher")[:1] == ["lib/site/filters.rb#Site.Filters.where@3"]
    assert similar("isBin") == ["isBinary"]
    elsewhere = server.call("read", {"symbol": "skip", "path": "lib"})["result"]
    assert elsewhere["similar"] == ["java/org/json/Reader.java#Reader.skip@4"] and elsewhere["target"] == "skip"


@pytest.mark.parametrize(
    "target", ["lib/gone.rb#where", "gone.go#Context.Next", "lib/site/filter.rb#Site.Filters.where@3"]
)
def test_a_symbol_of_a_file_that_is_not_there_is_no_other(server: Server, target: str) -> None:
    error = error_of(server.call("read", {"target": target}), ErrorCode.FILE_NOT_FOUND)
    assert "does not exist" in error["message"]
    assert server.call("call_graph", {"symbol": target})["status"] == "not_found"


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
    assert name_parts(written) == parts
