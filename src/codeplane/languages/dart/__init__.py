"""Dart. A name that starts with an underscore is private to its library."""

from __future__ import annotations

from codeplane.languages.spec import DefinitionHead, EntryPoints, Language, RolePatterns


def module_name(path: str) -> str:
    return path.removesuffix(".dart").removeprefix("lib/").replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    if head.name.startswith("_") or head.parent_kind in ("function", "method", "constructor"):
        return "private"
    return "public"


LANGUAGES = (
    Language(
        name="dart",
        roles=RolePatterns(
            tests=(("**/*_test.dart", r".+_test\.dart"),),
            generated="*.g.dart *.freezed.dart",
        ),
        family="config",
        extensions=(".dart",),
        interpreters=("dart",),
        grammar="tree_sitter_dart:language",
        distribution="tree-sitter-dart",
        module_name=module_name,
        entry_points=EntryPoints(is_main=lambda main: not main.is_nested),
        visibility=visibility,
        coverage="references",
        doc_prefixes=("///",),
        attribute_prefixes=("@",),
        member_kinds={"function": "method", "variable": "field", "constant": "constant"},
        export_evidence="public_name",
    ),
)
