"""After files were put: whose links does that concern, and what are they now.

A file's links follow from its own text and from what it looked up: other files, names, directories. Each look-up is
stored with the links. When a file changes in a way that others can see, when one comes or goes, or when a name gets
another definition, those whose look-ups that concerns are resolved again, and no others.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager

from codeplane.base.paths import RepoPath
from codeplane.facts.blocks import unpack
from codeplane.index.resolve.evaluate import Evaluator
from codeplane.index.resolve.languages import RULES
from codeplane.index.resolve.library import StoreLibrary, key_of
from codeplane.index.resolve.linking import imported_files, link_file
from codeplane.store.codec import path_from_text, path_to_text, row_range, storable
from codeplane.store.writer import Writer

_RECURSION = 20_000
"""Expressions lie deep in each other, and values go through many functions."""
_ROWS_AT_ONCE = 500


class Resolving:
    """Told of every file before it is put or removed; then resolves."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._before: dict[RepoPath, _Seen] = {}
        self._whole = writer.epoch is None and not writer.rows("SELECT 1 FROM files LIMIT 1")
        """Whether there was nothing before, so that everything is to be resolved."""
        self._reconfigured = False

    def note(self, path: RepoPath) -> None:
        """What others see of a file, before that changes."""
        if not self._whole and path not in self._before:
            self._before[path] = _Seen.read(self._writer, path)

    def declare(self, path: RepoPath, content: str | None) -> None:
        """What a file that configures a build says now. It may decide what any import means."""
        key = (path_to_text(path),)
        rows = self._writer.rows("SELECT content FROM configurations WHERE path = ?", key)
        if (rows[0][0] if rows else None) != content:
            self._writer.put_configuration(path, content)
            self._reconfigured = True

    def settle(self, paths: Collection[RepoPath]) -> int:
        """Resolve what has to be; `paths` are all that there are. How many files were."""
        if self._whole:
            self._writer.finish_load()
            affected = [
                file_id
                for (file_id,) in self._writer.rows(
                    "SELECT file_id FROM blocks JOIN files USING (file_id) ORDER BY path"
                )
            ]
        else:
            affected = self._in_order(None) if self._reconfigured else self._affected()
        if affected:
            self._resolve(affected, paths)
        self._before.clear()
        self._whole = self._reconfigured = False
        return len(affected)

    def _affected(self) -> list[int]:
        changed: set[int] = set()
        keys: set[int] = set()
        words: set[str] = set()
        families: set[str] = set()
        for path, before in sorted(self._before.items()):
            now = _Seen.read(self._writer, path)
            if now.file_id is not None:
                changed.add(now.file_id)
            if (before.file_id, before.interface) != (now.file_id, now.interface):
                keys |= {file_id for file_id in (before.file_id, now.file_id) if file_id is not None}
                families |= {seen.family for seen in (before, now) if seen.family and not seen.notes_all}
            keys |= {key_of("name", name) for name in before.names ^ now.names}
            keys |= {key_of("owner", owner) for owner in before.owners ^ now.owners}
            if before.interface != now.interface:
                keys |= {key_of("owner", owner) for owner in before.owners | now.owners}
            if (before.file_id is None) != (now.file_id is None):
                folder, _, name = path.rpartition("/")
                keys.add(key_of("directory", folder))
                words |= {storable(word) for word in (name.partition(".")[0], folder.rpartition("/")[2])}
        importing = set(self._select("SELECT file_id FROM import_words WHERE word IN", sorted(words)))
        keys |= importing
        seeing = set(self._select("SELECT file_id FROM seen WHERE key IN", sorted(keys)))
        concerned = set(self._select("SELECT file_id FROM files WHERE family IN", sorted(families)))
        return self._in_order(changed | importing | seeing | concerned)

    def _in_order(self, file_ids: Set[int] | None) -> list[int]:
        """Files that have references, by path; all of them without a choice."""
        rows = self._writer.rows("SELECT file_id FROM blocks JOIN files USING (file_id) ORDER BY path")
        return [file_id for (file_id,) in rows if file_ids is None or file_id in file_ids]

    def _resolve(self, file_ids: Sequence[int], paths: Collection[RepoPath]) -> None:
        writer = self._writer
        evaluator, library = _make(writer, paths)
        with _deep():
            for file_id in file_ids:
                if library.is_full:
                    evaluator, library = _make(writer, paths)
                ((path, language, block),) = writer.rows(
                    "SELECT path, language, block FROM files JOIN blocks USING (file_id) WHERE file_id = ?", (file_id,)
                )
                path = path_from_text(path)
                at = library.tables(path) if language in RULES else None
                found = link_file(evaluator if at is not None else None, at, path, unpack(block), library.uid)
                named = imported_files(evaluator, at) if at is not None else ()
                imports = sorted({known for other in named if (known := library.file_id(other)) is not None})
                seen = sorted(evaluator.take_noted() - {file_id})
                writer.put_links(file_id, found._replace(links=found.links._replace(imports=imports, seen=seen)))

    def _select(self, sql: str, values: Sequence[int | str]) -> Iterator[int]:
        for start in range(0, len(values), _ROWS_AT_ONCE):
            part = values[start : start + _ROWS_AT_ONCE]
            for (found,) in self._writer.rows(f"{sql} ({','.join('?' * len(part))})", part):
                yield found


def _make(writer: Writer, paths: Iterable[str]) -> tuple[Evaluator, StoreLibrary]:
    holder: list[Evaluator] = []
    library = StoreLibrary(writer, paths, lambda key: holder[0].note(key))
    holder.append(Evaluator(library, RULES))
    return holder[0], library


class _Seen:
    """What others can see of a file."""

    def __init__(
        self,
        file_id: int | None,
        language: str | None,
        family: str,
        interface: bytes,
        names: frozenset[str],
        owners: frozenset[str],
    ) -> None:
        self.file_id = file_id
        self.family = family if language in RULES else ""
        self.notes_all = bool(getattr(RULES.get(language or ""), "notes_all", False))
        self.interface = interface
        self.names = names
        self.owners = owners

    @classmethod
    def read(cls, writer: Writer, path: RepoPath) -> _Seen:
        rows = writer.rows(
            "SELECT file_id, language, family, interface FROM files LEFT JOIN sketches USING (file_id) WHERE path = ?",
            (path_to_text(path),),
        )
        if not rows:
            return cls(None, None, "", b"", frozenset(), frozenset())
        file_id, language, family, interface = rows[0]
        defs = writer.rows(
            "SELECT name, lexical_path, parent FROM defs WHERE def_id BETWEEN ? AND ?", row_range(file_id)
        )
        owners = (lexical[: -len(name) - 1].rpartition(".")[2] for name, lexical, parent in defs if parent is None)
        names = frozenset(name for name, _, _ in defs)
        return cls(
            file_id, language, family or "", interface or b"", names, frozenset(owner for owner in owners if owner)
        )


@contextmanager
def _deep() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
