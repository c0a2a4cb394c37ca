"""Set or remove one member of one object in a JSON text; every other byte is preserved.

Inserted text follows the style of its surroundings, and removing it restores the original text. Every result is parsed
again before it is returned: a wrong result is an exception, never a file.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence

from codeplane.cli.clients.jsonc import JsonMember, Node, find, parse, plain, skip
from codeplane.cli.clients.syntax import Splice, SyntaxProblem, Unchangeable, newline_of, problem_at, splice

_BLANKS = " \t\r\n"
_REST_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*.*?\*/))*", re.DOTALL)
_UNIT = "  "


def read(text: str) -> dict[str, object]:
    node = parse(text)
    value = plain(node) if node else {}
    if not isinstance(value, dict):
        raise problem_at(text, node.start if node else 0, "expected an object")
    return value


def set_member(text: str, way: Sequence[str], name: str, value: object) -> tuple[str, int]:
    """Return `text` with the member set, and the number of objects of the key path that were created for it."""
    wanted = copy.deepcopy(read(text))
    root = parse(text)
    place: dict[str, object] = wanted
    for depth, key in enumerate(way):
        node = find(root, *way[: depth + 1])
        if node is not None and node.members is None:
            raise problem_at(text, node.start, f"expected an object as the value of '{key}'")
        inner = place.setdefault(key, {})
        if isinstance(inner, dict):
            place = inner
    place[name] = value

    known = len(way)
    while known and find(root, *way[:known]) is None:
        known -= 1
    path, added = [*way, name], value
    while len(path) > known + 1:
        added = {path.pop(): added}
    if root is None:
        edited = text + _joint(text) + _pretty({path[0]: added}, "", _UNIT, newline_of(text)) + newline_of(text)
        return _checked(edited, wanted), len(way)
    holder = find(root, *path[:-1])
    if holder is None:
        raise Unchangeable
    edited = splice(text, _set(text, root, holder, path[-1], added))
    return _checked(edited, wanted), len(way) - known


def remove_member(text: str, way: Sequence[str], name: str, made: int = 0) -> str:
    """Return `text` without the member, and without the last `made` objects of the key path if they are empty."""
    wanted = copy.deepcopy(read(text))
    place: object = wanted
    for key in way:
        place = place.get(key) if isinstance(place, dict) else None
    if not isinstance(place, dict) or name not in place:
        return text
    del place[name]
    while (holder := find(parse(text), *way)) and any(member.key == name for member in holder.members or ()):
        text = _without(text, holder, name)
    _checked(text, wanted)
    emptied = find(parse(text), *way)
    if made and way and emptied and not text[emptied.start + 1 : emptied.end - 1].strip(_BLANKS):
        return remove_member(text, way[:-1], way[-1], made - 1)
    return text


def _set(text: str, root: Node, holder: Node, key: str, value: object) -> Iterator[Splice]:
    newline = newline_of(text)
    unit = _unit(text, root)
    members = holder.members or ()
    present = next((member for member in reversed(members) if member.key == key), None)
    if present:
        indent = _indent_at(text, present.start)
        yield Splice(present.value.start, present.value.end, _pretty(value, indent, unit, newline))
        return
    spread = "\n" in text[root.start : root.end] if members or holder is not root else True
    if members:
        last = members[-1]
        spread = "\n" in text[holder.start : members[0].start] + text[last.value.end : holder.end]
    indent = _member_indent(text, holder, unit)
    body = _pretty(value, indent, unit, newline) if spread else json.dumps(value, ensure_ascii=False)
    written = f"{json.dumps(key, ensure_ascii=False)}: {body}"
    if members:
        lead = newline + indent if spread else " "
        end = last.value.end if last.comma < 0 else last.comma + 1
        if last.comma < 0:
            yield Splice(end, end, ",")
        end = _end_of_line(text, end)
        yield Splice(end, end, lead + written + ("," if last.comma >= 0 else ""))
        return
    inner = text[holder.start + 1 : holder.end - 1]
    if not spread:
        yield Splice(holder.end - 1, holder.end - 1, written)
    elif "\n" not in inner:
        closing = newline + _indent_at(text, holder.start)
        yield Splice(holder.end - 1, holder.end - 1, newline + indent + written + closing)
    else:
        # After the line break, so that removal can tell this from an object on one line.
        at = holder.end - 1 - len(_blanks_at_end(inner))
        yield Splice(at, at, newline + indent + written + newline)


def _without(text: str, holder: Node, name: str) -> str:
    members = holder.members or ()
    index = max(position for position, member in enumerate(members) if member.key == name)
    wanted = [(member.key, plain(member.value)) for member in members if member is not members[index]]
    for splices in (_removal_splices(text, holder, members, index), _plain_removal(text, members, index)):
        edited = splice(text, splices)
        try:
            root = parse(edited)
        except SyntaxProblem:
            continue
        if root and _holds(root, holder.start, wanted):
            return edited
    raise Unchangeable


def _removal_splices(text: str, holder: Node, members: Sequence[JsonMember], index: int) -> list[Splice]:
    """Return edits that remove a member together with its surrounding blanks."""
    member = members[index]
    before = len(text[: member.start].rstrip(_BLANKS))
    end = member.value.end
    if member.comma >= 0:
        after = member.comma + 1
        line_ends = re.match(r"[ \t]*(?:\r?\n|//|/\*)", text[after:])
        if line_ends or index == len(members) - 1:
            return [Splice(before, end, ""), Splice(member.comma, after, "")]
        following = len(text) - len(text[after:].lstrip(" \t"))
        return [Splice(member.start, end, ""), Splice(member.comma, following, "")]
    if index:
        previous = members[index - 1].comma
        return [Splice(previous, previous + 1, ""), Splice(max(before, previous + 1), end, "")]
    gap = text[before : member.start]
    if "\n" not in gap:
        return [Splice(member.start, end, "")]
    start = before + len(gap) - len(re.split(r"\r?\n", gap)[-1])
    start -= 2 if text[start - 2 : start] == "\r\n" else 1
    rest = text[end : holder.end - 1]
    opening = re.match(r"\r?\n", rest)
    if opening is None:
        return [Splice(start, end, "")]
    was_spread = "\n" in text[holder.start : start]
    if was_spread or rest.strip(_BLANKS):
        return [Splice(start, end + (opening.end() if was_spread else 0), "")]
    return [Splice(start, holder.end - 1, "")]


def _plain_removal(text: str, members: Sequence[JsonMember], index: int) -> list[Splice]:
    member = members[index]
    cut = [Splice(member.start, member.value.end, "")]
    comma = member.comma if member.comma >= 0 else members[index - 1].comma if index else -1
    return [*cut, Splice(comma, comma + 1, "")] if comma >= 0 else cut


def _holds(root: Node, start: int, wanted: list[tuple[str, object]]) -> bool:
    """True if the object at `start`, which no removal inside it can move, has exactly these members."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.start == start and node.members is not None:
            return [(member.key, plain(member.value)) for member in node.members] == wanted
        nodes += [member.value for member in node.members or ()] + list(node.items or ())
    return False


