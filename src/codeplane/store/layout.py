"""The directory `.codeplane/` of a repository, and the generations in it.

A generation is one index: a database and the text index beside it. It is built privately
and becomes current by an atomic switch of the file CURRENT; it never turns into another.
No symbolic link is followed on the way, and nothing that another user owns is used.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.errors import SPACE_REMEDY

STATE_NAME = ".codeplane"

_IGNORE_TEXT = b"*\n!config.yaml\n!contexts.yaml\n"
_TEMPORARY = ".tmp-"
_GENERATION = re.compile(r"[1-9][0-9]{0,8}")
_REMOVE_ATTEMPTS = 5
_REMOVE_PAUSE_SECONDS = 0.02
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Generation:
    """One index on disk, by the paths of its two halves."""

    name: str
    path: Path

    @property
    def database(self) -> Path:
        return self.path / "index.db"

    @property
    def lexical(self) -> Path:
        return self.path / "tantivy"

    def is_plain(self) -> bool:
        """Whether both halves are what we would have made: no links, a file and a directory, ours."""
        wanted = ((self.path, stat.S_ISDIR), (self.database, stat.S_ISREG), (self.lexical, stat.S_ISDIR))
        try:
            found = [(os.lstat(path), check) for path, check in wanted]
            for suffix in ("-wal", "-shm"):
                with suppress(FileNotFoundError):
                    found.append((os.lstat(f"{self.database}{suffix}"), stat.S_ISREG))
        except OSError:
            return False
        return all(check(status.st_mode) and status.st_uid == os.geteuid() for status, check in found)


@dataclass(frozen=True)
class StateDirectory:
    """An existing `.codeplane/` that was found safe when it was opened."""

    path: Path

    @property
    def lock_path(self) -> Path:
        return self.path / "lock"

    @property
    def generations_path(self) -> Path:
        return self.path / "generations"

    def generation(self, name: str) -> Generation:
        return Generation(name, self.generations_path / name)

    def generations(self) -> list[Generation]:
        """Every generation on disk, oldest first, finished or not."""
        with _opened(self.path) as state:
            names = _generation_names(state)
        return [self.generation(name) for name in names]

    def read_current(self) -> str | None:
        """The name that CURRENT holds; None without one; INDEX_CORRUPT when it is damaged."""
        try:
            with _opened(self.path) as state:
                text = _read_head(state, "CURRENT", 64).decode("ascii", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CodePlaneError(ErrorCode.INDEX_CORRUPT, "CURRENT cannot be read") from error
        if not (text.endswith("\n") and _GENERATION.fullmatch(text[:-1])):
            raise CodePlaneError(ErrorCode.INDEX_CORRUPT, "CURRENT does not name a generation")
        return text[:-1]

    def current(self) -> Generation | None:
        """The generation to read from; INDEX_CORRUPT when CURRENT names one that is not there."""
        name = self.read_current()
        if name is None:
            return None
        generation = self.generation(name)
        if not generation.is_plain():
            raise CodePlaneError(ErrorCode.INDEX_CORRUPT, f"generation {name} is missing or not a plain directory")
        return generation

    def new_generation(self) -> Generation:
        """A new, empty generation that nobody reads yet. Only under the lock."""
        with _opened(self.path) as state:
            with suppress(FileExistsError):
                os.mkdir("generations", 0o700, dir_fd=state)
            used = [int(name) for name in _generation_names(state)]
            with suppress(CodePlaneError):
                used.append(int(self.read_current() or 0))
            name = str(max(used, default=0) + 1)
            with _opened("generations", state) as parent:
                os.mkdir(name, 0o700, dir_fd=parent)
                with _opened(name, parent) as made:
                    os.mkdir("tantivy", 0o700, dir_fd=made)
                    os.fsync(made)
                os.fsync(parent)
        return self.generation(name)

    def switch(self, generation: Generation) -> None:
        """Make a finished generation the current one, durably and at once. Only under the lock."""
        sync_tree(generation.path)
        with _opened(self.path) as state:
            with _opened("generations", state) as parent:
                os.fsync(parent)
            write_atomic(state, "CURRENT", f"{generation.name}\n".encode())

    def mark_corrupt(self) -> None:
        """Say that the current generation is damaged, so that whoever comes next replaces it. Only under the lock."""
        with _opened(self.path) as state:
            write_atomic(state, "CURRENT", b"damaged\n")

    def remove_generation(self, generation: Generation) -> None:
        """Remove one generation; those who have it open keep what they have."""
        with _opened(self.path) as state, _opened_or_none("generations", state) as parent:
            if parent is not None:
                _remove(generation.name, parent)

    def sweep(self) -> list[str]:
        """Remove temporary files and generations that are not current; returns their names. Only under the lock."""
        try:
            current = self.read_current()
        except CodePlaneError:
            current = None
        removed: list[str] = []
        with _opened(self.path) as state:
            for name in sorted(os.listdir(state)):
                if name.startswith(_TEMPORARY) and not _is_being_written(name):
                    _remove(name, state)
                    removed.append(name)
            with _opened_or_none("generations", state) as parent:
                for name in sorted(os.listdir(parent)) if parent is not None else ():
                    if name != current and parent is not None:
                        _remove(name, parent)
                        removed.append(f"generations/{name}")
        return removed

    def clear(self, keep: Collection[str]) -> list[str]:
        """Remove everything here but the names in `keep`; what a link points to stays. Only under the lock."""
        removed: list[str] = []
        with _opened(self.path) as state:
            # The pointer goes first, so that nobody is sent to a generation that is half gone.
            for name in sorted(os.listdir(state), key=lambda name: (name != "CURRENT", name)):
                if name not in keep:
                    _remove(name, state)
                    removed.append(name)
            os.fsync(state)
        return removed

    def names(self, keep: Collection[str] = ()) -> list[str]:
        """Everything here but the names in `keep`."""
        with _opened(self.path) as state:
            return sorted(name for name in os.listdir(state) if name not in keep)

    def size_bytes(self, names: Collection[str] | None = None) -> int:
        """Bytes of all files beneath, or beneath these names; links are not followed."""
        if names is None:
            return tree_bytes(self.path)
        return sum(tree_bytes(self.path / name) for name in names)


def create_state(root: Path) -> StateDirectory:
    """The state directory of a repository, made if it is missing, or STATE_DIRECTORY_UNSAFE."""
    with _opened(root, check=False) as parent:
        try:
            os.mkdir(STATE_NAME, 0o700, dir_fd=parent)
            os.fsync(parent)
        except FileExistsError:
            pass
        except OSError as error:
            raise _read_only(root, error) from error
        with _opened(STATE_NAME, parent) as state:
            if stat.S_IMODE(os.fstat(state).st_mode) != 0o700:
                os.fchmod(state, 0o700)
            _check_generations(state)
            if _read_small(state, ".gitignore") != _IGNORE_TEXT:
                write_atomic(state, ".gitignore", _IGNORE_TEXT)
    return StateDirectory(root / STATE_NAME)


def open_state(root: Path) -> StateDirectory | None:
    """The state directory of a repository, None when there is none, or STATE_DIRECTORY_UNSAFE. Writes nothing."""
    try:
        status = os.lstat(root / STATE_NAME)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unsafe(str(root / STATE_NAME), "it cannot be looked at") from error
    if not stat.S_ISDIR(status.st_mode):
        raise _unsafe(STATE_NAME, "it is not a directory")
    with _opened(root / STATE_NAME) as state:
        _check_generations(state)
    return StateDirectory(root / STATE_NAME)


def remove_state(state: StateDirectory) -> None:
    """Remove the state directory with all that is in it. Only under the lock, which goes with it."""
    with _opened(state.path.parent, check=False) as parent:
        with _opened(STATE_NAME, parent):
            pass
        _remove(STATE_NAME, parent)


def copy_generation(source: Generation, target: Generation) -> None:
    """The files of a settled index that nobody writes."""
    names = sorted(os.listdir(source.lexical))
    pairs = [(source.lexical / name, target.lexical / name) for name in names if not name.startswith(".tmp")]
    for old, new in [(source.database, target.database), *pairs]:
        shutil.copyfile(old, new, follow_symlinks=False)
        new.chmod(0o600)


def write_atomic(directory: int, name: str, data: bytes) -> None:
    """Replace a file in the directory behind a descriptor: the old content or the new, also after a power loss."""
    # Several threads may write at once; the process comes last, where the sweep looks for it.
    temporary = f"{_TEMPORARY}{name.strip('.')}-{secrets.token_hex(8)}-{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(temporary, flags, 0o600, dir_fd=directory)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except IsADirectoryError:
            _remove(name, directory)
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        os.fsync(directory)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=directory)
        raise _unwritten(name, error) from error


def _is_being_written(name: str) -> bool:
    """Whether the process that made a temporary file lives: some are written without the lock."""
    return name.rpartition("-")[2] != str(os.getpid()) and maker_lives(name)


def maker_lives(name: str) -> bool:
    """Whether the process whose number a temporary name ends with is there."""
    pid = name.rpartition("-")[2]
    if not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def sync_tree(path: Path) -> None:
    """Bring every file and directory beneath `path` to the disk."""
    for directory, _, names in os.walk(path):
        for name in (*names, "."):
            handle = os.open(os.path.join(directory, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


@contextmanager
def _opened(path: str | Path, parent: int | None = None, *, check: bool = True) -> Iterator[int]:
    """A descriptor of a directory that is no link and, if checked, ours alone to change."""
    try:
        handle = os.open(path, _DIRECTORY if check else _DIRECTORY & ~os.O_NOFOLLOW, dir_fd=parent)
    except OSError as error:
        raise _unsafe(str(path), "it is a symbolic link, or not a directory that can be opened") from error
    try:
        if check and os.fstat(handle).st_uid != os.geteuid():
            raise _unsafe(str(path), "it belongs to another user")
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _opened_or_none(name: str, parent: int) -> Iterator[int | None]:
    try:
        os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        yield None
        return
    with _opened(name, parent) as handle:
        yield handle


def _check_generations(state: int) -> None:
    with _opened_or_none("generations", state):
        pass


def _generation_names(state: int) -> list[str]:
    with _opened_or_none("generations", state) as parent:
        names = os.listdir(parent) if parent is not None else []
    return sorted((name for name in names if _GENERATION.fullmatch(name)), key=int)


def _remove(name: str, parent: int) -> None:
    """Remove a file, a link or a tree; `rmtree` works by descriptors and does not follow links."""
    for attempt in range(_REMOVE_ATTEMPTS):
        try:
            if stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode):
                shutil.rmtree(name, dir_fd=parent)
            else:
                os.unlink(name, dir_fd=parent)
            return
        except FileNotFoundError:
            # Of the whole, or of a part that somebody else removed first.
            if not _exists(name, parent):
                return
        except OSError as error:
            # The last merge of a text index that was given up may still put a file there.
            if error.errno != errno.ENOTEMPTY or attempt == _REMOVE_ATTEMPTS - 1:
                raise _unsafe(name, f"it cannot be removed ({error.strerror})") from error
            time.sleep(_REMOVE_PAUSE_SECONDS)


def _exists(name: str, parent: int) -> bool:
    try:
        os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        return False
    return True


def _read_small(directory: int, name: str) -> bytes | None:
    try:
        return _read_head(directory, name, 4096)
    except OSError:
        return None


def _read_head(directory: int, name: str, size: int) -> bytes:
    """The first bytes of what should be a small file, whatever it is instead: a FIFO does not block."""
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=directory)
    try:
        return os.read(handle, size)
    finally:
        os.close(handle)


def tree_bytes(path: Path) -> int:
    total = 0
    try:
        if not path.is_dir() or path.is_symlink():
            return path.lstat().st_size
        with os.scandir(path) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        total += tree_bytes(Path(entry.path))
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return total
    return total


def _read_only(root: Path, error: OSError) -> CodePlaneError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CodePlaneError(ErrorCode.NO_SPACE, f"{STATE_NAME} could not be made", remedy=SPACE_REMEDY)
    return CodePlaneError(
        ErrorCode.STATE_DIRECTORY_READ_ONLY,
        f"'{root}' cannot be written ({error.strerror}), and the index lives in its {STATE_NAME}",
        remedy="Make the directory writable for you, or index a copy of it.",
    )


def _unwritten(name: str, error: OSError) -> CodePlaneError:
    message = f"{name} could not be written: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CodePlaneError(ErrorCode.NO_SPACE, message, remedy=SPACE_REMEDY)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        remedy = "Make the directory writable for you."
        return CodePlaneError(ErrorCode.STATE_DIRECTORY_READ_ONLY, message, remedy=remedy)
    return CodePlaneError(ErrorCode.STATE_DIRECTORY_UNSAFE, message)


def _unsafe(path: str, why: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.STATE_DIRECTORY_UNSAFE,
        f"'{path}' is not safe to use: {why}",
        remedy=f"look at '{STATE_NAME}' in the repository and move away what is not CodePlane's",
    )
