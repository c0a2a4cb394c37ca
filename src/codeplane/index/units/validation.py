"""Validation of units: a unit is valid if one of a few sampled files parses.

The sample is the files with the shortest paths, since fixtures and generated code are deep in the tree. A file without
content (empty, or comments only) is not sampled. The sample is stored with the unit, so that a changed file costs one
comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from codeplane.index.units.model import Candidate, State
from codeplane.languages.registry import code_families
from codeplane.store.records import FileState

SAMPLE_FILES = 5
_ERRORS_PER_FACTS = 10


class ParseResult(NamedTuple):
    """Result of parsing a file."""

    state: str
    lines: int
    facts: int
    problems: int


class Sampled(NamedTuple):
    length: int
    path: str
    passed: bool


Sample = tuple[Sampled, ...]
"""Sorted, at most SAMPLE_FILES."""


def sample_file(path: str, family: str, parse: ParseResult) -> Sampled | None:
    """Return a file as a sample; None if it has no content."""
    if parse.state == FileState.INDEXED:
        says = parse.facts or parse.problems if family in code_families() else parse.lines
        if not says:
            return None
        # One error per ten facts is well below one per ten nodes of the syntax tree.
        passed = not parse.problems or (family in code_families() and parse.problems * _ERRORS_PER_FACTS < parse.facts)
    elif parse.state == FileState.TEXT:
        # No grammar parses it; being text is enough.
        if not parse.lines:
            return None
        passed = True
    else:
        passed = False
    return Sampled(len(path), path, passed)


def best_samples(samples: Iterable[Sampled]) -> Sample:
    return tuple(sorted(samples)[:SAMPLE_FILES])


def update_sample(sample: Sample, sampled: Sampled | None, path: str) -> Sample | None:
    """Return the sample after a file was added, changed or removed (None); None if other files must be read to know
    it.
    """
    others = tuple(each for each in sample if each.path != path)
    was_full = len(sample) == SAMPLE_FILES
    if sampled is None:
        return None if was_full and len(others) < len(sample) else others
    return best_samples((*others, sampled))


def unit_state(candidate: Candidate, sample: Sample) -> State:
    """Return the state of a candidate after validation."""
    if candidate.detached:
        return State.DETACHED
    if not sample:
        return State.EMPTY
    return State.VALID if any(each.passed for each in sample) else State.FAILED


def describe_sample(state: str, sample: Iterable[tuple[str, bool]]) -> str:
    """Describe the outcome of validation in a few words."""
    tried = tuple(sample)
    if state == State.VALID:
        return f"{next(path for path, passed in tried if passed)} was read"
    if state == State.FAILED:
        return f"none of {', '.join(path for path, _ in tried)} could be parsed"
    return "no file with content" if state == State.EMPTY else ""
