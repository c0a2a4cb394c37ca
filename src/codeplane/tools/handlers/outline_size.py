"""Reduction of a JSON outline to the default size: top-level symbols first, then as many nested ones as fit.

Applies only if the caller set no limit. If not even the top-level symbols fit, the remaining ones are listed by name,
so that a reader sees that they exist; what does not fit by name is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from codeplane.operations.outline import Outline, OutlineNode
from codeplane.tools.sizes import json_size

DEFAULT_CHARS = 7_500
"""Size of the result as JSON; with the rest of the envelope about 2,000 tokens."""

_NAMES_CHARS = 5_000
"""Part of it for the names of symbols that are not shown."""
_NAME_CHARS = 3
"""Quotes and comma of a name."""
_FEW = 3
_GROUPS = frozenset({"impl", "receiver", "container"})
"""Kinds of nodes that group symbols and are not symbols themselves."""
_BY_NAME_FIRST = frozenset({"macro"})
"""Kinds that are listed by name first when space runs out."""


def fit_outline(whole: Outline, find_top: Callable[[], Outline]) -> Outline:
    """Return the first form that fits: everything, two levels, two levels without signatures in the second, one
    level, or some symbols with the names of the others. `find_top` returns the top level of a truncated outline."""
    if not whole.has_more and _fits(whole):
        return whole
    total = whole.left_out + _count(whole.symbols)
    two = replace(whole, symbols=tuple(_without_grandchildren(node) for node in whole.symbols))
    bare = replace(two, symbols=tuple(_without_signatures(node) for node in two.symbols))
    top = find_top() if whole.has_more else replace(whole, symbols=tuple(map(_without_children, whole.symbols)))
    # In a file with one class, the class alone says nothing.
    is_one = len(top.symbols) <= _FEW
    shapes = () if whole.has_more else (two, bare) if is_one else (two, bare, top)
    found = next((shape for shape in shapes if _fits(shape)), None) or _with_others(bare if is_one else top)
    return replace(found, left_out=total - _count(found.symbols) - len(found.others))


def _fits(found: Outline) -> bool:
    return json_size(found.as_dict()) <= DEFAULT_CHARS


def _count(nodes: Iterable[OutlineNode]) -> int:
    return sum((node.kind not in _GROUPS) + _count(node.children) for node in nodes)


def _without_grandchildren(node: OutlineNode) -> OutlineNode:
    if not any(child.children for child in node.children):
        return node
    return replace(node, children=tuple(map(_without_children, node.children)))


def _without_children(node: OutlineNode) -> OutlineNode:
    # Most have no children, and copying is expensive.
    if not node.children:
        return node
    return replace(node, children=(), child_count=node.child_count + len(node.children))


def _without_signatures(node: OutlineNode) -> OutlineNode:
    """Drop the signatures of the children."""
    return replace(node, children=tuple(replace(child, signature="") for child in node.children))


def _with_others(found: Outline) -> Outline:
    """Keep as many symbols as fit together with the names of the others, or of as many as possible."""
    names = sum(len(name) + _NAME_CHARS for name, _ in _names(found.symbols))
    frame = json_size(replace(found, symbols=()).as_dict())
    room = DEFAULT_CHARS - frame - min(names, _NAMES_CHARS)
    shown: list[OutlineNode] = []
    rest: list[tuple[str, int]] = []
    for node in found.symbols:
        size = json_size(_without_children(node).as_dict())
        if room < size or node.kind in _BY_NAME_FIRST:
            room = room if node.kind in _BY_NAME_FIRST else 0
            rest += _names([node])
            continue
        room -= size
        sizes = [json_size(child.as_dict()) for child in node.children]
        count = 0
        while count < len(sizes) and sizes[count] <= room:
            room -= sizes[count]
            count += 1
        hidden = len(sizes) - count
        shown.append(replace(node, children=node.children[:count], child_count=node.child_count + hidden))
        rest += _names(node.children[count:], f"{_path(node)}.")
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
    """Yield symbol references without the file, and their first lines."""
    for node in nodes:
        path = _path(node, above)
        if node.kind not in _GROUPS:
            yield f"{path}@{node.line_start}", node.line_start
        yield from _names(node.children, f"{path}.")


def _path(node: OutlineNode, above: str = "") -> str:
    """Return the lexical path: from the node if it has a reference, else from the tree."""
    return node.symbol_ref.partition("#")[2].rpartition("@")[0] or f"{above}{node.name}"
