"""Cheap check for git activity: the stat of the index file. Does not import pygit2."""

from __future__ import annotations

import os
import stat as modes
from pathlib import Path


def index_stamp(root: Path) -> tuple[int, int] | None:
    """Return modification time and size of the index; zeros if it does not exist yet, None without `.git`."""
    try:
        if not (root / ".git").is_dir():
            return None
        found = os.stat(root / ".git" / "index")
    except FileNotFoundError:
        return 0, 0
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if modes.S_ISREG(found.st_mode) else None
