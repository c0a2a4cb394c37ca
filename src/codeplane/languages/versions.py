"""Installed versions of the grammars: part of an index's fingerprint."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version

from codeplane.languages.registry import languages


@cache
def grammar_versions() -> dict[str, str]:
    """Return the installed version of each grammar, by distribution."""
    versions: dict[str, str] = {}
    for language in (language for language in languages() if language.distribution):
        try:
            versions[language.distribution] = version(language.distribution)
        except PackageNotFoundError:
            versions[language.distribution] = "missing"
    return dict(sorted(versions.items()))


def grammar_pins() -> dict[str, str]:
    """Return the version of each grammar that the queries are tested with, by distribution."""
    pins = dict(wanted.partition("==")[::2] for wanted in requires("codeplane") or () if ";" not in wanted)
    return {name: pins[name] for name in grammar_versions() if name in pins}
