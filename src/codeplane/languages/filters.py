"""Filters by language, as a search query names them: by name, family or alias."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from codeplane.languages import text_only
from codeplane.languages.registry import families, languages


class LanguageFilter(NamedTuple):
    """The files of one language: those that the index says are in it, and those with such an extension."""

    name: str
    languages: frozenset[str]
    extensions: frozenset[str] = frozenset()


@cache
def language_filters() -> Mapping[str, LanguageFilter]:
    """Return every filter, by name and by alias. A language takes precedence over a family of the same name."""
    parsed = {language.name for language in languages()}
    found: dict[str, LanguageFilter] = {}
    aliases: dict[str, tuple[str, ...]] = {}
    for family in families().values():
        members = frozenset(each.name for each in languages() if each.family == family.name)
        found[family.name] = LanguageFilter(family.name, members)
        aliases[family.name] = family.aliases
    for language in languages():
        names = frozenset({language.name, *language.filter_languages})
        extensions = frozenset({*language.extensions, *language.filter_extensions})
        found[language.name] = LanguageFilter(language.name, names, extensions)
        aliases[language.name] = language.aliases
    for text in text_only.LANGUAGES:
        extensions = frozenset({*text.extensions, *text.data_extensions})
        found[text.name] = LanguageFilter(text.name, frozenset(), extensions)
        aliases[text.name] = text.aliases
    for name, others in aliases.items():
        found.update(dict.fromkeys((alias for alias in others if alias not in parsed), found[name]))
    return found


@cache
def code_extensions() -> frozenset[str]:
    """Return the extensions of code, parsed or not."""
    parsed = (each for each in languages() if each.coverage != "definitions" or each.has_code)
    return frozenset(
        (
            *text_only.MORE_CODE_EXTENSIONS,
            *(extension for language in parsed for extension in language.extensions),
            *(extension for text in text_only.LANGUAGES for extension in text.extensions),
        )
    )
