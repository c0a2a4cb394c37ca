"""Syntax that is younger than the grammars, put in words that they can read.

Asked only for a file that did not parse, and taken only where it parses better. Every byte keeps its
place, so that positions stay those of the source.
"""

from __future__ import annotations

import re

_LEFT_OUT = re.compile(
    rb"(?<=[<,])\s*(?:in\s+out|in|out)(?=\s+[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))"  # variance of a type parameter
    rb"|(?<=\bexport)\s+type(?=\s*\*)"  # export type * from "m"
    rb"|\baccessor(?=[ \t]+[#A-Za-z_$\[])"  # accessor name = value
    rb"|(?<=\bimport)\s+(?:defer|source)(?=\s+(?:\*|(?!from\b)[A-Za-z_$]))"  # import defer * as ns from "m"
)
_WORD = re.compile(rb"\S")
_LEADING_TYPE_PARAMETERS = re.compile(
    rb"(?m)(?<=[\w)\]}>\"'`])((?:\s*//[^\n]*|\s*/\*(?:[^*]|\*(?!/))*\*/)*\s*\n[ \t]*)[ \t](?=<)"
)
"""Two call signatures without a semicolon between them, of which the second has type parameters."""


def mend(source: bytes) -> bytes:
    mended = _LEFT_OUT.sub(lambda found: _WORD.sub(b" ", found.group()), source)
    return _LEADING_TYPE_PARAMETERS.sub(rb"\1;", mended)
