"""Blank C# directives where the grammar does not accept them: inside a declaration or an expression.

Runs only on a file that did not parse, and its result is used only if it parses better. Every byte keeps its offset.
Of an `#if` that splits a declaration only the first branch stays; other conditionals keep all branches.
"""

from __future__ import annotations

import re
from itertools import pairwise

_DIRECTIVE = re.compile(rb"^[ \t]*+#[ \t]*+(\w++|[!:])[^\n]*+", re.MULTILINE)
_WRITTEN = re.compile(rb"\S")
_TOKEN = re.compile(
    rb'^[ \t]*+#[^\n]*+|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|\$?@\$?"(?:[^"]|"")*+"|"(?:[^"\\\n]|\\.)*+"'
    rb"|'(?:[^'\\\n]|\\.)++'|\w++|\S",
    re.MULTILINE,
)
_SKIPPED = (b"//", b"/*", b"#")
_OPENING, _CLOSING = frozenset(b"([{"), frozenset(b")]}")
_CONTINUES = frozenset({b"case", b"default", b"else", b"catch", b"finally"})
"""Keywords that continue the preceding statement."""
_LOOK_BACK = 4096

_Span = tuple[int, int]


def repair(source: bytes) -> bytes:
    kept = bytearray(source)
    unfinished: list[list[_Span]] = []
    for found in _DIRECTIVE.finditer(source):
        word, span = found[1], found.span()
        if word == b"if":
            unfinished.append([span])
        elif word in (b"elif", b"else") and unfinished:
            unfinished[-1].append(span)
        elif word == b"endif" and unfinished:
            directives = [*unfinished.pop(), span]
            if not _stands_alone(source, directives):
                for directive in directives:
                    _blank(kept, *directive)
                _blank(kept, directives[1][0], directives[-1][0])
        elif word in (b":", b"!", b"r", b"load"):
            _blank(kept, *span)
    return bytes(kept)


def _stands_alone(source: bytes, directives: list[_Span]) -> bool:
    """True if every branch consists of complete declarations or statements, and follows a complete one."""
    start = directives[0][0]
    if not _complete(source, max(0, source.rfind(b"\n", 0, max(0, start - _LOOK_BACK))), start, whole=False):
        return False
    return all(_complete(source, here[1], after[0], whole=True) for here, after in pairwise(directives))


def _complete(source: bytes, start: int, end: int, *, whole: bool) -> bool:
    """True if the last token before `end` completes a statement; with `whole`, brackets must also balance."""
    depth, last, first = 0, b";", True
    for found in _TOKEN.finditer(source, start, end):
        token = found[0]
        if token.lstrip().startswith(_SKIPPED):
            continue
        if whole and first and token in _CONTINUES:
            return False
        first = False
        if len(token) == 1:
            depth += (token[0] in _OPENING) - (token[0] in _CLOSING)
            if whole and depth < 0:
                return False
        last = token
    if whole:
        return depth == 0 and last in (b";", b"}")
    return last in (b";", b"}", b"{", b":")


def _blank(kept: bytearray, start: int, end: int) -> None:
    kept[start:end] = _WRITTEN.sub(b" ", bytes(kept[start:end]))
