"""Installed versions of the grammars: part of an index's fingerprint."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from codeplane.languages.registry import languages


@cache
def grammar_versions() -> dict[str, str]:
    """Installed version of each grammar, by distribution."""
    versions: dict[str, str] = {}
    for language in (language for language in languages() if language.distribution):
        try:
            versions[language.distribution] = version(language.distribution)
        except PackageNotFoundError:
            versions[language.distribution] = "missing"
    return dict(sorted(versions.items()))
