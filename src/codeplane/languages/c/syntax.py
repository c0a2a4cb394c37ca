"""Expand C and C++ syntax that no query pattern can match: declarators, includes, `using`, and macro bodies.

Walks iteratively, so that deep nesting cannot exhaust the stack.
"""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.spec import ImportSite

_NAMES = frozenset(
    {"identifier", "field_identifier", "type_identifier", "primitive_type", "namespace_identifier"}
    | {"operator_name", "operator_cast", "destructor_name", "nested_namespace_specifier"}
)
_KEYWORDS = frozenset(
    b"""alignas alignof and asm auto bool break case catch char class concept const const_cast constexpr continue
    decltype default defined delete do double dynamic_cast else enum explicit extern false float for friend goto if
    inline int long mutable namespace new noexcept not nullptr operator or private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_cast struct switch template this throw
    true try typedef typename union unsigned using virtual void volatile while __attribute__ __extension__ __inline
    __inline__ __restrict __typeof__ __VA_ARGS__ __VA_OPT__ typeof _Bool _Generic _Static_assert""".split()
)
_WORD = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"?'
    rb"|'(?:[^'\\\n]|\\.)*'?"
    rb"|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    rb"|\.?\d[\w.']*"
    rb"|\#[ \t]*(?:include[^\n]*|(?:ifn?def|define|undef|endif|elif|error|pragma|warning|line)\b)"
    rb"|(->\*?\s*|\.\s*|::\s*)?\b([A-Za-z_]\w*)(?=(\s*\()?)",
    re.DOTALL,
)


def expand_pattern(node: Any) -> list[Any]:
    """Return the identifiers that a declarator declares: one, or those of a structured binding.

    Empty for a function, which has patterns of its own, unless it declares a parameter or a type.
    """
    while node is not None:
        kind = node.type
        if kind in _NAMES:
            return [node]
        if kind == "structured_binding_declarator":
            return [child for child in node.named_children if child.type == "identifier"]
        inner = node.child_by_field_name("name" if kind in _NAMED else "declarator")
        if kind == "function_declarator" and inner is not None and inner.type != "parenthesized_declarator":
            around = node.parent
            while around is not None and around.type == "pointer_declarator":
                around = around.parent
            if around is None or around.type not in ("parameter_declaration", "type_definition"):
                return []
        if inner is None and kind in _WRAPPING:
            inner = next((child for child in node.named_children if child.type in _DECLARATORS), None)
        node = inner
    return []


_NAMED = frozenset({"qualified_identifier", "template_function", "template_type"})
_WRAPPING = frozenset(
    {
        "parenthesized_declarator",
        "reference_declarator",
        "variadic_declarator",
        "attributed_declarator",
        "pointer_type_declarator",
    }
)
"""Declarators that wrap another one without a field name in the grammars."""
_DECLARATORS = _NAMES | _WRAPPING | {"pointer_declarator", "array_declarator", "function_declarator", "init_declarator"}


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Expand an include, a declaration of a class without a body, a `using`, or a namespace alias."""
    kind = node.type
    if kind in ("class_specifier", "struct_specifier"):
        return [ImportSite("", _text(node.child_by_field_name("name"), source), None, None)]
    if kind == "preproc_include":
        path = node.child_by_field_name("path")
        if path is None:
            return []
        written = _text(path, source)
        angled = path.type == "system_lib_string"
        return [ImportSite(written.strip('<>"'), "*", None, None, "c_include_system" if angled else None)]
    if kind == "namespace_alias_definition":
        alias, meant = node.child_by_field_name("name"), node.named_children[-1]
        return [ImportSite(_text(meant, source), "*", _text(alias, source), alias)] if alias is not None else []
    target = node.named_children[-1] if node.named_children else None
    if target is None:
        return []
    if any(child.type == "namespace" for child in node.children):
        return [ImportSite(_text(target, source), "*", None, None, "cpp_using_namespace")]
    last = target
    while last is not None and last.type == "qualified_identifier":
        last = last.child_by_field_name("name")
    if last is None or last.type not in _NAMES:
        return []
    name = _text(last, source)
    origin = _text(target, source).removesuffix(name).removesuffix("::")
    # Inheriting constructors binds no new name.
    return [ImportSite(origin, name, None, None if origin.rpartition("::")[2] == name else last)]


def expand_words(source: bytes, start: int, end: int) -> list[tuple[int, int, str]]:
    """Return the identifiers in the replacement text of a macro, with their likely usage."""
    found = []
    for word in _WORD.finditer(source, start, end):
        text = word[2]
        if text is not None and text not in _KEYWORDS:
            capture = "member" if word[1] else "call" if word[3] is not None else "name"
            found.append((word.start(2), word.end(2), capture))
    return found


def _text(node: Any, source: bytes) -> str:
    return "".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())
