"""Whether git has moved, as cheaply as can be: the stat of its index file, without opening anything."""

from __future__ import annotations

import os
import stat as modes
from pathlib import Path


def index_stamp(root: Path) -> tuple[int, int] | None:
    """Modification time and size of git's index; zeros before anything was added, None where there is no such file."""
    try:
        if not (root / ".git").is_dir():
            return None
        found = os.stat(root / ".git" / "index")
    except FileNotFoundError:
        return 0, 0
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if modes.S_ISREG(found.st_mode) else None
