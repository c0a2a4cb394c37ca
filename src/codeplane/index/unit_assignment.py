"""Assignment of files to units while an index is written.

The manifests, the candidates made from them and the sample of each unit are kept. A changed file therefore costs the
sample of its own unit, and a changed marker only the families whose candidates it changes. Files are stored with the
expected unit; those that validation assigns to another unit are moved before the publish.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import orjson

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.index.units.discovery import Discovery, discover
from codeplane.index.units.manifests import read_manifest
from codeplane.index.units.markers import find_marker
from codeplane.index.units.model import Candidate, MarkerTier, Note, State
from codeplane.index.units.overrides import CONTEXTS_FILE, MAX_CONTEXTS_BYTES, NO_OVERRIDES, Overrides, read_overrides
from codeplane.index.units.routing import UnitRoots, UnitRouter
from codeplane.index.units.validation import (
    SAMPLE_FILES,
    ParseResult,
    Sample,
    Sampled,
    sample_file,
    unit_state,
    update_sample,
)
from codeplane.languages.manifest import Manifest
from codeplane.store.codec import storable
from codeplane.store.unit_table import FamilyFile, UnitRow
from codeplane.store.writer import Writer

CONTEXTS_KEY = "contexts"
NOTES_KEY = "unit_notes"


class Contexts(NamedTuple):
    """Content of `contexts.yaml`, with a key that changes with it."""

    key: str
    data: bytes | None
    problem: str | None = None


def read_contexts(root: Root) -> Contexts:
    try:
        data = root.read_file(CONTEXTS_FILE, MAX_CONTEXTS_BYTES).data
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            return Contexts("", None)
        return Contexts(error.code.name, None, error.message)
    return Contexts(digest_bytes(data), data)


def candidate_of(row: UnitRow) -> Candidate:
    """Return a unit as it was before validation."""
    detached = row.state == State.DETACHED
    return Candidate(row.family, row.root, MarkerTier(row.tier), row.marker, row.name, row.evidence, detached)


class UnitAssignment:
    """State of one writer, from load to load. Created again after a failed sync."""

    def __init__(self) -> None:
        self._manifests: dict[RepoPath, Manifest] = {}
        self._declared: dict[RepoPath, str | None] = {}
        self._contexts: Contexts | None = None
        self._overrides = NO_OVERRIDES
        self._unit_roots = UnitRoots(())
        self._samples: dict[int, Sample] = {}
        self._sampled_in: dict[RepoPath, int] = {}
        self._published: dict[int, UnitRow] = {}
        self._states: dict[int, State] = {}
        self._notes: tuple[Note, ...] = ()
        self._unsure: set[int] = set()
        """Units whose sample lost a file that another one must replace."""
        self._outdated = True
        """True if the candidates must be computed again."""
        self._changed = False
        """True if something changed since the last sync that units may depend on."""
        self._puts = 0
        self._all = False
        """True if the candidates changed while files were written, so that samples belong to other ones."""

    @classmethod
    def load(cls, writer: Writer) -> UnitAssignment:
        """Return the state of the last publish."""
        made = cls()
        made._manifests = {path: _manifest(declared) for path, declared in writer.manifests.read()}
        rows = writer.units.read()
        made._published = {row.unit_id: row for row in rows}
        made._unit_roots = UnitRoots(map(candidate_of, rows))
        made._states = {row.unit_id: State(row.state) for row in rows}
        for row in rows:
            made._keep_sample(row.unit_id, tuple(Sampled(len(path), path, passed) for path, passed in row.sample))
        made._outdated = not rows
        return made

    def consider(self, contexts: Contexts, writer: Writer | None) -> bool:
        """Apply `contexts.yaml`; return True if it differs from the one of the last publish."""
        if self._contexts is None or contexts.key != self._contexts.key:
            self._contexts = contexts
            self._overrides = read_overrides(contexts.data)
            if contexts.problem is not None:
                self._overrides = Overrides(notes=(Note(CONTEXTS_FILE, contexts.problem),))
        if writer is None or (writer.read_meta(CONTEXTS_KEY) or "") != contexts.key:
            self._outdated = True
        return self._outdated

    def declare(self, path: RepoPath, data: bytes | None) -> None:
        """Record a marker file. Recorded before its siblings are written, it gives them their unit at once."""
        if find_marker(path) is None:
            return
        manifest = read_manifest(path, data)
        if self._manifests.get(path) != manifest:
            self._manifests[path] = manifest
            self._declared[path] = orjson.dumps(tuple(manifest)).decode()
            self._outdated = True

    def unit_id_of(self, path: RepoPath, family: str | None) -> int | None:
        """Return the unit of a file as far as it is known now."""
        if self._outdated:
            self._discover()
        home = self._unit_roots.closest_root(path, family)
        return home.unit_id if home is not None and self._foreseen(home) is State.VALID else None

    def put(self, path: RepoPath, family: str | None, parse: ParseResult) -> None:
        """Record a file that was written to the index."""
        self._puts += 1
        home = self._unit_roots.closest_root(path, family)
        before = self._sampled_in.get(path)
        if before is not None and (home is None or before != home.unit_id):
            self._resample(before, None, path)
        if home is not None and family is not None:
            self._resample(home.unit_id, sample_file(path, family, parse), path)

    def remove(self, path: RepoPath) -> None:
        if self._manifests.pop(path, None) is not None:
            self._declared[path] = None
            self._outdated = True
        before = self._sampled_in.get(path)
        if before is not None:
            self._resample(before, None, path)

    def settle(self, writer: Writer) -> None:
        """Update the units, and the unit of every file. Does nothing if nothing changed."""
        if self._outdated:
            self._discover()
        self._puts = 0
        if not self._changed:
            return
        candidates = {each.unit_id: each for each in self._unit_roots.candidates}
        redone = {each.family for each in candidates.values()} if self._all else self._changed_families(candidates)
        for unit_id in [each for each in self._samples if each not in candidates]:
            self._keep_sample(unit_id, ())
            del self._samples[unit_id]
        if redone:
            self._resample_family(
                writer.units.list_files(redone), [each for each in candidates.values() if each.family in redone]
            )
        for unit_id in sorted(self._unsure & candidates.keys()):
            unit = candidates[unit_id]
            if unit.family not in redone:
                self._resample_family(writer.units.list_files([unit.family], unit.root), [unit])
        self._states = {
            unit_id: unit_state(unit, self._samples.get(unit_id, ())) for unit_id, unit in candidates.items()
        }
        if redone:
            self._move(writer, writer.units.list_files(redone))
        for unit_id, unit in candidates.items():
            if unit.family not in redone and self._published[unit_id].state != self._states[unit_id]:
                self._move(writer, writer.units.list_files([unit.family], unit.root))
        self._write(writer, candidates)

    def _discover(self) -> None:
        found: Discovery = discover(self._manifests, self._overrides)
        self._unit_roots = UnitRoots(found.candidates)
        self._notes = found.notes
        self._outdated = False
        self._changed = True
        self._all = self._all or self._puts > 0

    def _foreseen(self, home: Candidate) -> State:
        if home.detached:
            return State.DETACHED
        known = self._published.get(home.unit_id)
        # Candidates that are not validated yet most likely pass.
        return State(known.state) if known is not None else State.VALID

    def _changed_families(self, candidates: Mapping[int, Candidate]) -> set[str]:
        """Return the families whose candidates, or detached ones among them, differ from the last publish."""
        before = {(row.family, row.root, row.state == State.DETACHED) for row in self._published.values()}
        now = {(each.family, each.root, each.detached) for each in candidates.values()}
        return {family for family, _, _ in before ^ now}

    def _resample(self, unit_id: int, sampled: Sampled | None, path: RepoPath) -> None:
        sample = self._samples.get(unit_id, ())
        changed = update_sample(sample, sampled, path)
        if changed is None:
            self._unsure.add(unit_id)
            changed = tuple(each for each in sample if each.path != path)
        self._changed = self._changed or changed != sample
        if changed != sample:
            self._keep_sample(unit_id, changed)

    def _keep_sample(self, unit_id: int, sample: Sample) -> None:
        for each in self._samples.get(unit_id, ()):
            self._sampled_in.pop(RepoPath(each.path), None)
        self._samples[unit_id] = sample
        for each in sample:
            self._sampled_in[RepoPath(each.path)] = unit_id

    def _resample_family(self, files: Iterable[FamilyFile], units: Iterable[Candidate]) -> None:
        found: dict[int, list[Sampled]] = {each.unit_id: [] for each in units}
        for file in files:
            home = self._unit_roots.closest_root(file.path, file.family)
            held = found.get(home.unit_id) if home is not None else None
            # Most files of a large unit come after its sample, and are not compared further.
            if held is None or (len(held) == SAMPLE_FILES and (len(file.path), file.path) > held[-1][:2]):
                continue
            sampled = sample_file(
                file.path, file.family, ParseResult(file.state, file.lines, file.facts, file.problems)
            )
            if sampled is not None:
                insort(held, sampled)
                del held[SAMPLE_FILES:]
        for unit_id, held in found.items():
            self._keep_sample(unit_id, tuple(held))

    def _move(self, writer: Writer, files: Iterable[FamilyFile]) -> None:
        router = UnitRouter(self._unit_roots, self._states)
        moves: list[tuple[RepoPath, int | None]] = []
        for file in files:
            unit = router.unit_of_file(file.path, file.family)
            unit_id = unit.unit_id if unit is not None else None
            if unit_id != file.unit_id:
                moves.append((file.path, unit_id))
        for path, unit_id in moves:
            writer.units.move_file(path, unit_id)

    def _write(self, writer: Writer, candidates: Mapping[int, Candidate]) -> None:
        rows = {unit_id: self._row(unit) for unit_id, unit in candidates.items()}
        gone = sorted(self._published.keys() - rows.keys())
        changed = [row for unit_id, row in sorted(rows.items()) if self._published.get(unit_id) != row]
        if gone or changed:
            writer.units.write(gone, changed)
        if self._declared:
            writer.manifests.write(self._declared)
        notes = orjson.dumps([(storable(note.path), storable(note.text)) for note in self._notes]).decode()
        key = self._contexts.key if self._contexts is not None else ""
        meta = {NOTES_KEY: notes, CONTEXTS_KEY: key}
        new = {name: value for name, value in meta.items() if (writer.read_meta(name) or "") != value}
        if new:
            writer.put_meta(new)
        self._published = rows
        self._declared = {}
        self._unsure = set()
        self._changed = self._all = False

    def _row(self, unit: Candidate) -> UnitRow:
        sample = tuple((RepoPath(each.path), each.passed) for each in self._samples.get(unit.unit_id, ()))
        name, evidence = storable(unit.name), storable(unit.evidence)
        state = self._states[unit.unit_id].value
        return UnitRow(
            unit.unit_id, unit.family, unit.root, name, unit.tier.value, RepoPath(unit.marker), state, evidence, sample
        )


def _manifest(declared: str) -> Manifest:
    name, members, exclude, extra, package, is_open, moved, note = orjson.loads(declared)
    listed = None if members is None else tuple(members)
    pairs = tuple((key, place) for key, place in moved)
    return Manifest(name, listed, tuple(exclude), tuple(extra), package, is_open, pairs, note)
