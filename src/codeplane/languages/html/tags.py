"""Read tags of HTML and similar markup in one linear pass; any input is accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from codeplane.languages.spec import Part

_TAG = re.compile(rb"<!--.*?(?:-->|\Z)|<(/?)([A-Za-z][^\s/>]*+)", re.DOTALL)
_BLOCK = re.compile(rb"<!--.*?(?:-->|\Z)|<()(script|style)(?=[\s/>])", re.DOTALL)
_ATTRIBUTE = re.compile(
    rb"""[\s/]*+([^\s"'>/=][^\s"'>/=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|(\{[^}]*+\}|[^\s"'>]++)))?"""
)
_TAG_END = re.compile(rb"[^>]*+>?")
_RAW = {
    name: re.compile(rb"</%s(?=[\s/>])" % name, re.IGNORECASE) for name in (b"script", b"style", b"textarea", b"title")
}
_SCRIPTS = {
    "": "javascript",
    "module": "javascript",
    "js": "javascript",
    "jsx": "javascript",
    "javascript": "javascript",
    "babel": "javascript",
    "ecmascript": "javascript",
    "ts": "typescript",
    "typescript": "typescript",
    "tsx": "tsx",
}
_STYLES = {"": "css", "css": "css", "postcss": "css", "scss": "scss", "less": "less"}


class Value(NamedTuple):
    text: str
    start: int
    end: int


class Tag(NamedTuple):
    name: str
    start: int
    end: int
    closing: bool
    """True for an end tag."""
    closed: bool
    """True for a self-closing tag."""
    attributes: dict[str, Value]
    content: tuple[int, int] | None
    """Span of the text of a raw-text element such as `script`."""


def read_tags(source: bytes, *, blocks_only: bool = False) -> Iterator[Tag]:
    """Yield tags in order; with `blocks_only`, only scripts and styles, skipping everything between them."""
    pattern = _BLOCK if blocks_only else _TAG
    position, size = 0, len(source)
    missing: set[bytes] = set()
    while position < size:
        found = pattern.search(source, position)
        if found is None:
            return
        position = found.end()
        if found.group(2) is None:
            continue
        name = found.group(2).lower()
        attributes: dict[str, Value] = {}
        while (attribute := _ATTRIBUTE.match(source, position)) is not None:
            position = attribute.end()
            group = attribute.lastindex or 1
            start, end = attribute.span(group) if group > 1 else (position, position)
            key = attribute.group(1).decode("utf-8", "replace").lower()
            attributes.setdefault(key, Value(source[start:end].decode("utf-8", "replace"), start, end))
        rest = _TAG_END.match(source, position)
        position = rest.end() if rest is not None else size
        closed = source[position - 2 : position] == b"/>"
        content = None
        if not found.group(1) and not closed and name in _RAW and name not in missing:
            last = _RAW[name].search(source, position)
            if last is None:
                # Without an end tag it counts as an ordinary element; otherwise it would hide the rest of the file.
                missing.add(name)
            else:
                content = (position, last.start())
        yield Tag(
            name.decode("utf-8", "replace"), found.start(), position, bool(found.group(1)), closed, attributes, content
        )
        if content is not None:
            position = content[1]


def read_part(tag: Tag, *, nested: bool) -> Part | None:
    """Return the script or style sheet of a tag, in the language named by its attributes."""
    if tag.content is None or tag.name not in ("script", "style"):
        return None
    declared = tag.attributes.get("lang") or tag.attributes.get("type")
    word = declared.text.strip().lower().rpartition("/")[2].removeprefix("x-") if declared is not None else ""
    language = (_SCRIPTS if tag.name == "script" else _STYLES).get(word)
    return Part(language, *tag.content, nested=nested) if language is not None else None
