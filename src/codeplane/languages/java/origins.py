"""Origins of Java imports."""

from __future__ import annotations

from codeplane.languages.imports import INSIDE, STANDARD, ImportContext, OriginFinder
from codeplane.languages.java.modules import module_name

_STANDARD = frozenset({"java", "javax", "jdk", "sun"})


def find_origins(context: ImportContext) -> OriginFinder:
    packages = set(map(module_name, context.paths("java"))) - {""}

    def find(folder: str, source: str) -> str:
        parts = source.split(".")
        if parts[0] in _STANDARD:
            return STANDARD
        # A nested or static import names a class where others name the package.
        while len(parts) > 1 and parts[-1][:1].isupper():
            parts.pop()
        if any(".".join(parts[:number]) in packages for number in range(len(parts), 1, -1)):
            return INSIDE
        return ".".join(parts[:3])

    return find
