"""Distance between files, to choose the nearest of several candidates."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.index.resolve.types import Site


def shared_folders(a: str, b: str) -> int:
    """Number of leading directories that two paths share."""
    count = 0
    for left, right in zip(a.split("/")[:-1], b.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count


def nearest_sites(sites: Sequence[Site], near: str) -> list[Site]:
    """Return the sites that share the most directories with a path."""
    shared = [shared_folders(site.path, near) for site in sites]
    return [site for site, count in zip(sites, shared, strict=True) if count == max(shared)]
