"""Our own references of a definition, read from an index in this process.

The one place that knows how we are asked. A definition is found by its path, the line of its name, and the name;
one that the index does not know has no references. Answers carry their tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.references.data import Answer, Definition

from codeplane.base.limits import MAX_LIMIT
from codeplane.config.model import Config
from codeplane.facts.model import Tier
from codeplane.operations.context import Context
from codeplane.operations.init import initialize
from codeplane.query.overrides import find_family
from codeplane.query.refs import list_uses_of, rank_uses
from codeplane.query.relations import Symbol, find_symbols_at
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state

_FAMILIES = (".ts", ".tsx", ".mts", ".cts")
"""Languages whose data comes from TypeScript, which treats a member and its overrides as one symbol."""


class Ours:
    """Keeps the index of one tree open."""

    def __init__(self, user_state: Path) -> None:
        self._user_state = user_state
        self._snapshot: Snapshot | None = None

    def turn_to(self, tree: Path) -> None:
        self.close()
        initialize(Context(root=tree, config=Config(), user_state=self._user_state))
        state = open_state(tree)
        assert state is not None
        self._snapshot = open_current(state, lexical=False)

    @property
    def snapshot(self) -> Snapshot:
        assert self._snapshot is not None
        return self._snapshot

    def ask(self, definition: Definition) -> list[Answer]:
        symbols = find_symbols_at(self.snapshot, definition.path, definition.line, definition.col)
        found: dict[Answer, None] = {}
        for symbol in symbols:
            if symbol.name == definition.name:
                found |= dict.fromkeys(self._uses(symbol))
                for other in self._same(symbol) if definition.path.endswith(_FAMILIES) else ():
                    found[Answer(other.path, other.line, other.column, Tier.STRONG.name)] = None
                    found |= dict.fromkeys(self._uses(other))
        return list(found)

    def _uses(self, symbol: Symbol) -> list[Answer]:
        place = (symbol.path, symbol.line, symbol.column)
        page = rank_uses(list_uses_of(self.snapshot, symbol.number), place, MAX_LIMIT).page
        return [Answer(ref.path, ref.start_line, ref.start_col, ref.tier.name) for ref in page.rows]

    def _same(self, symbol: Symbol) -> list[Symbol]:
        family = find_family(self.snapshot, symbol)
        return [*family.overrides, *family.overridden_by] if family is not None else []

    def close(self) -> None:
        if self._snapshot is not None:
            self._snapshot.close()
        self._snapshot = None


def ask(tree: Path, definitions: Sequence[Definition]) -> list[list[Answer]]:
    """For each definition its references. The tree gets an index, and the folder around it a user: give it a copy."""
    ours = Ours(tree.parent / "user")
    try:
        ours.turn_to(tree)
        return [ours.ask(definition) for definition in definitions]
    finally:
        ours.close()
