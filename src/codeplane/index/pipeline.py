"""Bring a set of changes into the writer: read the files, decide what to do with each, parse, and write rows.

Changed files are parsed in workers while the next ones are read here. Every file ends as one row. The steps pass
values: a `FileRead` becomes a `Decision`, a parse job becomes `Parsed` facts, and those become rows. Nothing is
published here.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from codeplane.base.digests import Digest
from codeplane.base.paths import RepoPath
from codeplane.disk.changes import Changes, FileRecord, find_renames
from codeplane.disk.hashing import FileRead, ReadOutcome, read_many
from codeplane.disk.safe_open import Root
from codeplane.disk.stats import FileStat
from codeplane.disk.walk import Scan
from codeplane.facts.blocks import PackedFacts
from codeplane.facts.model import Problem
from codeplane.facts.passages import Searchable, read_searchable
from codeplane.facts.pool import Job, Parsed, ParserPool
from codeplane.git.attributes import MAX_ATTRIBUTES_BYTES, is_attributes_file
from codeplane.index.classify import PreparedFile, prepare_file
from codeplane.index.configurations import is_configuration, read_configuration
from codeplane.index.extraction_cache import ExtractionCache
from codeplane.index.indexed_tree import PARSE_AGAIN, IndexedTree
from codeplane.index.invalidation import Invalidation
from codeplane.index.options import PROGRESS_SECONDS, IndexOptions, IndexProgress, SyncHooks
from codeplane.index.units.manifests import MAX_MARKER_BYTES
from codeplane.index.units.markers import find_marker
from codeplane.index.units.validation import ParseResult
from codeplane.store.parse_failures import next_failure
from codeplane.store.records import BYTE_ENCODINGS, FileRow, FileState, ObservedStat
from codeplane.store.writer import Writer

_NO_FACTS = PackedFacts()
_MAX_GROWTH = 64
"""A file never takes more than this many times its size in the index."""
_ROW_BYTES = 1024
"""Estimated size of a file's row, besides its text."""


@dataclass
class SyncBatch:
    """Result of a pipeline run."""

    added: dict[RepoPath, Digest] = field(default_factory=dict)
    modified: set[RepoPath] = field(default_factory=set)
    removed: dict[RepoPath, Digest] = field(default_factory=dict)
    touched: dict[RepoPath, ObservedStat] = field(default_factory=dict)
    stale: list[RepoPath] = field(default_factory=list)
    failed: list[RepoPath] = field(default_factory=list)
    """Files that broke their parser."""
    total: int = 0
    """Number of files to process, including unchanged ones that must be written again."""
    done: int = 0
    hashed: int = 0
    parsed: int = 0
    resolved: int = 0
    """Files whose references must be resolved, because they or their dependencies changed."""
    bytes_read: int = 0
    interrupted: bool = False
    """Stopped on request; the next sync continues."""
    full: bool = False
    """Stopped because the index reached its size cap."""

    @property
    def changed(self) -> bool:
        return bool(self.added or self.modified or self.removed)

    @property
    def left(self) -> int:
        return self.total - self.done

    def renames(self) -> list[tuple[RepoPath, RepoPath]]:
        return find_renames(self.removed, self.added) if self.removed and self.added else []


class Action(Enum):
    IGNORE = auto()
    """The file vanished and was not indexed."""
    REMOVE = auto()
    MARK_STALE = auto()
    """The file could not be read: what is indexed is older."""
    TOUCH = auto()
    """Only the stat changed."""
    RECODE = auto()
    """Only line endings changed: the facts stay."""
    WRITE = auto()
    """Record the file without content."""
    PARSE = auto()


_UNREAD = frozenset({Action.IGNORE, Action.REMOVE, Action.MARK_STALE})


class Decision(NamedTuple):
    action: Action
    prepared: PreparedFile | None = None


