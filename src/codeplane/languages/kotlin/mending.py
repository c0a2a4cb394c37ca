"""Kotlin that the grammar cannot read, or misreads, put in words that it can. Every byte keeps its place.

`rewrite` is for all files, because the grammar takes the body of a class that delegates for a lambda, and an annotated
class for an expression, and does not say so. `mend` is asked only for a file that did not parse, and taken only where
it parses better.
"""

from __future__ import annotations

import re

_DELEGATING = re.compile(
    rb"^(.*[\w>?])[ \t]by([ \t]++[\w.]++(?:\((?:[^(){}\n]|\([^(){}\n]*+\))*+\))?)[ \t](?=[ \t]*+\{)", re.MULTILINE
)
_PARENTHESES = re.compile(rb"\([^()]*+\)")
_PROPERTY = re.compile(rb"\b(?:val|var)\b")

_SOFT = re.compile(
    rb"\b(?:open|expect|actual|data|value|inner|annotation)"
    rb"(?=[ \t]++(?:[a-z]++[ \t]++){0,4}(?:class|object|interface)[ \t]++\w)"
)
"""After an annotation the grammar takes these modifiers for names, and the keyword for an infix function."""
_ANNOTATION_CLASS = b"tailrec   "
"""A modifier that no class has, in place of `annotation`."""
_ANNOTATED_FUNCTION = re.compile(rb"(?<=\))[ \t](?=fun[ \t<])")
"""The same, of `@Name("x") fun f()`; not so with a line break before the keyword."""

_END_OF_BODY = re.compile(rb"(?<![\s{,;(])(?<!->)[ \t](?=[ \t]*+\})")
"""Between the last member and the brace on its line, where the grammar wants a semicolon or a line break."""
_NEXT_MEMBER = re.compile(
    rb"(?<=\})[ \t](?=[ \t]*+(?:fun|va[lr]|class|object|interface|override|abstract|open"
    rb"|private|internal|public|protected)\b)"
)
_LEFT_OUT = re.compile(
    rb"\b(?:actual|expect)(?=\s++[a-z@])"  # internal actual constructor(...)
    rb"|,(?=\s*+\])"  # list[1, 2,]
    rb"|@[\w.:]++(?:\([^()\n]*+\))?(?=\s++[gs]et\()"  # an annotated accessor
)
_CONSTRUCTOR_BELOW = re.compile(
    rb"(\bclass[ \t]++\w++(?:<[^<>{}()]*+>)?[ \t]*+)\n"
    rb"(?=[ \t]*+(?:(?:@[\w.]++|private|internal|protected|public)\s++)*+constructor\b)"
)
"""In a class the grammar takes the line break after a name for the end of the declaration."""
_WORD = re.compile(rb"\S")
_EMPTY_COLLECTION = re.compile(rb"(?<=[=(,] )\[\]|(?<=[=(])\[\]")
_MODIFIER_AS_NAME = re.compile(
    rb"\b(fina|ope|abstrac|overrid|externa|seale|suspen|lateini|infi|inlin|tailre|reifie|inne)([a-z])\b"
    rb"(?=\(|[ \t]*+(?:[=.,)\]:+*/!?&|<>;]|-[^>]))"
)
_ACCESSOR_AS_CALL = re.compile(rb"^[ \t]*+(?:get(?=\((?!\)))|set(?=\([\"'\d])|by(?=\.))", re.MULTILINE)
"""A statement below a property, which the grammar takes for a part of the property."""


def rewrite(source: bytes) -> bytes:
    """`: Base by other {` becomes `: Base(   other){`, which is read as the same names."""
    source = source.replace(b"\0", b" ")  # which the grammar's scanner would wait at forever
    if b"@" in source:
        source = _SOFT.sub(lambda found: _plain(source, found), source)
        source = _ANNOTATED_FUNCTION.sub(b"\n", source)
    return _DELEGATING.sub(_delegated, source) if b" by " in source else source


def mend(source: bytes) -> bytes:
    mended = _LEFT_OUT.sub(lambda found: _WORD.sub(b" ", found[0]), source)
    mended = _CONSTRUCTOR_BELOW.sub(rb"\1 ", mended)
    mended = _EMPTY_COLLECTION.sub(b'""', mended)
    mended = _ACCESSOR_AS_CALL.sub(lambda found: found[0][:-1] + b"_", mended)
    mended = _END_OF_BODY.sub(b";", _NEXT_MEMBER.sub(b";", mended))
    return _MODIFIER_AS_NAME.sub(rb"\1_", mended)


def _plain(source: bytes, found: re.Match[bytes]) -> bytes:
    """Without the modifier, where an annotation stands on the line, or the line above may be the end of one."""
    line = source.rfind(b"\n", 0, found.start()) + 1
    above = source[source.rfind(b"\n", 0, max(0, line - 1)) + 1 : line].strip()
    if b"@" not in source[line : found.start()] and not above.startswith(b"@") and not above.endswith(b")"):
        return found[0]
    return _ANNOTATION_CLASS if len(found[0]) == len(_ANNOTATION_CLASS) else b" " * len(found[0])


def _delegated(found: re.Match[bytes]) -> bytes:
    head = found[1]
    while (plain := _PARENTHESES.sub(b"", head)) != head:
        head = plain
    # What delegates here is a property (`val x by lazy {`); in a header these words stand in parentheses.
    if _PROPERTY.search(head.rpartition(b"(")[2]):
        return found[0]
    return found[1] + b"(  " + found[2] + b")"
