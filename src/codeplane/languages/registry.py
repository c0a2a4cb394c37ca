"""Which languages there are, and which one a file is written in. Found by folder, ordered by name."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import codeplane.languages as package
from codeplane.base.paths import basename
from codeplane.languages.families import TEXT_FAMILIES, TEXT_FILENAMES
from codeplane.languages.spec import Language


@cache
def languages() -> tuple[Language, ...]:
    found: list[Language] = []
    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg:
            found.extend(importlib.import_module(f"{package.__name__}.{module.name}").LANGUAGES)
    return tuple(sorted(found, key=lambda language: language.name))


@cache
def by_name(name: str) -> Language:
    return next(language for language in languages() if language.name == name)


def is_programming(name: str) -> bool:
    """Whether programs are written in a language, not documents, styles or data."""
    found = next((language for language in languages() if language.name == name), None)
    return found is not None and found.coverage != "definitions"


def detect(path: str, source: bytes = b"") -> Language | None:
    """The language of a file, by its name; by its `#!` line where the name says nothing, and by what it holds where
    two languages share an extension."""
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
    """The language that a document calls `word`: by its name, or by an ending of its files."""
    word = word.lower()
    named = next((language for language in languages() if language.name == word), None)
    return named or _tables()[0].get(f".{word}")


def family_of(path: str) -> str:
    """Family of a file by its name alone; every file belongs to one."""
    language = detect(path)
    if language is not None:
        return language.family
    name = basename(path)
    if name in TEXT_FILENAMES:
        return TEXT_FILENAMES[name]
    return TEXT_FAMILIES.get(name[name.rfind(".") :].lower(), "config") if "." in name else "config"


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
