"""What every operation is given: where it works, how it is configured, where the user's own files are."""

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
