"""What libgit2 raises, in our words; mapped once, here.

Metadata that cannot be read is a clear failure and never repaired. What libgit2 does not
know, and repositories that belong to somebody else, are told apart from damage, because
the remedy differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

FOREIGN = (pygit2.GitError, KeyError, ValueError, OSError)
"""All that pygit2 raises: its own tree, and the built-in exceptions that it uses for what is not found or not valid."""

_FOREIGN_OWNER = ("not owned by",)
_UNSUPPORTED = ("unsupported", "unknown object format", "not supported")


@contextmanager
def translated(root: Path) -> Iterator[None]:
    """Anything that libgit2 raises inside leaves as a CodePlaneError about `root`."""
    try:
        yield
    except FOREIGN as error:
        raise map_error(error, root) from error


def map_error(error: BaseException, root: Path) -> CodePlaneError:
    shown, said = display(str(root)), display(str(error))
    lowered = said.lower()
    if any(words in lowered for words in _FOREIGN_OWNER):
        return CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"the git repository at '{shown}' belongs to another user",
            details={"git": said},
            remedy=f"If you trust it: git config --global --add safe.directory '{shown}'",
        )
    if any(words in lowered for words in _UNSUPPORTED):
        return CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"the git repository at '{shown}' uses a format that is not supported: {said}",
            details={"git": said},
            remedy="Supported are sha1 objects, file references and an index that is neither split nor sparse.",
        )
    return CodePlaneError(
        ErrorCode.GIT_DAMAGED,
        f"the git metadata at '{shown}' cannot be read: {said}",
        details={"git": said},
        remedy="Run 'git fsck' there; nothing was changed.",
    )
