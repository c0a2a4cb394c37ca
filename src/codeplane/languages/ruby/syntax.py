"""Expand Ruby syntax that no query pattern can match: import calls, and comments as plain text."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.spec import ImportSite

_DIRECTIVE = re.compile(
    r"#\s*(?:!|-\*-|(?:frozen_string_literal|encoding|coding|warn_indent|shareable_constant_value|typed)\s*:"
    r"|rubocop:|standard:|steep:|:nocov:|@!)"
)
"""Comments addressed to tools."""
_TAG = re.compile(r"\s*@[a-z_]+\b")
_RDOC = re.compile(r"\s*:\w+:(?:\s|$)|\s*[-+]{2}\s*$|=(?:begin|end)\b")


def plain_lines(lines: list[str]) -> list[str]:
    """Return the plain lines of a comment up to its first YARD tag, without RDoc directives and rulers."""
    kept: list[str] = []
    for line in lines:
        if _DIRECTIVE.match(line):
            continue
        text = line.lstrip("#")
        if _TAG.match(text):
            break
        if text and not text.strip("-=* "):
            text = ""
        if not _RDOC.match(text):
            kept.append(text)
    return kept


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Expand `require "a"` to everything the file defines, and `autoload :A, "a"` to the constant `A`."""
    arguments = node.child_by_field_name("arguments").named_children
    path = _string(arguments[-1], source)
    if arguments[0].type == "simple_symbol":
        return [ImportSite(path, _text(arguments[0], source).removeprefix(":"), None, arguments[0])]
    return [ImportSite(path, "*", None, None)]


def _string(node: Any, source: bytes) -> str:
    return "".join(_text(child, source) for child in node.named_children)


def _text(node: Any, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
