"""Versions of the grammars."""

from __future__ import annotations

from codeplane.languages.registry import languages
from codeplane.languages.versions import grammar_versions


def test_every_grammar_of_a_language_has_a_version() -> None:
    distributions = {language.distribution for language in languages() if language.distribution}
    assert distributions == {*grammar_versions()}
    assert all(version[0].isdigit() for version in grammar_versions().values())
