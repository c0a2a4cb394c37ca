"""Mapping of libgit2 errors to CodePlane errors.

Unreadable metadata is an error and is never repaired. Unsupported formats and repositories of other users are not
damage, because the remedy differs. The text of libgit2 may quote content of the repository, so it is only in a separate
field, shortened and without quotations.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pygit2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

FOREIGN = (pygit2.GitError, KeyError, ValueError, OSError)
"""All exceptions that pygit2 raises: its own, and built-in ones for missing and invalid values."""

MAX_GIT_TEXT_CHARS = 200
_FOREIGN_OWNER = ("not owned by",)
_UNSUPPORTED = ("unsupported", "unknown object format", "not supported")
_CHANGED = "changed before we could read it"
_SYSTEM = tuple(map(os.strerror, (errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)))
_QUOTED = re.compile(r"(['\"]).*\1|['\"].*|(?<=escape at ).+|(?<=extension name ).+", re.DOTALL)


@contextmanager
def translate_errors(root: Path) -> Iterator[None]:
    """Convert exceptions of libgit2 to CodePlaneError."""
    try:
        yield
    except FOREIGN as error:
        raise map_error(error, root) from error


def map_error(error: BaseException, root: Path) -> CodePlaneError:
    shown, text = display(str(root)), str(error)
    lowered = text.lower()
    details = {"git": _QUOTED.sub("…", display(text))[:MAX_GIT_TEXT_CHARS]}
    if any(words in lowered for words in _FOREIGN_OWNER):
        return CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"the git repository at '{shown}' belongs to another user",
            details=details,
            remedy=f"If you trust it: git config --global --add safe.directory '{shown}'",
        )
    if _CHANGED in lowered:
        return CodePlaneError(ErrorCode.FILE_CHANGED, "a file changed while git compared it", details=details)
    if any(words in lowered for words in _UNSUPPORTED):
        return CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"the git repository at '{shown}' uses a format that is not supported",
            details=details,
            remedy="Supported: SHA-1 objects, file references, and an index that is not split or sparse.",
        )
    return damaged(root, next((words for words in _SYSTEM if words in text), ""), details)


def damaged(root: Path, reason: str, details: Mapping[str, object] | None = None) -> CodePlaneError:
    """Build GIT_DAMAGED. `reason` must not contain text from the repository."""
    return CodePlaneError(
        ErrorCode.GIT_DAMAGED,
        f"the git metadata at '{display(str(root))}' cannot be read" + (f": {reason}" if reason else ""),
        details=dict(details or {}),
        remedy="Run 'git fsck' there; nothing was changed.",
    )
