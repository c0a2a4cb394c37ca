"""TOML: tables, keys, and the items of arrays of tables, named by their `name` or `id`."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.keys import (
    MAX_CANDIDATES,
    Key,
    depth_of,
    join_owner,
    keep,
    key_site,
    module_name,
    visibility,
    without_hashes,
)
from codeplane.languages.spec import Language, Reading

_KEYS = frozenset({"bare_key", "quoted_key", "dotted_key"})
_LONG_KEY = re.compile(rb"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){64,}+""")
_NAMES = (b"name", b"id", b"key")


def read(root: Any, source: bytes, path: str) -> Reading:
    found: list[Key] = []
    depth = depth_of(path)
    pending = [(1, node) for node in reversed(root.named_children)]
    while pending and len(found) < MAX_CANDIDATES:
        level, node = pending.pop()
        if node.type not in ("pair", "table", "table_array_element"):
            continue
        key = next((child for child in node.named_children if child.type in _KEYS), None)
        if key is None:
            continue
        at = (key.start_byte, key.end_byte)
        *owner, name = _parts(source[at[0] : at[1]])
        end = node.start_byte + len(source[node.start_byte : node.end_byte].rstrip())
        if node.type == "pair":
            value = next((child for child in reversed(node.named_children) if child.type != "comment"), key)
            holds = value.type in ("inline_table", "array") or value == key
            site = key_site(
                name, node.start_byte, value.end_byte, at, None if holds else (value.start_byte, value.end_byte)
            )
            inner = value.named_children if value.type == "inline_table" else ()
        else:
            inner = node.named_children
            if node.type == "table_array_element":
                names = [*owner, name, *_item_name(inner, source)]
                owner, name = names[:-1], names[-1]
            closing = source.find(b"\n", at[1], end)
            head = source[at[1] : closing if closing >= 0 else end].partition(b"#")[0].rstrip()
            site = key_site(name, node.start_byte, end, at, None)._replace(body=at[1] + len(head))
        found.append(Key(level, site._replace(owner=join_owner(owner))))
        if level < depth:
            pending.extend((level + 1, child) for child in reversed(inner) if child.type == "pair")
    return keep(found)


def without_long_keys(source: bytes) -> bytes:
    """Blank out keys with thousands of parts: they make a tree so deep that the parser needs minutes."""
    return _LONG_KEY.sub(lambda found: b" " * len(found.group()), source)


def _item_name(pairs: Any, source: bytes) -> list[bytes]:
    """Return the declared name of an item of an array of tables, if it has one."""
    for pair in pairs:
        if pair.type == "pair" and pair.named_child_count == 2:
            key, value = pair.named_children
            if value.type == "string" and source[key.start_byte : key.end_byte] in _NAMES:
                declared = source[value.start_byte : value.end_byte].strip(b"\"'")
                return [declared] if declared else []
    return []


def _parts(key: bytes) -> list[bytes]:
    return [part.strip().strip(b"\"'") for part in key.split(b".")]


LANGUAGES = (
    Language(
        name="toml",
        family="json_yaml",
        extensions=(".toml",),
        grammar="tree_sitter_toml:language",
        distribution="tree-sitter-toml",
        coverage="definitions",
        module_name=module_name,
        visibility=visibility,
        separator="#",
        comments=("#",),
        doc_prefixes=("#",),
        doc_lines=without_hashes,
        variables_are_items=True,
        owner_path=str,
        read=read,
        rewrite=without_long_keys,
    ),
)
