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
from codeplane.disk.beneath import Root
from codeplane.disk.observe import Changes, Known, Outcome, Read, find_renames, read_many
from codeplane.disk.stats import FileStat as DiskStat
from codeplane.disk.walk import Scan
from codeplane.facts.blocks import PackedFacts
from codeplane.facts.model import Problem
from codeplane.facts.passages import Searchable, read_searchable
from codeplane.facts.pool import Job, Parsed, ParserPool
from codeplane.index.classify import Prepared, prepare
from codeplane.index.options import Cancelled, IndexOptions, Progress, Report
from codeplane.index.surfaces import Surfaces
from codeplane.languages.families import FAMILIES
from codeplane.store.records import BYTE_ENCODINGS, FileRow, FileStat, FileState
from codeplane.store.writer import Writer

_NOTHING = PackedFacts()
_PROGRESS_SECONDS = 0.05
_SIZE_CHECK_FILES = 8

PARSE_AGAIN = DiskStat(-2, 0, 0, 0, 0)
"""What is known of a file that must be parsed again even if its text is the same."""


@dataclass
class Batch:
    """What became of the candidates of one look."""

    known: dict[RepoPath, Known]
    """Changed in place: what is known of each path once the batch is published."""
    added: dict[RepoPath, Digest] = field(default_factory=dict)
    modified: set[RepoPath] = field(default_factory=set)
    removed: dict[RepoPath, Digest] = field(default_factory=dict)
    touched: dict[RepoPath, FileStat] = field(default_factory=dict)
    stale: list[RepoPath] = field(default_factory=list)
    set_aside: list[RepoPath] = field(default_factory=list)
    hashed: int = 0
    parsed: int = 0
    bytes_read: int = 0
    done: int = 0
    interrupted: bool = False
    """Stopped on request; the rest is left for the next look."""
    full: bool = False
    """Stopped because the index has reached its cap."""

    @property
    def changed(self) -> bool:
        return bool(self.added or self.modified or self.removed)

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
        surfaces: Surfaces,
        report: Report | None,
        cancelled: Cancelled | None,
    ) -> None:
        self._root = root
        self._writer = writer
        self._pool = pool
        self._options = options
        self._surfaces = surfaces
        self._report = report
        self._cancelled = cancelled
        self._started = time.monotonic()
        self._reported = 0.0
        self._total = self._bytes_total = self._bytes_done = self._source_bytes = 0

    def run(self, changes: Changes, known: dict[RepoPath, Known], scan: Scan) -> Batch:
        batch = Batch(known)
        self._total = len(changes.candidates)
        self._bytes_total = sum(scan.files[path].size for path in changes.candidates)
        limit = self._options.max_lexical_bytes
        self._source_bytes = sum(stat.size for stat in scan.files.values() if stat.size <= limit)
        for path in changes.removed:
            self._remove(batch, path)
        for parsed in self._pool.parse(self._jobs(batch, changes)):
            self._put_parsed(batch, parsed)
        for old, new in batch.renames():
            self._writer.note_rename(old, new)
        if batch.touched:
            self._writer.touch_files(batch.touched.items())
        return batch

    def _jobs(self, batch: Batch, changes: Changes) -> Iterator[Job]:
        """Files that are known come first: a full index takes no more, but what it holds stays right."""
        new = [path for path in changes.candidates if path not in batch.known]
        if len(new) < len(changes.candidates):
            yield from self._read(batch, [path for path in changes.candidates if path in batch.known], capped=False)
        if new and not batch.interrupted:
            yield from self._read(batch, new, capped=True)

    def _read(self, batch: Batch, paths: Sequence[RepoPath], capped: bool) -> Iterator[Job]:
        """Read the candidates; what needs no parse is settled on the way."""
        limit = self._options.max_lexical_bytes
        for number, read in enumerate(read_many(self._root, paths, limit, self._options.hash_concurrency)):
            batch.interrupted = self._cancelled is not None and self._cancelled()
            batch.full = capped and number % _SIZE_CHECK_FILES == 0 and self._is_full()
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

    def _take(self, batch: Batch, read: Read) -> Prepared | None:
        """The file as it is to be indexed; None when there is nothing more to do for it."""
        path = read.path
        before = batch.known.get(path)
        if read.outcome in (Outcome.VANISHED, Outcome.NOT_REGULAR):
            if before is not None:
                self._remove(batch, path)
            return None
        if read.outcome in (Outcome.UNREADABLE, Outcome.CHANGED):
            batch.stale.append(path)
            return None
        assert read.stat is not None and read.digest is not None
        batch.hashed += 1
        batch.bytes_read += len(read.data or b"")
        if before is not None and before.digest == read.digest:
            batch.touched[path] = FileStat(*read.stat, read.observed_at_ns)
            batch.known[path] = Known(read.stat, read.digest, read.observed_at_ns)
            return None
        prepared = prepare(read, self._options)
        same = before is not None and before.stat != PARSE_AGAIN and prepared.job is not None
        if same and self._is_same_text(prepared):
            self._writer.recode_file(prepared.row)
            self._know(batch, prepared.row)
            batch.modified.add(path)
            return None
        return prepared

    def _is_same_text(self, prepared: Prepared) -> bool:
        """Whether only line endings changed since the file was indexed."""
        row = prepared.row
        if row.encoding not in BYTE_ENCODINGS:
            return False
        return self._writer.find_text(row.path) == (row.text_digest, row.state)

    def _is_full(self) -> bool:
        """A small index never is."""
        return self._writer.size_bytes() > self._options.cap_bytes(self._source_bytes)

    def _put_parsed(self, batch: Batch, parsed: Parsed) -> None:
        prepared: Prepared = parsed.job.tag
        batch.parsed += 1
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
        unit = FAMILIES.index(row.family) if row.family else 0
        self._surfaces.replace(row.path, self._writer.exports_of(row.path) if before is not None else (), unit, facts)
        self._writer.put_file(row, facts, problems, searchable)
        if before is None:
            batch.added[row.path] = row.digest or Digest("")
        else:
            batch.modified.add(row.path)
        self._know(batch, row)

    def _know(self, batch: Batch, row: FileRow) -> None:
        assert row.digest is not None
        batch.known[row.path] = Known(DiskStat(*row.stat[:5]), row.digest, row.stat.observed_at_ns)

    def _remove(self, batch: Batch, path: RepoPath) -> None:
        before = batch.known.pop(path)
        self._surfaces.replace(path, self._writer.exports_of(path), 0, _NOTHING)
        self._writer.remove_file(path)
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
                Progress("index", batch.done, self._total, self._bytes_done, self._bytes_total, now - self._started)
            )
