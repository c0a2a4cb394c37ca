"""Our own references of a definition, as `cpl refs PATH:LINE:COLUMN` gives them, asked in this process.

The one place that knows how we are asked. The limit is the largest of the command, so that a page counts as no miss.
Answers carry their tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.references.data import Answer, Definition
from benchmarks.search.codeplane_search import Ours as OpenTree

from codeplane.base.limits import MAX_LIMIT
from codeplane.operations.refs import find_uses
from codeplane.operations.symbols.model import SymbolNotFound


class Ours(OpenTree):
    """Keeps the index of one tree open."""

    def ask(self, definition: Definition) -> list[Answer]:  # type: ignore[override]
        written = f"{definition.path}:{definition.line}:{definition.col + 1}"
        found = find_uses(self.workspace.read, written, MAX_LIMIT).value
        if isinstance(found, SymbolNotFound):
            return []
        rows = [use for uses in found if uses.symbol.name == definition.name for use in uses.rows]
        return [Answer(use.path, use.start_line, use.start_col, use.tier.name) for use in rows]


def ask(tree: Path, definitions: Sequence[Definition]) -> list[list[Answer]]:
    """For each definition its references. The tree gets an index, and the folder around it a user: give it a copy."""
    ours = Ours(tree.parent / "user")
    try:
        ours.turn_to(tree)
        return [ours.ask(definition) for definition in definitions]
    finally:
        ours.close()
