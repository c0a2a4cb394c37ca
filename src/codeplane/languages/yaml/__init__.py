"""YAML: keys of mappings, not of mappings in sequences. A line scanner, without a grammar.

Much YAML is a template (Helm, Jinja) that no parser accepts, and indentation is all that is needed here.
"""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.keys import (
    MAX_CANDIDATES,
    Key,
    depth_of,
    keep,
    key_site,
    module_name,
    visibility,
    without_hashes,
)
from codeplane.languages.spec import Language, Reading

_LINE = re.compile(rb"( *+)([^\n]*+)\n?")
_KEY = re.compile(
    rb"""(?:"((?:[^"\\]|\\.)*+)"[ \t]*+|'((?:[^']|'')*+)'[ \t]*+"""
    rb"""|([^\s#"'\[\]{},&*!|>%@`?:-][^\n]*?|[?:-][^\s][^\n]*?)):(?=[ \t\r]|\Z)[ \t]*+"""
)
_ITEM = re.compile(rb"-(?=[ \t\r]|\Z)")
_SCALAR = re.compile(rb"(?:[&!][^\s]*+[ \t]++)*+[|>][+\-0-9]*+[ \t\r]*+(?:#.*+)?\Z")
_QUOTES = re.compile(rb"""(?:[&!][^\s]*+[ \t]++)*+(["'])""")
_CLOSED = {b'"': re.compile(rb"""(?:[^"\\]|\\.)*+\\?"""), b"'": re.compile(rb"(?:[^']|'')*+")}
_FLOW = re.compile(rb"""(?:[&!][^\s]*+[ \t]++)*+[\[{](?![{%])""")
_FLOW_NOISE = re.compile(rb""""(?:[^"\\]|\\.)*+"?|'(?:[^']|'')*+'?|(?:^|\s)#.*+""")


def read(root: Any, source: bytes, path: str) -> Reading:
    found: list[Key] = []
    depth = depth_of(path)
    opened: list[tuple[int, int | None]] = []
    """Indentation and number of the enclosing keys."""
    item: int | None = None
    """Indentation of the enclosing sequence."""
    block: int | None = None
    """Indentation of the key whose text follows."""
    quote, brackets = b"", 0
    """The scalar or flow collection that continues in the next line."""
    last = 0

    def close(indent: int) -> None:
        while opened and opened[-1][0] >= indent:
            _, number = opened.pop()
            if number is not None:
                found[number] = found[number]._replace(site=found[number].site._replace(end=last))

    for line in _LINE.finditer(source):
        text, start = line.group(2), line.start(2)
        indent = start - line.start()
        if len(found) >= MAX_CANDIDATES:
            break
        if not text.strip():
            continue
        if block is not None and indent > block:
            last = start + len(text.rstrip())
            continue
        block = None
        if quote or brackets:
            last = start + len(text.rstrip())
            if quote:
                quote = b"" if _closes(quote, text) else quote
            else:
                brackets = max(0, brackets + _balance(text))
            continue
        if text.startswith((b"#", b"{{", b"{%")):
            continue
        if text.startswith((b"---", b"...")) and indent == 0:
            close(0)
            item = None
            continue
        if _ITEM.match(text):
            if item is None or indent <= item:
                close(indent + 1)
                item = indent
            text = text.lstrip(b"- ")
        elif item is not None and indent <= item:
            item = None
        key = _KEY.match(text)
        if key is not None and item is None:
            close(indent)
            level = len(opened) + 1
            number = None
            if level <= depth and key.group(3) != b"<<":
                number = len(found)
                written = key.group(key.lastindex or 0).rstrip()
                at = (begin := start + key.start(key.lastindex or 0), begin + len(written))
                value = (start + key.end(), start + len(text.rstrip()))
                holds = value[0] >= value[1] or text[key.end() : key.end() + 1] in b"[{|>"
                site = key_site(written, start, value[1], at, None if holds else value)
                found.append(Key(level, site))
            opened.append((indent, number))
        last = start + len(line.group(2).rstrip())
        value_text = text[key.end() :] if key is not None else text
        if key is not None or item is not None:
            opening = _QUOTES.match(value_text)
            if _SCALAR.match(value_text):
                block = indent
            elif opening is not None and not _closes(opening.group(1), value_text[opening.end() :]):
                quote = opening.group(1)
            elif _FLOW.match(value_text):
                brackets = max(0, _balance(value_text))
    close(0)
    return keep(found)


def _closes(quote: bytes, text: bytes) -> bool:
    """True if a quoted scalar that is open at the start of `text` ends in it."""
    inside = _CLOSED[quote].match(text)
    return inside is not None and inside.end() < len(text)


def _balance(text: bytes) -> int:
    plain = _FLOW_NOISE.sub(b"", text)
    return plain.count(b"[") + plain.count(b"{") - plain.count(b"]") - plain.count(b"}")


LANGUAGES = (
    Language(
        name="yaml",
        aliases=("yml",),
        family="json_yaml",
        extensions=(".yaml", ".yml"),
        filenames=(".clang-format", ".clang-tidy"),
        grammar="",
        distribution="",
        coverage="definitions",
        module_name=module_name,
        visibility=visibility,
        separator="#",
        comments=("#",),
        doc_prefixes=("#",),
        doc_lines=without_hashes,
        variables_are_items=True,
        read=read,
    ),
)
