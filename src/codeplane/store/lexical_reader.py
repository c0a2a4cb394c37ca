"""Reader of the text index: ranked files and passages, names and trigram candidates."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

import tantivy

from codeplane.base.paths import RepoPath
from codeplane.facts.passages import LEVELS, MARK
from codeplane.store.errors import lexical_errors
from codeplane.store.lexical import configure, grams_of, list_documents

MAX_SCORE = 1 << 24
"""Tantivy adds scores as 32-bit floats: integers up to here are exact in any order of addition."""

_TIE_MARGIN = 64
_Clause = tuple[tantivy.Occur, tantivy.Query]


class FileHit(NamedTuple):
    file_id: int
    score: int


class PassageHit(NamedTuple):
    file_id: int
    definition: int
    """Ordinal of the definition; -1 if there is none."""
    first: int
    last: int
    name: str
    aside: bool
    score: int


class _Mirror:
    """Temporary directory of links to the files of a text index, for the lock file that Tantivy creates to read it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self._temporary = tempfile.TemporaryDirectory(prefix="codeplane-")
        self.path = self._temporary.name
        self.refresh()

    def refresh(self) -> None:
        """Follow a publish by a process that can write."""
        for name in os.listdir(self._directory):
            if not name.endswith(".lock"):
                with suppress(FileExistsError):
                    Path(self.path, name).symlink_to(self._directory / name)


class LexicalReader:
    """A view of one commit of a text index; `reload` moves it to the newest.

    A weighted query maps terms to integers; the score of a document is the sum over its terms of weight times level.
    The caller keeps sums below MAX_SCORE. Ties are broken by path and position, never by document id, which depends
    on the history of the index.
    """

    def __init__(self, directory: Path) -> None:
        self._mirror: _Mirror | None = None
        with lexical_errors():
            self._index = self._open(directory)
            configure(self._index)
            self._schema = self._index.schema
            self._searcher = self._index.searcher()

    def _open(self, directory: Path) -> tantivy.Index:
        """Open the index; where its lock file cannot be written, under another name."""
        try:
            return tantivy.Index.open(str(directory))
        except Exception as error:
            if os.access(directory, os.W_OK) and "No space left" not in str(error):
                raise
        self._mirror = _Mirror(directory)
        return tantivy.Index.open(self._mirror.path)

    def reload(self) -> None:
        if self._mirror is not None:
            self._mirror.refresh()
        with lexical_errors():
            self._index.reload()
            self._searcher = self._index.searcher()

    @property
    def document_count(self) -> int:
        return self._searcher.num_docs

    def documents(self) -> Iterator[tuple[int, str, RepoPath]]:
        """Yield (file_id, digest, path) of every document of a file."""
        return list_documents(self._searcher)

    def count_files(self, term: str) -> int:
        """Return the number of files with the term."""
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
        """Return the best files, and all ties with the last of them; `path_weights` score terms of the path."""
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
        """Return the best passages, at most `per_file` of each file."""
        with lexical_errors():
            found = self._search(self._weighted("passage_terms", weights), limit, "owner", among, filters)
            owners = self._values("owner", found)
            return self._passages(_best_of_each(found, owners, per_file)[:limit])

    def passages_named(self, keys: Mapping[str, int], limit: int) -> list[PassageHit]:
        """Return passages of definitions named by one of these keys; the key's weight is the score."""
        clauses = [_scored(self._term("name", key), weight) for key, weight in keys.items()]
        with lexical_errors():
            return self._passages(self._search(clauses, limit, "owner", None)[:limit])

    def names_with_prefix(self, prefix: str, limit: int) -> list[str]:
        """Return keys of names with the prefix, sorted."""
        with lexical_errors():
            found = self._searcher.terms_with_prefix("name", prefix, limit=limit)
        return [term for term, _ in found]

    def passages_named_like(
        self, key: str, limit: int, *, edits: int = 0, pattern: str | None = None
    ) -> list[PassageHit]:
        """Return passages whose name is within `edits` edits of the key, or matches the pattern."""
        with lexical_errors():
            if pattern is None:
                query = tantivy.Query.fuzzy_term_query(self._schema, "name", key, edits, True, False)
            else:
                query = tantivy.Query.regex_query(self._schema, "name", pattern)
            return self._passages(self._search([_scored(query, 1)], limit, "owner", None)[:limit])

    def passages_named_by_words(
        self, weights: Mapping[str, int], limit: int, min_score: float = 0.0
    ) -> list[PassageHit]:
        """Return passages by the words of their names, with at least this score."""
        clauses = [_scored(self._term("name_words", term), weight) for term, weight in weights.items()]
        with lexical_errors():
            return self._passages(self._search(clauses, limit, "owner", None, min_score=min_score)[:limit])

    def files_with_grams(self, alternatives: Sequence[Collection[str]]) -> list[int]:
        """Return ids of files that contain all trigrams of all fragments of one alternative."""
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
            numbers = (int(file_id), int(definition), int(first), int(last))
            hits.append(PassageHit(*numbers, name, aside == "1", int(score)))
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
        min_score: float = 0.0,
    ) -> list[tuple[float, tantivy.DocAddress]]:
        """Return the best documents and all ties with the last of them, independent of the order of segments."""
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
            if len(hits) < wanted or hits[-1][0] < min_score:
                break
            # Which of the documents tied with the last were returned depends on the order of segments: drop them all.
            hits = [hit for hit in hits if hit[0] > hits[-1][0]]
            if len(hits) >= limit:
                break
            wanted *= 4
        hits = [hit for hit in hits if hit[0] >= min_score]
        ties = self._values("tie", hits)
        ordered = sorted(zip(hits, ties, strict=True), key=lambda found: (-found[0][0], found[1]))
        return [hit for hit, _ in ordered]


def _best_of_each(
    found: list[tuple[float, tantivy.DocAddress]], owners: Sequence[int], per_file: int
) -> list[tuple[float, tantivy.DocAddress]]:
    """Return the first documents of each owner."""
    counts: Counter[int] = Counter()
    best: list[tuple[float, tantivy.DocAddress]] = []
    for hit, owner in zip(found, owners, strict=True):
        counts[owner] += 1
        if counts[owner] <= per_file:
            best.append(hit)
    return best


def _scored(query: tantivy.Query, score: int) -> _Clause:
    return tantivy.Occur.Should, tantivy.Query.const_score_query(query, float(score))


def _any(clauses: list[_Clause]) -> tantivy.Query:
    return tantivy.Query.boolean_query(clauses)
