"""Which languages there are, and which one a file is written in. Found by folder, ordered by name."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import codeplane.languages as package
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


def detect(path: str, first_line: bytes = b"") -> Language | None:
    """The language of a file, by its name and, where the name says nothing, by its `#!` line."""
    name = path.rpartition("/")[2]
    extensions, filenames, interpreters = _tables()
    if name in filenames:
        return filenames[name]
    dot = name.rfind(".")
    if dot > 0:
        return extensions.get(name[dot:].lower())
    if first_line.startswith(b"#!"):
        words = first_line[2:].decode("latin-1").split()
        program = words[0].rpartition("/")[2] if words else ""
        if program == "env" and len(words) > 1:
            program = next((word for word in words[1:] if not word.startswith("-")), "")
        return interpreters.get(program.rstrip("0123456789."))
    return None


def family_of(path: str) -> str:
    """Family of a file without a language of its own; every file belongs to one."""
    name = path.rpartition("/")[2]
    if name in TEXT_FILENAMES:
        return TEXT_FILENAMES[name]
    return TEXT_FAMILIES.get(name[name.rfind(".") :].lower(), "config") if "." in name else "config"


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
