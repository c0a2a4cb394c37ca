"""Resolves files of an index one after the other; the result of one does not depend on those before it."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager

from codeplane.facts.blocks import unpack
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.link_file import link_file
from codeplane.index.resolve.registry import resolved_languages, resolver_of
from codeplane.index.resolve.store_library import Readable, StoreLibrary
from codeplane.store.codec import path_from_text
from codeplane.store.link_table import FileLinks, make_links

_RECURSION = 20_000
"""Expressions nest deeply, and a value passes through many functions."""


def resolve_files(
    index: Readable, paths: Iterable[str], file_ids: Iterable[int]
) -> Generator[tuple[int, FileLinks], None, None]:
    """Yield the links of files; `paths` are the paths of all files."""
    library = StoreLibrary(index, paths)
    evaluator = _evaluator_of(library)
    for file_id in file_ids:
        if evaluator.is_full:
            evaluator.close()
            evaluator = _evaluator_of(library)
        with _deep():
            links = _resolve_file(index, library, evaluator, file_id)
        evaluator.forget()
        library.trim()
        yield file_id, links


def _resolve_file(index: Readable, library: StoreLibrary, evaluator: Evaluator, file_id: int) -> FileLinks:
    ((path, language, block),) = index.rows(
        "SELECT path, language, block FROM files JOIN blocks USING (file_id) WHERE file_id = ?", (file_id,)
    )
    path = path_from_text(path)
    file = library.file(path) if language in resolved_languages() else None
    own = evaluator if file is not None else None
    links, uses, anchored = link_file(own, file, path, unpack(block), library)
    seen = sorted(evaluator.take_dependencies() - {file_id})
    return make_links(links._replace(seen=seen), uses, anchored)


def _evaluator_of(library: StoreLibrary) -> Evaluator:
    evaluator = Evaluator(library, resolver_of)
    library.note = evaluator.note
    return evaluator


@contextmanager
def _deep() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
