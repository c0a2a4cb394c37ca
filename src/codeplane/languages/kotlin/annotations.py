"""Rewrite annotations of top-level Kotlin declarations so that the grammar cannot misread them. Offsets are kept.

After two annotations the grammar also tries an expression, with `class` as a name and the class name as an infix
function, and may choose it without an error. After one annotation it does not. The other annotations therefore become
arguments of the first: `@A(x)⏎@B(y)⏎@C⏎class` is rewritten to `@A(x,⏎!B,y,⏎!C)class`, and `@A⏎@B⏎class` to
`@A< B>class`. The `!` before `B`, rare in real annotation arguments, marks a former annotation.
A single argument is also parsed as an annotated expression, `@A` applied to `(x)`; a trailing comma prevents that.
Headers that parse correctly stay unchanged: a colon, as in `class C(val x: Int)`, rules the expression out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FIRST = re.compile(rb"^@(?!file:)(?=[\w.:]*+[\s(])", re.MULTILINE)
_NAME = re.compile(rb"@(?:[a-z]++:[ \t]*+)?((?!i[ns])[^\W\d][\w.]*+)")
"""Annotation name; `in` and `is` are excluded because `!in` and `!is` are operators."""
_BLANK = re.compile(rb"\s++|//[^\n]*+|/\*")
_NEXT = re.compile(
    rb'[()]|"""(?:[^"]++|"(?!""))*(?:""")?|"(?:[^"\\\n]++|\\.)*"?' + rb"|'(?:[^'\\\n]++|\\.)*'?|//[^\n]*+|/\*"
)
_SOFT = re.compile(
    rb"(?:actual|annotation|const|data|expect|inner|operator|value)(?=[ \t]++(?:[a-z]++[ \t]++){0,5}"
    rb"(?:class|interface|object|fun|va[lr]|typealias)\b)"
)
"""Soft modifiers, which the grammar prefers to read as names when they come first."""
_HEADER = re.compile(rb"(?:[a-z]++[ \t]++){0,6}(?:class|interface|object|fun|va[lr]|typealias)\b")
_OPEN_HEADER = re.compile(rb"(?:[^:{=\n()]++|\(\s*+\))*(?:[{=\n]|\Z)")
ANNOTATION_CLASS = b"tailrec   "
"""Replacement for `annotation`: a modifier that no class has."""


class _Annotation(NamedTuple):
    at: int
    name: int
    """Start of its name."""
    open: int | None
    close: int | None
    """Its parentheses."""
    empty: bool
    """True if there is nothing between the parentheses."""
    comma: bool
    """True if the arguments end with a comma."""
    end: int


def plain_annotations(source: bytes) -> bytes:
    text = bytearray(source)
    position = 0
    while (found := _FIRST.search(source, position)) is not None:
        chain, position, whole = _read_chain(source, found.start())
        if not whole:
            break  # avoids searching for the same end again
        if chain:
            _rewrite_chain(source, text, chain, position)
        position = max(position, found.end())
    return bytes(text)


def _rewrite_chain(source: bytes, text: bytearray, chain: list[_Annotation], position: int) -> None:
    header = _HEADER.match(source, position)
    if header is None:
        return
    open_ended = _OPEN_HEADER.match(source, header.end()) is not None
    if len(chain) > 1:
        if open_ended or not all(annotation.empty for annotation in chain):
            _join(text, chain)
    elif not chain[0].empty and not chain[0].comma:
        text[chain[0].end - 1 : chain[0].end + 1] = b",)"
    soft = _SOFT.match(source, position) if open_ended else None
    if soft is not None:
        text[soft.start() : soft.end()] = ANNOTATION_CLASS if soft[0] == b"annotation" else b" " * len(soft[0])


def _read_chain(source: bytes, start: int) -> tuple[list[_Annotation], int, bool]:
    """The annotations from `start`, where what they belong to starts, and False where an end is missing.

    There are none where one of them is of another shape.
    """
    chain: list[_Annotation] = []
    plain, position = True, start
    while source[position : position + 1] == b"@":
        named = _NAME.match(source, position)
        if named is None:
            return [], position + 1, True
        end, opened, closed, empty, comma = named.end(), None, None, True, False
        if source[end : end + 1] == b"(":
            opened = end
            closed, empty, comma = _read_arguments(source, end)
            if closed is None:
                return [], position, False
            end = closed + 1
        chain.append(_Annotation(position, named.start(1), opened, closed, empty, comma, end))
        position = end
        while (blank := _BLANK.match(source, position)) is not None:
            position = blank.end() if blank[0] != b"/*" else source.find(b"*/", blank.end()) + 2
            if position < end:
                return [], end, False
        plain = plain and source[end : end + 1].isspace()
    return chain if plain else [], position, True


def _read_arguments(source: bytes, start: int) -> tuple[int | None, bool, bool]:
    depth, position, last = 0, start, start
    """`last` is the end of the last that is not a comment."""
    while (found := _NEXT.search(source, position)) is not None:
        token, before = found[0], source[position : found.start()].rstrip()
        if before:
            last = position + len(before)
        position = found.end()
        if token == b"/*":
            position = source.find(b"*/", position) + 2
            if position == 1:
                break
            continue
        if token.startswith(b"//"):
            continue
        if token == b")":
            depth -= 1
            if depth == 0:
                return found.start(), last == start + 1, source[last - 1 : last] == b","
        elif token == b"(":
            depth += 1
        last = found.end()
    return None, True, False


def _join(text: bytearray, chain: list[_Annotation]) -> None:
    """Make the others arguments of the first: of the type, where none has arguments of its own."""
    first, last = chain[0], chain[-1]
    typed = all(annotation.empty for annotation in chain)
    for annotation in chain:
        if annotation.open is not None and (typed or annotation.empty):
            text[annotation.open] = text[annotation.end - 1] = ord(" ")
        if annotation is not first:
            text[annotation.at : annotation.name] = b" " * (annotation.name - annotation.at)
            if not typed:
                text[annotation.at] = ord("!")
                if not annotation.empty and annotation.open is not None:
                    text[annotation.open] = ord(",")
        if annotation is last:
            continue
        if annotation is first and (annotation.open is None or annotation.empty):
            text[annotation.open or annotation.end] = ord("<" if typed else "(")
        elif annotation.close is not None:
            text[annotation.close] = ord(" " if annotation.comma else ",")
        else:
            text[annotation.end] = ord(",")
    closing = last.close if last.close is not None else last.end
    text[closing] = ord(">" if typed else ")")
