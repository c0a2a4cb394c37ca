"""Writer of the text index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

import tantivy

from codeplane.base.paths import RepoPath
from codeplane.facts.passages import Searchable
from codeplane.facts.words import name_key
from codeplane.languages.role_paths import Role
from codeplane.languages.roles import in_scope
from codeplane.store.codec import path_to_text
from codeplane.store.errors import lexical_errors
from codeplane.store.lexical import build_schema, configure, list_documents, path_terms
from codeplane.store.segments import RecordedSegments, read_segments, record_segments, restrict_modes

BULK_HEAP_BYTES = 64 * 1024 * 1024
IDLE_HEAP_BYTES = 15 * 1024 * 1024

_TIE_BITS = 15
_LAST_TIE = (1 << _TIE_BITS) - 1
_MERGE_SEGMENTS = 8
"""With fewer segments, Tantivy's merge policy never starts a merge."""


class LexicalWriter:
    """The only writer of one text index. Tantivy's own writer exists from the first change until `settle`."""

    def __init__(self, directory: Path, *, create: bool) -> None:
        self._directory = directory
        self._heap = BULK_HEAP_BYTES if create else IDLE_HEAP_BYTES
        self._writer: tantivy.IndexWriter | None = None
        self._merging = False
        self._known: Mapping[str, tuple[int, str]] = {}
        self.uncommitted_bytes = 0
        """Bytes of terms added since the last commit."""
        with lexical_errors():
            if create:
                self._index = tantivy.Index(build_schema(), path=str(directory), reuse=False)
            else:
                self._index = tantivy.Index.open(str(directory))
            configure(self._index)

    def add(
        self,
        file_id: int,
        path: str,
        digest: str,
        family: str | None,
        searchable: Searchable,
        role: str = Role.SOURCE,
    ) -> None:
        with lexical_errors():
            writer = self._open_writer()
            document = tantivy.Document()
            document.add_integer("file_id", file_id)
            document.add_text("path", path_to_text(path))
            document.add_text("digest", digest)
            document.add_text("language_family", family or "")
            document.add_text("terms", searchable.terms)
            document.add_text("grams", searchable.words)
            document.add_text("path_terms", " ".join(path_terms(path)))
            beside = int(not in_scope(role, "runtime"))
            document.add_integer("beside", beside)
            tie = _tie(path)
            document.add_integer("tie", tie)
            writer.add_document(document)
            for number, (first, last, definition, name, terms, aside, name_terms) in enumerate(searchable.passages):
                document = tantivy.Document()
                document.add_integer("owner", file_id)
                document.add_integer("beside", beside)
                document.add_integer("tie", tie | (number if number < _LAST_TIE else _LAST_TIE))
                place = f"{file_id} {definition} {first} {last} {aside:d} {name}"
                document.add_bytes("place", place.encode("utf-8", "replace"))
                document.add_text("passage_terms", terms)
                if name:
                    document.add_text("name", name_key(name))
                    document.add_text("name_words", name_terms)
                writer.add_document(document)
                self.uncommitted_bytes += len(terms)
        self.uncommitted_bytes += len(searchable.terms) + len(searchable.words)

    def delete(self, file_id: int) -> None:
        with lexical_errors():
            writer = self._open_writer()
            writer.delete_documents_by_term("file_id", file_id)
            writer.delete_documents_by_term("owner", file_id)

    def commit(self) -> None:
        """Make all changes visible at once. Merges may continue in the background; `settle` waits for them."""
        if self._writer is None:
            return
        with lexical_errors():
            self._writer.commit()
        self.uncommitted_bytes = 0
        self._merging = True
        if read_segments(self._directory).count < _MERGE_SEGMENTS:
            self._finish_writer()

    def settle(self) -> bool:
        """Wait for merges of the last commit. Return False if there were none."""
        waited = self._merging
        if waited:
            self._finish_writer()
        return waited

    def record(self, known: Mapping[str, tuple[int, str]] | None = None) -> RecordedSegments:
        """Return checksums of the committed state; `known` holds those of files that need not be read again."""
        before = self._known if known is None else known
        recorded = record_segments(self._directory, before)
        restrict_modes(self._directory, lambda name: name not in before)
        self._known = recorded.files
        return recorded

    def rollback(self) -> None:
        """Discard all changes since the last commit."""
        if self._writer is None or self._merging:
            return
        try:
            with lexical_errors():
                self._writer.rollback()
        finally:
            # Its threads write into the directory, so they must end even if the rollback failed.
            self._finish_writer()

    def documents(self) -> Iterator[tuple[int, str, RepoPath]]:
        """Yield (file_id, digest, path) of every committed document of a file."""
        with lexical_errors():
            self._index.reload()
        yield from list_documents(self._index.searcher())

    def close(self) -> None:
        if self._merging:
            self._finish_writer()
        else:
            self.rollback()

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._merging:
            self._finish_writer()
        if self._writer is None:
            self._writer = self._index.writer(self._heap, 1)
        return self._writer

    def _finish_writer(self) -> None:
        writer, self._writer, self._merging = self._writer, None, False
        # Single edits after a bulk load need far less memory.
        self._heap = IDLE_HEAP_BYTES
        if writer is not None:
            with lexical_errors():
                writer.wait_merging_threads()


def _tie(path: str) -> int:
    """Return the tie-breaker of documents with equal scores: a hash of the path, then the passage number."""
    return int.from_bytes(blake2b(path_to_text(path).encode(), digest_size=6).digest()) << _TIE_BITS
