"""The one writer of a repository's index: opened under the lock, it looks, and publishes what changed.

An index that is missing, foreign, damaged or made by other rules is built anew as a
generation of its own while the old one, if it can be read at all, stays in place until the
switch. A look that finds no change writes nothing.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace

from codeplane.base.digests import Digest, merkle_root
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import RACY_WINDOW_NS
from codeplane.base.paths import RepoPath, display
from codeplane.disk.changes import Changes, FileRecord, compare, next_full_hash
from codeplane.disk.ignore import IgnoreRules
from codeplane.disk.locks import FileLock
from codeplane.disk.safe_open import Root
from codeplane.disk.stats import FileStat
from codeplane.disk.walk import Scan, WalkCache, walk
from codeplane.facts.pool import ParserPool
from codeplane.git.git_directory import is_git_directory
from codeplane.git.repository import RepoVersion, repo_version, tracked_paths
from codeplane.index.batch import PARSE_AGAIN, Batch, BatchRun
from codeplane.index.extraction_cache import ExtractionCache
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.invalidation import resolve_pending
from codeplane.index.options import (
    ChangesListener,
    IndexOptions,
    IndexProgress,
    IsCancelled,
    ProgressListener,
    SyncReport,
    effective_options,
)
from codeplane.index.roles import Roles
from codeplane.index.seed_index import (
    NewGeneration,
    copy_generation_from,
    create_generation,
    find_seed,
    is_branch_switch,
    stash_current,
    store_copy,
)
from codeplane.index.unit_assignment import UnitAssignment, read_contexts
from codeplane.store import integrity, registry
from codeplane.store.extraction_store import ExtractionStore
from codeplane.store.files import list_stored
from codeplane.store.index_cache import CachedIndex, IndexCache
from codeplane.store.integrity import IndexCheck, Verdict
from codeplane.store.layout import Generation, StateDirectory, create_state
from codeplane.store.records import EpochInfo, FileState
from codeplane.store.recovery import open_writer
from codeplane.store.writer import Barrier, Writer

_MAX_NAMED = 20
_REASONS = {Verdict.BUILDING: "an earlier build was not finished", Verdict.CORRUPT: "it was damaged"}


class Indexer:
    """Holds the lock from `open` to `close`, unless it was given one. Belongs to one thread."""

    def __init__(
        self, options: IndexOptions, root: Root, state: StateDirectory, lock: FileLock | None, barrier: Barrier
    ) -> None:
        self.options = options
        self.state = state
        self._root = root
        self._lock = lock
        self._barrier = barrier
        self._rules = IgnoreRules(options.ignore)
        self._cache = WalkCache()
        self._index_cache = IndexCache(options.user_state, options.index_cache_bytes)
        self._extraction_store = ExtractionStore(options.user_state, options.extraction_cache_bytes)
        self._extraction_cache = ExtractionCache(self._extraction_store, runtime_fingerprint())
        self._pool = ParserPool(options.worker_count, seconds=options.parse_seconds)
        self._writer: Writer | None = None
        self._known: dict[RepoPath, FileRecord] = {}
        self._assignment = UnitAssignment()
        self._roles = Roles()
        self._repaired: tuple[RepoPath, ...] = ()
        self._rebuild_reason: str | None = None
        self._last_epoch: int | None = None
        self._warnings: list[str] = []
        self._tracked: tuple[RepoVersion, frozenset[RepoPath]] | None = None
        self._version: Mapping[str, object] = {}
        self._root_digest: Digest | None = None
        self._ignore_signature: str | None = None
        self.forced = False
        """Whether files must be read again whatever their stat says."""
        self.found = IndexCheck(Verdict.ABSENT)
        """What lay there when it was opened."""

    @classmethod
    def open(
        cls,
        options: IndexOptions,
        *,
        lock_timeout: float = 0.0,
        rebuild: bool = False,
        lock: FileLock | None = None,
        barrier: Barrier = lambda point: None,
    ) -> Indexer:
        """Take the lock, or use the one that the caller holds and keeps, and open the index.

        `rebuild` allows to replace an index that other rules made.
        """
        options = effective_options(options)
        root = Root.open(options.root)
        try:
            _require_utf8(root)
            _require_files(root)
            state = create_state(root.path)
            own_lock = FileLock(state.lock_path).acquire(lock_timeout) if lock is None else None
            try:
                indexer = cls(options, root, state, own_lock, barrier)
                indexer._open_generation(rebuild)
                return indexer
            except BaseException:
                if own_lock is not None:
                    own_lock.release()
                raise
        except BaseException:
            root.close()
            raise

    @property
    def generation(self) -> Generation | None:
        return self._writer.generation if self._writer is not None else None

    @property
    def epoch(self) -> int | None:
        return self._writer.epoch if self._writer is not None else None

    @property
    def index_id(self) -> str | None:
        """Unlike the name of a generation, never used again."""
        return self._writer.read_meta("index_id") if self._writer is not None else None

    @property
    def pool(self) -> ParserPool:
        return self._pool

    @property
    def unfinished(self) -> bool:
        """Whether an earlier build or update was interrupted, so that files are missing which belong in."""
        meta = self._writer.read_meta if self._writer is not None else None
        return meta is not None and meta("pending") not in (None, "0") and meta("pending_why") != "full"

    @property
    def needs_sync(self) -> bool:
        """Whether it must not be read before the next look: unfinished, or mended and not yet published."""
        return self._writer is None or self.unfinished or self._writer.changed

    def directories(self) -> dict[RepoPath, int]:
        """Directories of the last look with their devices."""
        return {listing.path: listing.stat.device for listing in self._cache.listings.values()}

    def settle(self) -> None:
        """Finish what goes on behind the last publish. Worth calling when idle."""
        if self._writer is not None:
            self._writer.settle()
        if len(self._pool.pids) != 1:
            self._pool.close()
            self._pool.warm()

    def close(self) -> None:
        try:
            self._pool.close()
            self._extraction_store.close()
            if self._writer is not None:
                self._writer.close()
        finally:
            if self._lock is not None:
                self._lock.release()
            self._root.close()

    def __enter__(self) -> Indexer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def has_unresolved(self) -> bool:
        """Whether references have to be resolved before anybody may ask what they stand for."""
        try:
            return self._writer is not None and bool(self._writer.rows("SELECT 1 FROM unresolved_files LIMIT 1"))
        except CodePlaneError as error:
            self._discard_corrupt(error)
            return True

    def resolve(self, stop: IsCancelled = lambda: False) -> bool:
        """Resolve what changes left unresolved, until `stop` says so; whether nothing is left.

        An index that turns out to be damaged is given up: the next look builds it anew.
        """
        if self._writer is None:
            return False
        try:
            return resolve_pending(self._writer, self._known, stop)
        except BaseException as error:
            if isinstance(error, CodePlaneError) and _is_damage(error):
                self._discard_corrupt(error)
                return False
            self._forget_unpublished()
            raise

    def sync(self, report: ProgressListener | None = None, cancelled: IsCancelled | None = None) -> SyncReport:
        """Look at the tree, index what changed, publish, resolve."""
        result = self.sync_files(report, cancelled)
        self.resolve(cancelled or (lambda: False))
        return result if self._writer is not None else self.sync_files(report, cancelled)

    def sync_files(
        self,
        report: ProgressListener | None = None,
        cancelled: IsCancelled | None = None,
        noticed: ChangesListener | None = None,
    ) -> SyncReport:
        """Look at the tree, index what changed, publish. Without a change, nothing is written.

        What changed references stand for is left to `resolve`.
        """
        started = time.monotonic()
        if report is not None:
            report(IndexProgress("scan"))
        scan = self._scan()
        if self._writer is not None:
            try:
                return self._update(self._writer, scan, started, report, cancelled, noticed)
            except CodePlaneError as error:
                self._discard_corrupt(error)
        return self._build(scan, started, report, cancelled)

    def rebuild(self, report: ProgressListener | None = None, cancelled: IsCancelled | None = None) -> SyncReport:
        """Build a new generation though the current one can be used; that one answers until the switch.

        CANCELLED leaves the current one in place: half an index must not replace a whole one.
        """
        started = time.monotonic()
        if report is not None:
            report(IndexProgress("scan"))
        scan = self._scan()
        self._rebuild_reason = "it was asked for"
        self._extraction_cache.ignored = True
        try:
            return self._build(scan, started, report, cancelled)
        except BaseException:
            self._rebuild_reason = None
            raise
        finally:
            self._extraction_cache.ignored = False

    def _discard_corrupt(self, error: CodePlaneError) -> None:
        if not _is_damage(error):
            raise error
        self._drop_writer()
        self._rebuild_reason = error.message

    def mark_corrupt(self) -> None:
        """A reader of this index met damage: the next look builds it anew."""
        self._drop_writer()
        self._rebuild_reason = _REASONS[Verdict.CORRUPT]
        self.state.mark_corrupt()

    def verify(self, depth: integrity.Depth = "open") -> IndexCheck:
        binding = registry.read_binding(self.options.user_state, self._root.path)
        return integrity.verify(self.state, runtime_fingerprint(), binding, depth)

    def _update(
        self,
        writer: Writer,
        scan: Scan,
        started: float,
        report: ProgressListener | None,
        cancelled: IsCancelled | None,
        noticed: ChangesListener | None,
    ) -> SyncReport:
        full_hash = next_full_hash(int(writer.read_meta("full_hash_counter") or 0), self.options.full_hash_every)
        changes = compare(scan, self._known, full_hash=full_hash.run)
        if noticed is not None:
            noticed(changes)
        reconciled = self._ignore_signature is not None and self._ignore_signature != scan.ignore_signature
        version = repo_version(self._root.path)
        moved = _as_json(version) != self._version
        restated = self._assignment.consider(read_contexts(self._root), writer)
        # A racy file that turned out to be unchanged is saved too: otherwise it would be hashed in every scan.
        changed = changes.candidates or changes.removed or writer.changed or restated or self._roles.behind
        if not (changed or moved or self._ignore_signature != scan.ignore_signature or full_hash.advanced):
            return self._report(scan, changes, Batch(self._known), "fresh", started)
        if is_branch_switch(changes, len(self._known)) and not self.unfinished:
            nearer = stash_current(self._index_cache, writer, self._root_digest or "", self._known, scan)
            if nearer is not None:
                return self._build(scan, started, report, cancelled, nearer)
        epoch = writer.epoch
        resumed = writer.read_meta("pending") not in (None, "0") and writer.read_meta("pending_why") != "full"
        try:
            with _collected_later(len(changes.candidates)):
                batch = self._run(writer, scan, changes, report, cancelled)
            if full_hash.advanced:
                writer.put_meta({"full_hash_counter": str(full_hash.counter)})
            self._publish(writer, scan, batch, version, report)
        except BaseException:
            self._forget_unpublished()
            raise
        decision = "synced" if batch.changed or self._repaired or writer.epoch != epoch else "fresh"
        decision = "interrupted" if batch.interrupted else "resumed" if resumed else decision
        result = self._report(scan, changes, batch, decision, started)
        self._repaired = ()
        return replace(result, full_hash_run=full_hash.run, reconciled=reconciled)

    def _open_generation(self, rebuild: bool) -> None:
        # Who asked for a whole index gets one: a page that no sync happens to read may be damaged as well.
        found = self.found = self.verify("pages" if rebuild else "open")
        self._last_epoch = found.epoch.epoch if found.epoch is not None else None
        if found.verdict is Verdict.NEWER or (found.verdict is Verdict.REQUIRES_REINDEX and not rebuild):
            found.require_usable()
        if found.verdict is Verdict.OK and found.generation is not None:
            try:
                opened = open_writer(found.generation, barrier=self._barrier)
                self._writer = opened.writer
                self._repaired = opened.repaired
                self._load()
            except BaseException as error:
                self._drop_writer()
                if not _is_damage(error):
                    raise
                found = replace(found, verdict=Verdict.CORRUPT, reason=str(error))
        if self._writer is None and found.verdict is not Verdict.ABSENT:
            self._rebuild_reason = found.reason or _REASONS.get(found.verdict, found.verdict.value)
        elif self._writer is None and found.reason is not None:
            self._rebuild_reason = found.reason

    def _drop_writer(self) -> None:
        """Let go of a generation that cannot be used; what it has to say while closing is of no interest."""
        writer, self._writer = self._writer, None
        if writer is not None:
            self._last_epoch = writer.epoch if writer.epoch is not None else self._last_epoch
            with suppress(CodePlaneError):
                writer.close()

    def _load(self) -> None:
        assert self._writer is not None
        self._load_held(self._writer)
        self._ignore_signature = self._writer.read_meta("ignore_signature")
        epoch = self._writer.read_epoch()
        assert epoch is not None
        self._root_digest = Digest(epoch.merkle_root)
        self._version = epoch.repo_version

    def _load_held(self, writer: Writer) -> None:
        self._load_files(writer)
        self._assignment = UnitAssignment.load(writer)
        self._roles = Roles.load(writer)

    def _load_files(self, writer: Writer) -> None:
        self._known = {
            path: FileRecord(FileStat(*known[:5]), Digest(known.digest or ""), known.observed_at_ns)
            for path, known in list_stored(writer)
        }
        self.forced = False
        if writer.read_meta("limits") != self._limits():
            self._read_again_what_limits_decided(writer)
        if (writer.read_meta("extensions") or "") != self._extensions():
            self._parse_again_what_extensions_decide(writer)

    def _limits(self) -> str:
        """Options that decide how a file is indexed; kept with the index, which other ones make another."""
        options = self.options
        return f"{options.max_parse_bytes} {options.max_lexical_bytes} {options.parse_seconds}"

    def _read_again_what_limits_decided(self, writer: Writer) -> None:
        for path, known in list_stored(writer):
            if known.state != FileState.INDEXED or known.size > self.options.max_parse_bytes:
                self._known[path] = FileRecord(FileStat(-1, 0, 0, 0, 0), Digest(""), 0)
                self.forced = True

    def _extensions(self) -> str:
        return " ".join(f"{extension}={language}" for extension, language in self.options.extensions)

    def _parse_again_what_extensions_decide(self, writer: Writer) -> None:
        before = set((writer.read_meta("extensions") or "").split())
        suffixes = tuple(pair.partition("=")[0] for pair in before ^ set(self._extensions().split()))
        for path in self._known:
            if path.lower().endswith(suffixes):
                self._known[path] = FileRecord(PARSE_AGAIN, Digest(""), 0)
                self.forced = True

    def _forget_unpublished(self) -> None:
        """After a failure: what was not published is gone, and what is known is what was."""
        if self._writer is not None:
            self._writer.rollback()
            self._load()

    def _scan(self) -> Scan:
        scan = walk(self._root, self._rules, self._cache)
        if self.options.overlay:
            return scan
        version = repo_version(self._root.path)
        if version is None:
            return scan
        tracked = self._tracked[1] if self._tracked is not None and self._tracked[0] == version else None
        if tracked is None:
            observed_at = time.time_ns()
            tracked = tracked_paths(self._root.path)
            # Not to be believed later: an index that was just written, and those of submodules, which have no stamp.
            settled = version.index_mtime_ns < observed_at - RACY_WINDOW_NS and not version.submodules
            self._tracked = (version, tracked) if settled else None
        return scan._replace(files={path: stat for path, stat in scan.files.items() if path in tracked})

    def _build(
        self,
        scan: Scan,
        started: float,
        report: ProgressListener | None,
        cancelled: IsCancelled | None,
        start: CachedIndex | None = None,
    ) -> SyncReport:
        """A new generation, which replaces the current one when it is finished.

        It starts from an index that was put by, if one is named, or if there was none here and one is like the tree.
        """
        before = (self._known, self._assignment, self._roles)
        settled = (self._root_digest, self._ignore_signature)
        try:
            if start is None and self._writer is None and self._rebuild_reason is None:
                start = find_seed(self._index_cache, scan)
            return self._build_from(start, scan, started, report, cancelled)
        except BaseException:
            self._known, self._assignment, self._roles = before
            self._root_digest, self._ignore_signature = settled
            raise

    def _build_from(
        self,
        start: CachedIndex | None,
        scan: Scan,
        started: float,
        report: ProgressListener | None,
        cancelled: IsCancelled | None,
    ) -> SyncReport:
        self.state.sweep()
        self._known, self._assignment, self._roles = {}, UnitAssignment(), Roles()
        self._root_digest = None
        binding = registry.next_binding(
            self._root.path, registry.read_binding(self.options.user_state, self._root.path)
        )
        version = repo_version(self._root.path)
        last = self._writer.epoch if self._writer is not None else self._last_epoch
        beginning = NewGeneration(self.state, binding, last, self._barrier)
        writer = copy_generation_from(self._index_cache, start, beginning) if start is not None else None
        if writer is None:
            writer = create_generation(beginning)
            self._assignment.consider(read_contexts(self._root), None)
        else:
            self._load_held(writer)
            self._assignment.consider(read_contexts(self._root), writer)
        generation = writer.generation
        try:
            changes = compare(scan, self._known)
            with _collected_later(len(changes.candidates)):
                batch = self._run(writer, scan, changes, report, cancelled)
            if batch.interrupted and self._writer is not None:
                raise CodePlaneError(ErrorCode.CANCELLED, "the build was cancelled; the index is the one from before")
            writer.put_meta({"ignore_signature_built": scan.ignore_signature})
            self._publish(writer, scan, batch, version, report)
            not_bound = registry.write_binding(self.options.user_state, self._root.path, binding)
            self._barrier("bound")
            self.state.switch(generation)
        except BaseException:
            writer.close()
            self.state.remove_generation(generation)
            raise
        # A writer of the generation before would keep its files from going.
        self._drop_writer()
        self._writer = writer
        self._warnings = [not_bound.message] if not_bound is not None else []
        self.state.sweep()
        decision = "interrupted" if batch.interrupted else "rebuilt" if self._rebuild_reason else "built"
        result = self._report(scan, changes, batch, decision, started)
        self._rebuild_reason = None
        if not self.unfinished:
            store_copy(self._index_cache, writer, self._root_digest or "", self._known)
        return result

    def _run(
        self,
        writer: Writer,
        scan: Scan,
        changes: Changes,
        report: ProgressListener | None,
        cancelled: IsCancelled | None,
    ) -> Batch:
        run = BatchRun(
            self._root,
            writer,
            self._pool,
            self.options,
            self._assignment,
            self._roles,
            self._extraction_cache,
            report,
            cancelled,
        )
        return run.run(changes, self._known, scan)

    def _publish(
        self,
        writer: Writer,
        scan: Scan,
        batch: Batch,
        version: RepoVersion | None,
        report: ProgressListener | None,
    ) -> None:
        if report is not None:
            report(IndexProgress("finish", batch.done, batch.total))
        pending = str(batch.left)
        notes = {
            "pending": pending,
            "pending_why": "full" if batch.full else "interrupted",
            "limits": self._limits(),
            "extensions": self._extensions(),
            "ignore_signature": scan.ignore_signature,
        }
        if pending == "0":
            del notes["pending_why"]
        changed = {key: value for key, value in notes.items() if writer.read_meta(key) != value}
        if changed:
            writer.put_meta(changed)
        if writer.epoch is not None and writer.size_bytes() > self._cap_bytes():
            writer.forget_history()
        if batch.changed or self._root_digest is None:
            self._root_digest = merkle_root((path, self._known[path].digest) for path in sorted(self._known))
        writer.publish(
            EpochInfo(
                self._root_digest,
                version.head if version is not None else None,
                _as_json(version),
                time.time_ns(),
            )
        )
        self._version = _as_json(version)
        self._ignore_signature = scan.ignore_signature
        self.forced = self.forced and pending != "0"

    def _cap_bytes(self) -> int:
        limit = self.options.max_lexical_bytes
        size = sum(known.stat.size for known in self._known.values() if known.stat.size <= limit)
        return self.options.cap_bytes(size, len(self._known))

    def _report(self, scan: Scan, changes: Changes, batch: Batch, decision: str, started: float) -> SyncReport:
        writer = self._writer
        assert writer is not None and writer.epoch is not None
        stale = sorted({*batch.stale, *changes.unreadable})
        return SyncReport(
            epoch=writer.epoch,
            decision=decision,
            merkle_root=self._root_digest or "",
            files=len(self._known),
            added=len(batch.added),
            modified=len(batch.modified),
            removed=len(batch.removed),
            renamed=tuple(batch.renames()),
            touched=len(batch.touched),
            hashed=batch.hashed,
            parsed=batch.parsed,
            resolved=batch.resolved,
            partial=changes.partial or bool(stale),
            unscanned=changes.unscanned[:_MAX_NAMED],
            stale=tuple(stale[:_MAX_NAMED]),
            set_aside=tuple(sorted(batch.set_aside)),
            pending=batch.left,
            repaired=self._repaired,
            seconds=time.monotonic() - started,
            bytes_read=batch.bytes_read,
            rebuild_reason=self._rebuild_reason,
            warnings=(*self._warnings, *self._size_warning(batch)),
            bound=not self._warnings,
        )

    def _size_warning(self, batch: Batch) -> tuple[str, ...]:
        if not batch.full:
            return ()
        left = batch.left
        return (f"the index has reached its cap; {left} files are not indexed: raise index.max_bytes or ignore more",)


def _require_utf8(root: Root) -> None:
    """Neither half of the index can be opened by a name that is not."""
    try:
        str(root.path).encode()
    except UnicodeEncodeError:
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"the path of the repository is not UTF-8: '{display(str(root.path))}'",
            remedy="Rename the directory, or index it through a bind mount with another name.",
        ) from None


def _require_files(root: Root) -> None:
    """Git's own files are no sources, and may hold credentials."""
    if is_git_directory(root.path):
        raise CodePlaneError(
            ErrorCode.NOT_A_REPOSITORY,
            f"'{display(str(root.path))}' is a git directory without a working tree",
            remedy="Index a clone of it, or a working tree: git worktree add PATH.",
        )


def _is_damage(error: BaseException) -> bool:
    return isinstance(error, CodePlaneError) and error.code is ErrorCode.INDEX_CORRUPT


def _as_json(version: RepoVersion | None) -> dict[str, object]:
    """As it comes back from the database."""
    if version is None:
        return {}
    return {**asdict(version), "submodules": [list(submodule) for submodule in version.submodules]}


@contextmanager
def _collected_later(files: int) -> Iterator[None]:
    """A large batch makes millions of short-lived rows without cycles: looking for cycles costs a tenth of its time."""
    if files < 100 or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
