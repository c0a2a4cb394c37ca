"""Parser of single files outside of the index: other revisions, and any file while the index is being built.

A text is parsed by a worker process, as for the index, unless it is cached. The worker starts on first use and stays.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import closing
from dataclasses import dataclass

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.policy import refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.facts.pool import Job, Parsed, ParserPool
from codeplane.git.revisions import read_file_at
from codeplane.index.classify import classify
from codeplane.index.extraction_cache import ExtractionCache
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.options import IndexOptions, effective_options
from codeplane.operations.context import Context
from codeplane.operations.missing_paths import explain_missing
from codeplane.operations.outline import FileOutlineRows, unsupported
from codeplane.operations.settings import index_options
from codeplane.query.outline import outline_rows_from_defs
from codeplane.store.extraction_store import ExtractionStore
from codeplane.store.records import FileState

_CLOSE_SECONDS = 1.0
_MAX_CACHED = 64
_MAX_CACHED_ROWS = 50_000


class FileParser:
    """Thread-safe; parses one file at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ParserPool | None = None
        self._cache: OrderedDict[tuple[RepoPath, str, str], FileOutlineRows] = OrderedDict()

    def parse(self, path: RepoPath, data: bytes, options: IndexOptions) -> FileOutlineRows:
        """Return the definitions of a file with these bytes; raise LANGUAGE_UNSUPPORTED if it cannot be parsed."""
        file_class = classify(path, data, options)
        if file_class is None:
            raise unsupported(path, "binary")
        if file_class.state is not FileState.INDEXED:
            raise unsupported(path, file_class.reason)
        key = (path, file_class.job.language, digest_bytes(file_class.job.source))
        with self._lock:
            outlined = self._cache.get(key)
            if outlined is None:
                parsed = self._parse(file_class.job, options)
                rows = outline_rows_from_defs(parsed.facts.defs)
                outlined = FileOutlineRows(
                    path, file_class.job.language, file_class.lines, len(data), rows, *_syntax_errors(parsed)
                )
                self._put(key, outlined)
            self._cache.move_to_end(key)
        return outlined

    def __len__(self) -> int:
        return len(self._cache)

    def drop_caches(self) -> None:
        """Forget all outlines and end the worker, unless a file is being parsed."""
        if self._lock.acquire(blocking=False):
            try:
                self._cache.clear()
                self._close_pool()
            finally:
                self._lock.release()

    def close(self) -> None:
        """Close without waiting for a long parse; its worker ends with this process."""
        if not self._lock.acquire(timeout=_CLOSE_SECONDS):
            return
        try:
            self._close_pool()
        finally:
            self._lock.release()

    def _close_pool(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _parse(self, job: Job, options: IndexOptions) -> Parsed:
        with closing(ExtractionStore(options.user_state, options.extraction_cache_bytes)) as extractions:
            remembered = ExtractionCache(extractions, runtime_fingerprint())
            known = remembered.find(job)
            if known is not None:
                return known
            if self._pool is None:
                self._pool = ParserPool(1, seconds=options.parse_seconds)
            (parsed,) = self._pool.parse([job])
            if parsed.failure is not None:
                raise CodePlaneError(
                    ErrorCode.LANGUAGE_UNSUPPORTED,
                    f"'{display(job.path)}' cannot be parsed",
                    details={"reason": parsed.failure},
                    remedy="Read the file itself.",
                )
            remembered.store(parsed)
            return parsed

    def _put(self, key: tuple[RepoPath, str, str], outlined: FileOutlineRows) -> None:
        self._cache[key] = outlined
        while len(self._cache) > 1 and (len(self._cache) > _MAX_CACHED or self._count_rows() > _MAX_CACHED_ROWS):
            self._cache.popitem(last=False)

    def _count_rows(self) -> int:
        return sum(len(outlined.rows) for outlined in self._cache.values())


def _syntax_errors(parsed: Parsed) -> tuple[int, int]:
    lines = [problem.line for problem in parsed.problems]
    return len(lines), min(lines, default=0)


def parse_file(context: Context, parser: FileParser, path: RepoPath) -> FileOutlineRows:
    """Return the definitions of a file that would be indexed; errors are those of the index."""
    refuse_restricted(context.root, path)
    options = effective_options(index_options(context))
    with Root.open(context.root) as root:
        try:
            data = root.read_file(path, options.max_lexical_bytes).data
        except CodePlaneError as error:
            if error.code is ErrorCode.FILE_TOO_LARGE:
                raise unsupported(path, "too_large") from None
            if error.code is ErrorCode.FILE_CHANGED:
                raise
            raise _not_indexed(context, path, error.message) from None
        if why_ignored(root, IgnoreRules(options.ignore), path) is not None:
            raise _not_indexed(context, path, f"'{display(path)}' is not indexed")
    return parser.parse(path, data, options)


def _not_indexed(context: Context, path: RepoPath, message: str) -> CodePlaneError:
    expected, shown = "the path of a file of the repository", display(path)
    error = CodePlaneError(ErrorCode.FILE_NOT_FOUND, message, expected=expected, received=shown)
    return explain_missing(context, path, error)


@dataclass(frozen=True)
class RevisionOutline:
    commit: str
    """Commit that the revision resolves to; empty for the staged content."""
    outlined: FileOutlineRows


class RevisionReader:
    """Thread-safe."""

    def __init__(self, context: Context, parser: FileParser) -> None:
        self._context = context
        self._parser = parser

    def find(self, revision: str, path: RepoPath) -> RevisionOutline:
        """Return the definitions of a file in a revision."""
        refuse_restricted(self._context.root, path)
        options = effective_options(index_options(self._context))
        version = read_file_at(options.root, revision, path, options.max_lexical_bytes)
        return RevisionOutline(version.commit, self._parser.parse(path, version.data, options))
