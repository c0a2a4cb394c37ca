"""A random id of this user on this machine: data with this id cannot have come with a clone."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

_NAME = "identity"
_FORM = re.compile(r"[0-9a-f]{32}")


def user_identity(user_state: Path) -> str:
    """Return the id, created at the first use; empty if it can be neither read nor written."""
    found = find_identity(user_state)
    if found:
        return found
    made = secrets.token_hex(16)
    with suppress(OSError):
        user_state.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(user_state / _NAME, flags, 0o600), "w", encoding="ascii") as file:
            file.write(made)
    # Another process may have created it first.
    return find_identity(user_state)


def find_identity(user_state: Path) -> str:
    """Return the id; empty if there is none yet. Writes nothing."""
    try:
        handle = os.open(user_state / _NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return ""
            text = file.read(64).decode("ascii", "replace")
    except OSError:
        return ""
    return text if _FORM.fullmatch(text) else ""
