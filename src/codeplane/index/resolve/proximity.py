"""Distance between files, to choose the nearest of several candidates."""

from __future__ import annotations


def shared_folders(a: str, b: str) -> int:
    """Number of leading directories that two paths share."""
    count = 0
    for left, right in zip(a.split("/")[:-1], b.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
