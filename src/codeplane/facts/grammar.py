"""A language's grammar and compiled queries, loaded once per process."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tree_sitter

import codeplane.languages as package
from codeplane.languages.registry import by_name
from codeplane.languages.spec import Language


class Grammar(NamedTuple):
    language: Language
    parser: tree_sitter.Parser
    facts: tree_sitter.Query
    names: tree_sitter.Query
    errors: tree_sitter.Query


@cache
def load(name: str) -> Grammar:
    language = by_name(name)
    module, _, function = language.grammar.partition(":")
    grammar = tree_sitter.Language(getattr(importlib.import_module(module), function)())
    folder = Path(package.__file__).parent / (language.folder or language.name)
    facts = [folder.parent / language.shared] if language.shared else []
    facts.append(folder / "facts.scm")
    names = [folder / "names.scm", folder / f"names.{name}.scm"]
    return Grammar(
        language,
        tree_sitter.Parser(grammar),
        tree_sitter.Query(grammar, "".join(path.read_text("utf-8") for path in facts)),
        tree_sitter.Query(grammar, "".join(path.read_text("utf-8") for path in names if path.exists())),
        tree_sitter.Query(grammar, "(ERROR) @error (MISSING) @missing"),
    )
