"""A batch of file changes on its way to the disk: staged aside, put in place name by name, undone from any state.

New content is written into the batch's own directory beneath `.codeplane/txn` and brought to
the disk before anything is touched. An update exchanges the two files, so that the old one
lies where the new one lay, and is looked at again there: what somebody saved in that very
moment goes back. When a batch counts as done is not decided here but by the ledger. Every
path is resolved beneath the root each time, and no link is followed.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, basename, display, join, parent
from codeplane.disk.batch import Batch, Change
from codeplane.disk.kept import STATE_NAME, TXN_NAME, TXN_PATH, remove
from codeplane.disk.policy import refuse_protected
from codeplane.disk.renames import CannotExchange, can_exchange, exchange, rename_new
from codeplane.disk.safe_open import READ_CHUNK, Root, read_up_to
from codeplane.disk.writing import New, begin_new, make_folder, remove_folder, write_new, written_error

_OPEN_FILES = 16
_TURNS = 64
"""Saves of somebody else, each in the very moment in which the one before is put back."""
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW


class Unrestored(NamedTuple):
    """A file that could not be put back, because it is somebody else's by now."""

    path: RepoPath
    reason: str
    """changed, or gone: what it was is lost."""


class _Found(NamedTuple):
    digest: Digest | None
    """None for what is no regular file."""
    stamp: tuple[int, int, int]
    identity: tuple[int, int]


