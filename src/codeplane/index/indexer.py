"""The single writer of a repository's index: under the lock, it syncs the index with the working tree.

A sync scans the tree, compares the scan with the last epoch, runs the pipeline over the differences and publishes a new
epoch; without differences it writes nothing. An index that is missing, foreign, corrupt or built by an incompatible
version is rebuilt as a new generation, while the old one, if readable, stays in place until the switch.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.changes import Changes, compare, next_full_hash
from codeplane.disk.locks import FileLock
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import Scan
from codeplane.facts.pool import ParserPool
from codeplane.git.repository import repo_version
from codeplane.index.extraction_cache import ExtractionCache
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.index_properties import IndexProperties
from codeplane.index.indexed_tree import IndexedTree, load_tree
from codeplane.index.invalidation import PausedResolution
from codeplane.index.options import (
    ChangesListener,
    IndexOptions,
    IndexProgress,
    IsCancelled,
    ProgressListener,
    SyncHooks,
    SyncReport,
    effective_options,
)
from codeplane.index.pipeline import Pipeline, PipelineResources, SyncBatch
from codeplane.index.publish import batch_warnings, make_report, publish, sync_decision, version_as_json
from codeplane.index.seed_index import NewGeneration, find_seed, is_branch_switch, stash_current, store_copy
from codeplane.index.tree_scanner import TreeScanner, check_root
from codeplane.index.unit_assignment import read_contexts
from codeplane.store import integrity, registry
from codeplane.store.extraction_store import ExtractionStore
from codeplane.store.index_cache import CachedIndex, IndexCache
from codeplane.store.integrity import IndexCheck, Verdict
from codeplane.store.layout import StateDirectory, create_state
from codeplane.store.open_writer import open_writer
from codeplane.store.writer import Barrier, Writer

_REASONS = {Verdict.BUILDING: "an earlier build was not finished", Verdict.CORRUPT: "it was damaged"}


class Indexer(IndexProperties):
    """Holds the lock from `open` to `close`, unless the caller passed its own. Belongs to one thread."""

    def __init__(
        self, options: IndexOptions, root: Root, state: StateDirectory, lock: FileLock | None, barrier: Barrier
    ) -> None:
        self.options = options
        self.state = state
        self._root = root
        self._lock = lock
        self._barrier = barrier
        self._scanner = TreeScanner(root, options.ignore, overlay=options.overlay)
        self._index_cache = IndexCache(options.user_state, options.index_cache_bytes)
        self._extraction_store = ExtractionStore(options.user_state, options.extraction_cache_bytes)
        self._extraction_cache = ExtractionCache(self._extraction_store, runtime_fingerprint())
        self.pool = ParserPool(options.worker_count, seconds=options.parse_seconds)
        self._resources = PipelineResources(root, options, self.pool, self._extraction_cache)
        self.writer: Writer | None = None
        self._tree = IndexedTree()
        self._references = PausedResolution()
        self._is_copy_due = False
        """True after a build, until its references are complete and the index cache gets its copy."""
        self._repaired: tuple[RepoPath, ...] = ()
        self._rebuild_reason: str | None = None
        self._last_epoch: int | None = None
        self._not_bound: str | None = None
        """Why the index could not be registered as this user's."""
        self.found = IndexCheck(Verdict.ABSENT)
        """Verdict on the index when it was opened."""

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
        """Take the lock, unless the caller passes the one it holds, and open the index.

        `rebuild` allows replacing an index of an incompatible version.
        """
        options = effective_options(options)
        root = Root.open(options.root)
        try:
            check_root(root)
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
    def has_unresolved(self) -> bool:
        """True if references of some files must still be resolved."""
        if self.writer is None:
            return False
        try:
            return bool(self.writer.rows("SELECT 1 FROM unresolved_files LIMIT 1"))
        except CodePlaneError as error:
            self._discard_corrupt(error)
            return True

    def watchable(self) -> tuple[Mapping[RepoPath, int], Collection[RepoPath]]:
        """Return the directories of the last scan with their devices, and the recorded files."""
        return self._scanner.directories(), self._tree.files.keys()

    def settle(self) -> None:
        """Finish work that the last publish left in the background, and free its memory. Call it when idle."""
        if self.writer is not None:
            self.writer.settle()
        self._extraction_store.release()
        self.pool.keep_one()

    def close(self) -> None:
        try:
            self._references.stop()
            self.pool.close()
            self._extraction_store.close()
            if self.writer is not None:
                self.writer.close()
        finally:
            if self._lock is not None:
                self._lock.release()
            self._root.close()

    def __enter__(self) -> Indexer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def sync(self, progress: ProgressListener | None = None, cancelled: IsCancelled | None = None) -> SyncReport:
        """Sync files, then resolve references. A corrupt index is rebuilt."""
        report = self.sync_files(progress, cancelled)
        self.resolve(cancelled or (lambda: False), progress)
        return report if self.writer is not None else self.sync_files(progress, cancelled)

    def sync_files(
        self,
        progress: ProgressListener | None = None,
        cancelled: IsCancelled | None = None,
        changes: ChangesListener | None = None,
        unread: Collection[RepoPath] = (),
    ) -> SyncReport:
        """Scan the tree, index what changed and `unread` files, and publish. References are left to `resolve`."""
        started = time.monotonic()
        self._tree.read_again(unread)
        hooks = SyncHooks.make(progress, cancelled, changes)
        hooks.progress(IndexProgress("scan"))
        scan = self._scanner.scan()
        if self.writer is not None:
            try:
                return self._update(self.writer, scan, started, hooks)
            except CodePlaneError as error:
                self._discard_corrupt(error)
        return self._build(scan, started, hooks)

    def rebuild(self, progress: ProgressListener | None = None, cancelled: IsCancelled | None = None) -> SyncReport:
        """Build a new generation although the current one is usable and stays in use until the switch.

        CANCELLED keeps the current one: a partial index must not replace a complete one. No cache is used.
        """
        started = time.monotonic()
        hooks = SyncHooks.make(progress, cancelled)
        hooks.progress(IndexProgress("scan"))
        scan = self._scanner.scan()
        self._rebuild_reason = "it was asked for"
        self._extraction_cache.ignored = True
        try:
            return self._build(scan, started, hooks)
        except BaseException:
            self._rebuild_reason = None
            raise
        finally:
            self._extraction_cache.ignored = False

    def resolve(self, stop: IsCancelled = lambda: False, progress: ProgressListener | None = None) -> bool:
        """Resolve pending references until `stop` returns True. Return True if none are left.

        A corrupt index is discarded; the next sync rebuilds it.
        """
        if self.writer is None:
            return False
        try:
            if self._is_copy_due:
                # Resolution starts its own workers; idle parsers would only hold memory.
                self.pool.close()
            workers = self.options.worker_count
            is_done = self._references.run(
                self.writer, self._tree.files, workers, stop, SyncHooks.make(progress).progress
            )
            if is_done:
                self._store_due_copy(self.writer)
            return is_done
        except BaseException as error:
            if _is_corruption(error):
                self._discard_corrupt(error)
                return False
            self._roll_back()
            raise

    def mark_corrupt(self) -> None:
        """Record that a reader met corruption; the next sync rebuilds the index."""
        self._drop_writer()
        self._rebuild_reason = _REASONS[Verdict.CORRUPT]
        self.state.mark_corrupt()

    def verify(self, depth: integrity.Depth = "open") -> IndexCheck:
        binding = registry.read_binding(self.options.user_state, self._root.path)
        return integrity.verify(self.state, runtime_fingerprint(), binding, depth)

    def _open_generation(self, rebuild: bool) -> None:
        # A requested rebuild also checks pages that no sync may ever read.
        found = self.found = self.verify("pages" if rebuild else "open")
        self._last_epoch = found.epoch.epoch if found.epoch is not None else None
        if found.verdict is Verdict.NEWER or (found.verdict is Verdict.REQUIRES_REINDEX and not rebuild):
            found.require_usable()
        if found.verdict is Verdict.OK and found.generation is not None:
            try:
                opened = open_writer(found.generation, barrier=self._barrier)
                self.writer = opened.writer
                self._repaired = opened.repaired
                self._tree = load_tree(opened.writer, self.options)
            except BaseException as error:
                self._drop_writer()
                if not _is_corruption(error):
                    raise
                found = replace(found, verdict=Verdict.CORRUPT, reason=str(error))
        if self.writer is None:
            default = None if found.verdict is Verdict.ABSENT else _REASONS.get(found.verdict, found.verdict.value)
            self._rebuild_reason = found.reason or default

    def _store_due_copy(self, writer: Writer) -> None:
        if self._is_copy_due and not self.unfinished:
            store_copy(self._index_cache, writer, self._tree.root_digest or "", self._tree.files)
        self._is_copy_due = False

    def _discard_corrupt(self, error: BaseException) -> None:
        if not isinstance(error, CodePlaneError) or not _is_corruption(error):
            raise error
        self._drop_writer()
        self._rebuild_reason = error.message

    def _drop_writer(self) -> None:
        """Close an unusable generation and ignore the errors of its close."""
        self._references.stop()
        writer, self.writer = self.writer, None
        if writer is not None:
            self._last_epoch = writer.epoch if writer.epoch is not None else self._last_epoch
            with suppress(CodePlaneError):
                writer.close()

    def _roll_back(self) -> None:
        """Return to the last published epoch after a failure."""
        self._references.stop()
        if self.writer is not None:
            self.writer.rollback()
            self._tree = load_tree(self.writer, self.options)

    def _update(self, writer: Writer, scan: Scan, started: float, hooks: SyncHooks) -> SyncReport:
        tree = self._tree
        tree.retry_failures()
        full_hash = next_full_hash(int(writer.read_meta("full_hash_counter") or 0), self.options.full_hash_every)
        changes = compare(scan, tree.files, full_hash=full_hash.run)
        hooks.changes(changes)
        version = repo_version(self._root.path)
        rules_changed = tree.ignore_signature != scan.ignore_signature
        moved = version_as_json(version) != tree.repo_version or rules_changed
        reassigned = tree.assignment.consider(read_contexts(self._root), writer)
        # A racy file that turned out to be unchanged is saved too: otherwise it would be hashed in every scan.
        outdated = writer.changed or reassigned or tree.roles.behind or moved or full_hash.advanced
        if not (changes.candidates or changes.removed or outdated):
            return self._report(changes, SyncBatch(), "fresh", started)
        self._references.stop()
        resumed = self.unfinished
        if is_branch_switch(changes, len(tree.files)) and not resumed:
            nearer = stash_current(self._index_cache, writer, tree.root_digest or "", tree.files, scan)
            if nearer is not None:
                return self._build(scan, started, hooks, nearer)
        epoch = writer.epoch
        reconciled = tree.ignore_signature is not None and rules_changed
        try:
            batch = Pipeline(self._resources, writer, tree, hooks).run(changes, scan)
            if full_hash.advanced:
                writer.put_meta({"full_hash_counter": str(full_hash.counter)})
            publish(writer, tree, self.options, scan, batch, version, hooks)
        except BaseException:
            self._roll_back()
            raise
        changed = batch.changed or self._repaired or writer.epoch != epoch
        report = self._report(changes, batch, sync_decision(batch, resumed=resumed, changed=bool(changed)), started)
        self._repaired = ()
        return replace(report, full_hash_run=full_hash.run, reconciled=reconciled)

    def _build(self, scan: Scan, started: float, hooks: SyncHooks, seed: CachedIndex | None = None) -> SyncReport:
        """Build a generation that replaces the current one when it is finished.

        It starts from the seed, or from a similar cached index if this repository had no index.
        """
        self._references.stop()
        if seed is None and self.writer is None and self._rebuild_reason is None:
            seed = find_seed(self._index_cache, scan)
        self.state.sweep()
        known_binding = registry.read_binding(self.options.user_state, self._root.path)
        binding = registry.next_binding(self._root.path, known_binding)
        version = repo_version(self._root.path)
        last_epoch = self.writer.epoch if self.writer is not None else self._last_epoch
        new = NewGeneration(self.state, binding, last_epoch, self._barrier)
        writer = new.create_from(self._index_cache, seed) if seed is not None else None
        if writer is not None:
            tree = load_tree(writer, self.options)
            tree.assignment.consider(read_contexts(self._root), writer)
        else:
            writer, tree = new.create_empty(), IndexedTree()
            tree.assignment.consider(read_contexts(self._root), None)
        try:
            changes = compare(scan, tree.files)
            batch = Pipeline(self._resources, writer, tree, hooks).run(changes, scan)
            if batch.interrupted and self.writer is not None:
                raise CodePlaneError(ErrorCode.CANCELLED, "the build was cancelled; the previous index stays in use")
            writer.put_meta({"ignore_signature_built": scan.ignore_signature})
            publish(writer, tree, self.options, scan, batch, version, hooks)
            not_bound = registry.write_binding(self.options.user_state, self._root.path, binding)
            self._barrier("bound")
            self.state.switch(writer.generation)
        except BaseException:
            writer.close()
            self.state.remove_generation(writer.generation)
            raise
        # The previous writer would keep the files of its generation open.
        self._drop_writer()
        self.writer, self._tree = writer, tree
        self._not_bound = not_bound.message if not_bound is not None else None
        self.state.sweep()
        decision = "interrupted" if batch.interrupted else "rebuilt" if self._rebuild_reason else "built"
        report = self._report(changes, batch, decision, started)
        self._rebuild_reason = None
        self._is_copy_due = True
        if not self.has_unresolved:
            self._store_due_copy(writer)
        return report

    def _report(self, changes: Changes, batch: SyncBatch, decision: str, started: float) -> SyncReport:
        writer = self.writer
        assert writer is not None and writer.epoch is not None
        return replace(
            make_report(writer.epoch, self._tree, changes, batch),
            decision=decision,
            repaired=self._repaired,
            rebuild_reason=self._rebuild_reason,
            seconds=time.monotonic() - started,
            bound=self._not_bound is None,
            warnings=batch_warnings(batch) if self._not_bound is None else (self._not_bound, *batch_warnings(batch)),
        )


def _is_corruption(error: BaseException) -> bool:
    return isinstance(error, CodePlaneError) and error.code is ErrorCode.INDEX_CORRUPT
