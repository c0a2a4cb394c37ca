"""JSON, with or without comments: keys of objects, not of objects in arrays."""

from __future__ import annotations

import re
from json import loads
from typing import Any

from codeplane.languages.family import Family
from codeplane.languages.keys import MAX_CANDIDATES, Key, depth_of, keep, key_site, module_name, visibility
from codeplane.languages.spec import Language, Reading

_TRAILING_COMMA = re.compile(
    rb"""("(?:[^"\\\n]|\\.)*+"?|//[^\n]*+|/\*.*?(?:\*/|\Z))|,(?=(?:\s|//[^\n]*+|/\*.*?\*/)*+[\]}])""", re.DOTALL
)


def read(root: Any, source: bytes, path: str) -> Reading:
    found: list[Key] = []
    depth = depth_of(path)
    pending = [(1, node) for node in reversed(root.named_children) if node.type == "object"]
    while pending and len(found) < MAX_CANDIDATES:
        level, node = pending.pop()
        if node.type == "object":
            pending.extend((level, child) for child in reversed(node.named_children) if child.type == "pair")
            continue
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None or value is None or key.end_byte - key.start_byte < 2:
            continue
        at = (key.start_byte + 1, key.end_byte - 1) if key.type == "string" else (key.start_byte, key.end_byte)
        plain = None if value.type in ("object", "array") else (value.start_byte, value.end_byte)
        site = key_site(_plain(source[at[0] : at[1]]), node.start_byte, node.end_byte, at, plain)
        found.append(Key(level, site if site.body is None else site._replace(body=key.end_byte)))
        if value.type == "object" and level < depth:
            pending.append((level + 1, value))
    return keep(found)


def _plain(name: bytes) -> bytes:
    """Decode the escapes of a string as far as they are valid."""
    if b"\\" not in name:
        return name
    try:
        return str(loads(b'"' + name + b'"')).encode("utf-8", "replace")
    except ValueError:
        return name


def without_trailing_commas(source: bytes) -> bytes:
    return _TRAILING_COMMA.sub(lambda found: found.group(1) or b" ", source)


LANGUAGES = (
    Language(
        name="json",
        family="json_yaml",
        extensions=(".json", ".jsonc", ".json5", ".webmanifest"),
        filenames=(".babelrc", ".eslintrc", ".prettierrc", ".jshintrc", ".swcrc"),
        grammar="tree_sitter_json:language",
        distribution="tree-sitter-json",
        coverage="definitions",
        module_name=module_name,
        visibility=visibility,
        separator="#",
        variables_are_items=True,
        read=read,
        repair=without_trailing_commas,
    ),
)

FAMILY = Family(name="json_yaml", unit_files=("*.json", "*.yaml", "*.yml", "*.toml", "*.jsonc"), is_ambient=True)
