"""Tree of the symbols of one file.

Members declared outside of their type (Rust's `impl`, Go's receivers) are nested under it; if the type is in another
file, a node that is not a symbol itself groups them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from codeplane.query.outline import OutlineRow

Window = tuple[int, int]

MAX_LEVELS = 40
"""Deeper symbols are attached to the last level: JSON readers limit the nesting depth."""

_GROUP_KINDS = {"rust": "impl", "go": "receiver"}
"""Kind of the node that groups members of a type in another file, by language."""
_MEMBERS = frozenset({"method", "field", "property", "enum_member", "constructor"})


@dataclass
class TreeItem:
    """A symbol in the tree; `row` is None for a group."""

    row: OutlineRow | None
    name: str
    kind: str
    children: list[TreeItem] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.row.start_line if self.row else min(child.first for child in self.children)

    @property
    def last(self) -> int:
        return self.row.end_line if self.row else max(child.last for child in self.children)


def build_tree(valid: list[OutlineRow], rows: Iterable[OutlineRow], language: str) -> list[TreeItem]:
    """Nest the valid rows, in the order of their spans and at most MAX_LEVELS deep."""
    parents = {row.ordinal: row.parent for row in rows}
    items = {row.ordinal: TreeItem(row, row.name, row.kind) for row in valid}
    types: dict[str, TreeItem] = {}
    for row in valid:
        if row.kind not in _MEMBERS:
            types.setdefault(row.lexical_path, items[row.ordinal])
    roots: list[TreeItem] = []
    groups: dict[str, TreeItem] = {}
    for row in valid:
        item = items[row.ordinal]
        parent = _nearest_parent(row, parents, items)
        owner = row.lexical_path[: -len(row.name) - 1] if row.lexical_path.endswith(f".{row.name}") else ""
        if parent is not None:
            parent.children.append(item)
        elif not owner or row.parent is not None:
            roots.append(item)
        elif owner in types:
            types[owner].children.append(item)
        else:
            if owner not in groups:
                groups[owner] = TreeItem(None, owner, _GROUP_KINDS.get(language, "container"))
                roots.append(groups[owner])
            groups[owner].children.append(item)
    return roots


def _nearest_parent(row: OutlineRow, parents: dict[int, int | None], items: dict[int, TreeItem]) -> TreeItem | None:
    """Return the nearest ancestor that is in the tree and not too deep."""
    chain: list[int] = []
    ancestor = row.parent
    # Bounded, because a corrupt index could name a symbol as its own parent.
    for _ in range(len(parents)):
        if ancestor is None:
            break
        if ancestor in items:
            chain.append(ancestor)
        ancestor = parents.get(ancestor)
    return items[chain[max(0, len(chain) - MAX_LEVELS)]] if chain else None


def in_window(items: list[TreeItem], window: Window | None) -> list[TreeItem]:
    """Keep items that overlap the line range, and their ancestors."""
    if window is None:
        return items
    first, last = window
    overlapping: list[TreeItem] = []
    for item in items:
        children = in_window(item.children, window)
        overlaps = item.row is not None and item.row.start_line <= last and item.row.end_line >= first
        if children or overlaps:
            overlapping.append(TreeItem(item.row, item.name, item.kind, children))
    return overlapping


def count_symbols(items: list[TreeItem]) -> int:
    return sum(item.row is not None for item in flatten(items))


def flatten(items: list[TreeItem]) -> Iterable[TreeItem]:
    for item in items:
        yield item
        yield from flatten(item.children)
