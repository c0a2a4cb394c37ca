"""Signatures, as far as they say more than kind and name do."""

from __future__ import annotations

import re

MAX_CHARS = 160

_KEYWORDS = frozenset(
    {"class", "def", "enum", "fn", "func", "function", "interface", "mod", "record", "struct", "trait", "type"}
)
_EMPTY = frozenset({"", "()", "(self)", "(cls)"})


def telling_signature(signature: str, name: str, limit: int = MAX_CHARS) -> str:
    """The signature, cut to `limit`; empty when beside name and keyword it has no parameter, base or type."""
    before, found, after = signature.partition(name)
    if not found or (after.strip() in _EMPTY and all(word in _KEYWORDS for word in before.split())):
        return "" if found or not signature else _cut(signature, limit)
    # `type Router interface` is how Go writes the kind.
    if before.strip() == "type" and after.strip() in _KEYWORDS:
        return ""
    return _cut(signature, limit)


def short_signature(signature: str, limit: int) -> str:
    """The signature on one line, at most `limit` characters long: types and defaults of parameters go first."""
    words = _LINE_BREAK.sub(" ", signature)
    if len(words) <= limit:
        return words
    given = parameters_of(words)
    if given:
        names = [_parameter_name(part) for part in _split_parameters(given[1:-1])]
        words = words.replace(given, f"({', '.join(names)})", 1)
    return _cut(words, limit)


def cut_signature(signature: str, limit: int = MAX_CHARS) -> str:
    """The beginning of the signature on one line."""
    return _cut(_LINE_BREAK.sub(" ", signature), limit)


def _split_parameters(text: str) -> list[str]:
    """Parts between the commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{<") - (char in ")]}" or (char == ">" and text[at - 1 : at] not in ("-", "=")))
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def _parameter_name(parameter: str) -> str:
    """What stands before the type in languages that write `name: type = default`; other parameters as they are."""
    name = _TYPED.match(parameter)
    return name[0].strip() if name else parameter


_LINE_BREAK = re.compile(r"\s*\n\s*")
_TYPED = re.compile(r"[*&.$#@\w ]+\??(?=\s*[:=])")


def parameters_of(signature: str) -> str:
    """The first list in parentheses, with them."""
    start = signature.find("(")
    depth = 0
    for at in range(max(0, start), len(signature) if start >= 0 else 0):
        depth += {"(": 1, ")": -1}.get(signature[at], 0)
        if not depth:
            return signature[start : at + 1]
    return ""


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
