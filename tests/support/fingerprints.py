"""Indexes that seem to have been made by another version."""

from __future__ import annotations

import json
from pathlib import Path

import apsw


def tamper(root: Path, **fields: str) -> None:
    """Change parts of the fingerprint of the index that is published."""
    state = root / ".codeplane"
    generation = state / "generations" / (state / "CURRENT").read_text().strip()
    (database,) = generation.glob("*.db")
    connection = apsw.Connection(str(database))
    (text,) = next(iter(connection.execute("SELECT value FROM meta WHERE key = 'fingerprint'")))
    changed = json.dumps(json.loads(str(text)) | fields)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'fingerprint'", (changed,))
    connection.close()
