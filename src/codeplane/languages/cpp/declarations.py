"""Derive names and parameter types of C++ declarations from their text."""

from __future__ import annotations

import re

_ARGUMENTS = re.compile(r"<[^<>]*>")
_LAST = re.compile(r"::\s*(?:operator\b.*|~?\s*\w+)\s*$", re.DOTALL)
_OPERATOR = re.compile(r"operator\s*((?:new|delete)\s*\[.*|[^\w\s:].*)", re.DOTALL)
_PARAMETERS = re.compile(r"\s*\([^()]*\)[^()]*$")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAMED = re.compile(r"(?<=[\w>*&\]])(?:\s+|(?<=[*&]))[A-Za-z_]\w*$")
_ARRAY = re.compile(r"\[[^\]]*\]$")
_TYPE_WORDS = frozenset(
    {"char", "short", "int", "long", "signed", "unsigned", "float", "double", "bool", "const", "auto"}
)
_OPENING, _CLOSING = "(<[{", ")>]}"


def implied_name(text: str) -> str:
    """Normalize an operator name: `operator bool() const` to `operator bool`, `operator ==` to `operator==`."""
    found = _OPERATOR.fullmatch(text)
    if found is None:
        return " ".join(_PARAMETERS.sub("", text).split())
    symbol = "".join(found[1].split())
    return f"operator {symbol}" if symbol[0].isalpha() else f"operator{symbol}"


def owner_path(text: str) -> str:
    """Return the owner of a qualified name: `Map.Iterator` for `Map<K, V>::Iterator::next`."""
    path = _LAST.sub("", text)
    while True:
        plain = _ARGUMENTS.sub("", path)
        if plain == path:
            return ".".join(filter(None, "".join(path.split()).split("::")))
        path = plain


def announces(declared: str, defined: str) -> bool:
    """True if both parameter lists have the same types; other types are another overload."""
    return _types(declared) == _types(defined)


def _types(parameters: str) -> list[str]:
    """Return the types of a parameter list, without names and default values."""
    text = _COMMENT.sub(" ", parameters).strip().removeprefix("(").removesuffix(")").strip()
    if text in ("", "void"):
        return []
    types, depth, start = [], 0, 0
    for place, char in enumerate(text + ","):
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == "," and depth <= 0:
            types.append(_type(text[start:place]))
            start = place + 1
    return types


def _type(parameter: str) -> str:
    text = _ARRAY.sub("*", parameter.partition("=")[0].strip())
    named = _NAMED.search(text)
    if named is not None and named[0].strip() not in _TYPE_WORDS:
        text = text[: named.start()]
    return "".join(text.split())
