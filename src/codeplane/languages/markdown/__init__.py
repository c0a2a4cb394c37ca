"""Markdown: headings, nested by level, and the code of fences nested in their heading.

A fence is an example: its definitions are nested in the heading, not exported, and may be broken. A fence above the
first heading has no symbol to be nested in, and stays text.
"""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.family import Family
from codeplane.languages.keys import module_name, visibility
from codeplane.languages.spec import DefinitionSite, Language, Part, Reading

MAX_TEXT_BYTES = 2000
"""Maximum characters of a heading or a paragraph; more than is ever shown."""
MAX_HEADINGS = 2000
MAX_FENCES = 1000

_BLOCKS = frozenset({"document", "section", "list", "list_item", "block_quote"})
_HEADINGS = frozenset({"atx_heading", "setext_heading"})
_LEVEL = re.compile(r"(?:atx|setext)_h([1-6])_")
_ANCHOR = re.compile(r"\{#[^{}]*\}$")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")
_MARKUP = re.compile(
    r"`+|\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|</?(?:a|b|br|center|code|em|i|img|kbd|p|small|span|strong|sub|sup)(?:\s[^<>]*)?/?>"
)
_ALT = re.compile(r"""\balt=["']([^"']+)""")
_WORD = re.compile(rb"[\w+#-]+")
_ALIASES = {
    "c#": "csharp",
    "c++": "cpp",
    "cs": "csharp",
    "golang": "go",
    "node": "javascript",
    "python3": "python",
    "shell": "bash",
    "terraform": "hcl",
    "zsh": "bash",
}
_DATA = frozenset(
    {
        "css", "docker", "dockerfile", "htm", "html", "ipynb", "json", "json5", "jsonc", "less", "markdown", "md",
        "mdx", "scss", "svelte", "toml", "vue", "xhtml", "yaml", "yml",
    }
)  # fmt: skip
"""Their names are settings and markup, not code of the project."""


def read(root: Any, source: bytes, path: str) -> Reading:
    sites: list[DefinitionSite] = []
    parts: list[Part] = []
    opened: list[tuple[int, int]] = []
    pending = [root]
    cut = None
    while pending:
        node = pending.pop()
        if len(sites) >= MAX_HEADINGS or len(parts) >= MAX_FENCES:
            cut = node.start_byte
            break
        if node.type in _BLOCKS:
            pending.extend(reversed(node.named_children))
        elif node.type in _HEADINGS:
            level, site = _heading(node, source)
            if site is None:
                continue
            while opened and opened[-1][0] >= level:
                number = opened.pop()[1]
                sites[number] = sites[number]._replace(end=_before(source, node.start_byte))
            opened.append((level, len(sites)))
            sites.append(site)
        elif node.type == "fenced_code_block" and opened:
            part = _fence(node, source)
            if part is not None:
                parts.append(part)
    end = _before(source, len(source))
    for _, number in opened:
        sites[number] = sites[number]._replace(end=max(end, sites[number].name_end))
    return Reading(sites, tuple(parts), cut)


def _heading(node: Any, source: bytes) -> tuple[int, DefinitionSite | None]:
    level, inline = 1, None
    for child in node.named_children:
        found = _LEVEL.match(child.type)
        if found is not None:
            level = int(found.group(1))
        elif child.type == "inline":
            inline = child
        elif child.type == "paragraph":
            inline = next((part for part in child.named_children if part.type == "inline"), None)
    if inline is None:
        return level, None
    text = source[inline.start_byte : min(inline.end_byte, inline.start_byte + MAX_TEXT_BYTES)].decode(
        "utf-8", "replace"
    )
    name = _plain(text)
    at = (inline.start_byte, inline.end_byte)
    if not name:
        return level, None
    below = node.next_named_sibling
    doc = None
    if below is not None and below.type == "paragraph":
        doc = _plain(
            source[below.start_byte : min(below.end_byte, below.start_byte + MAX_TEXT_BYTES)].decode("utf-8", "replace")
        )
    return level, DefinitionSite("heading", name, node.start_byte, node.end_byte, *at, doc=doc)


def _plain(text: str) -> str:
    """Return the visible text of a heading: without closing marks, anchors, emphasis and link targets."""
    text = text.rstrip()
    bare = text.rstrip("#")
    if bare[-1:] in ("", " ", "\t"):
        text = bare.rstrip()
    text = _ANCHOR.sub("", text)
    plain = _MARKUP.sub("", _LINK.sub(r"\1", _LINK.sub(r"\1", text))).strip()
    if plain:
        return plain
    image = _ALT.search(text)
    return image.group(1) if image is not None else text.strip()


def _fence(node: Any, source: bytes) -> Part | None:
    info = content = None
    for child in node.named_children:
        if child.type == "info_string":
            info = child
        elif child.type == "code_fence_content":
            content = child
    found = _WORD.search(source, info.start_byte, info.end_byte) if info is not None else None
    if content is None or found is None:
        return None
    word = found.group().decode("utf-8", "replace").lower()
    if word in _DATA:
        return None
    # Each line of a fence in a list or a quotation, including the first, starts with their prefix.
    start = source.rfind(b"\n", 0, content.start_byte) + 1
    text = bytearray(source[start : content.end_byte])
    text[: content.start_byte - start] = b" " * (content.start_byte - start)
    for child in content.named_children:
        if child.type == "block_continuation":
            text[child.start_byte - start : child.end_byte - start] = b" " * (child.end_byte - child.start_byte)
    return Part(_ALIASES.get(word, word), start, content.end_byte, bytes(text), nested=True, sample=True)


def _before(source: bytes, end: int) -> int:
    """Return `end` without the blank lines above it."""
    while end and source[end - 1 : end].isspace():
        end -= 1
    return end


LANGUAGES = (
    Language(
        name="markdown",
        aliases=("md", "rst", "text", "docs"),
        family="markdown",
        extensions=(".md", ".markdown", ".mdx"),
        grammar="tree_sitter_markdown:language",
        distribution="tree-sitter-markdown",
        coverage="definitions",
        module_name=module_name,
        visibility=visibility,
        separator="#",
        comments=("<!--",),
        doc_prefixes=(),
        variables_are_items=True,
        read=read,
        forgiving=True,
    ),
)

FAMILY = Family(
    name="markdown",
    unit_files=("*.md", "*.markdown", "*.mdx"),
    text_extensions=(".rst", ".adoc", ".txt"),
    is_ambient=True,
)
