"""What libgit2 raises, in our words; mapped once, here.

Metadata that cannot be read is a clear failure and never repaired. What libgit2 does not
know, and repositories that belong to somebody else, are told apart from damage, because
the remedy differs. libgit2 quotes what it stumbled over, which a stranger may have written:
its own text stands in a field of its own, short and without the quotations, never in a sentence.
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
"""All that pygit2 raises: its own tree, and the built-in exceptions that it uses for what is not found or not valid."""

MAX_TOLD = 200
_FOREIGN_OWNER = ("not owned by",)
_UNSUPPORTED = ("unsupported", "unknown object format", "not supported")
_SYSTEM = tuple(map(os.strerror, (errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)))
_QUOTED = re.compile(r"(['\"]).*\1|['\"].*|(?<=escape at ).+|(?<=extension name ).+", re.DOTALL)


@contextmanager
def translated(root: Path) -> Iterator[None]:
    """Anything that libgit2 raises inside leaves as a CodePlaneError about `root`."""
    try:
        yield
    except FOREIGN as error:
        raise map_error(error, root) from error


def map_error(error: BaseException, root: Path) -> CodePlaneError:
    shown, said = display(str(root)), str(error)
    lowered = said.lower()
    told = {"git": _QUOTED.sub("…", display(said))[:MAX_TOLD]}
    if any(words in lowered for words in _FOREIGN_OWNER):
        return CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"the git repository at '{shown}' belongs to another user",
            details=told,
            remedy=f"If you trust it: git config --global --add safe.directory '{shown}'",
        )
    if any(words in lowered for words in _UNSUPPORTED):
        return CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"the git repository at '{shown}' uses a format that is not supported",
            details=told,
            remedy="Supported are sha1 objects, file references and an index that is neither split nor sparse.",
        )
    return damaged(root, next((words for words in _SYSTEM if words in said), ""), told)


def damaged(root: Path, reason: str, details: Mapping[str, object] | None = None) -> CodePlaneError:
    """`reason` is ours, or the system's; none of it was read from the repository."""
    return CodePlaneError(
        ErrorCode.GIT_DAMAGED,
        f"the git metadata at '{display(str(root))}' cannot be read" + (f": {reason}" if reason else ""),
        details=dict(details or {}),
        remedy="Run 'git fsck' there; nothing was changed.",
    )
