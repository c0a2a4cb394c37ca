"""Kotlin that the grammar cannot read, or misreads, put in words that it can. Every byte keeps its place.

`rewrite` is for all files, because the grammar takes the body of a class that delegates for a lambda, and an annotated
class for an expression, and does not say so. `mend` is asked only for a file that did not parse, and taken only where
it parses better.
"""

from __future__ import annotations

import re

from codeplane.languages.kotlin.annotations import ANNOTATION_CLASS, plain_annotations

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
_ANNOTATED_FUNCTION = re.compile(rb"(?<=\))[ \t](?=fun[ \t<])")
"""The same, of `@Name("x") fun f()`; not so with a line break before the keyword."""

_END_OF_BODY = re.compile(rb"(?<![\s{,;(])(?<!->)[ \t](?=[ \t]*+\})")
"""Between the last member and the brace on its line, where the grammar wants a semicolon or a line break."""
_NEXT_MEMBER = re.compile(
    rb"(?<=\})[ \t](?=[ \t]*+(?:fun|va[lr]|class|object|interface|override|abstract|open"
    rb"|private|internal|public|protected)\b)"
)
_STRING = rb'"(?:[^"\\\n]|\\.)*"'
_ARGUMENTS = rb'\((?:[^()"]|' + _STRING + rb'|\((?:[^()"]|' + _STRING + rb")*\))*\)"
_LEFT_OUT = re.compile(
    rb"\b(?:actual|expect)(?=\s++[a-z@])"  # internal actual constructor(...)
    rb"|,(?=\s*+\])"  # list[1, 2,]
    rb"|@[\w.:]++(?:" + _ARGUMENTS + rb")?(?=\s++(?://[^\n]*+\s++)?(?:(?:private|internal|protected)\s++)?[gs]et\b)"
    rb"|(?<=: )@[\w.]++\([^()\n]*+\)(?= )"  # val kind: @Serializable(Kinds::class) Kind
    rb"|\?(?=::)"  # String?::plus
    rb"|\bsuspend(?=[ \t]*+\(\()"  # suspend ((Call) -> Unit)
)
_CONTEXT = re.compile(
    rb"^[ \t]*+context" + _ARGUMENTS + rb"(?=\s++(?:@|(?:[a-z]++[ \t]++){0,5}(?:fun|va[lr]|class|interface)\b))",
    re.MULTILINE,
)
"""What a function wants to find where it is called."""
_GUARD = re.compile(
    rb"^[ \t]*+(?:!?i[sn][ \t][^\n\"{}]{1,200}?|[A-Z][\w.]*+)[ \t](if)(?=[ \t][^\n]{1,200}->)", re.MULTILINE
)
_ELSE_GUARD = re.compile(rb"^[ \t]*+else[ \t]++if(?=[ \t][^\n{}]{1,200}->)", re.MULTILINE)
_TEXT = re.compile(
    rb"//[^\n]*+|/\*(?:[^*]++|\*(?!/))*(?:\*/)?|'(?:[^'\\\n]|\\.)'"
    rb'|(\$*)("""(?:[^"]++|"(?!"")|"(?="{3}))*(?:""")?|' + _STRING + rb")"
)
"""Comments, and strings with the dollars before them."""
_CONSTRUCTOR_BELOW = re.compile(
    rb"(\bclass[ \t]++\w++(?:<[^<>{}()]*+>)?[ \t]*+)\n"
    rb"(?=[ \t]*+(?:(?:@[\w.]++(?:\([^()\n]*+\))?|private|internal|protected|public)\s++)*+constructor\b)"
)
"""In a class the grammar takes the line break after a name for the end of the declaration."""
_WORD = re.compile(rb"\S")
_OPEN_ANNOTATION = re.compile(rb"(?<!\S)@(?:[^\s()]|\)|\([^)\n]*\))*(?:\([^)\n]*)?(?<!\n)\Z")
_EMPTY_COLLECTION = re.compile(rb"(?<=[=(,] )\[\]|(?<=[=(])\[\]")
_MODIFIER_AS_NAME = re.compile(
    rb"\b(fina|ope|abstrac|overrid|externa|seale|suspen|lateini|infi|inlin|tailre|reifie|inne|expec|actua|enu)([a-z])\b"
    rb"(?=\(|[ \t]*+(?:[=.,)\]:+*/!?&|<>;]|-[^>])|(?<=suspend)[ \t]*+\{)"
)
_ACCESSOR_AS_CALL = re.compile(
    rb"^[ \t]*+(?:get(?=\((?!\))|[ \t]*+\{)|set(?=\([\"'\d]|[ \t]*+[={])|by(?=\.)|(?:in|[ai]s)(?=\d))", re.MULTILINE
)
"""A statement below a property, which the grammar takes for a part of the property, or for a test of its value."""


