"""Routing of files to units: the closest candidate above a file owns it, if that candidate is valid.

Every candidate of a family excludes its subtree from those above, whatever its state. Files under a detached or failed
candidate have no unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codeplane.base.paths import is_inside, parent
from codeplane.index.units.markers import EXCLUDED_DIRECTORIES, EXCLUDES, may_own
from codeplane.index.units.model import Candidate, State

_EXCLUDED = frozenset(EXCLUDED_DIRECTORIES)


class UnitRoots:
    """Candidates by root, before validation."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self.candidates: tuple[Candidate, ...] = tuple(candidates)
        self._roots: dict[str, dict[str, Candidate]] = {}
        for candidate in self.candidates:
            self._roots.setdefault(candidate.family, {})[candidate.root] = candidate
        self._directories: dict[tuple[str, str], Candidate | None] = {}

    def closest_root(self, path: str, family: str | None) -> Candidate | None:
        """Return the closest candidate above a file of a family, unless an excluded directory lies between."""
        if family is None:
            return None
        key = (family, parent(path))
        try:
            root_unit = self._directories[key]
        except KeyError:
            root_unit = self._directories[key] = self._find(*key)
        return root_unit if root_unit is not None and may_own(family, path) else None

    def closest(self, path: str, family: str) -> Candidate | None:
        """Return the closest candidate above a file, ignoring excluded directories."""
        roots = self._roots.get(family, {})
        directory = path
        while directory:
            directory = parent(directory)
            if directory in roots:
                return roots[directory]
        return None

    def holes_of(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the subtrees that other candidates exclude from one, as globs from its root."""
        skip = len(candidate.root) + 1 if candidate.root else 0
        roots = self._roots.get(candidate.family, {})
        inside = sorted(root for root in roots if root != candidate.root and is_inside(root, candidate.root))
        return tuple(f"{root[skip:]}/**" for root in inside)

    def excludes_of(self, candidate: Candidate) -> tuple[str, ...]:
        return (*EXCLUDES, *self.holes_of(candidate))

    def _find(self, family: str, directory: str) -> Candidate | None:
        roots = self._roots.get(family)
        if not roots:
            return None
        while True:
            candidate = roots.get(directory)
            if candidate is not None:
                return candidate
            if not directory:
                return None
            directory, _, name = directory.rpartition("/")
            if name in _EXCLUDED:
                return None


class UnitRouter:
    """Assignment of files to validated units."""

    def __init__(self, unit_roots: UnitRoots, states: Mapping[int, State]) -> None:
        self._unit_roots = unit_roots
        self._valid = frozenset(unit_id for unit_id, state in states.items() if state is State.VALID)

    def unit_of_file(self, path: str, family: str | None) -> Candidate | None:
        root_unit = self._unit_roots.closest_root(path, family)
        return root_unit if root_unit is not None and root_unit.unit_id in self._valid else None
