"""Text form of `file_outline`: `path 2,780 lines sha 9b0c51d2e7aa`, then a row per symbol, nested by two spaces.

A row is the first line and the signature as it is in the source; fields and enum members that follow each other share
rows. Without a limit of the caller an outline stays within `DEFAULT_TOKENS`: the outermost symbols come first, then the
names of the members of the main class, then members of small classes, then the names of other members; what is left out
is counted, with the call that shows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from codeplane.base.paths import display
from codeplane.base.text_lines import INDENT, TextLine, heading, note, symbol
from codeplane.operations.outline import CALLABLES, Outline, OutlineNode, main_type
from codeplane.operations.signatures import cut_signature, short_signature
from codeplane.tools.text.common import short_digest

DEFAULT_TOKENS = 900
NAMED_TOKENS = 2_000
"""For the members of a class that the caller names."""
MAX_TOKENS = 6_000
"""If the caller limits the symbols."""
UNLIMITED = 1 << 40
"""For people. Each symbol has its own row, so that a pipe can filter."""

MAX_SIGNATURE = 100
MAX_VALUE = 60
"""Maximum characters of a variable with its value."""
MAX_SHARED = 100
"""Maximum characters of a row that several fields share."""

_VALUES = frozenset({"variable", "constant", "field", "property", "enum_member", "key", "parameter", "alias"})
"""Kinds of symbols that an outline prints by name only."""


def outline_lines(found: Outline, version: str, room: int = DEFAULT_TOKENS) -> list[TextLine]:
    """Render the outline of a file within `room` tokens. `version` is the digest of the file, or names the commit."""
    about = f"{found.line_count:,} lines{f' {version}' if version else ''}"
    if not found.symbols:
        return [heading(found.file, f"{about}, no symbols")]
    lines = [heading(found.file, about), *_fitted(found.file, found.symbols, room)]
    if found.has_more:
        more = f" (start_line={found.next_line})" if found.next_line else ""
        lines.append(note(f"… {found.left_out:,} symbols more{more}"))
    return lines


def symbol_lines(found: Outline, version: str, room: int = NAMED_TOKENS) -> list[TextLine]:
    """Render symbols that the caller named, with their members."""
    if not found.symbols:
        return []
    about = f"{found.line_count:,} lines{f' {version}' if version else ''}"
    lines = [heading(found.file, about)]
    share = room // len(found.symbols) if room != UNLIMITED else room
    for node in found.symbols:
        lines.append(_row(found.file, replace(node, child_count=0), 0, with_end=True))
        lines += _members(found.file, node, 1, share)
    if found.left_out:
        lines.append(note(f"… {found.left_out:,} symbols more"))
    return lines


def outline_rows(path: str, nodes: Sequence[Mapping[str, Any]], depth: int = 0) -> Iterator[TextLine]:
    """Render nodes given as JSON."""
    yield from _rows(path, map(_node_of, nodes), depth)


def version_words(digest: str, commit: str = "", ref: str = "") -> str:
    if commit:
        return f"commit {short_digest(commit)}"
    return ref or (f"sha {short_digest(digest)}" if digest else "")


def _fitted(path: str, nodes: Sequence[OutlineNode], room: int) -> list[TextLine]:
    """Return the first form that fits: all rows, two levels, or the top level with as many members as fit."""
    if room == UNLIMITED:
        return list(_rows(path, nodes, 0, shared=False))
    for shape in (nodes, [_without_grandchildren(node) for node in nodes]):
        rows = list(_rows(path, shape, 0))
        if _size(rows) <= room:
            return rows
    top = [_row(path, _closed(node), 0) for node in nodes]
    main = main_type(nodes)
    reserved = _member_names(path, main, room // 3) if main is not None else []
    left = room - _size(top)
    if left < _size(reserved):
        return _top_names(path, nodes, main, reserved, room)
    members = _choose_members(path, nodes, main, left)
    rows = []
    for position, node in enumerate(nodes):
        below = members.get(position)
        rows.append(_row(path, replace(node, child_count=0), 0) if below else top[position])
        rows += below or ()
    return rows


def _top_names(
    path: str, nodes: Sequence[OutlineNode], main: OutlineNode | None, members: Sequence[TextLine], room: int
) -> list[TextLine]:
    """Return the names of the top level, with the members of the main type under its row."""
    rows = _names(path, nodes, 0, room - _size(members), "symbols", "start_line={line}")
    if main is None:
        return rows
    row = _row(path, replace(main, children=(), child_count=0), 0)
    at = next((at for at, shown in enumerate(rows) if shown.line == row.line and shown.kind is row.kind), len(rows))
    return [*rows[:at], row, *members, *rows[at + 1 :]]


def _choose_members(
    path: str, nodes: Sequence[OutlineNode], main: OutlineNode | None, room: int
) -> dict[int, list[TextLine]]:
    """Return members by the position of their class: names of the main class, the smallest classes, names of others."""
    members = {at: list(_rows(path, map(_closed, node.children), 1)) for at, node in enumerate(nodes) if node.children}
    chosen: dict[int, list[TextLine]] = {}
    first = next((at for at, node in enumerate(nodes) if node is main), None)
    if first is not None and _size(members[first]) > room // 2:
        chosen[first] = _member_names(path, nodes[first], room // 2)
        room -= _size(chosen[first])
    for at in sorted(members.keys() - chosen.keys(), key=lambda at: (_size(members[at]), at)):
        size = _size(members[at])
        if size > room:
            break
        chosen[at] = members[at]
        room -= size
    for at in members:
        if room >= _LEAST_ROOM and (at not in chosen or (at == first and chosen[at] is not members[at])):
            room += _size(chosen.get(at, ()))
            chosen[at] = _member_names(path, nodes[at], room)
            room -= _size(chosen[at])
    return chosen


def _member_names(path: str, node: OutlineNode, room: int) -> list[TextLine]:
    return _names(path, node.children, 1, room, "members", f"symbol={node.name}")


_LEAST_ROOM = 50
"""Minimum space for members; with less, a class shows only their number."""


def _members(path: str, node: OutlineNode, depth: int, room: int) -> list[TextLine]:
    if room == UNLIMITED:
        return list(_rows(path, node.children, depth, shared=False))
    for shape in (node.children, [_closed(child) for child in node.children]):
        rows = list(_rows(path, shape, depth))
        if _size(rows) <= room:
            return rows
    return _names(path, node.children, depth, room, "members", "start_line={line}")


def _names(path: str, nodes: Sequence[OutlineNode], depth: int, room: int, what: str, call: str) -> list[TextLine]:
    """Render as many names as fit into shared rows, then count the rest, with the argument that shows them."""
    rows: list[TextLine] = []
    shown = 0
    bare = [replace(_closed(node), signature="") for node in nodes]
    for group in _groups(bare, depth, lambda node: not _count(node)):
        row = _shared_row(path, group, depth)
        room -= _tokens(row)
        if room < 0:
            words = f"… {len(nodes) - shown:,} {what} more ({call.format(line=group[0].line_start)})"
            rows.append(note(f"{INDENT * depth}{words}"))
            break
        rows.append(row)
        shown += len(group)
    return rows


def _rows(path: str, nodes: Iterable[OutlineNode], depth: int, *, shared: bool = True) -> Iterator[TextLine]:
    before = None
    for group in _groups(nodes, depth, _is_value if shared and depth else lambda node: False):
        row = _shared_row(path, group, depth)
        # `a, b = f()` defines two names in one line.
        if row != before:
            yield row
        before = row
        yield from _rows(path, group[-1].children, depth + 1, shared=shared)


def _groups(
    nodes: Iterable[OutlineNode], depth: int, may_share: Callable[[OutlineNode], bool]
) -> Iterator[list[OutlineNode]]:
    """Group nodes by row: adjacent fields share a row, as many as fit."""
    group: list[OutlineNode] = []
    room = 0
    for node in nodes:
        size = len(_words(node, depth)) + len(_SEPARATOR)
        shares = may_share(node)
        if shares and size <= room:
            group.append(node)
            room -= size
            continue
        if group:
            yield group
        group, room = [node], MAX_SHARED - size if shares else 0
    if group:
        yield group


def _is_value(node: OutlineNode) -> bool:
    return node.kind in _VALUES and not node.children


_SEPARATOR = "; "


def _shared_row(path: str, group: Sequence[OutlineNode], depth: int) -> TextLine:
    words = _SEPARATOR.join(dict.fromkeys(_words(node, depth) for node in group))
    return symbol(path, group[0].line_start, 0, words, _count(group[0]) if len(group) == 1 else "", depth)


def _row(path: str, node: OutlineNode, depth: int, *, with_end: bool = False) -> TextLine:
    last = node.line_end if with_end else 0
    return symbol(path, node.line_start, last, _words(node, depth), _count(node), depth)


def _words(node: OutlineNode, depth: int) -> str:
    """Return the signature on one line; without one the name, with the kind if the name does not show it."""
    if node.signature:
        shorten = cut_signature if node.kind in _VALUES else short_signature
        # The parent of a Go method is its receiver type.
        source = _RECEIVER.sub("func ", node.signature) if depth else node.signature
        return display(shorten(source, MAX_VALUE if node.kind in _VALUES else MAX_SIGNATURE))
    name = display(node.name)
    return f"{node.kind} {name}" if node.kind in _NAMED_KINDS else name


_RECEIVER = re.compile(r"^func \([^)]*\) ")
_NAMED_KINDS = frozenset({"class", "struct", "interface", "trait", "enum", "module", "impl", "receiver", "container"})
"""Kinds that are printed if there is no signature."""


def _count(node: OutlineNode) -> str:
    hidden = node.child_count if node.kind not in CALLABLES else 0
    return f"{hidden:,} {'member' if hidden == 1 else 'members'}" if hidden else ""


def _without_grandchildren(node: OutlineNode) -> OutlineNode:
    return replace(node, children=tuple(map(_closed, node.children))) if node.children else node


def _closed(node: OutlineNode) -> OutlineNode:
    if not node.children:
        return node
    return replace(node, children=(), child_count=node.child_count + len(node.children))


def _size(rows: Iterable[TextLine]) -> int:
    return sum(map(_tokens, rows))


def _tokens(row: TextLine) -> int:
    """Estimate tokens: line numbers and punctuation cost more than names."""
    return 3 + len(row.text) * 10 // 42


def _node_of(fields: Mapping[str, Any]) -> OutlineNode:
    return OutlineNode(
        fields["name"],
        fields["kind"],
        fields["line_start"],
        fields["line_end"],
        fields.get("signature", ""),
        children=tuple(map(_node_of, fields.get("children", ()))),
        child_count=fields.get("child_count", 0),
    )
