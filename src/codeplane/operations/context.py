"""Context of every operation: repository root, configuration, user state."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeplane.config.model import Config


@dataclass(frozen=True)
class Context:
    root: Path
    """Canonical path of the repository."""
    config: Config
    user_state: Path
    in_ci: bool = False
