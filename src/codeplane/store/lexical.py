"""The text index: one Tantivy document per file, for finding candidates, never for truth.

A query is built from terms that went through the same analysis as the files; text of a
user is never parsed as a query language. Results have a total order of their own, since
Tantivy's depends on how segments happen to lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import tantivy

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.errors import lexical_errors
from codeplane.store.segments import RecordedSegments, read_segments, record_segments, restrict_modes
from codeplane.store.words import WORDS_VERSION, normalize_text, parts_text, split_words

TOKENIZER_VERSION = f"words-{WORDS_VERSION}"
MAX_QUERY_TERMS = 64
MAX_QUERY_CHARS = 10_000

BULK_HEAP_BYTES = 64 * 1024 * 1024
IDLE_HEAP_BYTES = 15 * 1024 * 1024

_WORDS = "codeplane_words"
_PARTS_WEIGHT = 0.5
_TIE_MARGIN = 64
_MERGE_SEGMENTS = 8
"""With fewer segments than this Tantivy's merge policy never starts a merge."""


class LexicalDoc(NamedTuple):
    """What of a file is searchable: its text, and the identifiers to find by the words inside of them."""

    text: str | bytes
    names: Iterable[str] = ()


class LexicalHit(NamedTuple):
    file_id: int
    path: RepoPath
    score: float


class LexicalWriter:
    """The only writer of one text index. Tantivy's own writer exists from the first change to `settle`."""

    def __init__(self, directory: Path, *, create: bool) -> None:
        self._directory = directory
        self._heap = BULK_HEAP_BYTES if create else IDLE_HEAP_BYTES
        self._writer: tantivy.IndexWriter | None = None
        self._merging = False
        self._known: Mapping[str, tuple[int, str]] = {}
        self.uncommitted_bytes = 0
        """Text that was added since the last commit and is not yet on disk."""
        with lexical_errors():
            if create:
                self._index = tantivy.Index(_schema(), path=str(directory), reuse=False)
            else:
                self._index = tantivy.Index.open(str(directory))
            self._index.register_tokenizer(_WORDS, _analyzer())

    def add(
        self, file_id: int, unit_id: int | None, path: str, digest: str, family: str | None, doc: LexicalDoc
    ) -> None:
        document = tantivy.Document()
        document.add_integer("file_id", file_id)
        document.add_integer("unit_id", -1 if unit_id is None else unit_id)
        document.add_text("path", path_to_text(path))
        document.add_text("digest", digest)
        document.add_text("language_family", family or "")
        document.add_text("content", normalize_text(doc.text))
        document.add_text("parts", parts_text(doc.names))
        self.uncommitted_bytes += len(doc.text)
        with lexical_errors():
            self._open_writer().add_document(document)

    def delete(self, file_id: int) -> None:
        with lexical_errors():
            self._open_writer().delete_documents_by_term("file_id", file_id)

    def commit(self) -> None:
        """Make all changes visible at once. Merges may go on behind; `settle` waits for them."""
        if self._writer is None:
            return
        with lexical_errors():
            self._writer.commit()
        self.uncommitted_bytes = 0
        self._merging = True
        if read_segments(self._directory).count < _MERGE_SEGMENTS:
            self._finish_writer()

    def settle(self) -> bool:
        """Wait for merges of the last commit; whether there were any to wait for."""
        waited = self._merging
        if waited:
            self._finish_writer()
        return waited

    def record(self, known: Mapping[str, tuple[int, str]] | None = None) -> RecordedSegments:
        """Checksums of the committed state; `known` are those of files that were read before."""
        before = self._known if known is None else known
        recorded = record_segments(self._directory, before)
        restrict_modes(self._directory, lambda name: name not in before)
        self._known = recorded.files
        return recorded

    def rollback(self) -> None:
        """Forget all changes since the last commit."""
        if self._writer is None or self._merging:
            return
        try:
            with lexical_errors():
                self._writer.rollback()
        finally:
            # Whatever failed: its threads must not outlive it, they write into the directory.
            self._finish_writer()

    def documents(self) -> Iterator[tuple[int, str, RepoPath]]:
        """(file_id, digest, path) of every committed document."""
        with lexical_errors():
            self._index.reload()
        yield from _documents(self._index.searcher())

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
        # A bulk load is followed by single edits, which need far less.
        self._heap = IDLE_HEAP_BYTES
        if writer is not None:
            with lexical_errors():
                writer.wait_merging_threads()


