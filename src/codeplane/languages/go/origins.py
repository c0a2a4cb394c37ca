"""Origins of Go imports."""

from __future__ import annotations

from collections import Counter

from codeplane.base.paths import parent
from codeplane.languages.imports import INSIDE, STANDARD, ImportContext, OriginFinder

_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "golang.org", "codeberg.org", "sigs.k8s.io"})
"""Hosts whose module paths have two more segments; elsewhere one is usual."""


def find_origins(context: ImportContext) -> OriginFinder:
    own = _own_modules(context)

    def find(folder: str, source: str) -> str:
        parts = source.split("/")
        if "." not in parts[0]:
            return STANDARD
        if any(source == prefix or source.startswith(f"{prefix}/") for prefix in own):
            return INSIDE
        return "/".join(parts[: 3 if parts[0] in _HOSTS else 2])

    return find


def _own_modules(context: ImportContext) -> set[str]:
    """Return the paths of the repository's own modules."""
    folders = {parent(path) for path in context.paths("go")}
    votes: Counter[str] = Counter()
    for source in context.sources:
        parts = source.split("/")
        if "." not in parts[0]:
            continue
        # The longest end of the path that is a directory here: the part before it may be our module.
        for number in range(1, len(parts)):
            if "/".join(parts[number:]) in folders:
                votes["/".join(parts[:number])] += 1
                break
    most = max(votes.values(), default=0)
    own = {prefix for prefix, count in votes.items() if count == most and (count > 1 or len(votes) == 1)}
    name = context.repo_name.lower()
    return own | {source for source in context.sources if name and _checkout_name(source) == name}


def _checkout_name(source: str) -> str:
    """Return the directory that a module is checked out as: `chi` for `github.com/go-chi/chi/v5`."""
    parts = source.lower().split("/")
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit():
        parts.pop()
    return parts[-1] if len(parts) > 2 else ""
