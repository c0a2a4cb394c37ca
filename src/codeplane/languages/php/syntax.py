"""Expand PHP syntax that no query pattern can match: grouped `use`, included paths, phpdoc, and `.phpt` sections."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.spec import ImportSite

_TAG = re.compile(r"\s*@[a-zA-Z\\]")
_HEADER = re.compile(r"\s*(?:This file is (?:a )?part of\b|\(c\)|Copyright\b)", re.IGNORECASE)
_INLINE = re.compile(r"\{@(\w+)\s*([^{}]*)\}")
_SECTION = re.compile(rb"^--[A-Z_]+--[ \t\r]*$", re.MULTILINE)
_CODE_SECTIONS = frozenset({b"--FILE--", b"--FILEEOF--", b"--SKIPIF--", b"--CLEAN--"})
_TEXT = re.compile(rb"[^\n]")
_TYPE_TAG = re.compile(r"@(phpstan-|psalm-)?(param|return|var)[ \t]+(?=\S)")
_AFTER_TYPE = re.compile(r"[ \t]+(?:&|\.\.\.|&\.\.\.)?\$(\w+)")
_LINE_START = re.compile(r"\s*\n\s*\*?\s*")
_SAYS_MORE = re.compile(r"[A-Z\\]|\bstatic\b|\bself\b|\$this")
_MAX_TYPE = 500
_KINDS = {"function": "php_use_function", "const": "php_use_const"}


def only_code(source: bytes) -> bytes:
    """Blank the sections of a `.phpt` test that are not code, such as the expected output."""
    if not source.startswith(b"--TEST--"):
        return source
    parts: list[bytes] = []
    end, is_code = 0, False
    for head in _SECTION.finditer(source):
        section = source[end : head.start()]
        parts.append(section if is_code else _TEXT.sub(b" ", section))
        # Code may leave the PHP tag open; the section header closes it.
        parts.append(b"?>".ljust(len(head.group())))
        end, is_code = head.end(), head.group().rstrip() in _CODE_SECTIONS
    parts.append(source[end:] if is_code else _TEXT.sub(b" ", source[end:]))
    return b"".join(parts)


def plain_lines(lines: list[str]) -> list[str]:
    """Return the plain lines of a comment up to its first tag; `{@see X}` becomes `X`, `{@inheritdoc}` is dropped.

    Empty for a file header, which describes the file and not the namespace after it.
    """
    kept: list[str] = []
    if _HEADER.match(next(filter(str.strip, lines), "")):
        return kept
    for line in lines:
        if _TAG.match(line):
            break
        kept.append(_INLINE.sub(_plain, line.removeprefix("# ")))
    return kept


def _plain(found: re.Match[str]) -> str:
    tag, content = found.groups()
    return "" if tag.lower() == "inheritdoc" else content.strip()


def doc_types(text: str) -> list[tuple[str, str, str]]:
    """Return types declared by tags, `@phpstan-` and `@psalm-` first, without built-in type words."""
    if not text.startswith("/**"):
        return []
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    for tag in sorted(_TYPE_TAG.finditer(text), key=lambda tag: not tag.group(1)):
        rest = text[tag.end() : tag.end() + 2 * _MAX_TYPE]
        end = _type_end(rest)
        name = _AFTER_TYPE.match(rest, end)
        row = (tag.group(2), name.group(1) if name else "", _LINE_START.sub(" ", rest[:end]))
        found.setdefault(row[:2], row)
    return [row for row in found.values() if _SAYS_MORE.search(row[2])]


def _type_end(text: str) -> int:
    depth = 0
    for at, letter in enumerate(text[:_MAX_TYPE]):
        if letter in "<({[":
            depth += 1
        elif letter in ">)}]":
            depth -= 1
        elif letter.isspace() and depth <= 0:
            return at
    return min(len(text), _MAX_TYPE)


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    if node.type != "namespace_use_declaration":
        return [ImportSite(_path(node, source), "*", None, None)]
    group = node.child_by_field_name("body")
    prefix = ""
    if group is not None:
        prefix = next((_text(child, source) for child in node.named_children if child.type == "namespace_name"), "")
    clauses = [clause for clause in (group or node).named_children if clause.type == "namespace_use_clause"]
    # In `use function a, b` the keyword of the first clause applies to all; in a group each clause has its own.
    shared = _kind(node) or (_kind(clauses[0]) if clauses and group is None else None)
    return [_read_clause(clause, prefix, _kind(clause) or shared, source) for clause in clauses]


def _read_clause(clause: Any, prefix: str, kind: str | None, source: bytes) -> ImportSite:
    named = clause.named_children[0]
    namespace, _, name = _text(named, source).lstrip("\\").rpartition("\\")
    origin = "\\".join(filter(None, (prefix, namespace))) or name
    alias = clause.child_by_field_name("alias")
    # The last identifier of a qualified name is the one it binds.
    bound = alias or (named.named_children[-1] if named.named_child_count else named)
    return ImportSite(origin, name, _text(alias, source) if alias is not None else None, bound, kind)


def _kind(node: Any) -> str | None:
    written = node.child_by_field_name("type")
    return _KINDS.get(written.type) if written is not None else None


def _path(node: Any, source: bytes) -> str:
    """Return the literal path; one relative to the directory of this file starts with a dot."""
    here = ""
    while node is not None and node.type not in ("string", "encapsed_string"):
        if node.type == "binary_expression":
            here = "."
        node = node.named_children[-1] if node.named_child_count else None
    return here + _text(node, source).strip("\"'") if node is not None else ""


def _text(node: Any, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
