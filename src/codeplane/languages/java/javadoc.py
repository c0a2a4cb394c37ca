"""Convert Javadoc to plain text: inline tags and markup replaced, block tags (`@param` ...) dropped."""

from __future__ import annotations

import html
import re

_BLOCK_TAG = re.compile(r"^\s*@[a-zA-Z]")
_MARKUP = re.compile(r"\{@(\w+)\s*((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*+\})*+)\}|</?([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?/?>")
_BREAKS = frozenset(
    {"p", "ul", "ol", "li", "dl", "pre", "table", "blockquote", "div", "hr", *(f"h{n}" for n in range(1, 7))}
)
_DROPPED = frozenset({"inheritDoc", "docRoot", "snippet", "index"})


def plain_lines(lines: list[str]) -> list[str]:
    """Return the plain lines of a comment that is already stripped of stars; an empty line ends a paragraph."""
    kept: list[str] = []
    for line in lines:
        if _BLOCK_TAG.match(line):
            break
        kept.append(line)
    return html.unescape(_MARKUP.sub(_plain, "\n".join(kept))).split("\n")


def _plain(found: re.Match[str]) -> str:
    tag, content, element = found.groups()
    if element:
        return "\n\n" if element.lower() in _BREAKS else ""
    if tag in _DROPPED:
        return ""
    if tag in ("link", "linkplain"):
        return _link(content)
    if tag == "return":
        return f"Returns {content.strip()}."
    return content.strip().lstrip("#") if tag == "value" else content.strip()


def _link(content: str) -> str:
    """The label of a link, or its target as one would say it: `Map#get(Object)` is `Map.get(Object)`."""
    target = re.match(r"\s*([^\s(]*(?:\([^)]*\))?)\s*(.*)", content, re.DOTALL)
    if target is None:
        return content.strip()
    reference, label = target.groups()
    return label.strip() or reference.lstrip("#").replace("#", ".")
