"""Parameters and results in the text of a signature, to compare two signatures."""

from __future__ import annotations

import re

_OPENING, _CLOSING = "([{<", ")]}>"
_ARROW = ("->", "=>", "<-")
_QUALIFIER = re.compile(r"\b\w+\.(?=\w)")
_GO_TYPE_WORDS = ("func", "chan", "map", "struct", "interface")
_GO_NAMED = re.compile(r"(\w+)\s+(\S.*)", re.DOTALL)


def parameters_after(signature: str, name: str) -> str | None:
    """Return the text between the parentheses after a name, or None."""
    found = re.search(rf"(?<!\w){re.escape(name)}\s*(?:<[^()]*>)?\s*\(", signature)
    if found is None:
        return None
    end = _closing(signature, found.end() - 1)
    return signature[found.end() : end] if end is not None else None


def count_parameters(signature: str, name: str) -> int | None:
    """Count the parameters of a function; None if the text has no parameter list."""
    text = parameters_after(signature, name)
    return len(split_list(text)) if text is not None else None


def split_list(text: str) -> list[str]:
    """Split a list at commas outside of brackets."""
    parts: list[str] = []
    depth = start = 0
    for at, char in enumerate(text):
        if char in _OPENING and text[at : at + 2] not in _ARROW:
            depth += 1
        elif char in _CLOSING and text[at - 1 : at + 1] not in _ARROW:
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def go_types(signature: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the parameter and result types of a Go function, without names and packages."""
    found = re.search(rf"(?<!\w){re.escape(name)}\s*(?:\[[^()]*\])?\s*\(", signature)
    end = _closing(signature, found.end() - 1) if found is not None else None
    if found is None or end is None:
        return None
    results = signature[end + 1 :].strip().removesuffix("{").strip()
    if results.startswith("("):
        last = _closing(results, 0)
        results = results[1:last] if last is not None else ""
    elif results:
        return _go_list(signature[found.end() : end]), (_go_type(results),)
    return _go_list(signature[found.end() : end]), _go_list(results)


def _go_list(text: str) -> tuple[str, ...]:
    parts = split_list(text)
    named = [_GO_NAMED.fullmatch(part) for part in parts]
    if not any(match is not None and match[1] not in _GO_TYPE_WORDS for match in named):
        return tuple(map(_go_type, parts))
    types: list[str] = []
    following = ""
    # `a, b int`: a name without a type has the type of the next.
    for part, match in zip(reversed(parts), reversed(named), strict=True):
        following = _go_type(match[2]) if match is not None else following or _go_type(part)
        types.append(following)
    return tuple(reversed(types))


def _go_type(text: str) -> str:
    plain = _QUALIFIER.sub("", "".join(text.split()).replace("interface{}", "any"))
    # Parameters of function types may or may not be named.
    return plain.partition("func(")[0] + "func" if "func(" in plain else plain


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    return None
