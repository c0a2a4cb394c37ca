"""An outline of default size: the outermost symbols first, then as much beneath them as there is room for.

Only for callers who named no limit. Where not even the outermost fit, the names of those that are not shown stand
beside the others: whoever looks for a function has to see that it is there. What is not named either is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from codeplane.operations.outline import Outline, OutlineNode
from codeplane.tools.sizes import json_size

DEFAULT_CHARS = 7_500
"""Of the result as JSON; with the rest of the envelope about two thousand tokens."""

_NAMES_CHARS = 5_000
"""Of these, for the names of what is not shown."""
_NAME_CHARS = 3
"""What a name costs beside itself."""
_FEW = 3
_GATHERERS = frozenset({"impl", "receiver", "container"})
"""Kinds of nodes that are no symbols themselves."""
_LEAST = frozenset({"macro"})
"""Kinds of which the names are enough, where there is no room for all."""


def fitted(whole: Outline, ask_top: Callable[[], Outline]) -> Outline:
    """The first of these that fits: all of it, two levels, two levels whose second has no signatures, one level, some
    symbols and the names of others. `ask_top` gives the outermost symbols of an outline that is cut."""
    if not whole.has_more and _fits(whole):
        return whole
    total = whole.left_out + _count(whole.symbols)
    two = replace(whole, symbols=tuple(_without_grandchildren(node) for node in whole.symbols))
    bare = replace(two, symbols=tuple(_bare(node) for node in two.symbols))
    top = ask_top() if whole.has_more else replace(whole, symbols=tuple(map(_closed, whole.symbols)))
    # Of a file that is one class, the class alone tells nothing.
    is_one = len(top.symbols) <= _FEW
    shapes = () if whole.has_more else (two, bare) if is_one else (two, bare, top)
    found = next((shape for shape in shapes if _fits(shape)), None) or _with_others(bare if is_one else top)
    return replace(found, left_out=total - _count(found.symbols) - len(found.others))


def _fits(found: Outline) -> bool:
    return json_size(found.as_dict()) <= DEFAULT_CHARS


def _count(nodes: Iterable[OutlineNode]) -> int:
    return sum((node.kind not in _GATHERERS) + _count(node.children) for node in nodes)


def _without_grandchildren(node: OutlineNode) -> OutlineNode:
    if not any(child.children for child in node.children):
        return node
    return replace(node, children=tuple(map(_closed, node.children)))


def _closed(node: OutlineNode) -> OutlineNode:
    # Most have nothing in them, and a copy is dear.
    if not node.children:
        return node
    return replace(node, children=(), child_count=node.child_count + len(node.children))


def _bare(node: OutlineNode) -> OutlineNode:
    """With children that have no signatures."""
    return replace(node, children=tuple(replace(child, signature="") for child in node.children))


def _with_others(found: Outline) -> Outline:
    """As many symbols as there is room for beside the names of all others, or of as many as can be."""
    names = sum(len(name) + _NAME_CHARS for name, _ in _names(found.symbols))
    frame = json_size(replace(found, symbols=()).as_dict())
    room = DEFAULT_CHARS - frame - min(names, _NAMES_CHARS)
    shown: list[OutlineNode] = []
    rest: list[tuple[str, int]] = []
    for node in found.symbols:
        size = json_size(_closed(node).as_dict())
        if room < size or node.kind in _LEAST:
            room = room if node.kind in _LEAST else 0
            rest += _names([node])
            continue
        room -= size
        sizes = [json_size(child.as_dict()) for child in node.children]
        kept = 0
        while kept < len(sizes) and sizes[kept] <= room:
            room -= sizes[kept]
            kept += 1
        hidden = len(sizes) - kept
        shown.append(replace(node, children=node.children[:kept], child_count=node.child_count + hidden))
        rest += _names(node.children[kept:], f"{_path(node)}.")
        room = 0 if hidden else room
    others: list[str] = []
    left = _NAMES_CHARS
    while rest and left >= len(rest[0][0]) + _NAME_CHARS:
        name, _ = rest.pop(0)
        others.append(name)
        left -= len(name) + _NAME_CHARS
    next_line = min((line for _, line in rest), default=found.next_line)
    return replace(found, symbols=tuple(shown), others=tuple(others), next_line=next_line)


def _names(nodes: Iterable[OutlineNode], above: str = "") -> Iterator[tuple[str, int]]:
    """References without the file, and where they begin."""
    for node in nodes:
        path = _path(node, above)
        if node.kind not in _GATHERERS:
            yield f"{path}@{node.line_start}", node.line_start
        yield from _names(node.children, f"{path}.")


def _path(node: OutlineNode, above: str = "") -> str:
    """The lexical path: where the tree does not tell it, the node does."""
    return node.symbol_ref.partition("#")[2].rpartition("@")[0] or f"{above}{node.name}"
