"""Rust. Modules see nothing of the scopes around them; members are reached through their type only.

Types, values and macros have namespaces of their own. A `let` hides an earlier one of the same name.
"""

from __future__ import annotations

import re

from codeplane.languages.names import NameRules, words
from codeplane.languages.rust.cargo import FAMILY as FAMILY
from codeplane.languages.rust.origins import find_origins
from codeplane.languages.rust.syntax import expand_import, expand_pattern
from codeplane.languages.spec import CALLABLE, TYPE, VALUE, DefinitionHead, EntryPoints, Language, RolePatterns

_PUB = re.compile(
    r"\bpub\s*(?:\(\s*([^()]*?)\s*\)\s*)?"
    r"(?:\b(?:const|async|unsafe|safe|extern|fn|struct|union|enum|trait|auto|type|static|mut|mod)\b\s*|\"[^\"]*\"\s*)*$"
)


def module_name(path: str) -> str:
    """Return the module path: `core::flags` for `crates/core/src/flags/mod.rs`; a `src` at the root belongs to
    `crate`.
    """
    parts = path.removesuffix(".rs").split("/")
    if "src" in parts[:-1]:
        root = len(parts) - 2 - parts[-2::-1].index("src")
        parts[: root + 1] = [parts[root - 1].replace("-", "_") if root else "crate"]
    if len(parts) > 1 and parts[-1] in ("mod", "lib", "main"):
        parts.pop()
    return "::".join(parts)


def visibility(head: DefinitionHead) -> str:
    if head.parent_kind in ("trait", "enum", "enum_member"):
        return "public"
    if head.kind == "macro":
        return "public" if "macro_export" in head.text else "private"
    found = _PUB.search(head.text)
    if found is None or found.group(1) == "self":
        return "private"
    return "internal" if found.group(1) else "public"


def import_binding(source: str, name: str) -> tuple[str, bool]:
    """Return the bound name. After `use anyhow::anyhow` the name may still mean the crate at the start of a path."""
    return name, name != source


_MAIN_FILES = re.compile(r"(?:.*/)?(?:main\.rs|src/bin/[^/]+\.rs|bin/[^/]+\.rs|src/bin/[^/]+/main\.rs)")

_NAME_RULES = NameRules(
    reserved=words(
        "Self abstract as async await become box break const continue crate do dyn else enum extern false final fn"
        " for if impl in let loop macro match mod move mut override priv pub ref return self static struct super"
        " trait true try type typeof unsafe unsized use virtual where while yield"
    ),
    shorthand=True,
    called_by_convention=re.compile(r"main"),
)

LANGUAGES = (
    Language(
        name="rust",
        resolver="codeplane.languages.rust.resolver:RustResolver",
        name_rules=_NAME_RULES,
        aliases=("rs",),
        roles=RolePatterns(
            tests=(("**/tests.rs", r"tests?\.rs|.+_tests?\.rs"),),
            build="Cargo.toml build.rs",
        ),
        family="rust",
        extensions=(".rs",),
        grammar="tree_sitter_rust:language",
        distribution="tree-sitter-rust",
        module_name=module_name,
        find_origins=find_origins,
        entry_points=EntryPoints(
            libraries=r"(?:.*/)?src/lib\.rs",
            is_main=lambda main: not main.is_nested and _MAIN_FILES.fullmatch(main.path) is not None,
        ),
        visibility=visibility,
        separator="::",
        doc_prefixes=("///",),
        inner_doc_prefixes=("//!",),
        sequential=True,
        names_by_place=True,
        member_kinds={"function": "method"},
        namespaces={
            "struct": (VALUE, TYPE),
            "enum": (TYPE,),
            "trait": (TYPE,),
            "type": (TYPE,),
            "module": (TYPE,),
            "macro": (CALLABLE,),
        },
        variables_are_items=True,
        members_qualified=True,
        inherits_types=True,
        export_evidence="pub",
        import_binding=import_binding,
        expand_import=expand_import,
        expand_pattern=expand_pattern,
    ),
)
