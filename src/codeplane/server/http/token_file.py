"""Persistent token of an HTTP server: one file per repository that survives restarts.

It is in the user's state directory, mode 0600. A client that is configured once stays authorized until the file is
removed; the next start then creates a new token.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.server.runtime_directory import PrivateDirectory, new_token, repository_id

_DIRECTORY: Final = "http"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32,256}")


@dataclass(frozen=True)
class PersistentToken:
    token: str
    path: Path


def load_or_create_token(user_state: Path, root: Path) -> PersistentToken:
    """Return the token of a repository, created if it does not exist."""
    user_state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with PrivateDirectory.open_at(user_state / _DIRECTORY) as directory:
        token = _read(directory, root)
        if token is None:
            token = PersistentToken(new_token(), directory.path / _file_name(root))
            directory.write_secret(_file_name(root), token.token + "\n")
    return token


def find_token(user_state: Path, root: Path) -> PersistentToken | None:
    """Return the token of a repository if it exists. Creates nothing."""
    if not (user_state / _DIRECTORY).is_dir():
        return None
    with PrivateDirectory.open_at(user_state / _DIRECTORY) as directory:
        return _read(directory, root)


def _read(directory: PrivateDirectory, root: Path) -> PersistentToken | None:
    text = directory.read_secret(_file_name(root))
    if text is None:
        return None
    path = directory.path / _file_name(root)
    if not _TOKEN.fullmatch(text.strip()):
        raise CodePlaneError(
            ErrorCode.RUNTIME_DIRECTORY_UNSAFE,
            f"'{display(str(path))}' does not contain a token",
            expected="32 to 256 letters, digits, hyphens and underscores",
            remedy="Remove the file; the next 'cpl up --keep-token' creates a new token.",
        )
    return PersistentToken(text.strip(), path)


def _file_name(root: Path) -> str:
    return f"{repository_id(root)}.token"
