"""Explain definitions that ctags does not report, where the source text shows that they are definitions.

The witness is the text around the name: a keyword that declares, a body behind parameters, a function behind
`=`. Neither of the two is believed. What has no reason here may be an invention of ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.definitions.misses import KEYWORDS
from benchmarks.definitions.read_tags import MINIFIED, Tag

from codeplane.facts.model import Def


def explain_extra(row: Def, language: str, tags: Sequence[Tag], lines: Sequence[str]) -> str | None:
    """`tags` are those of its file and name, of all kinds. None is perhaps an error of ours."""
    near = [tag for tag in tags if row.start_line - 3 <= tag.line <= row.name_line + 3]
    if any(row.start_line - 1 <= tag.line <= row.name_line for tag in near):
        return "ctags has it as another kind"
    if near:
        return "ctags has it a few lines apart"
    line = lines[row.name_line - 1] if 0 < row.name_line <= len(lines) else ""
    if len(line) > MINIFIED:
        return "a minified line"
    before, found, after = _around(line, row)
    if not found or row.name in KEYWORDS or re.match(r"\s*(?://|\*|--|#(?!\s*define\b|\[))", line):
        return None
    if _DECLARED.search(before) or (language == "Sh" and re.match(r"\s*\(\s*\)", after)):
        return "a keyword declares it, and ctags passes over it"
    if language == "Haskell" and _is_equation(before, after):
        return "a signature or an equation defines it, and ctags passes over it"
    if language in ("C", "C++") and _MACRO_ARGUMENT.search(before):
        return "an argument of the macro that makes it, and ctags has the name of the macro"
    after = "\n".join((after, *lines[row.name_line : row.name_line + _PARAMETER_LINES]))
    if language in ("JavaScript", "TypeScript") and _is_function_value(after):
        return "a function as a value, and ctags passes over it"
    if language == "Ruby" and re.match(r"\s*=\s*(?:::)?(?:Class|Module|Struct|Data)\.(?:new|define)\b", after):
        return "a class as a value, and ctags passes over it"
    if language in ("C", "C++", "C#", "Java", "JavaScript", "TypeScript") and _is_callable(before, after, language):
        return "it has parameters and a body or a type, and ctags passes over it"
    return None


_PARAMETER_LINES = 30
_MACRO_ARGUMENT = re.compile(r"^\s*[A-Z][A-Z0-9_]+\s*\((?:\s*[A-Za-z_]\w*\s*,)?\s*$")
_DECLARED = re.compile(
    r"(?:^|[^\w.$])(?:(?:def\w*|fn|fun|func|class|interface|trait|struct|union|enum|mod|module|namespace|object|type"
    r"|typealias|data|newtype)\b|function\b\s*\*?|macro_rules!|#\s*define\b)"
    # the parameters of a type, or the receiver of a method
    r"(?:\s*[*&]\s*|\s*<[^;={}]*>\s*|\s*\([^()]*\)\s*|\s+)"
    # what the name is qualified with
    r"(?:[\w$?<>, *]+(?:\.|::|\\))*[`\"':]?$"
)
_STATEMENT = re.compile(r"(?:^|\s)(?:return|new|throw|else|await|case|do|goto|yield|delete|in|of)\s|[=(!?;+/|]")
_TAIL = re.compile(
    r"\s*(?:(?:(?:const|noexcept|override|final|throws|where|requires)\b|&&?|->|:)[^;={}]*)?"
    r"(?:\{|=>|=\s*(?:0|default|delete)\s*;)"
)


def _around(line: str, row: Def) -> tuple[str, bool, str]:
    """Return the text before and after the name; its column counts bytes."""
    data = line.encode("utf-8", "replace")
    before, rest = (part.decode("utf-8", "replace") for part in (data[: row.name_col], data[row.name_col :]))
    if rest.startswith(row.name):
        return before, True, rest[len(row.name) :]
    head, found, tail = line.partition(row.name)
    return head, bool(found), tail


def _is_equation(before: str, after: str) -> bool:
    signature = re.match(r"\)?(?:\s*,\s*[\w']+)*\s*::", after)
    return re.fullmatch(r"\s*(?:(?:where|let|default)\s+)?\(?", before) is not None and (
        signature is not None or re.match(r"[^=|]*(?:=(?![=>])|\|)", after) is not None
    )


def _is_function_value(after: str) -> bool:
    value = re.match(r"[\"'\]]*\??\s*(?::[^=;{}]*)?(?::|=(?![>=]))\s*(?:async\b\s*)?", after)
    if value is None:
        return False
    rest = after[value.end() :]
    if re.match(r"(?:function|class)\b|[\w$]+\s*=>", rest):
        return True
    rest = re.sub(r"^<[^()]*>", "", rest)
    end = _closed(rest)
    return end is not None and re.match(r"\s*(?::[^=;]*)?=>", rest[end:]) is not None


def _is_callable(before: str, after: str, language: str) -> bool:
    """Told from a call by what follows: a body, or nothing at all behind a name that has a type before it."""
    before = re.sub(r"<[^()]*>", "", before)
    if _STATEMENT.search(before):
        return False
    after = re.sub(r"^[\"'\]]*\??\s*(?:<[^()]*>)?", "", after)
    end = _closed(after)
    if end is None:
        return False
    typed = re.search(r"[\w>\]*&?]\s*[*&]*\s*(?:[\w<>]+::)*~?$", before) is not None
    # a macro of C is called with a body too: only what has a type, or is qualified, is a function
    if _TAIL.match(after[end:]):
        return typed or language not in ("C", "C++")
    return typed and re.match(r"[^={}()]*;", after[end:]) is not None


def _closed(text: str) -> int | None:
    """Return the end of the leading parentheses; parentheses in strings are not recognized."""
    if not text.lstrip().startswith("("):
        return None
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")":
            return at + 1
    return None
