"""Values of a refactoring: the sites that it would change, and the plan. Immutable; nothing here reads or writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.facts.model import Tier

ALL = "all"
NONE = "none"
"""Values of `include` that name every possible use, or none."""


class NameSite(NamedTuple):
    """One occurrence of the old name."""

    path: RepoPath
    line: int
    column: int
    """0-based, in characters"""
    tier: Tier
    old: str
    new: str
    reason: str = ""
    """Kind of site, or why it is not certain; empty for an ordinary reference"""
    linked: bool = True
    """True if the index resolves it, so that it can be checked again after the change"""

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


class FileMove(NamedTuple):
    path: RepoPath
    new_path: RepoPath


@dataclass(frozen=True)
class RefactorPlan:
    """A rename, bound to the contents of the files that it changes."""

    symbol: str
    """Reference of the symbol, or the place of a local name"""
    kind: str
    old_name: str
    new_name: str
    sites: tuple[NameSite, ...]
    """Proven and strong; they are applied."""
    possible: tuple[NameSite, ...]
    """Anchored; applied if the caller names them."""
    unknown: tuple[NameSite, ...]
    """Only shown."""
    risks: tuple[str, ...]
    digests: Mapping[RepoPath, Digest]
    epoch: int
    definitions: tuple[tuple[RepoPath, int, int], ...] = ()
    """Places of the names of the renamed definitions; empty for a local name"""
    also: tuple[str, ...] = ()
    """References of the other symbols that are renamed with it: overrides, overloads, constructors"""
    moves: tuple[FileMove, ...] = ()

    @property
    def is_certain(self) -> bool:
        """True if nothing has to be decided."""
        return not self.possible

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything that is shown; equal plans have equal fingerprints."""
        shown = (self.symbol, self.new_name, self.sites, self.possible, self.moves, sorted(self.digests.items()))
        return digest_bytes(repr(shown).encode("utf-8", "surrogatepass"))[:16]

    def tiers(self) -> dict[str, int]:
        counts = Counter(site.tier for site in (*self.sites, *self.possible, *self.unknown))
        return {tier.name.lower(): counts[tier] for tier in sorted(counts, reverse=True)}

    def chosen(self, include: Iterable[str]) -> tuple[NameSite, ...]:
        """Return the sites to change: the certain ones, and the possible ones that `include` names."""
        wanted = set(include)
        more = [site for site in self.possible if ALL in wanted or site.place in wanted]
        return tuple(sorted((*self.sites, *more), key=lambda site: site[:3]))

    def unknown_places(self, include: Iterable[str]) -> list[str]:
        """Return the names in `include` that are not possible uses of this plan."""
        known = {ALL, NONE, *(site.place for site in self.possible)}
        return [place for place in include if place not in known]
