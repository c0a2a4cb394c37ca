"""Support matrix: the facts extracted in each language, from the declarations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from codeplane.languages.registry import detect, languages, text_families
from codeplane.languages.versions import grammar_versions

COVERAGES: dict[str, str] = {
    "full": "definitions, imports, exports, and every identifier with its binding in the file",
    "references": "definitions, imports and every identifier, without bindings",
    "definitions": "definitions; embedded code has the coverage of its own language",
    "text": "words and names only",
}


class Support(NamedTuple):
    name: str
    family: str
    coverage: str
    extensions: tuple[str, ...]
    filenames: tuple[str, ...]
    """Whole names, and prefixes followed by a star."""
    grammar: str = ""
    """The grammar package and its version; empty if CodePlane has its own reader."""

    @property
    def files(self) -> tuple[str, ...]:
        return (*self.extensions, *self.filenames)


def supported(versions: Mapping[str, str] | None = None) -> list[Support]:
    """Return every language with a folder, by name; with the installed versions of the grammars, if not with others."""
    versions = grammar_versions() if versions is None else versions
    return [
        Support(
            language.name,
            language.family,
            language.coverage,
            language.extensions,
            (*language.filenames, *(f"{prefix}*" for prefix in language.name_prefixes)),
            f"{language.distribution} {versions.get(language.distribution, 'missing')}"
            if language.distribution
            else "",
        )
        for language in languages()
    ]


def text_only() -> list[Support]:
    """Return the extensions and names that belong to a family and are indexed as text, by family."""
    found: dict[str, list[str]] = {}
    names, extensions = text_families()
    for name, family in sorted((*names.items(), *extensions.items())):
        if detect(f"a{name}" if name.startswith(".") else name) is None:
            found.setdefault(family, []).append(name)
    return [
        Support(
            family,
            family,
            "text",
            tuple(name for name in files if name.startswith(".")),
            tuple(name for name in files if not name.startswith(".")),
        )
        for family, files in sorted(found.items())
    ]
