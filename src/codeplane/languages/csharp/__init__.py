"""C#. Values and methods share a namespace, types have their own. A class with a base class, or a partial one, has
members that this file does not show: names found beyond it are never certain.
"""

from __future__ import annotations

import re

from codeplane.languages.csharp.repair import repair
from codeplane.languages.csharp.xmldoc import plain_lines
from codeplane.languages.family import Family, markers
from codeplane.languages.names import NameRules, words
from codeplane.languages.spec import CALLABLE, MEMBER, TYPE, VALUE, DefinitionHead, Language, RolePatterns

_STRING = r'@?"(?:[^"\\\n]|\\.)*"'
_BRACKETS = rf"\[(?:[^\[\]\"]|{_STRING}|\[(?:[^\[\]\"]|{_STRING})*+\])*+\]"
_ATTRIBUTES = re.compile(rf"\A(?:{_BRACKETS}\s*)+|(?<=[(,] )(?:{_BRACKETS}\s*)+|(?<=\()(?:{_BRACKETS}\s*)+")
"""Attributes before a definition and before its parameters."""

_NOT_MODIFIERS = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/|\[[^\[\]]*\]", re.DOTALL)
_MODIFIER = re.compile(r"\b(public|protected|internal|private|file)\b")
_TYPES = (VALUE, TYPE)
"""Both, because `Shape.Area()` looks like the member of a value."""
_METHODS = (CALLABLE, VALUE)
"""Both, because a method without its arguments is a value (`list.Select(Convert)`)."""


def module_name(path: str) -> str:
    """Return no module: the namespace is declared in the file and part of the lexical path."""
    return ""


def implied_name(text: str) -> str:
    """Return the name of an operator (`operator +`), a conversion (`operator Shape`) or an indexer (`this`)."""
    return text if text == "this" else f"operator {' '.join(text.split())}"


def visibility(head: DefinitionHead) -> str:
    words = set(_MODIFIER.findall(_NOT_MODIFIERS.sub("", head.text)))
    for word in ("public", "protected", "internal", "private"):
        if word in words:
            return word
    if head.kind in ("enum_member", "module") or head.parent_kind == "interface":
        return "public"
    if head.parent_kind == "record" and head.kind == "property":
        return "public"  # A parameter of the record.
    return "internal" if head.parent_kind in (None, "module", "container") and "file" not in words else "private"


_NAME_RULES = NameRules(
    reserved=words(
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do"
        " double else enum event explicit extern false finally fixed float for foreach goto if implicit in int"
        " interface internal is lock long namespace new null object operator out override params private protected"
        " public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw"
        " true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while"
    ),
    keyword_mark=":",
    called_by_convention=re.compile(r"Main"),
)

LANGUAGES = (
    Language(
        name="csharp",
        resolver="codeplane.languages.csharp.resolver:CSharpResolver",
        name_rules=_NAME_RULES,
        aliases=("c#", "cs"),
        roles=RolePatterns(
            tests=(("**/*Tests.cs", r".+Tests?\.cs"),),
            generated=(
                "*.g.cs *.g.i.cs *.designer.cs *.Designer.cs *.Designer.vb packages.lock.json project.assets.json"
            ),
            build=(
                "Directory.Build.props Directory.Build.targets global.json nuget.config *.csproj *.fsproj"
                " *.vbproj *.vcxproj *.sln *.slnx"
            ),
        ),
        family="dotnet",
        extensions=(".cs", ".csx"),
        grammar="tree_sitter_c_sharp:language",
        distribution="tree-sitter-c-sharp",
        module_name=module_name,
        visibility=visibility,
        doc_prefixes=("///",),
        doc_lines=plain_lines,
        signature_noise=_ATTRIBUTES,
        member_kinds={"function": "method"},
        namespaces={
            "class": _TYPES,
            "interface": _TYPES,
            "struct": _TYPES,
            "enum": _TYPES,
            "record": _TYPES,
            "type": _TYPES,
            "method": _METHODS,
            "function": _METHODS,
            "method.explicit": (MEMBER,),
            "property.explicit": (MEMBER,),
            "constructor": (MEMBER,),
            "field": (VALUE,),
            "constant": (VALUE,),
            "property": (VALUE,),
            "enum_member": (VALUE,),
            "module": (),
        },
        call_namespace=CALLABLE,
        calls_reach_values=True,
        bare_members=True,
        inherits_types=True,
        implied_name=implied_name,
        repair=repair,
    ),
)

FAMILY = Family(
    name="dotnet",
    aliases=(".net",),
    unit_files=("*.cs", "*.fs", "*.fsx", "*.vb"),
    text_extensions=(".fs", ".fsx", ".vb", ".csproj"),
    markers=(*markers("*.sln *.slnx", fence=True), *markers("*.csproj *.fsproj *.vbproj")),
    named_by_marker=True,
)
