"""The words of unit discovery: manifests, units, what state a unit is in, and what is worth a note.

A unit is one family of languages beneath one build root. Its number follows from these two
alone, so that neither the order of discovery nor what else there is leaves a trace in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.store.schema import unit_of


class Tier(StrEnum):
    """What made a candidate."""

    FENCE = "fence"
    """A workspace: it may say which packages beneath it count."""
    PACKAGE = "package"
    AMBIENT = "ambient"
    """No marker: the whole repository, for families that have none."""
    STATED = "stated"
    """`contexts.yaml` says so."""


class State(StrEnum):
    VALID = "valid"
    FAILED = "failed"
    """No sampled file could be parsed."""
    EMPTY = "empty"
    """No file of the family that no deeper unit takes."""
    DETACHED = "detached"
    """The workspace around it does not list it, or `contexts.yaml` leaves it out. Its files have no owner."""


class Manifest(NamedTuple):
    """What one marker file says, as far as units go. Plain data, since it is kept with the index."""

    name: str | None = None
    members: tuple[str, ...] | None = None
    """Patterns or paths of a workspace as they are written; None when the file declares no workspace."""
    exclude: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """More roots that belong to the build without being patterns: path dependencies, modules, included builds."""
    package: bool = True
    """Whether the root is a package of its own (a virtual Cargo workspace is not)."""
    open: bool = False
    """Members cannot be told from the text alone, so nothing is detached."""
    moved: tuple[tuple[str, str], ...] = ()
    """Members that lie elsewhere than their name says (Gradle's `projectDir`)."""
    note: str | None = None
    """What is wrong with the file; it counts as a marker all the same."""


@dataclass(frozen=True)
class Candidate:
    """A unit, or what may turn out to be one."""

    family: str
    root: RepoPath
    tier: Tier
    marker: str
    """The file that made it; empty for an ambient one."""
    name: str
    evidence: str
    """Why it is a candidate, or why it is detached, in a sentence."""
    detached: bool = False

    @cached_property
    def unit_id(self) -> int:
        return unit_of(self.family, self.root)


class Note(NamedTuple):
    """Something about a marker or about `contexts.yaml` that a person may want to mend."""

    path: str
    text: str
