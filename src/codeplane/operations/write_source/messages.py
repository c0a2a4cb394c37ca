"""Messages shared by the operation and its text form. Kept apart because it is cheap to import."""

from __future__ import annotations

REPEATED = "Already applied under this idempotency_key; nothing was changed now."
"""Message of a replayed answer."""
