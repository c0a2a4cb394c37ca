"""Objective-C. A class is declared by its interface; a method is named by the first part of its selector."""

from __future__ import annotations

from codeplane.languages.spec import DefinitionHead, Language, RolePatterns


def module_name(path: str) -> str:
    return path.rpartition(".")[0].replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    return "private" if head.text.startswith("static ") or head.parent_kind == "function" else "public"


LANGUAGES = (
    Language(
        name="objective-c",
        roles=RolePatterns(tests=(("**/*Tests.m", r".+Tests?\.mm?"),)),
        family="config",
        extensions=(".m", ".mm"),
        grammar="tree_sitter_objc:language",
        distribution="tree-sitter-objc",
        folder="objc",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        aliases=("objc", "obj-c"),
        doc_prefixes=("///",),
        doc_block=("/**", "*/"),
        member_kinds={"function": "method", "variable": "field"},
        redeclared=frozenset({"class", "method"}),
        export_evidence="public",
    ),
)
