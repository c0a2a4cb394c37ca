"""Paths and symbols as people type them, relative to the working directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def repository_path(root: Path, start: Path | None, given: str) -> str:
    """What a person types is relative to where they stand; what is not there is taken as a path of the repository."""
    absolute = os.path.normpath((start or Path()).resolve() / given)
    if (os.path.lexists(absolute) or given.startswith("/")) and f"{absolute}/".startswith(f"{root}/"):
        return os.path.relpath(absolute, root) if absolute != str(root) else ""
    return given


def typed_symbol(root: Path, start: Path | None, written: str) -> str:
    """A symbol as a person types it: the path in front of `#name` or `:line` is relative to the current directory."""
    for mark in ("#", ":"):
        head, found, tail = written.partition(mark)
        if found and (mark == "#" or tail[:1].isdigit()):
            return f"{repository_path(root, start, head)}{mark}{tail}"
    return written
