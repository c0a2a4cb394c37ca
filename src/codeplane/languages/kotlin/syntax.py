"""Expand Kotlin syntax that no query pattern can match: imports, and a name after `$` in a string."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.spec import ImportSite

_NAME = re.compile(rb"[^\W\d]\w*+")
_NO_NAMES = frozenset({b"this", b"true", b"false", b"null"})


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Expand `import a.b.C as D` to the name `C` of `a.b`, bound as `D`."""
    path = next((child for child in node.named_children if child.type == "qualified_identifier"), None)
    if path is None:
        return []
    parts = [part for part in path.named_children if part.type == "identifier"]
    words = [source[part.start_byte : part.end_byte].decode("utf-8", "replace") for part in parts]
    if not words:
        return []
    if any(child.type == "*" for child in node.children):
        return [ImportSite(".".join(words), "*", None, None)]
    alias = next((child for child in node.named_children if child.type == "identifier"), None)
    called = source[alias.start_byte : alias.end_byte].decode("utf-8", "replace") if alias is not None else None
    return [ImportSite(".".join(words[:-1]) or words[-1], words[-1], called, alias or parts[-1])]


def expand_words(source: bytes, start: int, end: int) -> list[tuple[int, int, str]]:
    """Return the name at the start of a string part that follows a `$`."""
    found = _NAME.match(source, start, end) if source[start - 1 : start] == b"$" else None
    if found is None or found[0] in _NO_NAMES:
        return []
    return [(start, found.end(), "name")]
