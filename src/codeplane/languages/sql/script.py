"""Read SQL scripts of any dialect statement by statement: created objects, and columns added to a table.

Comments, strings and quoted bodies are blanked first, so that every keyword found is a real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from codeplane.languages.spec import DefinitionSite, Reading

_NOISE = re.compile(rb"--[^\n]*+|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|\\.|'')*+'?|\$(\w*+)\$.*?(?:\$\1\$|\Z)", re.DOTALL)
_STRING = re.compile(rb"'((?:[^'\\]|\\.|'')*+)'", re.DOTALL)
_PART = rb"""(?:"[^"\n]++"|`[^`\n]++`|\[[^\]\n]++\]|[\w$#@\x80-\xff]++)"""
_CREATE = re.compile(
    rb"""\bCREATE\s++(?:OR\s++(?:REPLACE|ALTER)\s++)?
    (?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|FOREIGN|VIRTUAL|MATERIALIZED|RECURSIVE|UNIQUE|CLUSTERED
        |NONCLUSTERED|COLUMNSTORE|FULLTEXT|SPATIAL|BITMAP|CONSTRAINT|EVENT|AGGREGATE|FORCE|NO|EDITIONABLE|TRANSIENT
        |NONEDITIONABLE|PUBLIC|PRIVATE|SECURE|DISTRIBUTED|ALGORITHM\s*+=\s*+\w++|DEFINER\s*+=\s*+\S++
        |SQL\s++SECURITY\s++\w++)\s++)*+
    (TABLE|VIEW|FUNCTION|PROCEDURE|PROC|INDEX|TRIGGER|TYPE|DOMAIN|SEQUENCE|SCHEMA|PACKAGE)\s++
    (?:BODY\s++)?(?:CONCURRENTLY\s++)?(?:IF\s++NOT\s++EXISTS\s++)?
    ("""
    + _PART
    + rb"""(?:\s*+\.\s*+"""
    + _PART
    + rb")*+)",
    re.IGNORECASE | re.VERBOSE,
)
_ALTER = re.compile(
    rb"\bALTER\s++TABLE\s++(?:IF\s++EXISTS\s++)?(?:ONLY\s++)?" + _PART + rb"(?:\s*+\.\s*+" + _PART + rb")*",
    re.IGNORECASE,
)
_ADD = re.compile(rb"\s*+ADD\s++(?:COLUMN\s++)?(?:IF\s++NOT\s++EXISTS\s++)?(" + _PART + rb")", re.IGNORECASE)
_KINDS = {
    b"TABLE": "table",
    b"VIEW": "view",
    b"FUNCTION": "function",
    b"PROCEDURE": "function",
    b"PROC": "function",
    b"INDEX": "index",
    b"TRIGGER": "trigger",
    b"TYPE": "type",
    b"DOMAIN": "type",
}
_LAST_PART = re.compile(_PART + rb"\Z")
_FIRST_PART = re.compile(rb"\s*+(" + _PART + rb")")
_NO_COLUMNS = frozenset(
    {
        b"CONSTRAINT", b"PRIMARY", b"FOREIGN", b"UNIQUE", b"CHECK", b"KEY", b"INDEX", b"EXCLUDE", b"LIKE", b"PERIOD",
        b"FULLTEXT", b"SPATIAL", b"PARTITION",
    }
)  # fmt: skip
_TO_PAREN = re.compile(rb"[^(;]*+\(")
_PARENTHESES = re.compile(rb"[(),;]")
_STOP = re.compile(rb";|^[ \t]*+(?:GO|/)[ \t]*+$|^[ \t]*+DELIMITER\b|^CREATE\b", re.IGNORECASE | re.MULTILINE)
_BLOCK = re.compile(
    rb"\b(BEGIN(?!\s++(?:TRAN|TRANSACTION|WORK)\b|\s*+;)|CASE|END(?:\s++(?:IF|LOOP|WHILE|REPEAT|FOR)\b)?)\b"
    rb"|^[ \t]*+(?:GO|/)[ \t]*+$|\bCREATE\s++(?:OR\s++\w++\s++)?(?:FUNCTION|PROC|PROCEDURE|TRIGGER|PACKAGE)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Tokens that open or close a block, or never occur inside one."""
_AFTER_END = re.compile(rb"[ \t]*+\w*+[ \t]*+;")
_BEGIN = re.compile(rb"\bBEGIN\b", re.IGNORECASE)
_HEAD_END = re.compile(rb"\b(?:AS|IS|BEGIN|LANGUAGE)\b", re.IGNORECASE)
_ROUTINES = frozenset({b"FUNCTION", b"PROCEDURE", b"PROC", b"TRIGGER", b"PACKAGE"})


def read(root: Any, source: bytes, path: str) -> Reading:
    text = _NOISE.sub(lambda found: _blank(found.group()), source)
    sites: list[DefinitionSite] = []
    position = 0
    while (found := _CREATE.search(text, position)) is not None:
        what = found.group(1).upper()
        last = _LAST_PART.search(text, found.start(2), found.end(2))
        position = found.end()
        if last is None or last.group().upper() == b"ON":
            continue
        end = _routine_end(text, found.end()) if what in _ROUTINES else _statement_end(text, found.end())
        opening = _TO_PAREN.match(text, found.end(), end) if what == b"TYPE" else None
        paren = opening.end() - 1 if opening is not None else _paren(text, found.end(), end)
        inner, close = _pieces(text, paren, end) if paren is not None else ([], found.end())
        head = _HEAD_END.search(text, close, end) if what != b"TABLE" else None
        body = paren if what == b"TABLE" else head.start() if head is not None else None
        kind = _KINDS.get(what, "block")
        sites.append(
            DefinitionSite(
                kind,
                _unquoted(last.group()),
                found.start(),
                end,
                *_inside(last),
                None if what == b"INDEX" else body,
                (paren, close) if paren is not None and what in _ROUTINES else None,
            )
        )
        if what in (b"TABLE", b"TYPE"):
            sites.extend(_columns(text, inner))
            if what == b"TYPE" and paren is not None:
                sites.extend(
                    DefinitionSite(
                        "enum_member", value.group(1).decode("utf-8", "replace"), *value.span(), *value.span(1)
                    )
                    for value in _STRING.finditer(source, paren, close)
                )
        position = max(position, end)
    added = list(_added_columns(text))
    return Reading(sorted((*sites, *added), key=lambda site: (site.start, -site.end)) if added else sites)


def _added_columns(text: bytes) -> Iterator[DefinitionSite]:
    """Yield columns added by ALTER TABLE. The first one starts with the statement, which names the table."""
    found = _ALTER.search(text)
    while found is not None:
        following = _ALTER.search(text, found.end())
        stop = _STOP.search(text, found.end(), following.start() if following is not None else len(text))
        end = stop.start() if stop is not None else following.start() if following is not None else len(text)
        first = found.start()
        for begin, piece_end in _commas(text, found.end(), end):
            name = _ADD.match(text, begin, piece_end)
            if name is not None and name.group(1).upper() not in _NO_COLUMNS:
                start = first if first >= 0 else name.start() + len(name.group()) - len(name.group().lstrip())
                yield DefinitionSite(
                    "column",
                    _unquoted(name.group(1)),
                    start,
                    _trimmed(text, start, piece_end),
                    *_inside(name, 1),
                )
            first = -1
        found = following


def _commas(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between commas outside parentheses."""
    depth, begin = 0, start
    for mark in _PARENTHESES.finditer(text, start, end):
        sign = mark.group()
        if sign == b"," and depth == 0:
            yield begin, mark.start()
            begin = mark.end()
        depth += (sign == b"(") - (sign == b")")
    yield begin, end


def _columns(text: bytes, pieces: list[tuple[int, int]]) -> list[DefinitionSite]:
    found = []
    for start, end in pieces:
        name = _FIRST_PART.match(text, start, end)
        if name is None or name.group(1).upper() in _NO_COLUMNS:
            continue
        at = _inside(name, 1)
        stop = start + len(text[start:end].rstrip())
        found.append(DefinitionSite("column", _unquoted(name.group(1)), name.start(1), stop, *at))
    return found


def _paren(text: bytes, start: int, end: int) -> int | None:
    while start < end and text[start : start + 1].isspace():
        start += 1
    return start if text[start : start + 1] == b"(" else None


def _pieces(text: bytes, start: int, end: int) -> tuple[list[tuple[int, int]], int]:
    """Return the spans between the commas of a parenthesis, and its end."""
    pieces: list[tuple[int, int]] = []
    depth, begin = 0, start + 1
    for mark in _PARENTHESES.finditer(text, start, end):
        sign = mark.group()
        if sign == b"(":
            depth += 1
        elif sign == b"," and depth == 1:
            pieces.append((begin, mark.start()))
            begin = mark.end()
        elif sign == b")":
            depth -= 1
            if depth == 0:
                pieces.append((begin, mark.start()))
                return pieces, mark.end()
        elif sign == b";":
            break
    return pieces, min(begin, end)


def _statement_end(text: bytes, start: int) -> int:
    found = _STOP.search(text, start)
    if found is None:
        return _trimmed(text, start, len(text))
    return found.end() if found.group() == b";" else _trimmed(text, start, found.start())


def _routine_end(text: bytes, start: int) -> int:
    """Return the end of a routine: the END of its first BEGIN, or the end of its statement."""
    plain = _statement_end(text, start)
    begin = _BEGIN.search(text, start, plain)
    depth = 0
    for found in _BLOCK.finditer(text, begin.start()) if begin is not None else ():
        word = (found.group(1) or b"").upper()
        if not word:
            return max(plain, _trimmed(text, start, found.start()))
        if word in (b"BEGIN", b"CASE"):
            depth += 1
        elif word == b"END":
            depth -= 1
            if depth <= 0:
                after = _AFTER_END.match(text, found.end())
                return after.end() if after is not None else found.end()
    return plain


def _trimmed(text: bytes, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _inside(found: re.Match[bytes], group: int = 0) -> tuple[int, int]:
    quoted = found.group(group)[:1] in b'"`['
    return found.start(group) + quoted, found.end(group) - quoted


def _unquoted(name: bytes) -> str:
    return (name[1:-1] if name[:1] in b'"`[' else name).decode("utf-8", "replace")


def _blank(text: bytes) -> bytes:
    if len(text) > 1 and text.startswith(b"'") and text.endswith(b"'"):
        return b"'" + _blank(text[1:-1].replace(b"'", b" ")) + b"'"
    return b"\n".join(b" " * len(line) for line in text.split(b"\n")) if b"\n" in text else b" " * len(text)
