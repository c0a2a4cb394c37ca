"""Finds the files whose links a change invalidates, and resolves them.

The links of a file depend on its own text and on what it looked up: other files, names, directories. Each look-up is
stored with the links as a dependency. When the interface of a file changes, a file appears or disappears, or a name
gets another definition, exactly the files that depend on it are resolved again. That takes longer than the rest of an
update: the epoch is published first, with a list of these files, and a reader of references waits until the list is
empty. A new index is resolved before it is published.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from codeplane.base.paths import RepoPath, basename, parent
from codeplane.index.resolve.parallel import resolve_in_workers
from codeplane.index.resolve.session import resolve_files
from codeplane.index.resolve.store_library import dependency_key
from codeplane.store.codec import path_to_text, row_range, storable
from codeplane.store.writer import Writer

_ROWS_PER_SELECT = 500
_MIN_PARALLEL_FILES = 200
"""Below this many files, starting worker processes does not pay."""


class Invalidation:
    """Records the interface of every file before it is written or removed, then resolves."""

    def __init__(self, writer: Writer, workers: int) -> None:
        self._writer = writer
        self._workers = workers
        self._before: dict[RepoPath, _Interface] = {}
        self.is_new_index = writer.epoch is None and not writer.rows("SELECT 1 FROM files LIMIT 1")
        """True if the index was empty, so that everything has to be resolved."""
        self._configuration_changed = False

    def note(self, path: RepoPath) -> None:
        """Record the interface of a file before it changes."""
        if not self.is_new_index and path not in self._before:
            self._before[path] = _Interface.read(self._writer, path)

    def put_configuration(self, path: RepoPath, content: str | None) -> None:
        """Store a build configuration file. A change of it may affect any import."""
        if self._writer.configurations.get(path) != content:
            self._writer.configurations.write({path: content})
            self._configuration_changed = True

    def settle(self, paths: Collection[RepoPath]) -> int:
        """Resolve a new index, or mark the invalidated files as unresolved; return how many files are affected.

        `paths` are the paths of all files.
        """
        if self.is_new_index:
            self._writer.finish_load()
            affected = [
                file_id
                for (file_id,) in self._writer.rows(
                    "SELECT file_id FROM blocks JOIN files USING (file_id) ORDER BY path"
                )
            ]
            if affected:
                self._resolve(affected, paths)
            count = len(affected)
        else:
            count = self._writer.links.mark_unresolved(None if self._configuration_changed else self._affected())
        self._before.clear()
        self.is_new_index = self._configuration_changed = False
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

    def _resolve(self, file_ids: Sequence[int], paths: Collection[RepoPath]) -> None:
        if self._workers > 1 and len(file_ids) >= _MIN_PARALLEL_FILES:
            self._writer.share_load()
            found = resolve_in_workers(self._writer, paths, file_ids, self._workers)
        else:
            found = resolve_files(self._writer, paths, file_ids)
        for file_id, links in found:
            self._writer.links.put(file_id, links)

    def _select(self, sql: str, values: Sequence[int | str]) -> Iterator[int]:
        for start in range(0, len(values), _ROWS_PER_SELECT):
            part = values[start : start + _ROWS_PER_SELECT]
            for (found,) in self._writer.rows(f"{sql} ({','.join('?' * len(part))})", part):
                yield found


def resolve_pending(writer: Writer, paths: Collection[RepoPath], stop: Callable[[], bool]) -> bool:
    """Resolve the unresolved files until `stop()`; return True if none is left."""
    pending = writer.links.list_unresolved()
    done = 0
    for file_id, links in resolve_files(writer, paths, pending) if pending else ():
        writer.links.put(file_id, links)
        done += 1
        if stop():
            break
    if pending:
        writer.commit_links()
    return done == len(pending)


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
