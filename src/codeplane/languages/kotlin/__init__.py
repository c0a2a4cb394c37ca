"""Kotlin. Types, values and functions have namespaces of their own. Members of a receiver that this file does not show
(lambdas, extensions, supertypes) precede the names around, and a call that does not fit continues outwards.
"""

from __future__ import annotations

import re

from codeplane.languages.java.modules import module_name
from codeplane.languages.kotlin.kdoc import plain_lines
from codeplane.languages.kotlin.repair import repair, rewrite
from codeplane.languages.kotlin.syntax import expand_import, expand_words
from codeplane.languages.names import NameRules, words
from codeplane.languages.spec import CALLABLE, MEMBER, TYPE, VALUE, DefinitionHead, EntryPoints, Language

_ARGUMENTS = r'\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*+\))*+\))*+\)'
_ANNOTATION = rf"@(?:\w+:)?(?:\[[^\]]*\]|[\w.]++(?:<[^<>()]*>)?(?:{_ARGUMENTS})?)\s*"
_ANNOTATIONS = re.compile(rf"\A(?:{_ANNOTATION})+")
_NOT_MODIFIERS = re.compile(rf'{_ANNOTATION}|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_VISIBILITY = re.compile(r"\b(public|protected|private|internal)\b")
_TYPES = (VALUE, TYPE, CALLABLE)
"""All, because a class is called to construct it, and `Shape.area()` looks like the member of a value."""


def visibility(head: DefinitionHead) -> str:
    found = _VISIBILITY.search(_NOT_MODIFIERS.sub(" ", head.text))
    if found is not None:
        return found.group(1)
    return "private" if head.parent_kind in ("function", "method", "constructor") else "public"


def implied_name(text: str) -> str:
    """Return `Companion` for a companion object without a name."""
    return "Companion" if text == "companion" else text


_NAME_RULES = NameRules(
    reserved=words(
        "as break class continue do else false for fun if in interface is null object package return super this"
        " throw true try typealias typeof val var when while"
    ),
    keyword_mark="=",
    called_by_convention=re.compile(r"main"),
)

LANGUAGES = (
    Language(
        name="kotlin",
        resolver="codeplane.languages.kotlin.resolver:KotlinResolver",
        name_rules=_NAME_RULES,
        aliases=("kt", "kts"),
        family="jvm",
        extensions=(".kt", ".kts"),
        grammar="tree_sitter_kotlin:language",
        distribution="tree-sitter-kotlin",
        module_name=module_name,
        entry_points=EntryPoints(is_main=lambda main: not main.is_nested),
        visibility=visibility,
        doc_prefixes=("/**",),
        doc_lines=plain_lines,
        signature_noise=_ANNOTATIONS,
        sequential=True,
        type_kinds=frozenset({"class", "interface", "enum", "annotation", "object"}),
        namespaces={
            "class": _TYPES,
            "interface": _TYPES,
            "enum": _TYPES,
            "annotation": _TYPES,
            "type": _TYPES,
            "object": (VALUE, TYPE),
            "function": (CALLABLE,),
            "method": (CALLABLE,),
            "constructor": (MEMBER,),
            "property": (VALUE,),
            "enum_member": (VALUE,),
        },
        call_namespace=CALLABLE,
        calls_reach_values=True,
        calls_fall_through=True,
        bare_members=True,
        inherits_types=True,
        export_evidence="public_declaration",
        implied_name=implied_name,
        expand_import=expand_import,
        expand_words=expand_words,
        rewrite=rewrite,
        repair=repair,
    ),
)
