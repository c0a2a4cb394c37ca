"""An outline of default size: the outermost symbols first, then as much beneath them as there is room for.

Only for callers who named no limit. What they do not see is counted, so that they can ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from codeplane.operations.outline import Node, Outline
from codeplane.tools.sizes import json_size

DEFAULT_CHARS = 7_500
"""Of the result as JSON; with the rest of the envelope about two thousand tokens."""

_FEW = 3
_NODE_CHARS = 70
"""What a node without a signature costs beside its name."""
_SIGNATURE_CHARS = 15
_GATHERERS = frozenset({"impl", "receiver", "container"})
"""Kinds of nodes that are no symbols themselves."""


def fitted(whole: Outline, ask_top: Callable[[], Outline]) -> Outline:
    """The first of these that fits: all of it, two levels, two levels whose second has no signatures, one level."""
    if _fits(whole):
        return whole
    total = whole.left_out + _count(whole.symbols)
    two = replace(whole, symbols=tuple(_without_grandchildren(node) for node in whole.symbols))
    bare = replace(whole, symbols=tuple(_cut(two.symbols, DEFAULT_CHARS)))
    for shape in (two, bare):
        if not whole.has_more and _count(shape.symbols) == _count(two.symbols) and _fits(shape):
            return replace(shape, left_out=total - _count(shape.symbols))
    top = ask_top() if whole.has_more else replace(whole, symbols=tuple(_cut_top(whole.symbols, DEFAULT_CHARS)))
    # Of a file that is one class, the class alone tells nothing.
    chosen = bare if len(top.symbols) <= _FEW else top
    rest = _first_missing(whole.symbols, chosen.symbols) or (whole if chosen is bare else chosen).rest_line
    return replace(chosen, left_out=total - _count(chosen.symbols), rest_line=rest)


def _first_missing(whole: Sequence[Node], shown: Sequence[Node]) -> int | None:
    """The line of the first node that is not shown: one of the outermost, or one within the last of them."""
    if len(shown) > len(whole):
        return None
    if shown and shown[-1].children:
        within = whole[len(shown) - 1].children
        if len(shown[-1].children) < len(within):
            return within[len(shown[-1].children)].line_start
    return whole[len(shown)].line_start if len(shown) < len(whole) else None


def _fits(found: Outline) -> bool:
    return json_size(found.as_dict()) <= DEFAULT_CHARS


def _count(nodes: Iterable[Node]) -> int:
    return sum((node.kind not in _GATHERERS) + _count(node.children) for node in nodes)


def _without_grandchildren(node: Node) -> Node:
    if not any(child.children for child in node.children):
        return node
    return replace(node, children=tuple(map(_closed, node.children)))


def _closed(node: Node) -> Node:
    # Most have nothing in them, and a copy is dear.
    if not node.children:
        return node
    return replace(node, children=(), child_count=node.child_count + len(node.children))


def _cost(node: Node) -> int:
    return _NODE_CHARS + len(node.name) + (_SIGNATURE_CHARS + len(node.signature) if node.signature else 0)


def _cut_top(nodes: Iterable[Node], room: int) -> Iterable[Node]:
    for node in nodes:
        if room <= 0:
            return
        room -= _cost(node)
        yield _closed(node)


def _cut(nodes: Iterable[Node], room: int) -> Iterable[Node]:
    """Two levels in the order of the file, the second without signatures, until there is no more room."""
    for node in nodes:
        room -= _cost(node)
        if room < 0:
            return
        kept: list[Node] = []
        for child in node.children:
            room -= _NODE_CHARS + len(child.name)
            if room < 0:
                break
            kept.append(replace(child, signature="") if child.signature else child)
        hidden = node.child_count + len(node.children) - len(kept)
        yield replace(node, children=tuple(kept), child_count=hidden)
