"""C++. A class may inherit, a namespace has parts in other files, and a member defined outside of its class sees the
class's declarations: names found beyond these are never certain. Overloads are not distinguished.
"""

from __future__ import annotations

import re

from codeplane.languages.c import NAME_RULES
from codeplane.languages.c.doxygen import plain_lines
from codeplane.languages.c.repair import repair_cpp, rewrite
from codeplane.languages.c.syntax import expand_import, expand_pattern, expand_words
from codeplane.languages.cpp.declarations import announces, implied_name, owner_path
from codeplane.languages.names import words
from codeplane.languages.spec import CALLABLE, MEMBER, VALUE, DefinitionHead, EntryPoints, Language, RolePatterns

_STATIC = re.compile(r"\bstatic\b")
_SECTIONS = frozenset({"public", "protected", "private"})
"""After an access specifier from a macro, or Qt's `signals`, members are public."""


def module_name(path: str) -> str:
    """Return no module: a name belongs to its namespaces, in whatever file."""
    return ""


def visibility(head: DefinitionHead) -> str:
    """Return the access of a member by its section; for other names, whether they are local to the file."""
    if head.section:
        return head.section if head.section in _SECTIONS else "public"
    if head.parent_kind == "class":
        return "private"
    of_file = head.parent_kind in (None, "module") and head.kind in ("function", "variable")
    return "private" if of_file and _STATIC.search(head.text.partition("{")[0]) else "public"


_TAGGED = (VALUE, CALLABLE)
"""The name of a type is an ordinary one; after `struct` it is looked up among the types only."""

_NAME_RULES = NAME_RULES._replace(
    reserved=NAME_RULES.reserved
    | words(
        "alignas alignof and bool catch char16_t char32_t class concept const_cast constexpr decltype delete"
        " dynamic_cast explicit export false friend mutable namespace new noexcept not nullptr operator or private"
        " protected public reinterpret_cast requires static_assert static_cast template this thread_local throw"
        " true try typeid typename using virtual wchar_t xor"
    )
)

LANGUAGES = (
    Language(
        name="cpp",
        resolver="codeplane.languages.cpp.resolver:CppResolver",
        name_rules=_NAME_RULES,
        aliases=("c++", "cxx", "cc"),
        filter_extensions=(".h",),
        roles=RolePatterns(
            tests=(("**/*_test.cc", r"(?:.+_(?:unit)?tests?|test_.+|.+[a-z0-9]Test)\.(?:c|cc|cpp|cxx|cu)"),),
            generated="*.pb.cc *.pb.h",
            build="conanfile.py",
        ),
        family="config",
        extensions=(
            ".cc",
            ".cpp",
            ".cxx",
            ".c++",
            ".hpp",
            ".hh",
            ".hxx",
            ".h++",
            ".inl",
            ".ipp",
            ".tpp",
            ".ino",
            ".cu",
            ".cuh",
        ),
        grammar="tree_sitter_cpp:language",
        distribution="tree-sitter-cpp",
        module_name=module_name,
        entry_points=EntryPoints(is_main=lambda main: not main.is_nested),
        visibility=visibility,
        shared="c/shared.scm",
        separator="::",
        doc_lines=plain_lines,
        sequential=True,
        names_by_place=True,
        redeclared=frozenset({"class", "struct", "enum", "type", "module"}),
        announces=announces,
        namespaces={
            "class": _TAGGED,
            "struct": _TAGGED,
            "enum": _TAGGED,
            "constructor": (MEMBER,),
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
        owner_path=owner_path,
        implied_name=implied_name,
        rewrite=rewrite,
        repair=repair_cpp,
    ),
)
