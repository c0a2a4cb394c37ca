"""HTML: elements with an id, custom elements, scripts and style sheets. A tag scanner, without a grammar.

Documents are often templates, or broken in ways that browsers accept; a list of tags handles all of them.
"""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.html.tags import Tag, Value, read_part, read_tags
from codeplane.languages.keys import module_name, visibility
from codeplane.languages.spec import DefinitionSite, Language, Part, Reading

MAX_DEPTH = 32
"""Limit of nested named elements."""

_VOID = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    }
)  # fmt: skip
_CLOSES_ITSELF = frozenset({"dd", "dt", "li", "option", "p", "td", "th", "tr"})
_COMMENT = re.compile(r"^<!--\s?|\s?-->$")
_COMPUTED = frozenset("{}<>$%()")


def read(root: Any, source: bytes, path: str) -> Reading:
    sites: list[DefinitionSite] = []
    parts: list[Part] = []
    opened: list[tuple[str, int | None]] = []
    counts: dict[str, int] = {}
    components: set[str] = set()
    depth, cut = 0, None

    def close(end: int) -> str:
        nonlocal depth
        name, number = opened.pop()
        counts[name] -= 1
        if number is not None:
            sites[number] = sites[number]._replace(end=end)
            depth -= 1
        return name

    for tag in read_tags(source):
        if tag.closing:
            if counts.get(tag.name):
                while opened[-1][0] != tag.name:
                    close(tag.start)
                close(tag.end)
            continue
        if tag.name in _CLOSES_ITSELF and opened and opened[-1][0] == tag.name:
            close(tag.start)
        part = read_part(tag, nested=False)
        if part is not None:
            parts.append(part)
        number = None
        site = _site(tag, components)
        if site is not None and depth < MAX_DEPTH:
            number = len(sites)
            sites.append(site)
        elif site is not None and cut is None:
            cut = tag.start
        if tag.name not in _VOID and not tag.closed:
            opened.append((tag.name, number))
            counts[tag.name] = counts.get(tag.name, 0) + 1
            depth += number is not None
    while opened:
        close(len(source))
    return Reading(sites, tuple(parts), cut)


def _site(tag: Tag, components: set[str]) -> DefinitionSite | None:
    name = tag.attributes.get("id")
    if name is not None and name.text.strip() and _COMPUTED.isdisjoint(name.text):
        return DefinitionSite("element", name.text, tag.start, tag.end, name.start, name.end, tag.end)
    if "-" in tag.name and tag.name not in components and _COMPUTED.isdisjoint(tag.name):
        components.add(tag.name)
        at = Value(tag.name, tag.start + 1, tag.start + 1 + len(tag.name.encode()))
        return DefinitionSite("component", at.text, tag.start, tag.end, at.start, at.end, tag.end)
    return None


def comment_text(lines: list[str]) -> list[str]:
    return [_COMMENT.sub("", line) for line in lines]


LANGUAGES = (
    Language(
        name="html",
        aliases=("htm",),
        family="config",
        extensions=(".html", ".htm", ".xhtml"),
        grammar="",
        distribution="",
        coverage="definitions",
        module_name=module_name,
        visibility=visibility,
        separator="#",
        comments=("<!--",),
        doc_prefixes=(),
        doc_block=("<!--", "-->"),
        doc_lines=comment_text,
        variables_are_items=True,
        read=read,
    ),
)
