"""Parser of JSON with comments and trailing commas that records the position of every value. `json_edit` edits the
text."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from codeplane.cli.clients.syntax import SyntaxProblem, problem_at

MAX_DEPTH = 100

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"(?:true|false|null)(?![0-9A-Za-z_])")


class Node(NamedTuple):
    start: int
    end: int
    scalar: object = None
    members: tuple[JsonMember, ...] | None = None
    """Members of an object."""
    items: tuple[Node, ...] | None = None
    """Items of an array."""


class JsonMember(NamedTuple):
    key: str
    start: int
    value: Node
    comma: int
    """Position of the comma after it, or -1."""


def parse(text: str) -> Node | None:
    """Parse a text; None if it has nothing but blanks and comments."""
    start = skip(text, 0)
    if start == len(text):
        return None
    node = _value(text, start, 0)
    rest = skip(text, node.end)
    if rest != len(text):
        raise problem_at(text, rest, "there is more after the end of the value")
    return node


def plain(node: Node) -> object:
    if node.members is not None:
        return {member.key: plain(member.value) for member in node.members}
    if node.items is not None:
        return [plain(item) for item in node.items]
    return node.scalar


def find(node: Node | None, *way: str) -> Node | None:
    """Return the value at a key path. Of duplicate keys the last counts, as in other JSON parsers."""
    for key in way:
        if node is None or node.members is None:
            return None
        node = next((member.value for member in reversed(node.members) if member.key == key), None)
    return node


def skip(text: str, position: int) -> int:
    """Return the next position that is neither blank nor in a comment."""
    match = _TRIVIA.match(text, position)
    return match.end() if match else position


def _value(text: str, start: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise problem_at(text, start, f"nested deeper than {MAX_DEPTH} levels")
    char = text[start : start + 1]
    if char == "{":
        return _object(text, start, depth)
    if char == "[":
        return _array(text, start, depth)
    match = _STRING.match(text, start) or _NUMBER.match(text, start) or _WORD.match(text, start)
    if match is None:
        raise _unexpected(text, start, "a value")
    try:
        return Node(start, match.end(), json.loads(match.group()))
    except ValueError:
        # Python rejects integers with thousands of digits.
        raise problem_at(text, start, "this number is too long") from None


def _object(text: str, start: int, depth: int) -> Node:
    members: list[JsonMember] = []
    position = skip(text, start + 1)
    while text[position : position + 1] != "}":
        key = _STRING.match(text, position)
        if key is None:
            raise _unexpected(text, position, "a key in double quotes, or '}'")
        colon = skip(text, key.end())
        if text[colon : colon + 1] != ":":
            raise _unexpected(text, colon, "':'")
        value = _value(text, skip(text, colon + 1), depth + 1)
        position, comma = _after(text, value.end, "}")
        members.append(JsonMember(json.loads(key.group()), key.start(), value, comma))
    return Node(start, position + 1, members=tuple(members))


def _array(text: str, start: int, depth: int) -> Node:
    items: list[Node] = []
    position = skip(text, start + 1)
    while text[position : position + 1] != "]":
        item = _value(text, position, depth + 1)
        items.append(item)
        position, _ = _after(text, item.end, "]")
    return Node(start, position + 1, items=tuple(items))


def _after(text: str, end: int, closing: str) -> tuple[int, int]:
    """Return the position of the next member or the end, and of the comma before it."""
    position = skip(text, end)
    found = text[position : position + 1]
    if found == ",":
        return skip(text, position + 1), position
    if found != closing:
        raise _unexpected(text, position, f"',' or '{closing}'")
    return position, -1


def _unexpected(text: str, position: int, expected: str) -> SyntaxProblem:
    if position >= len(text):
        return problem_at(text, position, f"the text ends where {expected} should be")
    if text.startswith("/*", position):
        return problem_at(text, position, "a comment that does not end")
    return problem_at(text, position, f"expected {expected}")
