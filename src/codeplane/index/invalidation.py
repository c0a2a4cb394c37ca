"""After files were put: whose links does that concern, and what are they now.

A file's links follow from its own text and from what it looked up: other files, names, directories. Each look-up is
stored with the links. When a file changes in a way that others can see, when one comes or goes, or when a name gets
another definition, those whose look-ups that concerns are resolved again, and no others. That takes longer than
all the rest of an update: the epoch is published first, with a list of these files, and who asks for references waits
until the list is empty. A new index is resolved before it is published.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from codeplane.base.paths import RepoPath, basename
from codeplane.index.resolve.parallel import resolve_in_workers
from codeplane.index.resolve.session import resolve_files
from codeplane.index.resolve.store_library import dependency_key
from codeplane.store.codec import path_to_text, row_range, storable
from codeplane.store.writer import Writer

_ROWS_AT_ONCE = 500
_WORTH_SHARING = 200
"""Files for which it pays to start processes."""


class Invalidation:
    """Told of every file before it is put or removed; then resolves."""

    def __init__(self, writer: Writer, workers: int) -> None:
        self._writer = writer
        self._workers = workers
        self._before: dict[RepoPath, _Seen] = {}
        self.is_whole = writer.epoch is None and not writer.rows("SELECT 1 FROM files LIMIT 1")
        """Whether there was nothing before, so that everything is to be resolved."""
        self._reconfigured = False

    def note(self, path: RepoPath) -> None:
        """What others see of a file, before that changes."""
        if not self.is_whole and path not in self._before:
            self._before[path] = _Seen.read(self._writer, path)

    def declare(self, path: RepoPath, content: str | None) -> None:
        """What a file that configures a build says now. It may decide what any import means."""
        key = (path_to_text(path),)
        rows = self._writer.rows("SELECT content FROM configurations WHERE path = ?", key)
        if (rows[0][0] if rows else None) != content:
            self._writer.put_configuration(path, content)
            self._reconfigured = True

    def settle(self, paths: Collection[RepoPath]) -> int:
        """Resolve a new index, or say what has to be; `paths` are all that there are. How many files it concerns."""
        if self.is_whole:
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
            count = self._writer.leave_unresolved(None if self._reconfigured else self._affected())
        self._before.clear()
        self.is_whole = self._reconfigured = False
        return count

    def _affected(self) -> set[int]:
        changed: set[int] = set()
        keys: set[int] = set()
        words: set[str] = set()
        for path, before in sorted(self._before.items()):
            now = _Seen.read(self._writer, path)
            if now.file_id is not None:
                changed.add(now.file_id)
            if (before.file_id, before.interface) != (now.file_id, now.interface):
                keys |= {file_id for file_id in (before.file_id, now.file_id) if file_id is not None}
            keys |= {dependency_key("name", name) for name in before.names ^ now.names}
            keys |= {dependency_key("nesting", nesting) for nesting in before.nestings ^ now.nestings}
            keys |= {dependency_key("owner", owner) for owner in before.owners ^ now.owners}
            if before.interface != now.interface:
                keys |= {dependency_key("owner", owner) for owner in before.owners | now.owners}
            if (before.file_id is None) != (now.file_id is None):
                folder, _, name = path.rpartition("/")
                keys.add(dependency_key("directory", folder))
                words |= {storable(word) for word in (name.partition(".")[0], basename(folder))}
        importing = set(self._select("SELECT file_id FROM import_words WHERE word IN", sorted(words)))
        keys |= importing
        seeing = set(self._select("SELECT file_id FROM link_dependencies WHERE key IN", sorted(keys)))
        return changed | importing | seeing

    def _resolve(self, file_ids: Sequence[int], paths: Collection[RepoPath]) -> None:
        if self._workers > 1 and len(file_ids) >= _WORTH_SHARING:
            self._writer.share_load()
            found = resolve_in_workers(self._writer, paths, file_ids, self._workers)
        else:
            found = resolve_files(self._writer, paths, file_ids)
        for file_id, links in found:
            self._writer.put_links(file_id, links)

    def _select(self, sql: str, values: Sequence[int | str]) -> Iterator[int]:
        for start in range(0, len(values), _ROWS_AT_ONCE):
            part = values[start : start + _ROWS_AT_ONCE]
            for (found,) in self._writer.rows(f"{sql} ({','.join('?' * len(part))})", part):
                yield found


def resolve_pending(writer: Writer, paths: Collection[RepoPath], stop: Callable[[], bool]) -> bool:
    """Resolve what was left unresolved, until somebody wants to stop; whether all of it is done."""
    left = writer.list_unresolved()
    done = 0
    for file_id, links in resolve_files(writer, paths, left) if left else ():
        writer.put_links(file_id, links)
        done += 1
        if stop():
            break
    if left:
        writer.keep_links()
    return done == len(left)


class _Seen:
    """What others can see of a file."""

    def __init__(
        self,
        file_id: int | None = None,
        interface: bytes = b"",
        defs: Sequence[tuple[str, str, int | None]] = (),
    ) -> None:
        self.file_id = file_id
        self.interface = interface
        self.names = frozenset(name for name, _, _ in defs)
        self.nestings = frozenset(lexical for _, lexical, _ in defs)
        owners = (lexical[: -len(name) - 1].rpartition(".")[2] for name, lexical, parent in defs if parent is None)
        self.owners = frozenset(owner for owner in owners if owner)

    @classmethod
    def read(cls, writer: Writer, path: RepoPath) -> _Seen:
        rows = writer.rows(
            "SELECT file_id, interface FROM files LEFT JOIN file_summaries USING (file_id) WHERE path = ?",
            (path_to_text(path),),
        )
        if not rows:
            return cls()
        file_id, interface = rows[0]
        defs = writer.rows(
            "SELECT name, lexical_path, parent FROM defs WHERE def_id BETWEEN ? AND ?", row_range(file_id)
        )
        return cls(file_id, interface or b"", defs)
