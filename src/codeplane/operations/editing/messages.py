"""Messages that more than one package knows. Quick to import."""

from __future__ import annotations

REPEATED = "Done already under this key; nothing was changed now."
"""The answer is that of an earlier call with the same idempotency_key."""
