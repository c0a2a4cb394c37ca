"""Classification of a file that was read: parsed, indexed as text, or recorded only, with the reason."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath, basename
from codeplane.disk.encoding import decode
from codeplane.disk.hashing import FileRead, ReadOutcome
from codeplane.facts.pool import Job
from codeplane.index.options import IndexOptions
from codeplane.languages.registry import by_name, detect, family_of
from codeplane.languages.role_headers import HEAD_BYTES, find_header
from codeplane.languages.spec import Language
from codeplane.store.records import FileRow, FileState, ObservedStat

BINARY = "binary"
TOO_LARGE = "too_large"
TOO_LARGE_TO_PARSE = "too_large_to_parse"


class PreparedFile(NamedTuple):
    row: FileRow
    job: Job | None
    """Its source is UTF-8 with LF line endings; None if the content is not searchable."""


class FileClass(NamedTuple):
    """Language, encoding and state of a file, from its bytes."""

    language: str | None
    family: str
    encoding: str
    lines: int
    state: FileState
    reason: str | None
    job: Job


def prepare_file(read: FileRead, options: IndexOptions) -> PreparedFile:
    """Prepare the row and the parse job of a file whose bytes, or at least whose digest, are known."""
    assert read.stat is not None
    stat = ObservedStat(*read.stat, read.observed_at_ns)
    if read.outcome is ReadOutcome.TOO_LARGE or read.data is None:
        return _skipped(read, stat, TOO_LARGE)
    file_class = classify(read.path, read.data, options)
    if file_class is None:
        return _skipped(read, stat, BINARY)
    language, family, encoding, lines, state, reason, job = file_class
    row = FileRow(read.path, stat, read.digest, read.text_digest, language, family, encoding, lines, state, reason)
    return PreparedFile(row._replace(header=find_header(read.path, job.source[:HEAD_BYTES])), job)


def classify(path: RepoPath, data: bytes, options: IndexOptions) -> FileClass | None:
    """Classify a file by its bytes; None for a binary file."""
    decoded = decode(data)
    if decoded is None:
        return None
    # Facts do not depend on line endings, so a change of line endings alone needs no parse.
    text = decoded.data.replace(b"\r\n", b"\n") if b"\r" in decoded.data else decoded.data
    lines = text.count(b"\n") + (not text.endswith(b"\n") and bool(text))
    language = detect_language(path, text, options)
    name = language.name if language is not None else None
    family = language.family if language is not None else family_of(path)
    too_large = language is not None and len(text) > options.max_parse_bytes
    state = FileState.TEXT if language is None or too_large else FileState.INDEXED
    reason = TOO_LARGE_TO_PARSE if too_large else None
    job = Job(name if state is FileState.INDEXED and name else "", path, text)
    return FileClass(name, family, decoded.encoding, lines, state, reason, job)


def _skipped(read: FileRead, stat: ObservedStat, reason: str) -> PreparedFile:
    family = family_of(read.path)
    row = FileRow(read.path, stat, read.digest, read.text_digest, None, family, None, 0, FileState.SKIPPED, reason)
    return PreparedFile(row, None)


def detect_language(path: str, text: bytes, options: IndexOptions) -> Language | None:
    """Return the language of a file: the one configured for its extension, or the detected one."""
    name = basename(path).lower()
    for extension, language in options.extensions:
        if name.endswith(extension) and len(name) > len(extension):
            return by_name(language)
    return detect(path, text)
