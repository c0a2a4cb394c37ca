"""C. Struct, union and enum tags have a namespace of their own; an include brings in names that this file does not
show.

A declaration and a definition in the same file are one definition: the one with the body.
"""

from __future__ import annotations

import re

from codeplane.languages.c.doxygen import plain_lines
from codeplane.languages.c.headers import prefer
from codeplane.languages.c.repair import repair_c, rewrite
from codeplane.languages.c.syntax import expand_import, expand_pattern, expand_words
from codeplane.languages.names import NameRules, words
from codeplane.languages.spec import CALLABLE, MEMBER, VALUE, DefinitionHead, EntryPoints, Language

_STATIC = re.compile(r"\bstatic\b")


def module_name(path: str) -> str:
    """Return no module: the linker has one namespace."""
    return ""


def visibility(head: DefinitionHead) -> str:
    """Return `private` for `static` functions and variables, which are local to their file."""
    if head.kind in ("function", "variable") and _STATIC.search(head.text.partition("{")[0]):
        return "private"
    return "public"


NAME_RULES = NameRules(
    reserved=words(
        "auto break case char const continue default do double else enum extern float for goto if inline int long"
        " register restrict return short signed sizeof static struct switch typedef union unsigned void volatile"
        " while"
    ),
    called_by_convention=re.compile(r"main"),
)

LANGUAGES = (
    Language(
        name="c",
        resolver="codeplane.languages.cpp.resolver:CppResolver",
        name_rules=NAME_RULES,
        family="config",
        extensions=(".c", ".h"),
        grammar="tree_sitter_c:language",
        distribution="tree-sitter-c",
        module_name=module_name,
        entry_points=EntryPoints(is_main=lambda main: not main.is_nested),
        visibility=visibility,
        shared="c/shared.scm",
        doc_lines=plain_lines,
        sequential=True,
        names_by_place=True,
        redeclared=frozenset({"function", "struct", "enum", "type"}),
        announces=lambda declared, defined: True,
        members_qualified=True,
        namespaces={
            "struct": (CALLABLE,),
            "enum": (CALLABLE,),
            "function.made": (MEMBER,),
            "struct.typedef": (VALUE,),
            "enum.typedef": (VALUE,),
            "type.function": (VALUE,),
        },
        export_evidence="external_linkage",
        expand_import=expand_import,
        expand_pattern=expand_pattern,
        expand_words=expand_words,
        lists_unread=True,
        prefer=prefer,
        rewrite=rewrite,
        repair=repair_c,
    ),
)