def rewrite(source: bytes) -> bytes:
    """`: Base by other {` becomes `: Base(   other){`, which is read as the same names."""
    source = _ended(source.replace(b"\0", b" "))  # which the grammar's scanner would wait at forever
    if b"@" in source:
        source = _SOFT.sub(lambda found: _plain(source, found), source)
        source = _ANNOTATED_FUNCTION.sub(b"\n", source)
    if b" by " in source:
        source = _DELEGATING.sub(_delegated, source)
    return plain_annotations(source) if b"@" in source else source  # last, because it ends lines


def mend(source: bytes) -> bytes:
    mended = _TEXT.sub(_plain_text, source)
    mended = _CONTEXT.sub(_blank, _LEFT_OUT.sub(_blank, mended))
    mended = _GUARD.sub(lambda found: found[0][:-2] + b" ,", mended)
    mended = _ELSE_GUARD.sub(_blank, mended)
    mended = _CONSTRUCTOR_BELOW.sub(rb"\1 ", mended)
    mended = _EMPTY_COLLECTION.sub(b'""', mended)
    mended = _ACCESSOR_AS_CALL.sub(lambda found: found[0][:-1] + b"_", mended)
    mended = _END_OF_BODY.sub(b";", _NEXT_MEMBER.sub(b";", mended))
    return _ended(_MODIFIER_AS_NAME.sub(rb"\1_", mended))


def _ended(source: bytes) -> bytes:
    """Without the last byte of an annotation that the file ends in: the scanner waits there for a blank."""
    return source[:-1] + b"\n" if _OPEN_ANNOTATION.search(source[-2000:]) is not None else source


def _blank(found: re.Match[bytes]) -> bytes:
    return _WORD.sub(b" ", found[0])


def _plain_text(found: re.Match[bytes]) -> bytes:
    """A raw string without quotes at its end, and one with more than a dollar before it without any in it."""
    dollars, text = found[1], found[2]
    if text is None:
        return found[0]
    if text.startswith(b'"""') and text.endswith(b'""""') and len(text) > 6:
        inner = text[3:-3].rstrip(b'"')
        text = b'"""' + inner + b"'" * (len(text) - len(inner) - 6) + b'"""'
    return b" " * len(dollars) + text.replace(b"$", b"_") if len(dollars) > 1 else dollars + text


def _plain(source: bytes, found: re.Match[bytes]) -> bytes:
    """Without the modifier, where an annotation stands on the line, or the line above may be the end of one."""
    line = source.rfind(b"\n", 0, found.start()) + 1
    above = source[source.rfind(b"\n", 0, max(0, line - 1)) + 1 : line].strip()
    if b"@" not in source[line : found.start()] and not above.startswith(b"@") and not above.endswith(b")"):
        return found[0]
    return ANNOTATION_CLASS if len(found[0]) == len(ANNOTATION_CLASS) else b" " * len(found[0])


def _delegated(found: re.Match[bytes]) -> bytes:
    head = found[1]
    while (plain := _PARENTHESES.sub(b"", head)) != head:
        head = plain
    # What delegates here is a property (`val x by lazy {`); in a header these words stand in parentheses.
    if _PROPERTY.search(head.rpartition(b"(")[2]):
        return found[0]
    return found[1] + b"(  " + found[2] + b")"