@dataclass(frozen=True)
class PipelineResources:
    """Resources that all runs of an indexer share."""

    root: Root
    options: IndexOptions
    pool: ParserPool
    extraction_cache: ExtractionCache


class Pipeline:
    """One run: brings changes of `tree` into the writer, and `tree` up to date with them."""

    def __init__(self, resources: PipelineResources, writer: Writer, tree: IndexedTree, hooks: SyncHooks) -> None:
        self._root = resources.root
        self._options = resources.options
        self._pool = resources.pool
        self._extraction_cache = resources.extraction_cache
        self._writer = writer
        self._tree = tree
        self._hooks = hooks
        self._invalidation = Invalidation(writer)
        self._batch = SyncBatch()
        self._scanned: dict[RepoPath, FileStat] = {}

    def run(self, changes: Changes, scan: Scan) -> SyncBatch:
        with _gc_paused(len(changes.candidates)):
            return self._run(changes, scan)

    def _run(self, changes: Changes, scan: Scan) -> SyncBatch:
        batch, tree = self._batch, self._tree
        self._scanned = scan.files
        self._cap = _SizeCap(self._options, self._writer, scan)
        for path in changes.removed:
            self._remove(path)
        rewritten = self._update_roles(changes.candidates)
        candidates = sorted({*changes.candidates, *(path for path in rewritten if path in scan.files)})
        batch.total = len(candidates)
        self._progress = _Progress(self._hooks, sum(scan.files[path].size for path in candidates))
        self._declare_markers(candidates)
        for parsed in self._pool.parse(self._uncached(self._jobs(candidates))):
            batch.parsed += 1
            self._extraction_cache.store(parsed)
            self._write_parsed(parsed)
        self._extraction_cache.flush()
        for old, new in batch.renames():
            self._writer.note_rename(old, new)
        if batch.touched:
            self._writer.touch_files(batch.touched.items())
        tree.assignment.settle(self._writer)
        batch.resolved = self._invalidation.settle()
        tree.roles.settle(self._writer, [path for path in rewritten if _must_parse(tree.files.get(path))])
        return batch

    def _update_roles(self, candidates: Sequence[RepoPath]) -> list[RepoPath]:
        """Read changed attribute files first, since roles follow from them. Return the files to write again."""
        attribute_files = [path for path in candidates if is_attributes_file(path)]
        for read in self._read_many(attribute_files, MAX_ATTRIBUTES_BYTES):
            self._tree.roles.declare(read.path, read.data)
        rewritten = self._tree.roles.rejudge(self._writer)
        for path in rewritten:
            self._tree.files[path] = FileRecord(PARSE_AGAIN, Digest(""), 0)
        return rewritten

    def _declare_markers(self, candidates: Sequence[RepoPath]) -> None:
        """Read build markers first: with the units known, hardly any file moves to another unit at the end."""
        markers = [path for path in candidates if find_marker(path) is not None]
        for read in self._read_many(markers, MAX_MARKER_BYTES):
            self._tree.assignment.declare(read.path, read.data)

    def _read_many(self, paths: Sequence[RepoPath], limit: int) -> Iterator[FileRead]:
        for read in read_many(self._root, paths, limit, self._options.hash_concurrency):
            if read.outcome in (ReadOutcome.OK, ReadOutcome.TOO_LARGE):
                yield read

    def _jobs(self, candidates: Sequence[RepoPath]) -> Iterator[Job]:
        """Yield parse jobs, for indexed files first: a full index accepts no new files but stays up to date."""
        files = self._tree.files
        new = [path for path in candidates if path not in files]
        if len(new) < len(candidates):
            yield from self._process([path for path in candidates if path in files], capped=False)
        if new and not self._batch.interrupted:
            yield from self._process(new, capped=True)

    def _uncached(self, jobs: Iterator[Job]) -> Iterator[Job]:
        """Yield jobs whose text was never parsed; write the others from the cache."""
        for job in jobs:
            parsed = self._extraction_cache.find(job)
            if parsed is None:
                yield job
            else:
                self._write_parsed(parsed)

    def _process(self, paths: Sequence[RepoPath], *, capped: bool) -> Iterator[Job]:
        """Read and decide; yield what must be parsed and finish everything else."""
        batch = self._batch
        for read in read_many(self._root, paths, self._options.max_lexical_bytes, self._options.hash_concurrency):
            batch.interrupted = self._hooks.cancelled()
            full = self._cap.is_reached(len(read.data or b"") + _ROW_BYTES, check=capped)
            batch.full = capped and full
            if batch.interrupted or batch.full:
                return
            decision = self._decide(read)
            if decision.action not in _UNREAD:
                batch.hashed += 1
                batch.bytes_read += len(read.data or b"")
            job = self._apply(read, decision)
            if job is not None:
                yield job
            else:
                self._advance(read.stat.size if read.stat else 0)

    def _decide(self, read: FileRead) -> Decision:
        record = self._tree.files.get(read.path)
        if read.outcome in (ReadOutcome.VANISHED, ReadOutcome.NOT_REGULAR):
            return Decision(Action.IGNORE if record is None else Action.REMOVE)
        if read.outcome in (ReadOutcome.UNREADABLE, ReadOutcome.CHANGED):
            return Decision(Action.MARK_STALE)
        if record is not None and record.digest == read.digest:
            return Decision(Action.TOUCH)
        prepared = prepare_file(read, self._options)
        if prepared.job is None:
            return Decision(Action.WRITE, prepared)
        if record is not None and record.stat != PARSE_AGAIN and self._is_same_text(prepared.row):
            return Decision(Action.RECODE, prepared)
        return Decision(Action.PARSE, prepared)

    def _apply(self, read: FileRead, decision: Decision) -> Job | None:
        """Carry out a decision. Return the job of a file that must be parsed."""
        action, prepared = decision
        if action is Action.REMOVE:
            self._remove(read.path)
        elif action is Action.MARK_STALE:
            self._batch.stale.append(read.path)
        elif action is Action.TOUCH:
            assert read.stat is not None and read.digest is not None
            self._batch.touched[read.path] = ObservedStat(*read.stat, read.observed_at_ns)
            self._tree.files[read.path] = FileRecord(read.stat, read.digest, read.observed_at_ns)
        if prepared is None:
            return None
        self._declare(read.path, read.data)
        if action is Action.PARSE and prepared.job is not None:
            return prepared.job._replace(tag=prepared)
        if action is Action.RECODE:
            self._writer.recode_file(self._assign(prepared.row))
            self._record(prepared.row)
            self._batch.modified.add(read.path)
        else:
            self._write(prepared.row, _NO_FACTS, (), None)
        return None

    def _declare(self, path: RepoPath, data: bytes | None) -> None:
        """Pass the content of a changed file to those whose decisions depend on it."""
        self._tree.assignment.declare(path, data)
        self._tree.roles.declare(path, data)
        if is_configuration(path):
            self._invalidation.put_configuration(path, read_configuration(path, data))

    def _is_same_text(self, row: FileRow) -> bool:
        """True if only line endings changed since the file was indexed."""
        if row.encoding not in BYTE_ENCODINGS:
            return False
        return self._writer.find_text(row.path) == (row.text_digest, row.state)

    def _write_parsed(self, parsed: Parsed) -> None:
        prepared: PreparedFile = parsed.job.tag
        if parsed.failure is not None:
            failed = prepared.row._replace(state=FileState.FAILED, reason=parsed.failure)
            self._batch.failed.append(failed.path)
            before = self._tree.failures.get(failed.path)
            failure = next_failure(before, failed.digest or Digest(""), time.time())
            # Splitting text into words cannot fail, so the file stays searchable.
            searchable = read_searchable(parsed.job.source, ()) if parsed.job.language else None
            self._write(failed, _NO_FACTS, (), searchable)
            self._tree.failures[failed.path] = failure
        else:
            self._write(prepared.row, parsed.facts, parsed.problems, parsed.searchable)
        self._advance(prepared.row.stat.size)

    def _write(
        self, row: FileRow, facts: PackedFacts, problems: Sequence[Problem], searchable: Searchable | None
    ) -> None:
        is_new = row.path not in self._tree.files
        self._tree.failures.pop(row.path, None)
        self._invalidation.note(row.path)
        row = self._assign(row)
        self._writer.put_file(row, facts, problems, searchable)
        count = len(facts.defs) + len(facts.imports) + facts.ref_count
        self._tree.assignment.put(row.path, row.family, ParseResult(row.state, row.lines, count, len(problems)))
        if is_new:
            self._batch.added[row.path] = row.digest or Digest("")
        else:
            self._batch.modified.add(row.path)
        self._record(row)

    def _assign(self, row: FileRow) -> FileRow:
        """Return the row with its unit and role."""
        unit_id = self._tree.assignment.unit_id_of(row.path, row.family)
        return self._tree.roles.judge(row._replace(unit_id=unit_id))

    def _record(self, row: FileRow) -> None:
        assert row.digest is not None
        stat, scanned = FileStat(*row.stat[:5]), self._scanned.get(row.path)
        # Share one object with the scan: in a tree of a million files that saves memory.
        stat = scanned if scanned == stat else stat
        self._tree.files[row.path] = FileRecord(stat, row.digest, row.stat.observed_at_ns)

    def _remove(self, path: RepoPath) -> None:
        record = self._tree.files.pop(path)
        self._tree.failures.pop(path, None)
        self._invalidation.note(path)
        self._writer.remove_file(path)
        self._tree.assignment.remove(path)
        self._tree.roles.declare(path, None)
        if is_configuration(path):
            self._invalidation.put_configuration(path, None)
        self._batch.removed[path] = record.digest

    def _advance(self, size: int) -> None:
        self._batch.done += 1
        self._progress.advance(self._batch, size)


