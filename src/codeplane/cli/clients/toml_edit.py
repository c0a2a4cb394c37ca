"""Set or remove one table in a TOML text; every other byte is preserved.

Works on whole lines. Only statements whose full path starts with the path of the table are changed, however they are
written: under a header, as dotted keys, or inline. Every result is parsed again before it is returned.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.cli.clients.syntax import Splice, SyntaxProblem, Unchangeable, newline_of, splice

_BARE = r"[A-Za-z0-9_-]+"
_BASIC = r'"(?:[^"\\\n]|\\.)*"'
_LITERAL = r"'[^'\n]*'"
_PART = re.compile(f"{_BARE}|{_BASIC}|{_LITERAL}")
_KEY = re.compile(rf"[ \t]*(?:{_PART.pattern})(?:[ \t]*\.[ \t]*(?:{_PART.pattern}))*[ \t]*")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    rf"|{_BASIC}|{_LITERAL}"
    r"|#[^\n]*|[\[{]|[\]}]|\r?\n|[^\"'#\[\]{}\r\n]+|.",
    re.DOTALL,
)
_PLACE = re.compile(r"^(.*) \(at (?:line (\d+), column (\d+)|end of document)\)$", re.DOTALL)


class Statement(NamedTuple):
    """A header or a pair, with its whole lines."""

    is_header: bool
    path: tuple[str, ...]
    start: int
    end: int
    value: tuple[int, int]


def read(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.match(str(error))
        reason, line, column = found.groups() if found else (str(error), None, None)
        if line is None:
            raise SyntaxProblem(reason or "", text.count("\n") + 1, len(text) - text.rfind("\n")) from None
        raise SyntaxProblem(reason or "", int(line), int(column or 1)) from None
    except RecursionError:
        raise SyntaxProblem("nested too deeply", 1, 1) from None


def set_table(text: str, way: Sequence[str], name: str, values: Mapping[str, object]) -> str:
    """Return `text` with these keys of the table set; its other keys are kept."""
    path = (*way, name)
    wanted = copy.deepcopy(read(text))
    place = _holder(wanted, way, make=True)
    existing = place.get(name)
    kept = existing if isinstance(existing, dict) else {}
    place[name] = {**kept, **values}
    if existing is None:
        return _checked(_append(text, path, values), wanted)
    statements = list(_statements(text))
    header = next((found for found in statements if found.is_header and found.path == path), None)
    if header is None:
        raise Unchangeable
    newline = newline_of(text)
    changes = []
    for key, value in values.items():
        if key in kept and kept[key] == value:
            continue
        pair = next((found for found in statements if not found.is_header and found.path == (*path, key)), None)
        if pair:
            changes.append(Splice(*pair.value, _render(value)))
        elif text[: header.end].endswith("\n"):
            changes.append(Splice(header.end, header.end, f"{key} = {_render(value)}{newline}"))
        else:
            changes.append(Splice(header.end, header.end, f"{newline}{key} = {_render(value)}"))
    return _checked(splice(text, changes), wanted)


def replace_table(text: str, way: Sequence[str], name: str, values: Mapping[str, object]) -> str:
    """Return `text` with a table of exactly these keys, replacing any value of its name."""
    return set_table(remove_table(text, way, name), way, name, values)


def remove_table(text: str, way: Sequence[str], name: str) -> str:
    path = (*way, name)
    wanted = copy.deepcopy(read(text))
    holder = _holder(wanted, way, make=False)
    if name not in holder:
        return text
    del holder[name]
    edited = splice(text, _removal(text, path))
    for _ in way:
        if _same(edited, wanted):
            return edited
        # Remove a parent table that only our header created.
        *above, last = way
        parent = _holder(wanted, above, make=False)
        if parent.get(last) == {}:
            del parent[last]
        way = above
    return _checked(edited, wanted)


def _removal(text: str, path: tuple[str, ...]) -> Iterator[Splice]:
    statements = list(_statements(text))
    run: list[Statement] = []
    for statement in [*statements, None]:
        if statement and statement.path[: len(path)] == path:
            run.append(statement)
            continue
        if run:
            start, end = run[0].start, run[-1].end
            if run[0].is_header:
                start -= _blank_line_before(text, start)
            if end == len(text) and not text.endswith("\n"):
                start -= len(_break_before(text, start))
            yield Splice(start, end, "")
        run = []


def _blank_line_before(text: str, start: int) -> int:
    """Return the length of the blank line before a header."""
    ending = _break_before(text, start)
    return len(ending) if ending and (text[: start - len(ending)].endswith("\n") or start == len(ending)) else 0


def _break_before(text: str, position: int) -> str:
    before = text[max(0, position - 2) : position]
    return before if before == "\r\n" else before[-1:] if before.endswith("\n") else ""


def _append(text: str, path: Sequence[str], values: Mapping[str, object]) -> str:
    newline = newline_of(text)
    lines = [f"[{'.'.join(map(_key, path))}]", *(f"{_key(key)} = {_render(value)}" for key, value in values.items())]
    table = newline.join(lines)
    if not text:
        return table + newline
    if text.endswith("\n"):
        return text + newline + table + newline
    return text + newline + newline + table


def _statements(text: str) -> Iterator[Statement]:
    """Parse a text that is known to be valid."""
    prefix: tuple[str, ...] = ()
    position = 0
    while position < len(text):
        start = position
        content = re.compile(r"[ \t]*").match(text, position)
        position = content.end() if content else position
        if text[position : position + 1] in ("", "#", "\r", "\n"):
            position = _line_end(text, position)
            continue
        brackets = 2 if text.startswith("[[", position) else 1 if text.startswith("[", position) else 0
        key = _KEY.match(text, position + brackets)
        if key is None:
            raise Unchangeable
        names = tuple(_name(part) for part in _PART.findall(key.group()))
        if brackets:
            position = _line_end(text, key.end() + brackets)
            prefix = names
            yield Statement(True, names, start, position, (start, start))
            continue
        begin = key.end() + 1
        begin += len(text[begin:]) - len(text[begin:].lstrip(" \t"))
        end = _value_end(text, begin)
        position = _line_end(text, end)
        yield Statement(False, prefix + names, start, position, (begin, end))


def _value_end(text: str, start: int) -> int:
    depth, position, end = 0, start, start
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            break
        token = match.group()
        if depth == 0 and (token.startswith("#") or token in ("\n", "\r\n")):
            break
        depth += (token in "[{") - (token in "]}") if len(token) == 1 else 0
        position = match.end()
        end = position - (len(token) - len(token.rstrip(" \t")))
    return end


def _line_end(text: str, position: int) -> int:
    found = text.find("\n", position)
    return len(text) if found < 0 else found + 1


def _name(part: str) -> str:
    if part[0] in "\"'":
        return str(tomllib.loads(f"k = {part}")["k"])
    return part


def _holder(document: dict[str, object], way: Sequence[str], *, make: bool) -> dict[str, object]:
    place = document
    for key in way:
        inner = place.setdefault(key, {}) if make else place.get(key, {})
        if not isinstance(inner, dict):
            raise Unchangeable
        place = inner
    return place


def _same(text: str, wanted: object) -> bool:
    # Compared as text: TOML has NaN, which equals nothing.
    try:
        return repr(read(text)) == repr(wanted) or read(text) == wanted
    except SyntaxProblem:
        return False


def _checked(text: str, wanted: object) -> str:
    if not _same(text, wanted):
        raise Unchangeable
    return text


def _key(name: str) -> str:
    return name if re.fullmatch(_BARE, name) else json.dumps(name)


def _render(value: object) -> str:
    # A JSON string is a TOML string, except for DEL, which TOML requires to be escaped.
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(map(_render, value))}]"
    if isinstance(value, bool | int):
        return json.dumps(value)
    raise Unchangeable
