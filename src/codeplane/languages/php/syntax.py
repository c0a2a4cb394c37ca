"""What of PHP's syntax no single pattern says: `use` with its groups, included paths, phpdoc as plain text, and which
parts of a `.phpt` test are code."""

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
    """A `.phpt` test without its sections that are no code, such as the classes that it is expected to print."""
    if not source.startswith(b"--TEST--"):
        return source
    parts: list[bytes] = []
    end, is_code = 0, False
    for head in _SECTION.finditer(source):
        section = source[end : head.start()]
        parts.append(section if is_code else _TEXT.sub(b" ", section))
        # Code may leave the tag open: the section ends it.
        parts.append(b"?>".ljust(len(head.group())))
        end, is_code = head.end(), head.group().rstrip() in _CODE_SECTIONS
    parts.append(source[end:] if is_code else _TEXT.sub(b" ", source[end:]))
    return b"".join(parts)


def plain_lines(lines: list[str]) -> list[str]:
    """Lines of a comment; its tags end it, `{@see X}` is `X`, `{@inheritdoc}` is nothing. None of what heads a file:
    that speaks of the file, not of the namespace below it."""
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
    """Types that tags declare, `@phpstan-` and `@psalm-` before the plain ones; none of the language's own words."""
    if not text.startswith("/**"):
        return []
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    for tag in sorted(_TYPE_TAG.finditer(text), key=lambda tag: not tag.group(1)):
        said = text[tag.end() : tag.end() + 2 * _MAX_TYPE]
        end = _type_end(said)
        name = _AFTER_TYPE.match(said, end)
        row = (tag.group(2), name.group(1) if name else "", _LINE_START.sub(" ", said[:end]))
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
    # In `use function a, b` the word stands in the first clause and goes for all; in a group each has its own.
    shared = _kind(node) or (_kind(clauses[0]) if clauses and group is None else None)
    return [_read_clause(clause, prefix, _kind(clause) or shared, source) for clause in clauses]


def _read_clause(clause: Any, prefix: str, kind: str | None, source: bytes) -> ImportSite:
    named = clause.named_children[0]
    namespace, _, name = _text(named, source).lstrip("\\").rpartition("\\")
    origin = "\\".join(filter(None, (prefix, namespace))) or name
    alias = clause.child_by_field_name("alias")
    # A qualified name ends with the identifier that it binds.
    bound = alias or (named.named_children[-1] if named.named_child_count else named)
    return ImportSite(origin, name, _text(alias, source) if alias is not None else None, bound, kind)


def _kind(node: Any) -> str | None:
    written = node.child_by_field_name("type")
    return _KINDS.get(written.type) if written is not None else None


def _path(node: Any, source: bytes) -> str:
    """The literal path; one that starts at the folder of this file begins with a dot."""
    here = ""
    while node is not None and node.type != "string":
        if node.type == "binary_expression":
            here = "."
        node = node.named_children[-1] if node.named_child_count else None
    return here + _text(node, source).strip("\"'") if node is not None else ""


def _text(node: Any, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
