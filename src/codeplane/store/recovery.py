"""Opening an existing generation to write, and mending a publish that was cut off.

The two halves of an index commit one after the other, so a kill in between leaves a text
index that is not the one which the last epoch names. Only under the lock.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.paths import RepoPath
from codeplane.store import epochs
from codeplane.store.database import transaction
from codeplane.store.errors import corrupt
from codeplane.store.fingerprint import Fingerprint, differences, parse_fingerprint
from codeplane.store.layout import Generation
from codeplane.store.repair import repair_documents
from codeplane.store.segments import agrees, check_files, check_footers, read_segments
from codeplane.store.writer import Barrier, Writer, reopen_writer


@dataclass(frozen=True)
class OpenedWriter:
    """`repaired` are the files that must be read again before anything is served: sync, then publish."""

    writer: Writer
    repaired: tuple[RepoPath, ...]
    was_inconsistent: bool
    """Whether the two halves were found apart."""


def open_writer(generation: Generation, *, barrier: Barrier = lambda point: None) -> OpenedWriter:
    """Open a published generation to write; INDEX_CORRUPT when it must be rebuilt instead."""
    if not generation.is_plain():
        raise corrupt(f"generation {generation.name} is not whole")
    _sweep_temporary(generation.lexical)
    # Before Tantivy maps a file: reading a truncated map kills the process.
    segments = read_segments(generation.lexical)
    check_footers(generation.lexical, segments)
    writer = reopen_writer(generation, barrier)
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
        merged = segments.meta_digest != recorded.meta_digest
        current = writer.lexical.record(recorded.files)
        if merged:
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
    """Open a copy of another index as the beginning of a new one; INDEX_CORRUPT when it is not whole or not alike."""
    opened = open_writer(generation, barrier=barrier)
    try:
        made_by = parse_fingerprint(opened.writer.read_meta("fingerprint") or "")
        if opened.was_inconsistent or differences(made_by, fingerprint):
            raise corrupt(f"generation {generation.name} is not what it was put by as")
        opened.writer.begin_anew(repo_uuid, index_id, first_epoch)
        return opened.writer
    except BaseException:
        opened.writer.close()
        raise


def _sweep_temporary(directory: Path) -> None:
    """Tantivy leaves temporary files when it is killed."""
    for name in os.listdir(directory):
        if name.startswith(".tmp"):
            with suppress(OSError):
                os.unlink(directory / name)
