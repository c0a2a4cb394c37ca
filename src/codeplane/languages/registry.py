"""Registry of languages and families, found by folder and ordered by name, and language detection."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

import codeplane.languages as package
from codeplane.base.paths import basename
from codeplane.languages import text_only
from codeplane.languages.family import Family
from codeplane.languages.spec import Language


@cache
def languages() -> tuple[Language, ...]:
    """Return every language, by name."""
    found = [language for folder in _folders() for language in folder.LANGUAGES]
    return tuple(sorted(found, key=lambda language: language.name))


@cache
def families() -> Mapping[str, Family]:
    """Return every language family, by name."""
    found = [folder.FAMILY for folder in _folders() if hasattr(folder, "FAMILY")]
    return {family.name: family for family in sorted((*found, text_only.FAMILY), key=lambda family: family.name)}


@cache
def code_families() -> frozenset[str]:
    """Return the families of programming languages that have build tools of their own."""
    return frozenset(
        language.family
        for language in languages()
        if language.coverage != "definitions" and not families()[language.family].is_ambient
    )


@cache
def by_name(name: str) -> Language:
    return next(language for language in languages() if language.name == name)


def is_programming(name: str) -> bool:
    """True for a programming language; False for documents, styles and data."""
    found = next((language for language in languages() if language.name == name), None)
    return found is not None and found.coverage != "definitions"


def detect(path: str, source: bytes = b"") -> Language | None:
    """Detect the language of a file: by name; by its `#!` line if the name says nothing; by content if two languages
    share an extension.
    """
    name = basename(path)
    extensions, filenames, interpreters = _tables()
    if name in filenames:
        return filenames[name]
    dot = name.rfind(".")
    if dot > 0:
        language = extensions.get(name[dot:].lower())
        if language is None:
            return next((named for named in _prefixed() if name.startswith(named.name_prefixes)), None)
        if language.prefer is None:
            return language
        preferred = language.prefer(source)
        return language if preferred is None else by_name(preferred)
    if source.startswith(b"#!"):
        words = source[2:256].partition(b"\n")[0].decode("latin-1").split()
        program = words[0].rpartition("/")[2] if words else ""
        if program == "env" and len(words) > 1:
            program = next((word for word in words[1:] if not word.startswith("-")), "")
        return interpreters.get(program.rstrip("0123456789."))
    return None


def find(word: str) -> Language | None:
    """Return the language that a document calls `word`: by name, or by extension."""
    word = word.lower()
    named = next((language for language in languages() if language.name == word), None)
    return named or _tables()[0].get(f".{word}")


def family_of(path: str) -> str:
    """Return the family of a file by its name; every file belongs to one."""
    language = detect(path)
    if language is not None:
        return language.family
    names, extensions = text_families()
    name = basename(path)
    if name in names:
        return names[name]
    default = text_only.FAMILY.name
    return extensions.get(name[name.rfind(".") :].lower(), default) if "." in name else default


@cache
def text_families() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the families of file names and of extensions that no grammar parses."""
    names = {name: family.name for family in families().values() for name in family.text_filenames}
    extensions = {each: family.name for family in families().values() for each in family.text_extensions}
    return names, extensions


@cache
def _folders() -> tuple[Any, ...]:
    modules = pkgutil.iter_modules(package.__path__)
    return tuple(importlib.import_module(f"{package.__name__}.{each.name}") for each in modules if each.ispkg)


@cache
def _prefixed() -> tuple[Language, ...]:
    return tuple(language for language in languages() if language.name_prefixes)


@cache
def _tables() -> tuple[dict[str, Language], dict[str, Language], dict[str, Language]]:
    extensions: dict[str, Language] = {}
    filenames: dict[str, Language] = {}
    interpreters: dict[str, Language] = {}
    for language in languages():
        extensions.update((extension, language) for extension in language.extensions)
        filenames.update((name, language) for name in language.filenames)
        interpreters.update((program, language) for program in language.interpreters)
    return extensions, filenames, interpreters
