"""Finds the files whose links a change invalidates, and resolves them.

The links of a file depend on its own text and on what it looked up: other files, names, directories. Each look-up is
stored with the links as a dependency. When the interface of a file changes, a file appears or disappears, or a name
gets another definition, exactly the files that depend on it are resolved again; in a new index all are. That takes
longer than the rest of a sync: the epoch is published first, with a list of these files, and references are answered
once it is empty.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence

from codeplane.base.paths import RepoPath, basename, parent
from codeplane.index.options import PROGRESS_SECONDS, IndexProgress, IsCancelled, ProgressListener
from codeplane.index.resolve.parallel import resolve_in_workers
from codeplane.index.resolve.session import resolve_files
from codeplane.index.resolve.store_library import dependency_key
from codeplane.store.codec import path_to_text, row_range, storable
from codeplane.store.writer import Writer

_ROWS_PER_SELECT = 500
_MIN_PARALLEL_FILES = 200
"""Below this many files, starting worker processes does not pay."""
_FILES_PER_COMMIT = 2000


class Invalidation:
    """Records the interface of every file before it is written or removed, then marks what must be resolved."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._before: dict[RepoPath, _Interface] = {}
        self._is_new_index = writer.epoch is None and not writer.rows("SELECT 1 FROM files LIMIT 1")
        """True if the index was empty, so that everything has to be resolved."""
        self._configuration_changed = False

    def note(self, path: RepoPath) -> None:
        """Record the interface of a file before it changes."""
        if not self._is_new_index and path not in self._before:
            self._before[path] = _Interface.read(self._writer, path)

    def put_configuration(self, path: RepoPath, content: str | None) -> None:
        """Store a build configuration file. A change of it may affect any import."""
        if self._writer.configurations.get(path) != content:
            self._writer.configurations.write({path: content})
            self._configuration_changed = True

    def settle(self) -> int:
        """Mark the invalidated files as unresolved; return how many they are."""
        is_everything = self._is_new_index or self._configuration_changed
        count = self._writer.links.mark_unresolved(None if is_everything else self._affected())
        self._before.clear()
        self._is_new_index = self._configuration_changed = False
        return count

    def _affected(self) -> set[int]:
        changed: set[int] = set()
        keys: set[int] = set()
        words: set[str] = set()
        for path, before in sorted(self._before.items()):
            now = _Interface.read(self._writer, path)
            if now.file_id is not None:
                changed.add(now.file_id)
            if (before.file_id, before.digest) != (now.file_id, now.digest):
                keys |= {file_id for file_id in (before.file_id, now.file_id) if file_id is not None}
            keys |= {dependency_key("name", name) for name in before.names ^ now.names}
            keys |= {dependency_key("nesting", nesting) for nesting in before.nestings ^ now.nestings}
            owners = before.owners ^ now.owners if before.digest == now.digest else before.owners | now.owners
            keys |= {dependency_key("owner", owner) for owner in owners}
            if (before.file_id is None) != (now.file_id is None):
                folder = parent(path)
                keys.add(dependency_key("directory", folder))
                words |= {storable(word) for word in (basename(path).partition(".")[0], basename(folder))}
        importing = set(self._select("SELECT file_id FROM import_words WHERE word IN", sorted(words)))
        keys |= importing
        dependent = set(self._select("SELECT file_id FROM link_dependencies WHERE key IN", sorted(keys)))
        return changed | importing | dependent

    def _select(self, sql: str, values: Sequence[int | str]) -> Iterator[int]:
        for start in range(0, len(values), _ROWS_PER_SELECT):
            part = values[start : start + _ROWS_PER_SELECT]
            for (found,) in self._writer.rows(f"{sql} ({','.join('?' * len(part))})", part):
                yield found


class LinkResolution:
    """Resolves the unresolved files of an index in steps.

    Worker processes stay alive from step to step. No other file may change between two steps.
    """

    def __init__(self, writer: Writer, paths: Collection[RepoPath], workers: int) -> None:
        pending = writer.links.list_unresolved()
        self.total = len(pending)
        self.done = 0
        self._writer = writer
        self._elapsed = 0.0
        if workers > 1 and self.total >= _MIN_PARALLEL_FILES:
            self._found = resolve_in_workers(writer, paths, pending, workers)
        else:
            self._found = resolve_files(writer, paths, pending)

    def run(self, stop: IsCancelled, progress: ProgressListener) -> bool:
        """Resolve files until `stop()`; return True if none is left."""
        began = reported = time.monotonic()
        for file_id, links in self._found if self.total else ():
            self._writer.links.put(file_id, links)
            self.done += 1
            if self.done % _FILES_PER_COMMIT == 0:
                self._writer.commit_links()
            now = time.monotonic()
            if now - reported >= PROGRESS_SECONDS:
                reported = now
                elapsed = self._elapsed + now - began
                progress(IndexProgress("resolve", self.done, self.total, elapsed_s=elapsed))
            if stop():
                break
        self._elapsed += time.monotonic() - began
        if self.total:
            self._writer.commit_links()
        return self.done == self.total

    def close(self) -> None:
        """Stop the workers."""
        self._found.close()


class PausedResolution:
    """Resolution of the current epoch that continues where it paused, until `stop`."""

    def __init__(self) -> None:
        self._current: LinkResolution | None = None

    def run(
        self,
        writer: Writer,
        paths: Collection[RepoPath],
        workers: int,
        stop: IsCancelled,
        progress: ProgressListener,
    ) -> bool:
        """Resolve files until `stop()`; return True if none is left."""
        self._current = self._current or LinkResolution(writer, paths, workers)
        is_done = self._current.run(stop, progress)
        if is_done:
            self.stop()
        return is_done

    def stop(self) -> None:
        """Stop the workers; what is left is resolved from the start of the next `run`."""
        current, self._current = self._current, None
        if current is not None:
            current.close()


class _Interface:
    """The part of a file that the links of other files can depend on."""

    def __init__(
        self,
        file_id: int | None = None,
        digest: bytes = b"",
        defs: Sequence[tuple[str, str, int | None]] = (),
    ) -> None:
        self.file_id = file_id
        self.digest = digest
        self.names = frozenset(name for name, _, _ in defs)
        self.nestings = frozenset(lexical for _, lexical, _ in defs)
        owners = (lexical[: -len(name) - 1].rpartition(".")[2] for name, lexical, parent in defs if parent is None)
        self.owners = frozenset(owner for owner in owners if owner)

    @classmethod
    def read(cls, writer: Writer, path: RepoPath) -> _Interface:
        rows = writer.rows(
            "SELECT file_id, interface FROM files LEFT JOIN file_summaries USING (file_id) WHERE path = ?",
            (path_to_text(path),),
        )
        if not rows:
            return cls()
        file_id, digest = rows[0]
        defs = writer.rows(
            "SELECT name, lexical_path, parent FROM defs WHERE def_id BETWEEN ? AND ?", row_range(file_id)
        )
        return cls(file_id, digest or b"", defs)
