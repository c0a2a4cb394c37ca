"""Detection of sources that nest too deep to parse."""

from __future__ import annotations

from codeplane.base.limits import MAX_NESTING
from codeplane.facts.model import Extraction, Facts, Problem

TOO_DEEP = Extraction(Facts(), (Problem("too_deep", 1, f"nested deeper than {MAX_NESTING} brackets"),))

_NO_BRACKETS = bytes(set(range(256)) - set(b"([{}])"))
_ONE_BRACKET = bytes.maketrans(b"[{]}", b"(())")


def is_too_deep(source: bytes) -> bool:
    """True if brackets nest so deep that queries turn quadratic. Brackets in strings count too: rare, and safe."""
    brackets = source.translate(_ONE_BRACKET, _NO_BRACKETS)
    for _ in range(MAX_NESTING):
        # Remove innermost pairs; after a few rounds only the brackets of strings are left of ordinary code.
        remaining = brackets.replace(b"()", b"")
        if len(remaining) == len(brackets):
            return brackets.count(b"(") > MAX_NESTING
        brackets = remaining
    return b"(" in brackets
