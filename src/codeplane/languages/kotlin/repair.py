"""Rewrite Kotlin that the grammar rejects or misreads. Every byte keeps its offset.

`rewrite` runs on every file: the grammar reads the body of a delegating class as a lambda, and an annotated class as
an expression, without a syntax error. `repair` runs only on a file that did not parse, and its result is used only if
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
"""Modifiers that the grammar reads as names after an annotation, and the keyword as an infix function."""
_ANNOTATED_FUNCTION = re.compile(rb"(?<=\))[ \t](?=fun[ \t<])")
"""The same for `@Name("x") fun f()`; a line break before the keyword avoids it."""

_END_OF_BODY = re.compile(rb"(?<![\s{,;(])(?<!->)[ \t](?=[ \t]*+\})")
"""Gap between the last member and a brace on its line, where the grammar requires a semicolon or line break."""
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
"""Context parameters of a declaration."""
_GUARD = re.compile(
    rb"^[ \t]*+(?:!?i[sn][ \t][^\n\"{}]{1,200}?|[A-Z][\w.]*+)[ \t](if)(?=[ \t][^\n]{1,200}->)", re.MULTILINE
)
_ELSE_GUARD = re.compile(rb"^[ \t]*+else[ \t]++if(?=[ \t][^\n{}]{1,200}->)", re.MULTILINE)
_TEXT = re.compile(
    rb"//[^\n]*+|/\*(?:[^*]++|\*(?!/))*(?:\*/)?|'(?:[^'\\\n]|\\.)'"
    rb'|(\$*)("""(?:[^"]++|"(?!"")|"(?="{3}))*(?:""")?|' + _STRING + rb")"
)
"""Comments, and strings with the dollar signs before them."""
_CONSTRUCTOR_BELOW = re.compile(
    rb"(\bclass[ \t]++\w++(?:<[^<>{}()]*+>)?[ \t]*+)\n"
    rb"(?=[ \t]*+(?:(?:@[\w.]++(?:\([^()\n]*+\))?|private|internal|protected|public)\s++)*+constructor\b)"
)
"""Class name followed by a line break and `constructor`; the grammar ends the declaration at the line break."""
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
"""Statement after a property that the grammar reads as an accessor of the property, or as a type test."""


def rewrite(source: bytes) -> bytes:
    """Rewrite `: Base by other {` to `: Base(   other){`, which has the same names."""
    source = _ended(source.replace(b"\0", b" "))  # the grammar's scanner loops forever on NUL
    if b"@" in source:
        source = _SOFT.sub(lambda found: _plain(source, found), source)
        source = _ANNOTATED_FUNCTION.sub(b"\n", source)
    if b" by " in source:
        source = _DELEGATING.sub(_delegated, source)
    return plain_annotations(source) if b"@" in source else source  # last, because it breaks lines


def repair(source: bytes) -> bytes:
    repaired = _TEXT.sub(_plain_text, source)
    repaired = _CONTEXT.sub(_blank, _LEFT_OUT.sub(_blank, repaired))
    repaired = _GUARD.sub(lambda found: found[0][:-2] + b" ,", repaired)
    repaired = _ELSE_GUARD.sub(_blank, repaired)
    repaired = _CONSTRUCTOR_BELOW.sub(rb"\1 ", repaired)
    repaired = _EMPTY_COLLECTION.sub(b'""', repaired)
    repaired = _ACCESSOR_AS_CALL.sub(lambda found: found[0][:-1] + b"_", repaired)
    repaired = _END_OF_BODY.sub(b";", _NEXT_MEMBER.sub(b";", repaired))
    return _ended(_MODIFIER_AS_NAME.sub(rb"\1_", repaired))


def _ended(source: bytes) -> bytes:
    """Cut the last byte of an annotation that ends the file: the scanner loops there waiting for a blank."""
    return source[:-1] + b"\n" if _OPEN_ANNOTATION.search(source[-2000:]) is not None else source


def _blank(found: re.Match[bytes]) -> bytes:
    return _WORD.sub(b" ", found[0])


def _plain_text(found: re.Match[bytes]) -> bytes:
    """Replace extra quotes at the end of a raw string, and dollar signs in a string with several before it."""
    dollars, text = found[1], found[2]
    if text is None:
        return found[0]
    if text.startswith(b'"""') and text.endswith(b'""""') and len(text) > 6:
        inner = text[3:-3].rstrip(b'"')
        text = b'"""' + inner + b"'" * (len(text) - len(inner) - 6) + b'"""'
    return b" " * len(dollars) + text.replace(b"$", b"_") if len(dollars) > 1 else dollars + text


def _plain(source: bytes, found: re.Match[bytes]) -> bytes:
    """Blank the modifier if the line has an annotation, or the previous line may end one."""
    line = source.rfind(b"\n", 0, found.start()) + 1
    above = source[source.rfind(b"\n", 0, max(0, line - 1)) + 1 : line].strip()
    if b"@" not in source[line : found.start()] and not above.startswith(b"@") and not above.endswith(b")"):
        return found[0]
    return ANNOTATION_CLASS if len(found[0]) == len(ANNOTATION_CLASS) else b" " * len(found[0])


def _delegated(found: re.Match[bytes]) -> bytes:
    head = found[1]
    while (plain := _PARENTHESES.sub(b"", head)) != head:
        head = plain
    # A delegated property (`val x by lazy {`); in a class header these words are in parentheses.
    if _PROPERTY.search(head.rpartition(b"(")[2]):
        return found[0]
    return found[1] + b"(  " + found[2] + b")"
