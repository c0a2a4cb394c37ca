"""Origins of Python imports."""

from __future__ import annotations

import sys

from codeplane.base.paths import basename, parent
from codeplane.languages.imports import INSIDE, STANDARD, ImportContext, OriginFinder

_REMOVED_WORDS = "asynchat asyncore distutils imp smtpd cgi cgitb crypt imghdr pipes telnetlib uu"
"""Modules that older versions of the standard library had."""
_STANDARD = frozenset(sys.stdlib_module_names) | frozenset(_REMOVED_WORDS.split())


def find_origins(context: ImportContext) -> OriginFinder:
    inside: dict[str, set[str]] = {}
    """Directory -> modules and packages in it."""
    packages: set[str] = set()
    for path in context.paths("python"):
        folder, _, name = path.rpartition("/")
        inside.setdefault(folder, set()).add(name.partition(".")[0])
        if name == "__init__.py":
            packages.add(folder)
        while folder:
            above, _, name = folder.rpartition("/")
            known = inside.setdefault(above, set())
            if name in known:
                break
            known.add(name)
            folder = above
    other = {parent(file.path) for file in context.files if not file.is_product}
    everywhere = {basename(package) for package in packages - other if parent(package) not in packages}

    def find(folder: str, source: str) -> str:
        first = source.partition(".")[0]
        if not first or first in everywhere:
            return INSIDE
        if first in _STANDARD:
            return STANDARD
        while True:
            if first in inside.get(folder, ()):
                return INSIDE
            if not folder:
                return first
            folder = parent(folder)

    return find
