"""Create the writer of a new generation, or open an existing one and repair an interrupted publish.

The two halves of an index commit one after the other, so a kill in between leaves a text index other than the one that
the last epoch names. The caller holds the lock.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.paths import RepoPath
from codeplane.store import epochs
from codeplane.store.database import create_database, open_for_writing, transaction
from codeplane.store.errors import corrupt, sqlite_errors
from codeplane.store.fingerprint import Fingerprint, differences, parse_fingerprint
from codeplane.store.layout import Generation
from codeplane.store.lexical_writer import LexicalWriter
from codeplane.store.link_table import CREATE_LOADED_REFERENCES
from codeplane.store.repair import repair_documents
from codeplane.store.schema import CREATE_LOADED_NAMES, SCHEMA_VERSION, TABLES
from codeplane.store.segments import agrees, check_files, check_footers, read_segments
from codeplane.store.writer import Barrier, Writer


@dataclass(frozen=True)
class OpenedWriter:
    writer: Writer
    repaired: tuple[RepoPath, ...]
    """Files that must be read again and published before the index may be read."""
    was_inconsistent: bool
    """True if the two halves disagreed."""


def create_writer(
    generation: Generation,
    fingerprint: Fingerprint,
    repo_uuid: str,
    index_id: str,
    *,
    first_epoch: int = 1,
    barrier: Barrier = lambda point: None,
) -> Writer:
    """Return a writer for the bulk build of a new generation; once it is published, switch to it."""
    connection = create_database(generation.database)
    try:
        with sqlite_errors():
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(TABLES)
            meta = {
                "schema_version": str(SCHEMA_VERSION),
                "fingerprint": fingerprint.as_json(),
                "repo_uuid": repo_uuid,
                "index_id": index_id,
                "first_epoch": str(first_epoch),
                "next_file_id": "1",
            }
            epochs.write_meta(connection, meta)
            connection.execute("COMMIT")
            connection.execute(CREATE_LOADED_NAMES)
            connection.execute(CREATE_LOADED_REFERENCES)
        lexical = LexicalWriter(generation.lexical, create=True)
        return Writer(generation, connection, lexical, bulk=True, barrier=barrier)
    except BaseException:
        connection.close()
        raise


def open_writer(generation: Generation, *, barrier: Barrier = lambda point: None) -> OpenedWriter:
    """Open a published generation for writing. Raises INDEX_CORRUPT if it must be rebuilt instead."""
    if not generation.is_plain():
        raise corrupt(f"generation {generation.name} is incomplete")
    _remove_temporary(generation.lexical)
    # Check before Tantivy maps a file: reading a truncated map kills the process.
    segments = read_segments(generation.lexical)
    check_footers(generation.lexical, segments)
    writer = _reopen(generation, barrier)
    try:
        if writer.epoch is None:
            raise corrupt(f"generation {generation.name} was never finished")
        recorded = epochs.read_recorded(writer.connection, writer.epoch)
        if not agrees(segments, recorded):
            dirty = repair_documents(writer.connection, writer.lexical, writer.epoch)
            if dirty:
                writer.require_epoch()
            return OpenedWriter(writer, dirty, True)
        check_files(generation.lexical, segments, recorded, set())
        current = writer.lexical.record(recorded.files)
        if segments.meta_digest != recorded.meta_digest:
            # Segments were merged after the epoch was published.
            with transaction(writer.connection):
                epochs.record_segments(writer.connection, writer.epoch, current)
        return OpenedWriter(writer, (), False)
    except BaseException:
        writer.close()
        raise


def open_seeded(
    generation: Generation,
    fingerprint: Fingerprint,
    repo_uuid: str,
    index_id: str,
    *,
    first_epoch: int,
    barrier: Barrier = lambda point: None,
) -> Writer:
    """Open a copy of another index as a new one. Raises INDEX_CORRUPT if it is damaged or of another version."""
    opened = open_writer(generation, barrier=barrier)
    try:
        built_by = parse_fingerprint(opened.writer.read_meta("fingerprint") or "")
        if opened.was_inconsistent or differences(built_by, fingerprint):
            raise corrupt(f"generation {generation.name} is not an intact copy")
        opened.writer.reset_epochs(repo_uuid, index_id, first_epoch)
        return opened.writer
    except BaseException:
        opened.writer.close()
        raise


def _reopen(generation: Generation, barrier: Barrier) -> Writer:
    connection = open_for_writing(generation.database)
    try:
        lexical = LexicalWriter(generation.lexical, create=False)
        return Writer(generation, connection, lexical, bulk=False, barrier=barrier)
    except BaseException:
        connection.close()
        raise


def _remove_temporary(directory: Path) -> None:
    """Remove temporary files that a killed Tantivy writer left."""
    for name in os.listdir(directory):
        if name.startswith(".tmp"):
            with suppress(OSError):
                os.unlink(directory / name)
