"""Compare the parents of definitions with ctags, and explain differences.

The witness is the indentation: the block in which a line is indented names its parent, whatever the parsers
say. Where it does not speak for us, the difference counts against us.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from benchmarks.definitions.read_tags import MINIFIED, Tag

from codeplane.facts.model import Def


def parent_by_ctags(tag: Tag) -> str | None:
    """The last name of its scope; "" at the top of a file; None where ctags has no name to compare."""
    # the namespace of PHP holds for a file, as a package does
    if tag.scope_kind == "package" or (tag.language == "PHP" and tag.scope_kind == "namespace"):
        return None
    if tag.language in _WITHOUT_SCOPES:
        return None
    last = _last(tag.scope)
    if last.startswith(("anonymous", "__anon", "Anonymous")) or tag.scope.endswith("<lambda>"):
        return None
    return last


def parent_by_us(row: Def, defs: Sequence[Def], language: str) -> str:
    above = row.lexical_path.removesuffix(row.name).removesuffix(".")
    if row.parent is not None and above.endswith(defs[row.parent].name):
        parent = defs[row.parent]
        return "" if language == "PHP" and parent.kind == "module" else _last(parent.name)
    return _last(above)


def explain_level(tag: Tag, parent: str, declared: Collection[int], lines: Sequence[str]) -> str | None:
    """Explain why ctags gives another parent; `declared` are the lines that certainly contain a definition."""
    line = lines[tag.line - 1] if 0 < tag.line <= len(lines) else ""
    if len(line) > MINIFIED:
        return "a minified line"
    word = re.compile(rf"(?<![\w$]){re.escape(parent)}(?![\w$])")
    qualifier = r"(?:<[^()]*>|\[[^()]*\])?\s*(?:::|\.|\)|#)[^()=]*"
    if parent and re.search(rf"{word.pattern}(?:{qualifier}|[^{{}}]*\{{[^}}]*){re.escape(tag.name)}", line):
        return "our parent is written before the name"
    for first, last in _enclosing(lines, tag.line):
        if parent and word.search("\n".join(lines[first - 1 : last])):
            return "ctags loses the scope: the line is indented under our parent"
        if any(number in declared for number in range(first, last + 1)):
            return None
    if not parent:
        return "ctags keeps a scope that has ended, or that is no definition"
    statement = re.compile(rf"\s*namespace\s+(?:[\w.]+\.)?{re.escape(parent)}\s*;")
    if any(statement.match(text) for text in lines[: tag.line]):
        return "ctags does not know a namespace without a block"
    return None


_WITHOUT_SCOPES = frozenset({"Haskell"})
_LABEL = re.compile(r"(?:(?:public|private|protected|signals|default)\b[\w ]*|case\b.*):$")
_COMMENT = ("//", "#", "*", "/*", "--")
_CONTINUES = ("{", ")", "]", ">", "->", ":", "where", "throws", "extends", "implements", "requires")


def _enclosing(lines: Sequence[str], line: int) -> Iterator[tuple[int, int]]:
    """First and last line of what opens each block that a line is indented in, from the nearest outwards."""
    width = _width(lines[line - 1])
    at = line - 1
    while at > 0 and width > 0:
        text = lines[at - 1].strip()
        if text and not text.startswith(_COMMENT) and not _LABEL.match(text) and _width(lines[at - 1]) < width:
            width = _width(lines[at - 1])
            first = at
            # a header of many lines ends with what cannot begin one
            while first > 1 and (lines[first - 1].strip().startswith(_CONTINUES) or _width(lines[first - 1]) > width):
                first -= 1
            yield first, at
            at = first
        at -= 1


def _width(line: str) -> int:
    text = line.expandtabs(8)
    return len(text) - len(text.lstrip()) if text.strip() else 0


def _last(path: str) -> str:
    # the parameters of a type are no part of its name, and they nest
    while (bare := re.sub(r"<[^<>]*>", "", path)) != path:
        path = bare
    parts = [part for part in re.split(r"[.:\\/#]+", path) if part]
    return parts[-1].strip("\"'`") if parts else ""
