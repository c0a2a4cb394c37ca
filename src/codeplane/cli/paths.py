"""Paths and symbols as people type them, relative to the working directory."""

from __future__ import annotations

import os
from pathlib import Path


def repository_path(root: Path, start: Path | None, given: str) -> str:
    """Return a path relative to the root. A typed path is relative to the working directory if it exists there,
    otherwise to the root."""
    absolute = os.path.normpath((start or Path()).resolve() / given)
    if (os.path.lexists(absolute) or given.startswith("/")) and f"{absolute}/".startswith(f"{root}/"):
        return os.path.relpath(absolute, root) if absolute != str(root) else ""
    return given


def typed_symbol(root: Path, start: Path | None, written: str) -> str:
    """Return a typed symbol with the path before `#name` or `:line` relative to the root."""
    for mark in ("#", ":"):
        head, found, tail = written.partition(mark)
        if found and (mark == "#" or tail[:1].isdigit()):
            return f"{repository_path(root, start, head)}{mark}{tail}"
    return written