class Transaction:
    """One batch. `plain` forces the way of systems that cannot exchange names."""

    def __init__(self, root: Root, batch: Batch, *, plain: bool = False) -> None:
        self.batch = batch
        self._root = root
        self._plain = plain
        self._fd = -1
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._theirs: set[str] = set()
        """Slots of files that somebody else was faster with: they have them back already."""

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def stage(self, contents: Mapping[RepoPath, New]) -> tuple[RepoPath, ...]:
        """Write all new content aside, on the disk when this returns; the files that lost attributes on the way."""
        with _mapped(TXN_PATH):
            self._open(fresh=True)
            self._plain = self._plain or not can_exchange(self._fd)
            written = [change for change in self.batch.changes if change.new is not None]
            lost: list[RepoPath] = []
            for start in range(0, len(written), _OPEN_FILES):
                lost += self._write(written[start : start + _OPEN_FILES], contents)
            if self._plain:
                for change in self.batch.changes:
                    self._save(change)
            os.fsync(self._fd)
            with self._folder(TXN_PATH) as folder:
                os.fsync(folder)
        return tuple(lost)

    def apply(self) -> None:
        """Put every file in place, on the disk when this returns. After an error the caller has to undo."""
        for directory in self.batch.made:
            with _mapped(directory):
                make_folder(self._root, directory)
        for folder_path, changes in _by_folder(self.batch.changes):
            with self._folder(folder_path) as folder:
                for change in changes:
                    with _mapped(change.path):
                        self._apply(change, folder, basename(change.path))
                with _mapped(folder_path):
                    os.fsync(folder)
        with _mapped(TXN_PATH):
            os.fsync(self._fd)

    def verify(self) -> None:
        """Raise EDIT_CONFLICT when somebody has written into a file after it was put aside."""
        for change in self.batch.changes:
            expected = self._stamps.get(change.slot)
            if expected is not None:
                name = change.saved if self._plain and change.new is not None else change.slot
                with _mapped(change.path):
                    now = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
                if _stamp(now) != expected:
                    raise _conflict(change.path, None)

    def undo(self) -> tuple[Unrestored, ...]:
        """Put back what was touched, in whatever state it was left; may be done again. An OSError is mapped."""
        for path in (*self.batch.paths, *self.batch.made):
            refuse_protected(path)
        unrestored: list[Unrestored] = []
        with _mapped(TXN_PATH):
            self._open()
        for folder_path, changes in reversed(_by_folder(self.batch.changes)):
            with _mapped(folder_path):
                touched = [change for change in reversed(changes) if self._may_be_touched(change)]
            if not touched:
                continue
            try:
                handle = self._root.open_directory(folder_path)
            except CodePlaneError as error:
                if error.code is ErrorCode.FILE_UNREADABLE:
                    raise
                # Moved away, or a link in its place: not where it was to be undone.
                lost = [change for change in touched if change.old is not None]
                unrestored += [Unrestored(change.path, "changed") for change in lost]
                continue
            try:
                for change in touched:
                    with _mapped(change.path):
                        reason = self._undo(change, handle, basename(change.path))
                    if reason is not None:
                        unrestored.append(Unrestored(change.path, reason))
                with _mapped(folder_path):
                    os.fsync(handle)
            finally:
                os.close(handle)
        for directory in reversed(self.batch.made):
            remove_folder(self._root, directory)
        known = {left.path for left in unrestored}
        unrestored += [Unrestored(path, "changed") for path in self._strange() if path not in known]
        if not unrestored:
            remove(self._root, self.batch.mutation_id)
        return tuple(sorted(unrestored))

    def _strange(self) -> list[RepoPath]:
        """Files of which bytes lie aside that are neither the old nor the new ones: nobody else may have them."""
        found: list[RepoPath] = []
        for change in self.batch.changes:
            if change.slot in self._theirs:
                # What they had saved before what they have now.
                continue
            with _mapped(change.path):
                aside = [_look(self._fd, name) for name in (change.slot, change.saved)]
            if any(look is not None and look.digest not in (change.old, change.new) for look in aside):
                found.append(change.path)
        return found

    def _open(self, *, fresh: bool = False) -> None:
        if self._fd >= 0:
            return
        try:
            with self._folder(STATE_NAME) as state:
                _make(TXN_NAME, state)
            with self._folder(TXN_PATH) as txn:
                os.mkdir(self.batch.mutation_id, 0o700, dir_fd=txn) if fresh else _make(self.batch.mutation_id, txn)
            self._fd = self._root.open_directory(join(TXN_PATH, self.batch.mutation_id))
        except CodePlaneError as error:
            if error.code not in (ErrorCode.FILE_NOT_FOUND, ErrorCode.PATH_SYMLINK):
                raise
            raise CodePlaneError(
                ErrorCode.STATE_DIRECTORY_UNSAFE,
                f"'{TXN_PATH}', where what files were is kept, was removed or is no directory; nothing was changed",
                remedy=f"Make sure that '{STATE_NAME}' and what lies in it are plain directories, and try again.",
            ) from error

    @contextmanager
    def _folder(self, path: RepoPath) -> Iterator[int]:
        handle = self._root.open_directory(path)
        try:
            yield handle
        finally:
            os.close(handle)

    def _write(self, changes: Sequence[Change], contents: Mapping[RepoPath, New]) -> list[RepoPath]:
        """All of them first and then onto the disk: the file system brings what belongs together there at once."""
        lost: list[RepoPath] = []
        handles: list[tuple[RepoPath, int]] = []
        try:
            for change in changes:
                with _mapped(change.path):
                    handle, kept = begin_new(self._fd, change.slot, contents[change.path], self._root)
                handles.append((change.path, handle))
                if not kept:
                    lost.append(change.path)
            for path, handle in handles:
                with _mapped(path):
                    os.fsync(handle)
        finally:
            for _, handle in handles:
                os.close(handle)
        return lost

    def _save(self, change: Change) -> None:
        """Where names cannot be exchanged, the old file gets a second name, or else a copy."""
        if change.old is None or change.new is None:
            return
        with _mapped(change.path), self._folder(parent(change.path)) as folder:
            name = basename(change.path)
            try:
                os.link(name, change.saved, src_dir_fd=folder, dst_dir_fd=self._fd, follow_symlinks=False)
            except OSError:
                content = self._root.read_file(change.path, _MAX_COPY)
                write_new(self._fd, change.saved, New(content.data, change.path), self._root)

    def _apply(self, change: Change, folder: int, name: str) -> None:
        if change.old is None:
            try:
                rename_new(self._fd, change.slot, folder, name, plain=self._plain)
            except FileExistsError:
                there = _look(folder, name)
                raise _conflict(change.path, there.digest if there else None) from None
        elif change.new is None:
            rename_new(folder, name, self._fd, change.slot, plain=self._plain)
            found = self._displaced(change.slot, change.slot)
            if found != change.old:
                self._theirs.add(change.slot)
                with suppress(FileExistsError):
                    rename_new(self._fd, change.slot, folder, name, plain=self._plain)
                raise _conflict(change.path, found)
        elif self._plain:
            self._replace(change, folder, name)
        else:
            found = self._swap(change.slot, folder, name, change.new, change.old)
            if found != change.old:
                self._theirs.add(change.slot)
                raise _conflict(change.path, found)

    def _replace(self, change: Change, folder: int, name: str) -> None:
        now, saved = _look(folder, name), _look(self._fd, change.saved)
        if now is None or saved is None or now.digest != change.old or saved.digest != change.old:
            raise _conflict(change.path, now.digest if now else None)
        self._stamps[change.slot] = saved.stamp
        os.rename(change.slot, name, src_dir_fd=self._fd, dst_dir_fd=folder)

    def _swap(self, slot: str, folder: int, name: str, placed: Digest | None, expected: Digest | None) -> Digest | None:
        """Exchange the slot and the file. What comes out unexpected goes back; the digest of what came out first."""
        exchange(self._fd, slot, folder, name)
        first = found = self._displaced(slot, slot)
        for _ in range(_TURNS):
            if found == expected:
                return first
            # Somebody was faster: theirs goes back, and so does what they save while that happens.
            expected, placed = placed, found
            try:
                exchange(self._fd, slot, folder, name)
            except FileNotFoundError:
                # They have removed it since.
                return first
            found = self._displaced(slot, slot)
        return first

    def _displaced(self, name: str, slot: str) -> Digest | None:
        found = _look(self._fd, name)
        if found is None:
            return None
        self._stamps[slot] = found.stamp
        return found.digest

    def _may_be_touched(self, change: Change) -> bool:
        """Whether the batch got as far as this file, told by what lies in its slot."""
        if change.slot in self._theirs:
            return False
        staged = _look(self._fd, change.slot)
        if change.new is None:
            return staged is not None
        if change.old is None:
            return True
        return staged is None or staged.digest != change.new

    def _undo(self, change: Change, folder: int, name: str) -> str | None:
        """Why a file was not put back; None where it was, or need not be."""
        now, slot = _look(folder, name), _look(self._fd, change.slot)
        if change.old is None:
            return self._undo_create(change, folder, name, now, slot)
        if change.new is None:
            return self._undo_delete(change, folder, name, now, slot)
        if now is None or now.digest != change.new:
            return None if now is not None and now.digest == change.old else "changed"
        if slot is not None:
            try:
                found = self._swap(change.slot, folder, name, slot.digest, change.new)
                return None if found == change.new else "changed"
            except CannotExchange:
                os.rename(change.slot, name, src_dir_fd=self._fd, dst_dir_fd=folder)
                return None
        if _look(self._fd, change.saved) is None:
            return "gone"
        os.rename(change.saved, name, src_dir_fd=self._fd, dst_dir_fd=folder)
        return None

    def _undo_create(
        self, change: Change, folder: int, name: str, now: _Found | None, slot: _Found | None
    ) -> str | None:
        if slot is not None:
            # A second name of the same file is left by a kill between the two steps of the plain way.
            if now is not None and now.identity == slot.identity:
                os.unlink(name, dir_fd=folder)
            return None
        if now is None:
            return None
        if now.digest != change.new:
            return "changed"
        rename_new(folder, name, self._fd, change.slot, plain=self._plain)
        moved = _look(self._fd, change.slot)
        if moved is not None and moved.digest != change.new:
            with suppress(FileExistsError):
                rename_new(self._fd, change.slot, folder, name, plain=self._plain)
            return "changed"
        return None

    def _undo_delete(
        self, change: Change, folder: int, name: str, now: _Found | None, slot: _Found | None
    ) -> str | None:
        if slot is None:
            return None
        if now is None:
            try:
                rename_new(self._fd, change.slot, folder, name, plain=self._plain)
                return None
            except FileExistsError:
                return "changed"
        return None if now.identity == slot.identity or now.digest == change.old else "changed"


