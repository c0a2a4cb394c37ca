"""Other repositories that the server of one repository may read: a small file in the user's state directory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import orjson

from codeplane.disk.locks import FileLock
from codeplane.store.state_files import write_atomic

_MAX_BYTES = 1024 * 1024
_LOCK_NAME = "lock"
_LOCK_SECONDS = 5.0


def read_roots(user_state: Path, home: Path) -> tuple[Path, ...]:
    """Return the roots by path; none if the file is missing, damaged or another user's."""
    try:
        handle = os.open(
            _directory(user_state) / _name(home), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        )
        with os.fdopen(handle, "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return ()
            listed = orjson.loads(file.read(_MAX_BYTES))
        return tuple(sorted(Path(os.fsdecode(bytes.fromhex(item))) for item in listed))
    except (OSError, ValueError, TypeError):
        return ()


def change_roots(user_state: Path, home: Path, change: Callable[[tuple[Path, ...]], Iterable[Path]]) -> None:
    """Replace the roots by what `change` returns; concurrent changes are serialized by a lock."""
    directory = _directory(user_state)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with FileLock(directory / _LOCK_NAME).acquire(_LOCK_SECONDS):
            roots = change(read_roots(user_state, home))
            write_atomic(handle, _name(home), orjson.dumps(sorted(os.fsencode(path).hex() for path in roots)))
    finally:
        os.close(handle)


def _directory(user_state: Path) -> Path:
    return user_state / "roots"


def _name(home: Path) -> str:
    return f"{hashlib.sha256(os.fsencode(home)).hexdigest()}.json"
