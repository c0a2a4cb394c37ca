"""Text form of `file_outline`: `path 2,780 lines sha 9b0c51d2e7aa`, then a row per symbol, nested by two spaces.

A row is the first line and the signature as it is in the source. Without a limit of the caller an outline stays within
`DEFAULT_CHARS`: the outermost symbols come first, then members of small classes, then the names of other members; what
is left out is counted, with the call that shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from codeplane.base.paths import display
from codeplane.base.text_lines import INDENT, TextLine, heading, note, symbol, text
from codeplane.operations.outline import Node, Outline
from codeplane.operations.signatures import short_signature
from codeplane.tools.text.common import short_digest

DEFAULT_CHARS = 3_400
"""About 900 tokens."""
NAMED_CHARS = 7_000
"""For the members of a class that was asked for by name."""
MAX_CHARS = 20_000
"""For callers who set a limit of symbols themselves."""

MAX_SIGNATURE = 100
MAX_VALUE = 60
"""Characters of a variable with its value."""

_CALLABLES = frozenset({"function", "method", "constructor"})
_VALUES = frozenset({"variable", "constant", "field", "property", "enum_member", "key", "parameter", "alias"})
"""Kinds that a bare name in an outline stands for."""


def outline_lines(found: Outline, version: str, room: int = DEFAULT_CHARS) -> list[TextLine]:
    """The outline of a file. `version` is the digest of the file, or names the commit."""
    about = f"{found.line_count:,} lines{f' {version}' if version else ''}"
    if not found.symbols:
        return [heading(found.file, f"{about}, no symbols")]
    lines = [heading(found.file, about), *_fitted(found.file, found.symbols, room)]
    if found.has_more:
        more = f" (start_line={found.next_line})" if found.next_line else ""
        lines.append(note(f"… {found.left_out:,} symbols more{more}"))
    return lines


def symbol_lines(found: Outline, version: str, room: int = NAMED_CHARS) -> list[TextLine]:
    """Symbols that were asked for by name, each with its members."""
    if not found.symbols:
        return []
    about = f"{found.line_count:,} lines{f' {version}' if version else ''}"
    lines = [heading(found.file, about)]
    share = room // len(found.symbols)
    for node in found.symbols:
        lines.append(_row(found.file, replace(node, child_count=0), 0, with_end=True))
        lines += _members(found.file, node, 1, share)
    if found.left_out:
        lines.append(note(f"… {found.left_out:,} symbols more"))
    return lines


def not_found_lines(name: str, found: Outline) -> list[TextLine]:
    words = f"no symbol named '{display(name)}' in {display(found.file)}"
    similar = ", ".join(display(each) for each in found.similar)
    return [text(f"{words}; did you mean {similar}?" if similar else words)]


def outline_rows(path: str, nodes: Sequence[Mapping[str, Any]], depth: int = 0) -> Iterator[TextLine]:
    """Rows of nodes as the JSON form has them."""
    yield from _rows(path, map(_node_of, nodes), depth)


def version_words(digest: str, commit: str = "", ref: str = "") -> str:
    if commit:
        return f"commit {short_digest(commit)}"
    return ref or (f"sha {short_digest(digest)}" if digest else "")


def _fitted(path: str, nodes: Sequence[Node], room: int) -> list[TextLine]:
    """The first of these that fits: all rows, two levels, the outermost and as many members as there is room for."""
    for shape in (nodes, [_without_grandchildren(node) for node in nodes]):
        rows = list(_rows(path, shape, 0))
        if _size(rows) <= room:
            return rows
    top = [_row(path, _closed(node), 0) for node in nodes]
    left = room - _size(top)
    if left < 0:
        return _names(path, nodes, 0, room, "symbols", "start_line={line}")
    members = _choose_members(path, nodes, left)
    rows = []
    for position, node in enumerate(nodes):
        below = members.get(position)
        rows.append(_row(path, replace(node, child_count=0), 0) if below else top[position])
        rows += below or ()
    return rows


def _choose_members(path: str, nodes: Sequence[Node], room: int) -> dict[int, list[TextLine]]:
    """Members by the position of their class: the smallest classes first, then names of the members of others."""
    members = {at: list(_rows(path, map(_closed, node.children), 1)) for at, node in enumerate(nodes) if node.children}
    chosen: dict[int, list[TextLine]] = {}
    for at in sorted(members, key=lambda at: (_size(members[at]), at)):
        size = _size(members[at])
        if size > room:
            break
        chosen[at] = members[at]
        room -= size
    for at in members:
        if at not in chosen and room >= _LEAST_ROOM:
            chosen[at] = _names(path, nodes[at].children, 1, room, "members", f"symbol={nodes[at].name}")
            room -= _size(chosen[at])
    return chosen


_LEAST_ROOM = 200
"""With less room than this, a class shows how many members it has and none of them."""


def _members(path: str, node: Node, depth: int, room: int) -> list[TextLine]:
    for shape in (node.children, [_closed(child) for child in node.children]):
        rows = list(_rows(path, shape, depth))
        if _size(rows) <= room:
            return rows
    return _names(path, node.children, depth, room, "members", "start_line={line}")


def _names(path: str, nodes: Sequence[Node], depth: int, room: int, what: str, call: str) -> list[TextLine]:
    """Rows without signatures, as many as fit; then how many are missing and the argument that shows them."""
    rows: list[TextLine] = []
    for position, node in enumerate(nodes):
        row = symbol(path, node.line_start, 0, display(node.name), _count(node), depth)
        room -= len(row.text) + 1
        if room < 0:
            left = len(nodes) - position
            rows.append(note(f"{INDENT * depth}… {left:,} {what} more ({call.format(line=node.line_start)})"))
            break
        rows.append(row)
    return rows


def _rows(path: str, nodes: Iterable[Node], depth: int) -> Iterator[TextLine]:
    for node in nodes:
        yield _row(path, node, depth)
        yield from _rows(path, node.children, depth + 1)


def _row(path: str, node: Node, depth: int, *, with_end: bool = False) -> TextLine:
    last = node.line_end if with_end else 0
    return symbol(path, node.line_start, last, _words(node), _count(node), depth)


def _words(node: Node) -> str:
    """The signature on one line; the kind where the signature does not show it."""
    if node.signature:
        limit = MAX_VALUE if node.kind in _VALUES else MAX_SIGNATURE
        return display(short_signature(node.signature, limit))
    name = display(node.name)
    if node.kind in _CALLABLES:
        return f"{name}()"
    return name if node.kind in _VALUES else f"{node.kind} {name}"


def _count(node: Node) -> str:
    hidden = node.child_count if node.kind not in _CALLABLES else 0
    return f"{hidden:,} {'member' if hidden == 1 else 'members'}" if hidden else ""


def _without_grandchildren(node: Node) -> Node:
    return replace(node, children=tuple(map(_closed, node.children))) if node.children else node


def _closed(node: Node) -> Node:
    if not node.children:
        return node
    return replace(node, children=(), child_count=node.child_count + len(node.children))


def _size(rows: Iterable[TextLine]) -> int:
    return sum(len(row.text) + 1 for row in rows)


def _node_of(fields: Mapping[str, Any]) -> Node:
    return Node(
        fields["name"],
        fields["kind"],
        fields["line_start"],
        fields["line_end"],
        fields.get("signature", ""),
        children=tuple(map(_node_of, fields.get("children", ()))),
        child_count=fields.get("child_count", 0),
    )
