"""Files of one mutation on their way to disk: staged, exchanged name by name, rolled back from any state.

New content and a manifest are written to the mutation's own directory under `.codeplane/txn` and synced first. Every
file is compared with the plan before the first one is touched, and again under a lease right before its own exchange.
An update exchanges the two files, so the old file ends up where the new one was; a file that another process saved in
the microseconds between is put back at once. The outcome in the ledger, not this module, is the commit point. Every
path is resolved under the root each time, and links are not followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, basename, join, parent
from codeplane.disk.policy import refuse_protected
from codeplane.disk.renames import (
    CannotExchange,
    Stamp,
    can_exchange,
    exchange,
    is_lease_broken,
    read_stamp,
    rename_new,
)
from codeplane.disk.safe_open import Root
from codeplane.disk.write import NewFile, create_directory, remove_directory, start_file, write_file
from codeplane.edits.file_state import EntryState, conflict_error, leased_state, os_errors, read_state
from codeplane.edits.journal import FileEntry, JournalEntry
from codeplane.edits.undo_store import STATE_NAME, TXN_NAME, TXN_PATH, remove, remove_manifest, write_manifest

_OPEN_FILES = 16
_MAX_EXCHANGES = 64
"""Saves by another process, each during the exchange that puts back the previous one."""
_MAX_COPY = 1 << 40


class RollbackConflict(NamedTuple):
    """A file that does not have its old content after a rollback."""

    path: RepoPath
    reason: str
    """`changed`: another process changed it, or the stored content is damaged; `gone`: the old content is lost."""


class Transaction:
    """Files of one journal entry. `owner` signs the manifest; `no_exchange` forces the fallback without exchange."""

    def __init__(self, root: Root, entry: JournalEntry, *, owner: str = "", no_exchange: bool = False) -> None:
        self.entry = entry
        self._owner = owner
        self._root = root
        self._no_exchange = no_exchange
        self._fd = -1
        self._is_staged = False
        self._externally_modified: set[str] = set()
        """Slots of files that another process saved first, and that were put back already."""

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def stage(self, contents: Mapping[RepoPath, NewFile]) -> tuple[RepoPath, ...]:
        """Write all new content to the directory of the mutation and sync it; return the files that lost attributes."""
        with os_errors(TXN_PATH):
            self._open(fresh=True)
            self._is_staged = True
            self._no_exchange = self._no_exchange or not can_exchange(self._fd)
            written = [file for file in self.entry.files if file.new is not None]
            lost: list[RepoPath] = []
            for start in range(0, len(written), _OPEN_FILES):
                lost += self._write(written[start : start + _OPEN_FILES], contents)
            if self._no_exchange:
                for file in self.entry.files:
                    self._save(file)
            write_manifest(self._root, self._fd, self.entry.as_manifest(self._owner))
            os.fsync(self._fd)
            with self._directory(TXN_PATH) as directory:
                os.fsync(directory)
        return tuple(lost)

    def apply(self) -> None:
        """Put every file in place and sync it. After an error the caller must roll back."""
        self._compare()
        for path in self.entry.new_directories:
            with os_errors(path):
                create_directory(self._root, path)
        groups = _by_directory(self.entry.files)
        for directory_path, files in groups:
            with self._directory(directory_path) as directory:
                for file in files:
                    with os_errors(file.path):
                        self._apply(file, directory, basename(file.path))
        # Syncing takes milliseconds, in which a later file of the batch could be saved by another process.
        for directory_path, _ in groups:
            with os_errors(directory_path), self._directory(directory_path) as directory:
                os.fsync(directory)
        with os_errors(TXN_PATH):
            os.fsync(self._fd)

    def verify(self) -> None:
        """Raise EDIT_CONFLICT if another process wrote to an old file after it was exchanged."""
        for file in self.entry.files:
            if file.old is not None:
                name = file.backup if self._no_exchange and file.new is not None else file.slot
                with os_errors(file.path):
                    state = read_state(self._fd, name)
                if state is None or state.digest != file.old:
                    raise conflict_error(file.path)

    def _compare(self) -> None:
        """Raise EDIT_CONFLICT if a file is not as planned, before any is touched."""
        for directory_path, files in _by_directory(self.entry.files):
            if directory_path in self.entry.new_directories:
                continue
            with self._directory(directory_path) as directory:
                for file in files:
                    with os_errors(file.path):
                        state = read_state(directory, basename(file.path))
                    digest = state.digest if state is not None else None
                    if digest != file.old or (state is not None and file.old is None):
                        raise conflict_error(file.path, digest)

    def roll_back(self) -> tuple[RollbackConflict, ...]:
        """Restore the files that were touched, from any intermediate state. Idempotent."""
        for path in (*self.entry.paths, *self.entry.new_directories):
            refuse_protected(path)
        conflicts: list[RollbackConflict] = []
        with os_errors(TXN_PATH):
            self._open()
        for directory_path, files in reversed(_by_directory(self.entry.files)):
            with os_errors(directory_path):
                touched = [file for file in reversed(files) if self._may_be_touched(file)]
            if not touched:
                continue
            try:
                handle = self._root.open_directory(directory_path)
            except CodePlaneError as error:
                if error.code is ErrorCode.FILE_UNREADABLE:
                    raise
                # Moved away, or replaced by a link: there is nothing to restore here.
                lost = [file for file in touched if file.old is not None]
                conflicts += [RollbackConflict(file.path, "changed") for file in lost]
                continue
            try:
                for file in touched:
                    with os_errors(file.path):
                        reason = self._roll_back(file, handle, basename(file.path))
                    if reason is not None:
                        conflicts.append(RollbackConflict(file.path, reason))
                with os_errors(directory_path):
                    os.fsync(handle)
            finally:
                os.close(handle)
        for directory in reversed(self.entry.new_directories):
            remove_directory(self._root, directory)
        known = {conflict.path for conflict in conflicts}
        conflicts += [RollbackConflict(path, "changed") for path in self._unknown_backups() if path not in known]
        finish = remove_manifest if conflicts else remove
        finish(self._root, self.entry.mutation_id)
        return tuple(sorted(conflicts))

    def _unknown_backups(self) -> list[RepoPath]:
        """Return files whose backup is neither the old nor the new content: it may be the only copy of a save."""
        found: list[RepoPath] = []
        for file in self.entry.files:
            if file.slot in self._externally_modified:
                # An earlier save of a process whose later save is in place.
                continue
            with os_errors(file.path):
                backups = [read_state(self._fd, name) for name in (file.slot, file.backup)]
            if any(state is not None and state.digest not in (file.old, file.new) for state in backups):
                found.append(file.path)
        return found

    def _open(self, *, fresh: bool = False) -> None:
        if self._fd >= 0:
            return
        try:
            with self._directory(STATE_NAME) as state:
                _create(TXN_NAME, state)
            with self._directory(TXN_PATH) as txn:
                os.mkdir(self.entry.mutation_id, 0o700, dir_fd=txn) if fresh else _create(self.entry.mutation_id, txn)
            self._fd = self._root.open_directory(join(TXN_PATH, self.entry.mutation_id))
        except CodePlaneError as error:
            if error.code not in (ErrorCode.FILE_NOT_FOUND, ErrorCode.PATH_SYMLINK):
                raise
            raise CodePlaneError(
                ErrorCode.STATE_DIRECTORY_UNSAFE,
                f"'{TXN_PATH}' was removed or is not a directory; nothing was changed",
                remedy=f"Make sure that '{STATE_NAME}' and '{TXN_PATH}' are directories and not links, and try again.",
            ) from error

    @contextmanager
    def _directory(self, path: RepoPath) -> Iterator[int]:
        handle = self._root.open_directory(path)
        try:
            yield handle
        finally:
            os.close(handle)

    def _write(self, files: Sequence[FileEntry], contents: Mapping[RepoPath, NewFile]) -> list[RepoPath]:
        """Write all files first and sync them afterwards, so that the file system can sync them together."""
        lost: list[RepoPath] = []
        handles: list[tuple[RepoPath, int]] = []
        try:
            for file in files:
                with os_errors(file.path):
                    handle, is_complete = start_file(self._fd, file.slot, contents[file.path], self._root)
                handles.append((file.path, handle))
                if not is_complete:
                    lost.append(file.path)
            for path, handle in handles:
                with os_errors(path):
                    os.fsync(handle)
        finally:
            for _, handle in handles:
                os.close(handle)
        return lost

    def _save(self, file: FileEntry) -> None:
        """Back up the old file by a hard link, or else a copy, where names cannot be exchanged."""
        if file.old is None or file.new is None:
            return
        with os_errors(file.path), self._directory(parent(file.path)) as directory:
            name = basename(file.path)
            try:
                os.link(name, file.backup, src_dir_fd=directory, dst_dir_fd=self._fd, follow_symlinks=False)
            except OSError:
                content = self._root.read_file(file.path, _MAX_COPY)
                write_file(self._fd, file.backup, NewFile(content.data, file.path), self._root)

    def _apply(self, file: FileEntry, directory: int, name: str) -> None:
        if file.old is None:
            try:
                rename_new(self._fd, file.slot, directory, name, no_exchange=self._no_exchange)
            except FileExistsError:
                there = read_state(directory, name)
                raise conflict_error(file.path, there.digest if there else None) from None
            return
        try:
            with leased_state(directory, name) as (now, lease):
                if now is None or now.digest != file.old:
                    raise conflict_error(file.path, now.digest if now else None)
                if file.new is None:
                    is_done = self._remove(file.slot, directory, name, now, lease)
                elif self._no_exchange:
                    is_done = self._replace(file, directory, name, now, lease)
                else:
                    is_done = self._exchange(file.slot, directory, name, now, lease)
        except BlockingIOError:
            reason = "is open for writing in another process"
            raise conflict_error(file.path, reason=reason) from None
        if not is_done:
            now = read_state(directory, name)
            raise conflict_error(file.path, now.digest if now else None)

    def _remove(self, slot: str, directory: int, name: str, now: EntryState, lease: int | None) -> bool:
        """Move a file to its slot; False if another process saved it meanwhile, and its save is in place."""
        if not _is_unchanged(directory, name, now.stamp, lease):
            return False
        rename_new(directory, name, self._fd, slot, no_exchange=self._no_exchange)
        if self._is_displaced(slot, now, lease):
            return True
        self._externally_modified.add(slot)
        with suppress(FileExistsError):
            rename_new(self._fd, slot, directory, name, no_exchange=self._no_exchange)
        return False

    def _replace(self, file: FileEntry, directory: int, name: str, now: EntryState, lease: int | None) -> bool:
        """Rename over the old file. A save between the check and the rename is lost: there is no exchange here."""
        saved = read_state(self._fd, file.backup)
        if saved is None or saved.digest != file.old or not _is_unchanged(directory, name, now.stamp, lease):
            return False
        os.rename(file.slot, name, src_dir_fd=self._fd, dst_dir_fd=directory)
        return True

    def _exchange(self, slot: str, directory: int, name: str, now: EntryState, lease: int | None) -> bool:
        """Exchange the slot and the file; False if another process saved it meanwhile, and its save is in place."""
        placed = read_stamp(self._fd, slot)
        # From here to the return, every step counts: a refused content may be in place.
        if not _is_unchanged(directory, name, now.stamp, lease):
            return False
        exchange(self._fd, slot, directory, name)
        if self._is_displaced(slot, now, lease):
            return True
        self._externally_modified.add(slot)
        for _ in range(_MAX_EXCHANGES):
            displaced = read_stamp(self._fd, slot)
            try:
                exchange(self._fd, slot, directory, name)
            except FileNotFoundError:
                # It was removed since.
                break
            if read_stamp(self._fd, slot) == placed:
                break
            # Another save came in between: put that one back.
            placed = displaced
        return False

    def _is_displaced(self, slot: str, expected: EntryState, lease: int | None) -> bool:
        """True if the slot holds the expected file. Without a lease its content may have changed, too."""
        if not _is_unchanged(self._fd, slot, expected.stamp, lease):
            return False
        if lease is not None:
            return True
        found = read_state(self._fd, slot)
        return found is not None and found.digest == expected.digest

    def _may_be_touched(self, file: FileEntry) -> bool:
        """True if the mutation may have reached this file, judged by the content of its slot."""
        if file.slot in self._externally_modified:
            return False
        staged = read_state(self._fd, file.slot)
        if file.new is None:
            return staged is not None
        if file.old is None:
            return True
        return staged is None or staged.digest != file.new

    def _roll_back(self, file: FileEntry, directory: int, name: str) -> str | None:
        """Restore a file and return the reason if it could not be; None if it was restored or not touched."""
        now, slot = read_state(directory, name), read_state(self._fd, file.slot)
        if file.old is None:
            return self._roll_back_create(file, directory, name, now, slot)
        if file.new is None:
            return self._roll_back_delete(file, directory, name, now, slot)
        if now is None or now.digest != file.new:
            return None if now is not None and now.digest == file.old else "changed"
        stored = slot or read_state(self._fd, file.backup)
        if stored is None:
            return "gone"
        is_restored = True
        try:
            if slot is not None:
                is_restored = self._exchange(file.slot, directory, name, now, None)
            else:
                os.rename(file.backup, name, src_dir_fd=self._fd, dst_dir_fd=directory)
        except CannotExchange:
            os.rename(file.slot, name, src_dir_fd=self._fd, dst_dir_fd=directory)
        return None if is_restored and self._is_trusted(stored, file) else "changed"

    def _roll_back_create(
        self, file: FileEntry, directory: int, name: str, now: EntryState | None, slot: EntryState | None
    ) -> str | None:
        if slot is not None:
            # A kill between the two steps of the fallback leaves a second name of the same file.
            if now is not None and now.inode == slot.inode:
                os.unlink(name, dir_fd=directory)
            return None
        if now is None:
            return None
        if now.digest != file.new:
            return "changed"
        rename_new(directory, name, self._fd, file.slot, no_exchange=self._no_exchange)
        moved = read_state(self._fd, file.slot)
        if moved is not None and moved.digest != file.new:
            with suppress(FileExistsError):
                rename_new(self._fd, file.slot, directory, name, no_exchange=self._no_exchange)
            return "changed"
        return None

    def _roll_back_delete(
        self, file: FileEntry, directory: int, name: str, now: EntryState | None, slot: EntryState | None
    ) -> str | None:
        if slot is None:
            return None
        if now is None:
            try:
                rename_new(self._fd, file.slot, directory, name, no_exchange=self._no_exchange)
                return None if self._is_trusted(slot, file) else "changed"
            except FileExistsError:
                return "changed"
        return None if now.inode == slot.inode or now.digest == file.old else "changed"

    def _is_trusted(self, stored: EntryState, file: FileEntry) -> bool:
        """False if the content that was put back may be damaged. While running it can only be a save of a process."""
        return self._is_staged or stored.digest == file.old


def _is_unchanged(directory: int, name: str, stamp: Stamp, lease: int | None) -> bool:
    return read_stamp(directory, name) == stamp and (lease is None or not is_lease_broken(lease))


def _create(name: str, parent_fd: int) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=parent_fd)


def _by_directory(files: tuple[FileEntry, ...]) -> list[tuple[RepoPath, list[FileEntry]]]:
    ordered = sorted(files, key=lambda file: (parent(file.path), file.path))
    return [(directory, list(group)) for directory, group in groupby(ordered, lambda file: parent(file.path))]
