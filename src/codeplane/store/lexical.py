"""The text index: its schema and tokenizers. It finds candidates; the database is authoritative.

There is one Tantivy document per file and one per passage. A document holds terms with term-frequency buckets (levels),
not text. Every clause of a query has a fixed integer score, so that scores do not depend on how documents are spread
over segments or on deleted documents. Queries are built from terms; user text is never parsed as a query language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tantivy

from codeplane.base.paths import RepoPath
from codeplane.facts.passages import PASSAGES_VERSION
from codeplane.facts.words import WORDS_VERSION, normalize_text, terms_of
from codeplane.languages.roles import ROLES_VERSION
from codeplane.store.codec import path_from_text
from codeplane.store.errors import lexical_errors

TOKENIZER_VERSION = f"words-{WORDS_VERSION}.{PASSAGES_VERSION}.{ROLES_VERSION}"
GRAM = 3

_SPACED = "codeplane_spaced"
_GRAMS = "codeplane_grams"


def grams_of(fragment: str) -> Iterator[str]:
    return (fragment[start : start + GRAM] for start in range(len(fragment) - GRAM + 1))


def path_terms(path: str) -> Iterable[str]:
    """Return the terms of a file's directories and name, without its extension; each once."""
    directories, _, name = path.rpartition("/")
    words = normalize_text(f"{directories} {name.partition('.')[0] or name}").split()
    return dict.fromkeys(term for word in words for term in terms_of(word))


def list_documents(searcher: tantivy.Searcher) -> Iterator[tuple[int, str, RepoPath]]:
    """Yield (file_id, digest, path) of every document of a file."""
    with lexical_errors():
        count = searcher.num_docs
        query = tantivy.Query.exists_query("file_id")
        hits = searcher.search(query, count, count=False).hits if count else []
        found = [searcher.doc(address) for _, address in hits]
    for fields in found:
        yield fields["file_id"][0], fields["digest"][0], path_from_text(fields["path"][0])


def build_schema() -> tantivy.Schema:
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


def configure(index: tantivy.Index) -> None:
    """Register the tokenizers, and turn off automatic reloads."""
    # Otherwise a thread watches the directory, and takes its lock, as long as the object lives.
    index.config_reader("manual")
    spaced = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(_SPACED, spaced.filter(tantivy.Filter.remove_long(255)).build())
    index.register_tokenizer(_GRAMS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(GRAM, GRAM, False)).build())
