"""Versions of the grammars: part of an index's fingerprint.

Every command reads them, so this imports no language: the grammars are those that the distribution requires.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version

_PREFIX = "tree-sitter-"


@cache
def grammar_versions() -> dict[str, str]:
    """Return the installed version of each grammar, by distribution."""
    return {name: _installed(name) for name in grammar_pins()}


@cache
def grammar_pins() -> dict[str, str]:
    """Return the version of each grammar that the queries are tested with, by distribution."""
    pins = (wanted.partition("==")[::2] for wanted in requires("codeplane") or () if ";" not in wanted)
    return dict(sorted((name, pin) for name, pin in pins if name.startswith(_PREFIX)))


def _installed(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "missing"
