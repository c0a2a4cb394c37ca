"""The comment directly above a symbol, in any language. Pure."""

from __future__ import annotations

from collections.abc import Callable

MAX_LINES = 40
_MAX_SCANNED = 400
_MARKERS = ("//", "/*", "*", "--", ";;", "<!--", "%")
_HASH_MARKER = "#"
_DIRECTIVES = frozenset({"c", "cpp", "csharp"})
"""Languages in which `#` does not start a comment."""


def comment_above(line_at: Callable[[int], str], line: int, language: str | None) -> tuple[str, int]:
    """Return the comment lines directly above `line`, and the number of further lines, truncated from the end."""
    markers = _MARKERS if language in _DIRECTIVES else (*_MARKERS, _HASH_MARKER)
    lines: list[str] = []
    inside = False
    while line > 1 and len(lines) < _MAX_SCANNED:
        line -= 1
        text = line_at(line)
        stripped = text.strip()
        # Lines inside of a block comment need no marker.
        inside = (inside or stripped.endswith("*/")) and "/*" not in stripped
        if not inside and not stripped.startswith(markers):
            break
        lines.append(text)
    else:
        if inside:
            return "", 0
    lines.reverse()
    return "".join(lines[:MAX_LINES]), max(0, len(lines) - MAX_LINES)
