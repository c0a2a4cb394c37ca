"""Value types of unit discovery.

A unit is one language family under one build root. Its id is a hash of these two, independent of the order of
discovery and of all other units.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.store.schema import unit_of


class MarkerTier(StrEnum):
    """Origin of a candidate."""

    FENCE = "fence"
    """A workspace, which may say which packages under it count."""
    PACKAGE = "package"
    AMBIENT = "ambient"
    """No marker: the whole repository, for families without one."""
    STATED = "stated"
    """Named by `contexts.yaml`."""


class State(StrEnum):
    VALID = "valid"
    FAILED = "failed"
    """No sampled file could be parsed."""
    EMPTY = "empty"
    """No file of the family outside of deeper units."""
    DETACHED = "detached"
    """Not listed by the workspace around it, or disabled by `contexts.yaml`. Its files have no unit."""


@dataclass(frozen=True)
class Candidate:
    """A unit, or a root that validation may find to be none."""

    family: str
    root: RepoPath
    tier: MarkerTier
    marker: str
    """The file that marks it; empty for an ambient one."""
    name: str
    evidence: str
    """Why it is a candidate, or why it is detached, in a sentence."""
    detached: bool = False

    @cached_property
    def unit_id(self) -> int:
        return unit_of(self.family, self.root)


class Note(NamedTuple):
    """A problem with a marker or with `contexts.yaml` that the user may want to fix."""

    path: str
    text: str
