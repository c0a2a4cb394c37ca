"""What is kept of batches beneath `.codeplane/txn`: what files were before, and notes beside it.

Read through the root like everything else, and believed only where its digest is the known one.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath, join
from codeplane.disk.batch import Change
from codeplane.disk.safe_open import Root
from codeplane.disk.writing import New, begin_new

STATE_NAME = RepoPath(".codeplane")
TXN_NAME = "txn"
TXN_PATH = join(STATE_NAME, TXN_NAME)

_MAX_NOTE = 1024 * 1024


def read_saved(root: Root, mutation_id: str, change: Change, limit: int) -> New | None:
    """What a file was before a batch, as long as that is kept; None when it is gone or not what it was."""
    for name in (change.slot, change.saved):
        with suppress(CodePlaneError):
            path = join(join(TXN_PATH, mutation_id), name)
            data = root.read_file(path, limit).data
            if digest_bytes(data) == change.old:
                return New(data, path)
    return None


def write_note(root: Root, mutation_id: str, name: str, data: bytes) -> None:
    """Put something beside what is kept of a batch; that it cannot be is nobody's loss."""
    with suppress(CodePlaneError, OSError):
        folder = root.open_directory(join(TXN_PATH, mutation_id))
        try:
            os.close(begin_new(folder, name, New(data), root)[0])
        finally:
            os.close(folder)


def read_note(root: Root, mutation_id: str, name: str) -> bytes | None:
    with suppress(CodePlaneError):
        return root.read_file(join(join(TXN_PATH, mutation_id), name), _MAX_NOTE).data
    return None


def list_kept(root: Root) -> dict[str, tuple[int, int]]:
    """What lies in the directory of batches: when each was made (seconds), and its bytes."""
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
    """Forget what was kept of a batch. What cannot be removed now is removed another time."""
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
