"""GraphQL: types, their fields and values, directives, operations and fragments. Read without a grammar."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from codeplane.languages.family import Family
from codeplane.languages.keys import visibility
from codeplane.languages.spec import DefinitionSite, Language, Reading

_NOISE = re.compile(rb'#[^\n]*+|"""(.*?)(?:"""|\Z)|"((?:[^"\\\n]|\\.)*+)"?', re.DOTALL)
_DEFINITION = re.compile(
    rb"^[ \t]*+((?:extend\s++)?+(type|input|interface|enum|union|scalar|directive|query|mutation|subscription|fragment)"
    rb"\s++(?:@\s*+)?+([A-Za-z_]\w*+))",
    re.MULTILINE,
)
_STOP = re.compile(rb"^[ \t]*+(?:schema\b|extend\b|\{)", re.MULTILINE)
_BRACE = re.compile(rb"[{}]")
_ASIDE = re.compile(rb"\([^()]*+\)|\{[^{}]*+\}|@\s*+\w++")
_FIELD = re.compile(rb"([A-Za-z_]\w*+)\s*+:\s*+[\[\]\w!]*+")
_VALUE = re.compile(rb"[A-Za-z_]\w*+")
_KINDS = {
    b"type": "type",
    b"input": "type",
    b"interface": "interface",
    b"enum": "enum",
    b"union": "type",
    b"scalar": "type",
    b"directive": "annotation",
    b"query": "function",
    b"mutation": "function",
    b"subscription": "function",
    b"fragment": "function",
}
_BODILESS = frozenset({b"union", b"scalar", b"directive"})
_WITH_FIELDS = frozenset({b"type", b"input", b"interface"})

Docs = tuple[list[int], list[str]]


def read(root: Any, source: bytes, path: str) -> Reading:
    docs: Docs = ([], [])

    def blank(found: re.Match[bytes]) -> bytes:
        if found.lastindex:
            docs[0].append(found.end())
            docs[1].append(found.group(found.lastindex).decode("utf-8", "replace"))
        return re.sub(rb"[^\n]", b" ", found.group())

    text = _NOISE.sub(blank, source)
    sites: list[DefinitionSite] = []
    found = _DEFINITION.search(text)
    while found is not None:
        following = _DEFINITION.search(text, found.end())
        limit = following.start() if following is not None else len(text)
        word = found.group(2)
        opening = text.find(b"{", found.end(), limit) if word not in _BODILESS else -1
        if opening >= 0:
            end = _closing(text, opening)
        else:
            stop = _STOP.search(text, found.end(), limit)
            end = found.end() + len(text[found.end() : stop.start() if stop is not None else limit].rstrip())
        start = found.start(1)
        sites.append(
            DefinitionSite(
                _KINDS[word],
                found.group(3).decode(),
                start,
                end,
                *found.span(3),
                opening if opening >= 0 else None,
                doc=_doc(docs, start, source),
            )
        )
        if opening >= 0:
            sites.extend(_members(word, text, opening + 1, end - 1, docs, source))
        found = following if following is not None and following.start() >= end else _DEFINITION.search(text, end)
    return Reading(sites)


def _members(word: bytes, text: bytes, start: int, end: int, docs: Docs, source: bytes) -> list[DefinitionSite]:
    if word not in _WITH_FIELDS and word != b"enum":
        return []
    pattern = _VALUE if word == b"enum" else _FIELD
    body = _ASIDE.sub(lambda found: b" " * len(found.group()), text[start:end])
    found = []
    for member in pattern.finditer(body):
        at = (start + member.start(), start + (member.end(1) if word != b"enum" else member.end()))
        kind = "enum_member" if word == b"enum" else "field"
        name = text[at[0] : at[1]].decode("utf-8", "replace")
        found.append(DefinitionSite(kind, name, at[0], start + member.end(), *at, doc=_doc(docs, at[0], source)))
    return found


def _closing(text: bytes, opening: int) -> int:
    depth = 0
    for mark in _BRACE.finditer(text, opening):
        depth += 1 if mark.group() == b"{" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _doc(docs: Docs, start: int, source: bytes) -> str | None:
    """Return the description directly before a definition."""
    number = bisect_right(docs[0], start) - 1
    return docs[1][number] if number >= 0 and not source[docs[0][number] : start].strip() else None


LANGUAGES = (
    Language(
        name="graphql",
        aliases=("gql",),
        family="graphql",
        extensions=(".graphql", ".gql", ".graphqls"),
        grammar="",
        distribution="",
        coverage="definitions",
        module_name=lambda path: "",
        visibility=visibility,
        comments=("#",),
        doc_prefixes=("#",),
        doc_lines=lambda lines: [line.lstrip("# ") for line in lines],
        variables_are_items=True,
        read=read,
    ),
)

FAMILY = Family(name="graphql", unit_files=("*.graphql", "*.gql"), is_ambient=True)
