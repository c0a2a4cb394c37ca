"""Origins of imported modules: the repository itself, the standard library, or an external package.

Language folders decide by paths and imports alone; no manifest is read. A module that looks like one of the
repository counts as its own, so that the list of external packages can be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

INSIDE = ""
"""Origin of a module of the repository."""
STANDARD = "*"
"""Origin of every module of the standard library."""


class ImportingFile(NamedTuple):
    path: str
    language: str
    is_product: bool
    """False for tests, documents, examples and tools."""


class ImportContext(NamedTuple):
    files: Sequence[ImportingFile]
    sources: frozenset[str]
    """Modules that files of the language import, as written."""
    repo_name: str

    def paths(self, language: str) -> list[str]:
        return [file.path for file in self.files if file.language == language]


OriginFinder = Callable[[str, str], str]
"""(directory of the importing file, module as written) -> INSIDE, STANDARD, or the name of the package."""
