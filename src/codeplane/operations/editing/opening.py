"""The editor of a repository and its ledger, put together: what was cut off is undone before anybody comes."""

from __future__ import annotations

from pathlib import Path

from codeplane.ledger.ledger import Ledger
from codeplane.operations.editing.editor import Editor
from codeplane.operations.editing.keeping import Room


def open_editor(root: Path, ledger: Ledger | None, room: Room, *, plain: bool = False) -> Editor:
    """To be called once, when the ledger was opened with `recover`, and before anything is changed."""
    editor = Editor(root, room, plain=plain)
    # A ledger that was put aside may have known of what lies there.
    if ledger is not None and ledger.is_available and not ledger.quarantined:
        editor.sweep(ledger.list_mutation_ids)
    return editor