def _checked(text: str, wanted: object) -> str:
    if read(text) != wanted:
        raise Unchangeable
    return text


def _pretty(value: object, indent: str, unit: str, newline: str) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + unit
    lines = (
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_pretty(item, inner, unit, newline)}"
        for key, item in value.items()
    )
    return "{" + newline + f",{newline}".join(lines) + newline + indent + "}"


def _unit(text: str, root: Node) -> str:
    for member in root.members or ():
        indent = _indent_at(text, member.start)
        if indent and _starts_line(text, member.start):
            return indent
    return _UNIT


def _member_indent(text: str, holder: Node, unit: str) -> str:
    if holder.members and _starts_line(text, holder.members[-1].start):
        return _indent_at(text, holder.members[-1].start)
    return _indent_at(text, holder.start) + unit


def _indent_at(text: str, position: int) -> str:
    """Return the indentation of the line at `position`."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _starts_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip(" \t")


def _end_of_line(text: str, position: int) -> int:
    """Return the position after comments on the same line: they belong to what precedes them."""
    match = _REST_OF_LINE.match(text, position)
    return match.end() if match else position


def _blanks_at_end(inner: str) -> str:
    tail = inner[inner.rfind("\n") + 1 :]
    return tail if not tail.strip(" \t") else ""


def _joint(text: str) -> str:
    return newline_of(text) if text.strip(_BLANKS) and skip(text, 0) and not text.endswith("\n") else ""
