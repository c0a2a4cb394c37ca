"""Loads the resolvers of languages, each with the first file of its language."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from codeplane.languages.registry import by_name, languages

if TYPE_CHECKING:
    from codeplane.index.resolve.resolver import LanguageResolver


@cache
def resolved_languages() -> frozenset[str]:
    """Names of the languages whose references are resolved across files."""
    return frozenset(language.name for language in languages() if language.resolver)


@cache
def resolver_of(language: str) -> type[LanguageResolver]:
    module, _, name = by_name(language).resolver.partition(":")
    found: type[LanguageResolver] = getattr(import_module(module), name)
    return found
