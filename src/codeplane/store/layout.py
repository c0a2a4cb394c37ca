"""The `.codeplane/` directory of a repository, and the generations in it.

A generation is one index: a database and its text index. It is built privately and becomes current by an atomic switch
of the file CURRENT. No symbolic link is followed on the way, and nothing that another user owns is used.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.errors import SPACE_REMEDY, corrupt, require_descriptors
from codeplane.store.state_files import (
    STATE_NAME,
    TEMPORARY_PREFIX,
    is_owner_alive,
    open_directory,
    open_optional_directory,
    read_head,
    remove_entry,
    sync_tree,
    tree_bytes,
    unsafe_error,
    write_atomic,
)

_IGNORE_TEXT = b"*\n!config.yaml\n!contexts.yaml\n"
_GENERATION = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class Generation:
    """One index on disk: the paths of its two halves."""

    name: str
    path: Path

    @property
    def database(self) -> Path:
        return self.path / "index.db"

    @property
    def lexical(self) -> Path:
        return self.path / "tantivy"

    def is_plain(self) -> bool:
        """True if both halves are a plain file and directory of this user, not links."""
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
    """An existing `.codeplane/` that was safe when it was opened."""

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
        """Return every generation on disk, oldest first, finished or not."""
        with open_directory(self.path) as state:
            names = _generation_names(state)
        return [self.generation(name) for name in names]

    def read_current(self) -> str | None:
        """Return the name in CURRENT, or None if there is none. Raises INDEX_CORRUPT."""
        try:
            with open_directory(self.path) as state:
                text = read_head(state, "CURRENT", 64).decode("ascii", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            require_descriptors()
            raise corrupt("CURRENT cannot be read") from error
        if not (text.endswith("\n") and _GENERATION.fullmatch(text[:-1])):
            raise corrupt("CURRENT does not name a generation")
        return text[:-1]

    def current(self) -> Generation | None:
        """Return the current generation. Raises INDEX_CORRUPT if CURRENT names a missing one."""
        name = self.read_current()
        if name is None:
            return None
        generation = self.generation(name)
        if not generation.is_plain():
            raise corrupt(f"generation {name} is missing or not a plain directory")
        return generation

    def new_generation(self) -> Generation:
        """Create an empty generation. The caller holds the lock."""
        with open_directory(self.path) as state:
            with suppress(FileExistsError):
                os.mkdir("generations", 0o700, dir_fd=state)
            used = [int(name) for name in _generation_names(state)]
            with suppress(CodePlaneError):
                used.append(int(self.read_current() or 0))
            name = str(max(used, default=0) + 1)
            with open_directory("generations", state) as parent:
                os.mkdir(name, 0o700, dir_fd=parent)
                with open_directory(name, parent) as made:
                    os.mkdir("tantivy", 0o700, dir_fd=made)
                    os.fsync(made)
                os.fsync(parent)
        return self.generation(name)

    def switch(self, generation: Generation) -> None:
        """Make a finished generation the current one, durably and atomically. The caller holds the lock."""
        sync_tree(generation.path)
        with open_directory(self.path) as state:
            with open_directory("generations", state) as parent:
                os.fsync(parent)
            write_atomic(state, "CURRENT", f"{generation.name}\n".encode())

    def mark_corrupt(self) -> None:
        """Mark the current generation as corrupt, so that the next process rebuilds it. The caller holds the lock."""
        with open_directory(self.path) as state:
            write_atomic(state, "CURRENT", b"damaged\n")

    def remove_generation(self, generation: Generation) -> None:
        """Remove one generation; processes that have it open can still read it."""
        with open_directory(self.path) as state, open_optional_directory("generations", state) as parent:
            if parent is not None:
                remove_entry(generation.name, parent)

    def sweep(self) -> list[str]:
        """Remove temporary files and old generations; return their names. The caller holds the lock."""
        try:
            current = self.read_current()
        except CodePlaneError:
            current = None
        removed: list[str] = []
        with open_directory(self.path) as state:
            for name in sorted(os.listdir(state)):
                if name.startswith(TEMPORARY_PREFIX) and not _is_being_written(name):
                    remove_entry(name, state)
                    removed.append(name)
            with open_optional_directory("generations", state) as parent:
                for name in sorted(os.listdir(parent)) if parent is not None else ():
                    if name != current and parent is not None:
                        remove_entry(name, parent)
                        removed.append(f"generations/{name}")
        return removed

    def clear(self, keep: Collection[str]) -> list[str]:
        """Remove all names except `keep`, without following links. The caller holds the lock."""
        removed: list[str] = []
        with open_directory(self.path) as state:
            # CURRENT goes first, so that no reader opens a half-removed generation.
            for name in sorted(os.listdir(state), key=lambda name: (name != "CURRENT", name)):
                if name not in keep:
                    remove_entry(name, state)
                    removed.append(name)
            os.fsync(state)
        return removed

    def names(self, keep: Collection[str] = ()) -> list[str]:
        """Return all names except `keep`."""
        with open_directory(self.path) as state:
            return sorted(name for name in os.listdir(state) if name not in keep)

    def size_bytes(self, names: Collection[str] | None = None) -> int:
        """Return the size of all files, or of these names, without following links."""
        if names is None:
            return tree_bytes(self.path)
        return sum(tree_bytes(self.path / name) for name in names)


def create_state(root: Path) -> StateDirectory:
    """Open the state directory of a repository, and create a missing one. Raises STATE_DIRECTORY_UNSAFE."""
    with open_directory(root, check=False) as parent:
        try:
            os.mkdir(STATE_NAME, 0o700, dir_fd=parent)
            os.fsync(parent)
        except FileExistsError:
            pass
        except OSError as error:
            raise _read_only(root, error) from error
        with open_directory(STATE_NAME, parent) as state:
            if stat.S_IMODE(os.fstat(state).st_mode) != 0o700:
                os.fchmod(state, 0o700)
            _check_generations(state)
            if _read_small(state, ".gitignore") != _IGNORE_TEXT:
                write_atomic(state, ".gitignore", _IGNORE_TEXT)
    return StateDirectory(root / STATE_NAME)


def open_state(root: Path) -> StateDirectory | None:
    """Open the state directory of a repository; None if it is missing. Raises STATE_DIRECTORY_UNSAFE."""
    try:
        status = os.lstat(root / STATE_NAME)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unsafe_error(str(root / STATE_NAME), "its stat cannot be read") from error
    if not stat.S_ISDIR(status.st_mode):
        raise unsafe_error(STATE_NAME, "it is not a directory")
    with open_directory(root / STATE_NAME) as state:
        _check_generations(state)
    return StateDirectory(root / STATE_NAME)


def remove_state(state: StateDirectory) -> None:
    """Remove the state directory with everything in it, including the lock, which the caller holds."""
    with open_directory(state.path.parent, check=False) as parent:
        with open_directory(STATE_NAME, parent):
            pass
        remove_entry(STATE_NAME, parent)


def copy_generation(source: Generation, target: Generation) -> None:
    """Copy the files of a settled index without a writer."""
    names = sorted(os.listdir(source.lexical))
    pairs = [(source.lexical / name, target.lexical / name) for name in names if not name.startswith(".tmp")]
    for old, new in [(source.database, target.database), *pairs]:
        shutil.copyfile(old, new, follow_symlinks=False)
        new.chmod(0o600)


def _is_being_written(name: str) -> bool:
    """True if another running process made the temporary file: some are written without the lock."""
    return name.rpartition("-")[2] != str(os.getpid()) and is_owner_alive(name)


def _check_generations(state: int) -> None:
    with open_optional_directory("generations", state):
        pass


def _generation_names(state: int) -> list[str]:
    with open_optional_directory("generations", state) as parent:
        names = os.listdir(parent) if parent is not None else []
    return sorted((name for name in names if _GENERATION.fullmatch(name)), key=int)


def _read_small(directory: int, name: str) -> bytes | None:
    try:
        return read_head(directory, name, 4096)
    except OSError:
        return None


def _read_only(root: Path, error: OSError) -> CodePlaneError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CodePlaneError(ErrorCode.NO_SPACE, f"{STATE_NAME} could not be created", remedy=SPACE_REMEDY)
    return CodePlaneError(
        ErrorCode.STATE_DIRECTORY_READ_ONLY,
        f"'{root}' cannot be written ({error.strerror}), and the index lives in its {STATE_NAME}",
        remedy="Make the directory writable for you, or index a copy of it.",
    )
