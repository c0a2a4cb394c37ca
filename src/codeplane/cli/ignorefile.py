"""The `.cplignore` that `cpl init --ignore-file` leaves for a person to edit. Never written unasked."""

from __future__ import annotations

import os
from pathlib import Path

NAME = ".cplignore"

_HEAD = """\
# What CodePlane does not index, in the syntax of .gitignore.
# It is read after .gitignore, and wins over it: a line such as !docs/build/ brings something back.
#
# These are left out already, without being listed here:
"""


def write_ignore_file(root: Path) -> str:
    """Write it beside nothing else, and say what was done. An existing file stays as it is."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(root / NAME, flags, 0o644)
    except FileExistsError:
        return f"{NAME} was there already, and stays as it is."
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content())
    return f"Wrote {NAME} with the defaults as comments."


def content() -> str:
    from codeplane.disk.ignore import NOISE_NAMES, NOISE_SUFFIXES, PRUNABLE

    names = [f"{name}/" for name in sorted(PRUNABLE)]
    names += [f"*{suffix}" for suffix in sorted(NOISE_SUFFIXES)]
    names += sorted(NOISE_NAMES)
    return _HEAD + "".join(f"#   {name}\n" for name in names)