class LexicalReader:
    """A view of one commit of a text index; `reload` moves it to the newest."""

    def __init__(self, directory: Path) -> None:
        with lexical_errors():
            self._index = tantivy.Index.open(str(directory))
            self._index.register_tokenizer(_WORDS, _analyzer())
            self._index.config_reader("manual")
            self._schema = self._index.schema
            self._searcher = self._index.searcher()
        self._analyzer = _analyzer()

    def reload(self) -> None:
        with lexical_errors():
            self._index.reload()
            self._searcher = self._index.searcher()

    @property
    def document_count(self) -> int:
        return self._searcher.num_docs

    def documents(self) -> Iterator[tuple[int, str, RepoPath]]:
        """(file_id, digest, path) of every document."""
        return _documents(self._searcher)

    def search(self, text: str, limit: int, unit_id: int | None = None, family: str | None = None) -> list[LexicalHit]:
        """Files that have any of the terms, best first, ties by path."""
        terms = self._terms(text)
        if not terms or limit < 1:
            return []
        with lexical_errors():
            query = self._query(terms, unit_id, family)
            wanted = limit + _TIE_MARGIN
            while True:
                hits = self._searcher.search(query, wanted, count=False).hits
                # A tie across the cut would be decided by segment order; then look further.
                if len(hits) < wanted or hits[-1][0] < hits[limit - 1][0]:
                    break
                wanted *= 4
            rows = []
            for score, address in hits:
                fields = self._searcher.doc(address)
                rows.append(LexicalHit(fields["file_id"][0], path_from_text(fields["path"][0]), float(score)))
        rows.sort(key=lambda hit: (-hit.score, hit.path))
        return rows[:limit]

    def _terms(self, text: str) -> list[tuple[str, str]]:
        """(field, term) pairs: each identifier whole, and the words that it or the files' identifiers consist of."""
        identifiers = normalize_text(text[:MAX_QUERY_CHARS]).split()
        found: dict[tuple[str, str], None] = {}
        for identifier in identifiers[:MAX_QUERY_TERMS]:
            for term in self._analyzer.analyze(identifier):
                found["content", term] = None
            for word in split_words(identifier):
                found["parts", word] = None
        return list(found)[:MAX_QUERY_TERMS]

    def _query(self, terms: list[tuple[str, str]], unit_id: int | None, family: str | None) -> tantivy.Query:
        weights = {"content": 1.0, "parts": _PARTS_WEIGHT}
        should = []
        for field, term in terms:
            query = tantivy.Query.term_query(self._schema, field, term, "freq")
            should.append((tantivy.Occur.Should, tantivy.Query.boost_query(query, weights[field])))
        clauses = [(tantivy.Occur.Must, tantivy.Query.boolean_query(should))]
        filters: list[tuple[str, int | str]] = []
        if unit_id is not None:
            filters.append(("unit_id", unit_id))
        if family is not None:
            filters.append(("language_family", family))
        for field, value in filters:
            query = tantivy.Query.term_query(self._schema, field, value, "basic")
            clauses.append((tantivy.Occur.Must, tantivy.Query.const_score_query(query, 0.0)))
        return tantivy.Query.boolean_query(clauses)


def _documents(searcher: tantivy.Searcher) -> Iterator[tuple[int, str, RepoPath]]:
    with lexical_errors():
        count = searcher.num_docs
        hits = searcher.search(tantivy.Query.all_query(), count, count=False).hits if count else []
        found = [searcher.doc(address) for _, address in hits]
    for fields in found:
        yield fields["file_id"][0], fields["digest"][0], path_from_text(fields["path"][0])


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("file_id", stored=True, indexed=True, fast=True)
    builder.add_integer_field("unit_id", indexed=True)
    builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("digest", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("language_family", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("content", tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field("parts", tokenizer_name=_WORDS, index_option="freq")
    return builder.build()


def _analyzer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.remove_long(255)).filter(tantivy.Filter.lowercase()).build()
