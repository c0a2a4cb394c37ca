"""Shortened signatures."""

from __future__ import annotations

import re

MAX_CHARS = 160

_KEYWORDS = frozenset(
    {"class", "def", "enum", "fn", "func", "function", "interface", "mod", "record", "struct", "trait", "type"}
)
_EMPTY = frozenset({"", "()", "(self)", "(cls)"})


def telling_signature(signature: str, name: str, limit: int = MAX_CHARS) -> str:
    """Return the signature cut to `limit`; empty if it has no parameter, base or type besides name and keyword."""
    before, found, after = signature.partition(name)
    if not found or (after.strip() in _EMPTY and all(word in _KEYWORDS for word in before.split())):
        return "" if found or not signature else _cut(signature, limit)
    # In Go, `type Router interface` only states the kind.
    if before.strip() == "type" and after.strip() in _KEYWORDS:
        return ""
    return _cut(signature, limit)


def short_signature(signature: str, limit: int) -> str:
    """Return the signature on one line within `limit`, dropping types and defaults of parameters first."""
    words = _LINE_BREAK.sub(" ", signature)
    if len(words) <= limit:
        return words
    parameters = parameters_of(words)
    if parameters:
        names = [_parameter_name(part) for part in _split_parameters(parameters[1:-1])]
        words = words.replace(parameters, f"({', '.join(names)})", 1)
    return _cut(words, limit)


def cut_signature(signature: str, limit: int = MAX_CHARS) -> str:
    """Return the start of the signature on one line."""
    return _cut(_LINE_BREAK.sub(" ", signature), limit)


def _split_parameters(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{<") - (char in ")]}" or (char == ">" and text[at - 1 : at] not in ("-", "=")))
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def _parameter_name(parameter: str) -> str:
    """Return the name of a `name: type = default` parameter; other parameters unchanged."""
    name = _TYPED.match(parameter)
    return name[0].strip() if name else parameter


_LINE_BREAK = re.compile(r"\s*\n\s*")
_TYPED = re.compile(r"[*&.$#@\w ]+\??(?=\s*[:=])")


def parameters_of(signature: str) -> str:
    """Return the first parenthesized list, with parentheses."""
    start = signature.find("(")
    depth = 0
    for at in range(max(0, start), len(signature) if start >= 0 else 0):
        depth += {"(": 1, ")": -1}.get(signature[at], 0)
        if not depth:
            return signature[start : at + 1]
    return ""


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
