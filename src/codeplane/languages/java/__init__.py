"""Java. Types, values and callables have namespaces of their own; a class inherits all three from types that this file
does not show, so that names found beyond such a class are never certain.
"""

from __future__ import annotations

import re

from codeplane.languages.java.builds import FAMILY as FAMILY
from codeplane.languages.java.javadoc import plain_lines
from codeplane.languages.java.modules import module_name
from codeplane.languages.java.origins import find_origins
from codeplane.languages.names import NameRules, words
from codeplane.languages.spec import CALLABLE, TYPE, VALUE, DefinitionHead, EntryPoints, Language, RolePatterns

_NOT_MODIFIERS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_VISIBILITY = re.compile(r"\b(public|protected|private)\b")
_ARGUMENTS = r'\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"(?:[^"\\]|\\.)*")*+\))*+\))*+\)'
_ANNOTATION = rf"@(?!interface\b)[\w.$]++(?:\s?{_ARGUMENTS})?\s?"
_BALANCED = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\))*+$"
_ANNOTATIONS = re.compile(rf"\A(?:{_ANNOTATION})+|(?<=[a-z] ){_ANNOTATION}(?={_BALANCED})")
"""Annotations before a definition or between its modifiers. After annotations of a parameter the brackets do not
balance.
"""

_TYPES = (VALUE, TYPE)
"""Both, because `Shape.area()` looks like the member of a value."""


def visibility(head: DefinitionHead) -> str:
    text = _NOT_MODIFIERS.sub("", head.text)
    found = _VISIBILITY.search(text)
    if found is not None:
        return found.group(1)
    if head.kind in ("enum_member", "property") or head.parent_kind in ("interface", "annotation"):
        return "public"
    if head.parent_kind == "enum" and head.kind == "constructor":
        return "private"
    return "package"


_NAME_RULES = NameRules(
    reserved=words(
        "abstract assert boolean break byte case catch char class const continue default do double else enum"
        " extends false final finally float for goto if implements import instanceof int interface long native new"
        " null package private protected public return short static strictfp super switch synchronized this throw"
        " throws transient true try void volatile while"
    ),
    valid=re.compile(r"[^\W\d][\w$]*"),
    called_by_convention=re.compile(r"main"),
    type_names_file=True,
)

LANGUAGES = (
    Language(
        name="java",
        resolver="codeplane.languages.java.resolver:JavaResolver",
        name_rules=_NAME_RULES,
        roles=RolePatterns(
            tests=(
                (
                    "**/*Test.java",
                    r"(?:.*Tests?|.+TestCase|.*[a-z0-9]IT|Test[A-Z].*)\.(?:java|kt|groovy|scala)",
                ),
            ),
            generated="gradle.lockfile",
            build=(
                "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew gradlew.bat mvnw"
                " mvnw.cmd pom.xml build.xml *.gradle *.gradle.kts"
            ),
        ),
        family="jvm",
        extensions=(".java",),
        grammar="tree_sitter_java:language",
        distribution="tree-sitter-java",
        module_name=module_name,
        find_origins=find_origins,
        entry_points=EntryPoints(is_main=lambda main: "static" in main.signature and "void main(" in main.signature),
        visibility=visibility,
        doc_prefixes=("///",),
        doc_lines=plain_lines,
        signature_noise=_ANNOTATIONS,
        sequential=True,
        type_kinds=frozenset({"class", "interface", "enum", "record", "annotation"}),
        namespaces={
            "class": _TYPES,
            "interface": _TYPES,
            "enum": _TYPES,
            "record": _TYPES,
            "annotation": _TYPES,
            "method": (CALLABLE,),
            "constructor": (CALLABLE,),
            "field": (VALUE,),
            "property": (CALLABLE, VALUE),
            "enum_member": (VALUE,),
            "module": (),
        },
        call_namespace=CALLABLE,
        bare_members=True,
        inherits_types=True,
        export_evidence="public_modifier",
    ),
)
