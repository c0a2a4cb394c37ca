"""Toy: a language for tests, with the grammar of Lua. The whole language is this folder."""

from __future__ import annotations

from pathlib import Path

from codeplane.languages.spec import Language

LANGUAGES = (
    Language(
        name="toy",
        family="config",
        extensions=(".toy",),
        folder=str(Path(__file__).parent),
        grammar="tree_sitter_lua:language",
        distribution="tree-sitter-lua",
        module_name=lambda path: path.removesuffix(".toy").replace("/", "."),
        visibility=lambda head: "public",
        export_evidence="global",
        resolver="codeplane.languages.toy.resolver:ToyResolver",
    ),
)
