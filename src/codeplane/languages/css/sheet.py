"""Read style sheets rule by rule: CSS, and SCSS and Less with nested rules, mixins and variables.

A name is defined by the first rule whose selector ends with it (`.card .title` defines `title`); a name that ends no
selector is defined by the first rule that contains it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from codeplane.languages.spec import DefinitionSite, Reading

MAX_DEPTH = 32

_NOISE = rb"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|url\([^)\n]*+\)?|[#@]\{[^{}\n]*+\}"""
_PLAIN = re.compile(_NOISE, re.DOTALL)
_LINE_COMMENTS = re.compile(_NOISE + rb"|//[^\n]*+", re.DOTALL)
_MARK = re.compile(rb"[{};]")
_NAME = rb"(-{0,2}+(?:[A-Za-z_\x80-\xff]|\\.)(?:[\w\x80-\xff-]|\\.)*+)"
_SELECTED = re.compile(rb"([.#%])" + _NAME)
_SUFFIX = re.compile(rb"&((?:[\w\x80-\xff-]|\\.)++)")
_AT_RULE = re.compile(rb"@(?:-\w+-)?(keyframes|layer|container|property|mixin|function|counter-style)\s++" + _NAME)
_DECLARED = re.compile(rb"(--[\w\x80-\xff-]++|[$@][\w\x80-\xff-]++)\s*+:")
_LAST_COMPOUND = re.compile(rb"[\s>+~]")
_ESCAPE = re.compile(r"\\(.)")
_AT_KINDS = {b"property": "property", b"mixin": "function", b"function": "function"}


class _Found(NamedTuple):
    kind: str
    name: str
    at: tuple[int, int]
    rule: int


def read_css(root: Any, source: bytes, path: str) -> Reading:
    return _read(_PLAIN, source)


def read_nested(root: Any, source: bytes, path: str) -> Reading:
    return _read(_LINE_COMMENTS, source)


def _read(noise: re.Pattern[bytes], source: bytes) -> Reading:
    text = noise.sub(lambda found: b" " * len(found.group()), source)
    rules: list[list[int]] = []
    """Start, start of the block, end."""
    subjects: dict[tuple[str, str], _Found] = {}
    others: dict[tuple[str, str], _Found] = {}
    declared: dict[str, tuple[int, int, int]] = {}
    stack: list[tuple[int, str]] = []
    start, cut = 0, None
    for mark in _MARK.finditer(text):
        end = mark.start()
        begin = end - len(text[start:end].lstrip())
        if mark.group() == b"{":
            number = len(rules)
            rules.append([begin, end, len(source)])
            inherited = stack[-1][1] if stack else ""
            if len(stack) < MAX_DEPTH:
                inherited = _read_head(text, begin, end, number, inherited, subjects, others)
            elif cut is None:
                cut = begin
            stack.append((number, inherited))
        else:
            found = _DECLARED.match(text, begin, end)
            if found is not None and (found.group(1).startswith(b"--") or not stack):
                declared.setdefault(_spelled(found.group(1)), (begin, found.end(1), end))
            if mark.group() == b"}" and stack:
                rules[stack.pop()[0]][2] = mark.end()
        start = mark.end()
    sites = [
        DefinitionSite(item.kind, item.name, rules[item.rule][0], rules[item.rule][2], *item.at, rules[item.rule][1])
        for item in (others | subjects).values()
    ]
    sites += [
        DefinitionSite("property" if name.startswith("--") else "variable", name, begin, end, begin, name_end)
        for name, (begin, name_end, end) in declared.items()
    ]
    sites.sort(key=lambda site: (site.start, -site.end, site.name_start))
    return Reading(sites, cut=cut)


def _read_head(
    text: bytes,
    begin: int,
    end: int,
    number: int,
    inherited: str,
    subjects: dict[tuple[str, str], _Found],
    others: dict[tuple[str, str], _Found],
) -> str:
    """Record the names of a rule's head, and return the name that `&` refers to inside the block."""
    if text[begin : begin + 1] == b"@":
        found = _AT_RULE.match(text, begin, end)
        if found is not None:
            name, kind = _spelled(found.group(2)), _AT_KINDS.get(found.group(1), "block")
            subjects.setdefault((kind, name), _Found(kind, name, found.span(2), number))
        return inherited
    own = ""
    at = begin
    for piece in text[begin:end].split(b","):
        ends = at + len(piece)
        stripped = piece.rstrip()
        subject = at + max((cut.end() for cut in _LAST_COMPOUND.finditer(stripped)), default=0)
        for found in _SELECTED.finditer(text, at, ends):
            name = _spelled(found.group(2))
            item = _Found("selector", name, found.span(2), number)
            (subjects if found.start() >= subject else others).setdefault(("selector", name), item)
            own = own or (name if found.start() >= subject else "")
        suffix = _SUFFIX.match(text, at + len(piece) - len(piece.lstrip()), ends) if inherited else None
        if suffix is not None:
            own = own or inherited + _spelled(suffix.group(1))
            name = inherited + _spelled(suffix.group(1))
            subjects.setdefault(("selector", name), _Found("selector", name, suffix.span(), number))
        at = ends + 1
    return own or inherited


def _spelled(name: bytes) -> str:
    return _ESCAPE.sub(r"\1", name.decode("utf-8", "replace"))
