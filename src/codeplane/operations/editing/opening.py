"""The editor of a repository and its ledger, put together: what was cut off is undone before anybody comes."""

from __future__ import annotations

from pathlib import Path

from codeplane.base.limits import MAX_LIMIT
from codeplane.operations.editing.editor import Editor
from codeplane.operations.editing.keeping import Room
from codeplane.tasks.ledger import Ledger


def open_editor(root: Path, ledger: Ledger | None, room: Room, *, plain: bool = False) -> Editor:
    """To be called once, when the ledger was opened with `recover`, and before anything is changed."""
    editor = Editor(root, room, plain=plain)
    # A ledger that was put aside may have known of what lies there.
    if ledger is not None and ledger.is_available and not ledger.notes:
        recent = {row.mutation_id for row in ledger.list_mutations(MAX_LIMIT)}
        editor.sweep(lambda name: name in recent or bool(ledger.list_mutations(1, mutation_id=name)))
    return editor
