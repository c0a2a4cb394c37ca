"""The text index: Tantivy documents of files and of their passages, for finding candidates, never for truth.

A document holds terms with levels, not text. Every clause of a query has a fixed score, a whole number, and counts
are of documents that live: so a score is the same however segments lie and whatever was deleted from
them. A query is built from terms; text of a user is never parsed as a query language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, cast

import tantivy

from codeplane.base.paths import RepoPath
from codeplane.facts.passages import LEVELS, MARK, PASSAGES_VERSION, Searchable
from codeplane.facts.words import WORDS_VERSION, name_key, normalize_text, terms_of
from codeplane.languages.role_paths import Role
from codeplane.languages.roles import ROLES_VERSION, in_scope
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.errors import lexical_errors
from codeplane.store.segments import RecordedSegments, read_segments, record_segments, restrict_modes

TOKENIZER_VERSION = f"words-{WORDS_VERSION}.{PASSAGES_VERSION}.{ROLES_VERSION}"

BULK_HEAP_BYTES = 64 * 1024 * 1024
IDLE_HEAP_BYTES = 15 * 1024 * 1024
GRAM = 3
MAX_SCORE = 1 << 24
"""Whole numbers up to here are exact in the scores of Tantivy, whatever the order of their sum."""

_SPACED = "codeplane_spaced"
_GRAMS = "codeplane_grams"
_TIE_MARGIN = 64
_TIE_BITS = 15
_LAST_TIE = (1 << _TIE_BITS) - 1
_MERGE_SEGMENTS = 8
"""With fewer segments than this Tantivy's merge policy never starts a merge."""


class FileHit(NamedTuple):
    file_id: int
    score: int


class PassageHit(NamedTuple):
    file_id: int
    definition: int
    """Ordinal of the definition; -1 where there is none."""
    first: int
    last: int
    name: str
    aside: bool
    score: int


