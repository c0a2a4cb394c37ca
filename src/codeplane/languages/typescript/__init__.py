"""TypeScript and TSX. Types and values have namespaces of their own; overloads and merged declarations are one."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from codeplane.languages.javascript import NAME_RULES
from codeplane.languages.javascript.origins import find_origins
from codeplane.languages.javascript.repair import repair
from codeplane.languages.javascript.syntax import (
    DECORATORS,
    doc_lines,
    module_name,
    pattern_names,
    read_import,
    visibility,
)
from codeplane.languages.spec import MEMBER, TYPE, VALUE, Language

_TYPESCRIPT = Language(
    name="typescript",
    resolver="codeplane.languages.javascript.resolver.adapter:JavaScriptResolver",
    name_rules=NAME_RULES,
    aliases=("ts", "mts", "cts"),
    filter_languages=("tsx",),
    family="javascript",
    extensions=(".ts", ".mts", ".cts"),
    interpreters=("deno", "ts-node", "tsx"),
    grammar="tree_sitter_typescript:language_typescript",
    distribution="tree-sitter-typescript",
    shared="javascript/shared.scm",
    module_name=module_name,
    find_origins=find_origins,
    visibility=visibility,
    signature_noise=DECORATORS,
    doc_lines=doc_lines,
    redefinition_is_same=True,
    inherits_types=True,
    namespaces=MappingProxyType(
        {
            "class": (VALUE, TYPE),
            "enum": (VALUE, TYPE),
            "module": (VALUE, TYPE),
            "module.global": (MEMBER,),
            "interface": (TYPE,),
            "type": (TYPE,),
            "method": (MEMBER,),
            "constructor": (MEMBER,),
            "field": (MEMBER,),
            "property": (MEMBER,),
        }
    ),
    blank_aliases=frozenset(),
    expand_import=read_import,
    expand_pattern=pattern_names,
    repair=repair,
)

LANGUAGES = (
    _TYPESCRIPT,
    replace(
        _TYPESCRIPT,
        name="tsx",
        resolver="codeplane.languages.javascript.resolver.adapter:JavaScriptResolver",
        extensions=(".tsx",),
        interpreters=(),
        grammar="tree_sitter_typescript:language_tsx",
        folder="typescript",
    ),
)
