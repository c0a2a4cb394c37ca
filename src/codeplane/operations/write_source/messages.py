"""Messages shared by the operation and its text form. Kept apart because it is cheap to import."""

from __future__ import annotations

REPEATED = "Already applied under this idempotency_key; nothing was changed now."
"""Message of a replayed answer."""
RECOVERED = "Applied; the engine ended before it could answer, and the call was sent again."
"""Message of an answer that was lost with its engine."""


def rolled_back(mutation_id: str) -> str:
    """Return the message of a replayed answer whose mutation was rolled back since."""
    return f"Rolled back since by {mutation_id}; nothing was changed now. Use another key to apply it again."