class LexicalWriter:
    """The only writer of one text index. Tantivy's own writer exists from the first change to `settle`."""

    def __init__(self, directory: Path, *, create: bool) -> None:
        self._directory = directory
        self._heap = BULK_HEAP_BYTES if create else IDLE_HEAP_BYTES
        self._writer: tantivy.IndexWriter | None = None
        self._merging = False
        self._known: Mapping[str, tuple[int, str]] = {}
        self.uncommitted_bytes = 0
        """Terms that were added since the last commit and are not yet on disk."""
        with lexical_errors():
            if create:
                self._index = tantivy.Index(_schema(), path=str(directory), reuse=False)
            else:
                self._index = tantivy.Index.open(str(directory))
            _set_up(self._index)

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
        """(file_id, digest, path) of every committed document of a file."""
        with lexical_errors():
            self._index.reload()
        yield from _documents(self._index.searcher(), self._index.schema)

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
    """A view of one commit of a text index; `reload` moves it to the newest.

    A weighted query maps terms to whole numbers; the score of a document is the sum over its terms of
    weight times level. The caller keeps sums below MAX_SCORE. Which of many documents of the same score are found
    follows from their paths and places, never from their ids, which depend on how the index came about.
    """

    def __init__(self, directory: Path) -> None:
        with lexical_errors():
            self._index = tantivy.Index.open(str(directory))
            _set_up(self._index)
            self._schema = self._index.schema
            self._searcher = self._index.searcher()

    def reload(self) -> None:
        with lexical_errors():
            self._index.reload()
            self._searcher = self._index.searcher()

    @property
    def document_count(self) -> int:
        return self._searcher.num_docs

    def documents(self) -> Iterator[tuple[int, str, RepoPath]]:
        """(file_id, digest, path) of every document of a file."""
        return _documents(self._searcher, self._schema)

    def count_files(self, term: str) -> int:
        """How many files have the term."""
        with lexical_errors():
            clauses = self._levels("terms", term, None)
            return self._searcher.search(_any(clauses), 1).count or 0 if clauses else 0  # type: ignore[attr-defined]

    def rank_files(
        self,
        weights: Mapping[str, int],
        limit: int,
        *,
        path_weights: Mapping[str, int] | None = None,
        among: Collection[int] | None = None,
        filters: Sequence[tuple[str, int | str]] = (),
    ) -> list[FileHit]:
        """The best files and all that are as good as the last of them; `path_weights` are for terms of their paths."""
        with lexical_errors():
            clauses = self._weighted("terms", weights)
            for term, weight in (path_weights or {}).items():
                if self._searcher.doc_freq("path_terms", term):
                    clauses.append(_scored(self._term("path_terms", term), weight))
            found = self._search(clauses, limit, "file_id", among, filters)
            ids = self._values("file_id", found)
        return [FileHit(file_id, int(score)) for (score, _), file_id in zip(found, ids, strict=True)]

    def rank_passages(
        self,
        weights: Mapping[str, int],
        limit: int,
        *,
        per_file: int,
        among: Collection[int] | None = None,
        filters: Sequence[tuple[str, int | str]] = (),
    ) -> list[PassageHit]:
        """The best passages; of each file no more than its best few."""
        with lexical_errors():
            found = self._search(self._weighted("passage_terms", weights), limit, "owner", among, filters)
            owners = self._values("owner", found)
            return self._passages(_best_of_each(found, owners, per_file)[:limit])

    def passages_named(self, keys: Mapping[str, int], limit: int) -> list[PassageHit]:
        """Passages of definitions with one of these keys as their name; the key's weight is the score."""
        clauses = [_scored(self._term("name", key), weight) for key, weight in keys.items()]
        with lexical_errors():
            return self._passages(self._search(clauses, limit, "owner", None)[:limit])

    def names_from(self, beginning: str, limit: int) -> list[str]:
        """Keys of names that begin so, in their order."""
        with lexical_errors():
            found = self._searcher.terms_with_prefix("name", beginning, limit=limit)
        return [term for term, _ in found]

    def passages_named_like(
        self, key: str, limit: int, *, edits: int = 0, pattern: str | None = None
    ) -> list[PassageHit]:
        """Passages whose name is up to `edits` changes away from the key, or matches the pattern."""
        with lexical_errors():
            if pattern is None:
                query = tantivy.Query.fuzzy_term_query(self._schema, "name", key, edits, True, False)
            else:
                query = tantivy.Query.regex_query(self._schema, "name", pattern)
            return self._passages(self._search([_scored(query, 1)], limit, "owner", None)[:limit])

    def passages_named_by_words(self, weights: Mapping[str, int], limit: int, least: float = 0.0) -> list[PassageHit]:
        """Passages by the words of their names, as far as these weigh enough."""
        clauses = [_scored(self._term("name_words", term), weight) for term, weight in weights.items()]
        with lexical_errors():
            return self._passages(self._search(clauses, limit, "owner", None, least=least)[:limit])

    def files_with_grams(self, alternatives: Sequence[Collection[str]]) -> list[int]:
        """Ids of the files that have, for one of the alternatives, all of its fragments by their trigrams."""
        wanted = [sorted({gram for fragment in fragments for gram in grams_of(fragment)}) for fragments in alternatives]
        with lexical_errors():
            clauses = [
                _scored(
                    tantivy.Query.boolean_query([(tantivy.Occur.Must, self._term("grams", gram)) for gram in grams]), 1
                )
                for grams in wanted
                if grams
            ]
            if not clauses:
                return []
            found = self._searcher.search(_any(clauses), max(1, self._searcher.num_docs), count=False).hits
            ids = self._values("file_id", found)
        return sorted(ids)

    def _passages(self, found: list[tuple[float, tantivy.DocAddress]]) -> list[PassageHit]:
        hits: list[PassageHit] = []
        for score, address in found:
            place = bytes(self._searcher.doc(address)["place"][0]).decode()
            file_id, definition, first, last, aside, name = place.split(" ", 5)
            at = (int(file_id), int(definition), int(first), int(last))
            hits.append(PassageHit(*at, name, aside == "1", int(score)))
        return hits

    def _values(self, field: str, found: Sequence[tuple[float, tantivy.DocAddress]]) -> list[int]:
        return cast(list[int], self._searcher.fast_field_values(field, [address for _, address in found]))

    def _weighted(self, field: str, weights: Mapping[str, int]) -> list[_Clause]:
        clauses: list[_Clause] = []
        for term, weight in weights.items():
            clauses += self._levels(field, term, weight)
        return clauses

    def _levels(self, field: str, term: str, weight: int | None) -> list[_Clause]:
        clauses: list[_Clause] = []
        for level in range(1, LEVELS + 1):
            marked = f"{term}{MARK}{level}"
            if self._searcher.doc_freq(field, marked):
                clauses.append(_scored(self._term(field, marked), 0 if weight is None else weight * level))
        return clauses

    def _term(self, field: str, value: str | int) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, value, "basic")

    def _search(
        self,
        clauses: list[_Clause],
        limit: int,
        owner: str,
        among: Collection[int] | None,
        filters: Sequence[tuple[str, int | str]] = (),
        least: float = 0.0,
    ) -> list[tuple[float, tantivy.DocAddress]]:
        """The best documents, and all that are as good as the last of them, whatever the order of segments."""
        if not clauses or limit < 1 or (among is not None and not among):
            return []
        query = _any(clauses)
        required = [_scored(self._term(field, value), 0) for field, value in filters]
        if among is not None:
            required.append(_scored(tantivy.Query.term_set_query(self._schema, owner, sorted(among)), 0))
        if required:
            query = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, query), *((tantivy.Occur.Must, each) for _, each in required)]
            )
        wanted = limit + _TIE_MARGIN
        while True:
            hits = list(self._searcher.search(query, wanted, count=False).hits)
            if len(hits) < wanted or hits[-1][0] < least:
                break
            # Of those as good as the last the order of segments decided which came along.
            hits = [hit for hit in hits if hit[0] > hits[-1][0]]
            if len(hits) >= limit:
                break
            wanted *= 4
        hits = [hit for hit in hits if hit[0] >= least]
        ties = self._values("tie", hits)
        ordered = sorted(zip(hits, ties, strict=True), key=lambda found: (-found[0][0], found[1]))
        return [hit for hit, _ in ordered]