class _Progress:
    """Reports progress at most every 50 ms."""

    def __init__(self, hooks: SyncHooks, bytes_total: int) -> None:
        self._hooks = hooks
        self._bytes_total = bytes_total
        self._bytes_done = 0
        self._started = time.monotonic()
        self._reported = 0.0

    def advance(self, batch: SyncBatch, size: int) -> None:
        self._bytes_done += size
        now = time.monotonic()
        if now - self._reported >= PROGRESS_SECONDS or batch.done == batch.total:
            self._reported = now
            elapsed = now - self._started
            self._hooks.progress(
                IndexProgress("index", batch.done, batch.total, self._bytes_done, self._bytes_total, elapsed)
            )


class _SizeCap:
    """Estimates whether the index has reached its size cap, measuring as rarely as possible."""

    def __init__(self, options: IndexOptions, writer: Writer, scan: Scan) -> None:
        self._writer = writer
        limit = options.max_lexical_bytes
        source_bytes = sum(stat.size for stat in scan.files.values() if stat.size <= limit)
        self._cap = options.cap_bytes(source_bytes, len(scan.files))
        self._room = self._added = 0
        """Bytes below the cap at the last measurement, and source bytes added since."""

    def is_reached(self, size: int, *, check: bool) -> bool:
        """Count a file of this size. A measurement costs as much as writing a small file."""
        self._added += size
        if not check or self._added * _MAX_GROWTH <= self._room:
            return False
        self._room = self._cap - self._writer.size_bytes()
        self._added = 0
        return self._room < 0


def _must_parse(record: FileRecord | None) -> bool:
    return record is not None and record.stat == PARSE_AGAIN


@contextmanager
def _gc_paused(files: int) -> Iterator[None]:
    """Pause the cycle collector for a large batch, whose many rows have no cycles: it costs a tenth of the time."""
    if files < 100 or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
