"""Zig. A type is the value of a constant; a file is a struct, whose fields may be at its top level."""

from __future__ import annotations

import re

from codeplane.languages.spec import DefinitionHead, EntryPoints, Language, RolePatterns

_PUBLIC = re.compile(r"\A(?:pub|export)\b")


def module_name(path: str) -> str:
    return path.removesuffix(".zig").removeprefix("src/").replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    if head.kind in ("field", "enum_member") and not head.text.startswith(("const", "var")):
        return "public"
    return "public" if _PUBLIC.match(head.text) else "private"


LANGUAGES = (
    Language(
        name="zig",
        roles=RolePatterns(
            tests=(("**/*_test.zig", r".+_test\.zig"),),
            build="build.zig build.zig.zon",
        ),
        family="config",
        extensions=(".zig",),
        grammar="tree_sitter_zig:language",
        distribution="tree-sitter-zig",
        module_name=module_name,
        entry_points=EntryPoints(is_main=lambda main: not main.is_nested),
        visibility=visibility,
        coverage="references",
        comments=("//",),
        doc_prefixes=("///",),
        inner_doc_prefixes=("//!",),
        member_kinds={"function": "method"},
        export_evidence="pub",
    ),
)