def _best_of_each(
    found: list[tuple[float, tantivy.DocAddress]], owners: Sequence[int], per_file: int
) -> list[tuple[float, tantivy.DocAddress]]:
    """Of each owner its first documents."""
    seen: Counter[int] = Counter()
    kept: list[tuple[float, tantivy.DocAddress]] = []
    for hit, owner in zip(found, owners, strict=True):
        seen[owner] += 1
        if seen[owner] <= per_file:
            kept.append(hit)
    return kept


_Clause = tuple[tantivy.Occur, tantivy.Query]


def grams_of(fragment: str) -> Iterator[str]:
    return (fragment[at : at + GRAM] for at in range(len(fragment) - GRAM + 1))


def path_terms(path: str) -> Iterable[str]:
    """Terms of the folders and the name of a file, its ending aside; each once."""
    folders, _, name = path.rpartition("/")
    words = normalize_text(f"{folders} {name.partition('.')[0] or name}").split()
    return dict.fromkeys(term for word in words for term in terms_of(word))


def _tie(path: str) -> int:
    """What puts documents of the same score in an order: any, as long as it is that of the path; then by place."""
    return int.from_bytes(blake2b(path_to_text(path).encode(), digest_size=6).digest()) << _TIE_BITS


def _scored(query: tantivy.Query, score: int) -> _Clause:
    return tantivy.Occur.Should, tantivy.Query.const_score_query(query, float(score))


def _any(clauses: list[_Clause]) -> tantivy.Query:
    return tantivy.Query.boolean_query(clauses)


def _documents(searcher: tantivy.Searcher, schema: tantivy.Schema) -> Iterator[tuple[int, str, RepoPath]]:
    with lexical_errors():
        count = searcher.num_docs
        query = tantivy.Query.exists_query("file_id")
        hits = searcher.search(query, count, count=False).hits if count else []
        found = [searcher.doc(address) for _, address in hits]
    for fields in found:
        yield fields["file_id"][0], fields["digest"][0], path_from_text(fields["path"][0])


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("file_id", stored=True, indexed=True, fast=True)
    builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("digest", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("language_family", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("terms", tokenizer_name=_SPACED, index_option="basic")
    builder.add_text_field("grams", tokenizer_name=_GRAMS, index_option="basic")
    builder.add_text_field("path_terms", tokenizer_name=_SPACED, index_option="basic")
    builder.add_integer_field("beside", indexed=True)
    builder.add_integer_field("owner", indexed=True, fast=True)
    builder.add_bytes_field("place", stored=True)
    builder.add_integer_field("tie", fast=True)
    builder.add_text_field("passage_terms", tokenizer_name=_SPACED, index_option="basic")
    builder.add_text_field("name", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("name_words", tokenizer_name=_SPACED, index_option="basic")
    return builder.build()


def _set_up(index: tantivy.Index) -> None:
    # Else a thread watches the directory, and takes its lock, for as long as the object lives.
    index.config_reader("manual")
    spaced = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(_SPACED, spaced.filter(tantivy.Filter.remove_long(255)).build())
    index.register_tokenizer(_GRAMS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(GRAM, GRAM, False)).build())
