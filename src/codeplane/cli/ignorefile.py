"""The `.cplignore` that `cpl init --ignore-file` writes. It is never written without that option."""

from __future__ import annotations

import os
from pathlib import Path

NAME = ".cplignore"

_HEAD = """\
# Files that CodePlane does not index, in .gitignore syntax.
# This file is read after .gitignore and takes precedence: a line such as !docs/build/ includes a directory again.
#
# Excluded by default:
"""


def write_ignore_file(root: Path) -> str:
    """Write the file unless it exists, and return a message."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(root / NAME, flags, 0o644)
    except FileExistsError:
        return f"{NAME} exists and was not changed."
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content())
    return f"Wrote {NAME} with the default rules as comments."


def content() -> str:
    from codeplane.disk.ignore import NOISE_NAMES, NOISE_SUFFIXES, PRUNABLE

    names = [f"{name}/" for name in sorted(PRUNABLE)]
    names += [f"*{suffix}" for suffix in sorted(NOISE_SUFFIXES)]
    names += sorted(NOISE_NAMES)
    return _HEAD + "".join(f"#   {name}\n" for name in names)
