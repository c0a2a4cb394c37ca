"""One look at the tree, carried out: candidates are read, parsed and handed to the writer.

Files that changed are parsed in workers while the next ones are read here; whatever a file
turns out to be, it ends as one row. Nothing is published here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from codeplane.base.digests import Digest
from codeplane.base.paths import RepoPath
from codeplane.disk.changes import Changes, FileRecord, find_renames
from codeplane.disk.hashing import FileRead, ReadOutcome, read_many
from codeplane.disk.safe_open import Root
from codeplane.disk.stats import FileStat as DiskStat
from codeplane.disk.walk import Scan
from codeplane.facts.blocks import PackedFacts
from codeplane.facts.model import Problem
from codeplane.facts.passages import Searchable, read_searchable
from codeplane.facts.pool import Job, Parsed, ParserPool
from codeplane.git.attributes import MAX_ATTRIBUTES_BYTES, is_attributes_file
from codeplane.index.classify import PreparedFile, prepare_file
from codeplane.index.configurations import is_configuration, read_configuration
from codeplane.index.extraction_cache import ExtractionCache
from codeplane.index.invalidation import Invalidation
from codeplane.index.options import IndexOptions, IndexProgress, IsCancelled, ProgressListener
from codeplane.index.roles import Roles
from codeplane.index.unit_assignment import UnitAssignment
from codeplane.index.units.manifests import MAX_MARKER_BYTES
from codeplane.index.units.markers import find_marker
from codeplane.index.units.validation import ParseResult
from codeplane.store.records import BYTE_ENCODINGS, FileRow, FileState, ObservedStat
from codeplane.store.writer import Writer

_NOTHING = PackedFacts()
_PROGRESS_SECONDS = 0.05
_ROOM_SHARE = 64
"""No text takes so many times its size: until this share of the room was read, the index cannot be full."""
_ROW_BYTES = 1024
"""What a file counts for beside its text."""

PARSE_AGAIN = DiskStat(-2, 0, 0, 0, 0)
"""What is known of a file that must be parsed again even if its text is the same."""


@dataclass
class Batch:
    """What became of the candidates of one look."""

    known: dict[RepoPath, FileRecord]
    """Changed in place: what is known of each path once the batch is published."""
    added: dict[RepoPath, Digest] = field(default_factory=dict)
    modified: set[RepoPath] = field(default_factory=set)
    removed: dict[RepoPath, Digest] = field(default_factory=dict)
    touched: dict[RepoPath, ObservedStat] = field(default_factory=dict)
    stale: list[RepoPath] = field(default_factory=list)
    set_aside: list[RepoPath] = field(default_factory=list)
    total: int = 0
    """How many there are, those included that did not change and must be put again."""
    hashed: int = 0
    parsed: int = 0
    resolved: int = 0
    """Files whose references were resolved, because they changed or what they use did."""
    bytes_read: int = 0
    done: int = 0
    interrupted: bool = False
    """Stopped on request; the rest is left for the next look."""
    full: bool = False
    """Stopped because the index has reached its cap."""

    @property
    def changed(self) -> bool:
        return bool(self.added or self.modified or self.removed)

    @property
    def left(self) -> int:
        """Candidates that nothing was done about."""
        return self.total - self.done

    def renames(self) -> list[tuple[RepoPath, RepoPath]]:
        return find_renames(self.removed, self.added) if self.removed and self.added else []


class BatchRun:
    """Carries one set of changes into the writer."""

    def __init__(
        self,
        root: Root,
        writer: Writer,
        pool: ParserPool,
        options: IndexOptions,
        assignment: UnitAssignment,
        roles: Roles,
        extraction_cache: ExtractionCache,
        report: ProgressListener | None,
        cancelled: IsCancelled | None,
    ) -> None:
        self._root = root
        self._writer = writer
        self._pool = pool
        self._options = options
        self._assignment = assignment
        self._roles = roles
        self._extraction_cache = extraction_cache
        self._invalidation = Invalidation(writer, options.worker_count)
        self._report = report
        self._cancelled = cancelled
        self._started = time.monotonic()
        self._reported = 0.0
        self._total = self._bytes_total = self._bytes_done = self._source_bytes = 0
        self._seen: dict[RepoPath, DiskStat] = {}
        self._room = self._unchecked = 0
        """Bytes until the cap when the index was last measured, and bytes read since."""

    def run(self, changes: Changes, known: dict[RepoPath, FileRecord], scan: Scan) -> Batch:
        batch = Batch(known)
        limit = self._options.max_lexical_bytes
        self._source_bytes = sum(stat.size for stat in scan.files.values() if stat.size <= limit)
        self._seen = scan.files
        for path in changes.removed:
            self._remove(batch, path)
        again = self._judge_again(batch, changes.candidates)
        candidates = sorted({*changes.candidates, *(path for path in again if path in scan.files)})
        batch.total = self._total = len(candidates)
        self._bytes_total = sum(scan.files[path].size for path in candidates)
        # Units follow from markers: known first, they spare nearly every file a second thought at the end.
        markers = [path for path in candidates if find_marker(path) is not None]
        for read in read_many(self._root, markers, MAX_MARKER_BYTES, self._options.hash_concurrency):
            if read.outcome in (ReadOutcome.OK, ReadOutcome.TOO_LARGE):
                self._assignment.declare(read.path, read.data)
        for parsed in self._pool.parse(self._unknown(batch, self._jobs(batch, candidates))):
            batch.parsed += 1
            self._extraction_cache.keep(parsed)
            self._put_parsed(batch, parsed)
        self._extraction_cache.flush()
        for old, new in batch.renames():
            self._writer.note_rename(old, new)
        if batch.touched:
            self._writer.touch_files(batch.touched.items())
        self._assignment.settle(self._writer)
        if self._invalidation.is_new_index:
            # Resolving has processes of its own; those that wait would only hold memory.
            self._pool.close()
        batch.resolved = self._invalidation.settle(batch.known)
        self._roles.settle(self._writer, [path for path in again if _is_left(batch.known.get(path))])
        return batch

    def _judge_again(self, batch: Batch, candidates: Sequence[RepoPath]) -> list[RepoPath]:
        """Roles follow from attribute files: known first, all files are judged by the same. Those to be put again."""
        stating = [path for path in candidates if is_attributes_file(path)]
        for read in read_many(self._root, stating, MAX_ATTRIBUTES_BYTES, self._options.hash_concurrency):
            if read.outcome in (ReadOutcome.OK, ReadOutcome.TOO_LARGE):
                self._roles.declare(read.path, read.data)
        again = self._roles.rejudge(self._writer)
        for path in again:
            batch.known[path] = FileRecord(PARSE_AGAIN, Digest(""), 0)
        return again

    def _jobs(self, batch: Batch, candidates: Sequence[RepoPath]) -> Iterator[Job]:
        """Files that are known come first: a full index takes no more, but what it holds stays right."""
        new = [path for path in candidates if path not in batch.known]
        if len(new) < len(candidates):
            yield from self._read(batch, [path for path in candidates if path in batch.known], capped=False)
        if new and not batch.interrupted:
            yield from self._read(batch, new, capped=True)

    def _unknown(self, batch: Batch, jobs: Iterator[Job]) -> Iterator[Job]:
        """Jobs whose text was never read; the others are done on the way."""
        for job in jobs:
            found = self._extraction_cache.find(job)
            if found is None:
                yield job
            else:
                self._put_parsed(batch, found)

    def _read(self, batch: Batch, paths: Sequence[RepoPath], capped: bool) -> Iterator[Job]:
        """Read the candidates; what needs no parse is settled on the way."""
        limit = self._options.max_lexical_bytes
        for read in read_many(self._root, paths, limit, self._options.hash_concurrency):
            batch.interrupted = self._cancelled is not None and self._cancelled()
            self._unchecked += len(read.data or b"") + _ROW_BYTES
            batch.full = capped and self._unchecked * _ROOM_SHARE > self._room and self._is_full()
            if batch.interrupted or batch.full:
                return
            prepared = self._take(batch, read)
            if prepared is None:
                self._advance(batch, read.stat.size if read.stat else 0)
            elif prepared.job is None:
                self._put(batch, prepared.row, _NOTHING, (), None)
                self._advance(batch, prepared.row.stat.size)
            else:
                yield prepared.job._replace(tag=prepared)

    def _take(self, batch: Batch, read: FileRead) -> PreparedFile | None:
        """The file as it is to be indexed; None when there is nothing more to do for it."""
        path = read.path
        before = batch.known.get(path)
        if read.outcome in (ReadOutcome.VANISHED, ReadOutcome.NOT_REGULAR):
            if before is not None:
                self._remove(batch, path)
            return None
        if read.outcome in (ReadOutcome.UNREADABLE, ReadOutcome.CHANGED):
            batch.stale.append(path)
            return None
        assert read.stat is not None and read.digest is not None
        batch.hashed += 1
        batch.bytes_read += len(read.data or b"")
        if before is not None and before.digest == read.digest:
            batch.touched[path] = ObservedStat(*read.stat, read.observed_at_ns)
            batch.known[path] = FileRecord(read.stat, read.digest, read.observed_at_ns)
            return None
        self._assignment.declare(path, read.data)
        self._roles.declare(path, read.data)
        if is_configuration(path):
            self._invalidation.put_configuration(path, read_configuration(path, read.data))
        prepared = prepare_file(read, self._options)
        same = before is not None and before.stat != PARSE_AGAIN and prepared.job is not None
        if same and self._is_same_text(prepared):
            unit_id = self._assignment.unit_id_of(path, prepared.row.family)
            self._writer.recode_file(self._roles.judge(prepared.row._replace(unit_id=unit_id)))
            self._know(batch, prepared.row)
            batch.modified.add(path)
            return None
        return prepared

    def _is_same_text(self, prepared: PreparedFile) -> bool:
        """Whether only line endings changed since the file was indexed."""
        row = prepared.row
        if row.encoding not in BYTE_ENCODINGS:
            return False
        return self._writer.find_text(row.path) == (row.text_digest, row.state)

    def _is_full(self) -> bool:
        """A small index never is. To ask costs as much as to put a small file."""
        self._room = self._options.cap_bytes(self._source_bytes, len(self._seen)) - self._writer.size_bytes()
        self._unchecked = 0
        return self._room < 0

    def _put_parsed(self, batch: Batch, parsed: Parsed) -> None:
        prepared: PreparedFile = parsed.job.tag
        if parsed.failure is not None:
            failed = prepared.row._replace(state=FileState.FAILED, reason=parsed.failure)
            batch.set_aside.append(failed.path)
            # Reading words cannot fail, and the text of a file is no worse for its parse.
            searchable = read_searchable(parsed.job.source, ()) if parsed.job.language else None
            self._put(batch, failed, _NOTHING, (), searchable)
        else:
            self._put(batch, prepared.row, parsed.facts, parsed.problems, parsed.searchable)
        self._advance(batch, prepared.row.stat.size)

    def _put(
        self,
        batch: Batch,
        row: FileRow,
        facts: PackedFacts,
        problems: Sequence[Problem],
        searchable: Searchable | None,
    ) -> None:
        before = batch.known.get(row.path)
        self._invalidation.note(row.path)
        row = self._roles.judge(row._replace(unit_id=self._assignment.unit_id_of(row.path, row.family)))
        self._writer.put_file(row, facts, problems, searchable)
        found = len(facts.defs) + len(facts.imports) + facts.ref_count
        self._assignment.put(row.path, row.family, ParseResult(row.state, row.lines, found, len(problems)))
        if before is None:
            batch.added[row.path] = row.digest or Digest("")
        else:
            batch.modified.add(row.path)
        self._know(batch, row)

    def _know(self, batch: Batch, row: FileRow) -> None:
        assert row.digest is not None
        stat, seen = DiskStat(*row.stat[:5]), self._seen.get(row.path)
        # One object for both, as long as both are kept: in a tree of a million files that counts.
        batch.known[row.path] = FileRecord(seen if seen == stat else stat, row.digest, row.stat.observed_at_ns)

    def _remove(self, batch: Batch, path: RepoPath) -> None:
        before = batch.known.pop(path)
        self._invalidation.note(path)
        self._writer.remove_file(path)
        self._assignment.remove(path)
        self._roles.declare(path, None)
        if is_configuration(path):
            self._invalidation.put_configuration(path, None)
        batch.removed[path] = before.digest

    def _advance(self, batch: Batch, size: int) -> None:
        batch.done += 1
        self._bytes_done += size
        if self._report is None:
            return
        now = time.monotonic()
        if now - self._reported >= _PROGRESS_SECONDS or batch.done == self._total:
            self._reported = now
            self._report(
                IndexProgress(
                    "index", batch.done, self._total, self._bytes_done, self._bytes_total, now - self._started
                )
            )


def _is_left(known: FileRecord | None) -> bool:
    return known is not None and known.stat == PARSE_AGAIN
