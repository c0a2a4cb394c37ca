"""Signatures, as far as they say more than kind and name do."""

from __future__ import annotations

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
