"""The comment right above a symbol, whichever language it is of. Pure."""

from __future__ import annotations

from collections.abc import Callable

MAX_LINES = 40
_MAX_LOOK = 400
_SIGNS = ("//", "/*", "*", "--", ";;", "<!--", "%")
_HASH = "#"
_DIRECTIVES = frozenset({"c", "cpp", "csharp"})
"""Languages in which a `#` begins no comment."""


def comment_above(line_at: Callable[[int], str], line: int, language: str | None) -> tuple[str, int]:
    """Lines that end right above `line` and are a comment, and how many of them are left out. The first tell most."""
    signs = _SIGNS if language in _DIRECTIVES else (*_SIGNS, _HASH)
    lines: list[str] = []
    inside = False
    while line > 1 and len(lines) < _MAX_LOOK:
        line -= 1
        text = line_at(line)
        bare = text.strip()
        # Lines of a block need no sign of their own: it goes on up to where it opens.
        inside = (inside or bare.endswith("*/")) and "/*" not in bare
        if not inside and not bare.startswith(signs):
            break
        lines.append(text)
    else:
        if inside:
            return "", 0
    lines.reverse()
    return "".join(lines[:MAX_LINES]), max(0, len(lines) - MAX_LINES)