_MAX_COPY = 1 << 40


def _make(name: str, parent_fd: int) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=parent_fd)


def _look(folder: int, name: str) -> _Found | None:
    """What is there now, read through its descriptor; None for nothing."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not modes.S_ISREG(status.st_mode):
            return _Found(None, _stamp(status), (status.st_dev, status.st_ino))
        handle = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(handle)
        if not modes.S_ISREG(status.st_mode):
            return _Found(None, _stamp(status), (status.st_dev, status.st_ino))
        data = read_up_to(handle, max(status.st_size + READ_CHUNK, READ_CHUNK), status.st_size)
    finally:
        os.close(handle)
    return _Found(digest_bytes(data), _stamp(status), (status.st_dev, status.st_ino))


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    """Changes with the content; not with the names of a file, which a batch changes itself."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def _by_folder(changes: tuple[Change, ...]) -> list[tuple[RepoPath, list[Change]]]:
    ordered = sorted(changes, key=lambda change: (parent(change.path), change.path))
    return [(folder, list(group)) for folder, group in groupby(ordered, lambda change: parent(change.path))]


@contextmanager
def _mapped(path: RepoPath) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise written_error(error, path) from error
    except CannotExchange as error:
        raise written_error(OSError(errno.EXDEV, ""), path) from error


def _conflict(path: RepoPath, current: Digest | None) -> CodePlaneError:
    shown = display(path)
    details: dict[str, object] = {"path": path}
    if current is not None:
        details["current_sha256"] = current
    return CodePlaneError(
        ErrorCode.EDIT_CONFLICT,
        f"'{shown}' was changed by somebody else in this moment; nothing was changed",
        details=details,
        remedy="Read it again, and repeat the edit on what it is now.",
    )
