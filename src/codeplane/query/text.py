"""Files by the words in them: candidates, best first. The text itself is read elsewhere."""

from __future__ import annotations

from codeplane.query.snapshot import Snapshot, check_limit
from codeplane.store.lexical import LexicalHit


def lexical_search(
    snapshot: Snapshot, query: str, limit: int, unit_id: int | None = None, family: str | None = None
) -> list[LexicalHit]:
    """Files that have any word of the query, by score and then by path; nothing for a query without words."""
    return snapshot.reader.search(query, check_limit(limit), unit_id, family)
