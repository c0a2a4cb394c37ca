"""Rewrite JavaScript and TypeScript syntax that is newer than the grammars.

Runs only on a file that did not parse, and its result is used only if it parses better. Every byte keeps its offset,
so positions are those of the source.
"""

from __future__ import annotations

import re

_LEFT_OUT = re.compile(
    rb"(?<=\bexport)\s++type(?=\s*+\*)"  # export type * from "m"
    rb"|\baccessor(?=[ \t]+[#A-Za-z_$\[])"  # accessor name = value
    rb"|(?<=\bimport)\s++(?:defer|source)(?=\s++(?:\*|(?!from\b)[A-Za-z_$]))"  # import defer * as ns from "m"
)
_VARIANCE = re.compile(
    rb"([<,](?:\s|/\*(?:[^*]|\*(?!/))*+\*/)*+)(in\s++out|in|out)(?=\s++[A-Za-z_$][\w$]*+\s*+(?:[,>=]|extends\b))"
)
_WORD = re.compile(rb"\S")
_COMMENT_LINE = re.compile(rb"[ \t]*(?://|/\*|\*)")
_TYPE_PARAMETERS_FIRST = re.compile(rb"([ \t]*)[ \t]<")
_COMPLETE = re.compile(rb"[\w)\]}>\"'`][ \t\r]*\Z")


def repair(source: bytes) -> bytes:
    repaired = _VARIANCE.sub(lambda found: found[1] + b" " * len(found[2]), source)
    lines = _LEFT_OUT.sub(lambda found: _WORD.sub(b" ", found[0]), repaired).split(b"\n")
    # The second of two call signatures without a semicolon may start with type parameters.
    above = b""
    for number, line in enumerate(lines):
        if _TYPE_PARAMETERS_FIRST.match(line) and _COMPLETE.search(above):
            lines[number] = _TYPE_PARAMETERS_FIRST.sub(rb"\1;<", line, count=1)
        if line.strip() and not _COMMENT_LINE.match(line):
            above = line
    return b"\n".join(lines)
