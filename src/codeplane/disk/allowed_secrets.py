"""Secrets that the operator has allowed tools to open, by absolute path. Process-wide, like the log outputs.

The patterns come from the user's own configuration, never from a repository. They are written as in an ignore file
whose directory is the root of the file system; what matches a directory allows everything under it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from codeplane import telemetry
from codeplane.base.paths import display
from codeplane.disk.ignore_patterns import PatternList, parse_lines
from codeplane.disk.secrets import is_secret


class _AllowedSecrets:
    """Compiled patterns."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        lines = [pattern.encode("utf-8", "surrogateescape") for pattern in patterns]
        self.patterns = patterns
        self._list = PatternList(lines)
        self._globs = [pattern.glob for pattern in parse_lines(lines)]

    def match(self, path: bytes) -> bool:
        """True if the file at an absolute path, without its leading slash, is allowed."""
        return any(
            self._list.find_last(place, place.rpartition(b"/")[2], is_directory=place != path) is not None
            for place in _ancestors(path)
        )

    def may_match_in(self, directory: bytes) -> bool:
        """True if a pattern may match a file in the directory."""
        return any(_literal_prefix(glob).startswith(directory + b"/") for glob in self._globs)


_current = _AllowedSecrets(())


def allow_secrets(patterns: Iterable[str]) -> None:
    """Allow the secrets that match, in this process, from now on."""
    global _current
    _current = _AllowedSecrets(tuple(patterns))


def allowed_patterns() -> tuple[str, ...]:
    return _current.patterns


def is_blocked_secret(root: Path, path: str, *, is_directory: bool = False) -> bool:
    """True if the name of an entry indicates secrets, and the operator has not allowed it or a file in it."""
    if not is_secret(path) or _is_allowed(root, path):
        return False
    return not (is_directory and _current.may_match_in(_absolute(root, path)))


def log_opened_secret(root: Path, path: str) -> None:
    """Log that a tool opens an allowed secret. Does nothing for other paths."""
    if _current.patterns and is_secret(path) and _is_allowed(root, path):
        telemetry.info("a tool opens a secret that 'secrets.allow' allows", path=display(path))


def _is_allowed(root: Path, path: str) -> bool:
    return bool(_current.patterns) and _current.match(_absolute(root, path))


def _absolute(root: Path, path: str) -> bytes:
    return os.fsencode(f"{root}/{path}").lstrip(b"/")


def _ancestors(path: bytes) -> Iterator[bytes]:
    """Yield the path and the directories above it."""
    while path:
        yield path
        path = path.rpartition(b"/")[0]


def _literal_prefix(glob: bytes) -> bytes:
    ends = [at for at in map(glob.find, (b"*", b"?", b"[", b"\\")) if at >= 0]
    return glob[: min(ends, default=len(glob))]
