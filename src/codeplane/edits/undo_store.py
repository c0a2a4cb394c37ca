"""Old contents of changed files, under `.codeplane/txn/<mutation_id>`, within a limit of age and size.

The manifest in a directory exists while its mutation is unfinished: from before the intent until the outcome is written
or everything is rolled back. A directory with a manifest is never removed. One without a manifest that no mutation in
the ledger belongs to is removed at start. Files are read through the root and used only if their digest matches.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, join
from codeplane.disk.safe_open import Root
from codeplane.disk.write import NewFile, start_file, write_file
from codeplane.edits.journal import FileEntry

STATE_NAME = RepoPath(".codeplane")
TXN_NAME = "txn"
TXN_PATH = join(STATE_NAME, TXN_NAME)
MANIFEST_NAME = "manifest"

_MAX_MANIFEST_BYTES = 256 * 1024 * 1024
_MAX_NOTE_BYTES = 1024 * 1024
_DAY_SECONDS = 86_400


@dataclass(frozen=True)
class RetentionLimits:
    """Maximum age and total size of old contents."""

    days: int = 14
    bytes: int = 256 * 1024 * 1024


class UndoStore:
    """Thread-safe."""

    def __init__(self, root: Root, limits: RetentionLimits, clock: Callable[[], float] = time.time) -> None:
        self._root = root
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._sizes: dict[str, tuple[int, int]] | None = None

    def sweep(self, list_known: Callable[[], Collection[str]]) -> list[str]:
        """Remove directories of unknown, finished mutations and return their names. Only before anything is changed."""
        stored = list_stored(self._root)
        known = set(list_known()) if stored else set()
        unknown = [name for name in sorted(stored.keys() - known) if read_manifest(self._root, name) is None]
        for name in unknown:
            remove(self._root, name)
        return unknown

    def add(self, mutation_id: str, size: int, running: Collection[str]) -> None:
        """Account for a new mutation; remove the oldest ones beyond the limits, except running ones."""
        with self._lock:
            if self._sizes is None:
                self._sizes = list_stored(self._root)
            now = int(self._clock())
            self._sizes[mutation_id] = (now, size)
            total = sum(size for _, size in self._sizes.values())
            # The sort is stable: entries of the same second stay in the order of their creation.
            for name, (created, size) in sorted(self._sizes.items(), key=lambda item: item[1][0]):
                is_expired = created < now - self._limits.days * _DAY_SECONDS
                if not is_expired and total <= self._limits.bytes:
                    break
                if name in running or read_manifest(self._root, name) is not None:
                    continue
                remove(self._root, name)
                del self._sizes[name]
                total -= size


def read_old(root: Root, mutation_id: str, file: FileEntry, limit: int) -> NewFile | None:
    """Return the content of a file before a mutation; None if it is no longer stored or was altered."""
    for name in (file.slot, file.backup):
        with suppress(CodePlaneError):
            path = join(join(TXN_PATH, mutation_id), name)
            data = root.read_file(path, limit).data
            if digest_bytes(data) == file.old:
                return NewFile(data, path)
    return None


def write_note(root: Root, mutation_id: str, name: str, data: bytes) -> None:
    """Write a file beside the old contents; failing to do so is harmless."""
    with suppress(CodePlaneError, OSError):
        directory = root.open_directory(join(TXN_PATH, mutation_id))
        try:
            os.close(start_file(directory, name, NewFile(data), root)[0])
        finally:
            os.close(directory)


def read_note(root: Root, mutation_id: str, name: str) -> bytes | None:
    with suppress(CodePlaneError):
        return root.read_file(join(join(TXN_PATH, mutation_id), name), _MAX_NOTE_BYTES).data
    return None


def write_manifest(root: Root, directory: int, data: bytes) -> None:
    """Write the manifest to the directory of a mutation, complete before it gets its name."""
    temporary = f"{MANIFEST_NAME}.tmp"
    write_file(directory, temporary, NewFile(data), root)
    os.rename(temporary, MANIFEST_NAME, src_dir_fd=directory, dst_dir_fd=directory)


def read_manifest(root: Root, mutation_id: str) -> bytes | None:
    """Return the manifest of an unfinished mutation; None if it has none, empty if it cannot be read."""
    try:
        return root.read_file(join(join(TXN_PATH, mutation_id), MANIFEST_NAME), _MAX_MANIFEST_BYTES).data
    except CodePlaneError as error:
        return None if error.code is ErrorCode.FILE_NOT_FOUND else b""


def remove_manifest(root: Root, mutation_id: str) -> None:
    """Mark a mutation as finished. A manifest that cannot be removed now is removed at the next start."""
    with suppress(CodePlaneError, OSError):
        directory = root.open_directory(join(TXN_PATH, mutation_id))
        try:
            os.unlink(MANIFEST_NAME, dir_fd=directory)
        finally:
            os.close(directory)


def list_stored(root: Root) -> dict[str, tuple[int, int]]:
    """Return the creation time (seconds) and size of each directory of the store."""
    found: dict[str, tuple[int, int]] = {}
    try:
        txn = root.open_directory(TXN_PATH)
    except CodePlaneError:
        return found
    try:
        for name in sorted(os.listdir(txn)):
            with suppress(OSError):
                found[name] = int(os.stat(name, dir_fd=txn, follow_symlinks=False).st_mtime), _size(name, txn)
    finally:
        os.close(txn)
    return found


def remove(root: Root, mutation_id: str) -> None:
    """Remove the old contents of a mutation. What cannot be removed now is removed by a later sweep."""
    try:
        txn = root.open_directory(TXN_PATH)
    except CodePlaneError:
        return
    try:
        with suppress(OSError):
            shutil.rmtree(mutation_id, dir_fd=txn)
        with suppress(OSError):
            os.fsync(txn)
    finally:
        os.close(txn)


def _size(name: str, parent_fd: int) -> int:
    handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent_fd)
    try:
        return sum(os.stat(entry, dir_fd=handle, follow_symlinks=False).st_size for entry in os.listdir(handle))
    finally:
        os.close(handle)
