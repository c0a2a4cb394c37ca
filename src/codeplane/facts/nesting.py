"""Whether a source nests so deep that it is better not parsed."""

from __future__ import annotations

from codeplane.base.limits import MAX_NESTING
from codeplane.facts.model import Extraction, Facts, Problem

TOO_DEEP = Extraction(Facts(), (Problem("too_deep", 1, f"nested deeper than {MAX_NESTING} brackets"),))

_NO_BRACKETS = bytes(set(range(256)) - set(b"([{}])"))
_ONE_BRACKET = bytes.maketrans(b"[{]}", b"(())")


def is_too_deep(source: bytes) -> bool:
    """Whether brackets nest so deep that queries turn quadratic. Those in strings count too: rare, and safe."""
    brackets = source.translate(_ONE_BRACKET, _NO_BRACKETS)
    for _ in range(MAX_NESTING):
        # The innermost pairs go; what is left of ordinary code after a few rounds is what strings hold.
        remaining = brackets.replace(b"()", b"")
        if len(remaining) == len(brackets):
            return brackets.count(b"(") > MAX_NESTING
        brackets = remaining
    return b"(" in brackets
