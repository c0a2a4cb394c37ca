"""Grammars and compiled queries, loaded once per process."""

from __future__ import annotations

import importlib
from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tree_sitter

import codeplane.languages as package
from codeplane.base.limits import MAX_PROBLEMS_PER_FILE
from codeplane.facts.model import Problem
from codeplane.languages.registry import by_name
from codeplane.languages.spec import Language
from codeplane.processes.confinement import cpu_limit_paused


class Grammar(NamedTuple):
    language: Language
    parser: tree_sitter.Parser
    facts: tree_sitter.Query
    names: tree_sitter.Query
    errors: tree_sitter.Query
    flow: tree_sitter.Query | None = None
    """None if the language has no flow query."""


@cache
def load(name: str) -> Grammar:
    """Return a grammar with its queries. Compiling them does not count towards the CPU limit of a file."""
    with cpu_limit_paused():
        return _load(name)


def _load(name: str) -> Grammar:
    language = by_name(name)
    grammar = _compiled(language.grammar)
    folder = Path(package.__file__).parent / (language.folder or language.name)
    facts = [folder.parent / language.shared] if language.shared else []
    facts.append(folder / "facts.scm")
    names = [folder / "names.scm", folder / f"names.{name}.scm"]
    shared = [folder.parent / language.shared.replace(".scm", ".flow.scm")] if language.shared else []
    flow = [path for path in (*shared, folder / "flow.scm", folder / f"flow.{name}.scm") if path.exists()]
    return Grammar(
        language,
        tree_sitter.Parser(grammar),
        tree_sitter.Query(grammar, "".join(path.read_text("utf-8") for path in facts)),
        tree_sitter.Query(grammar, "".join(path.read_text("utf-8") for path in names if path.exists())),
        tree_sitter.Query(grammar, _FLAWS),
        tree_sitter.Query(grammar, "".join(path.read_text("utf-8") for path in flow)) if flow else None,
    )


class Reader(NamedTuple):
    parser: tree_sitter.Parser
    errors: tree_sitter.Query
    flow: tree_sitter.Query | None = None
    """None if the language has no flow query."""


@cache
def load_reader(grammar: str) -> Reader:
    """Return a grammar without queries, for languages that read their syntax trees themselves."""
    with cpu_limit_paused():
        language = _compiled(grammar)
        return Reader(tree_sitter.Parser(language), tree_sitter.Query(language, _FLAWS))


def read_problems(
    errors: tree_sitter.Query, root: tree_sitter.Node, starts: list[int] | None = None
) -> tuple[Problem, ...]:
    """Return the syntax errors. `starts` are the line starts of the original source; a repaired one has others."""
    if not root.has_error:
        return ()
    captures = tree_sitter.QueryCursor(errors).captures(root)
    lines = sorted(
        {
            (node.start_point[0] + 1 if starts is None else bisect_right(starts, node.start_byte), kind)
            for kind, nodes in captures.items()
            for node in nodes
        }
    )
    messages = {"error": "the parser could not read this", "missing": "something is missing here"}
    return tuple(Problem(f"syntax_{kind}", line, messages[kind]) for line, kind in lines[:MAX_PROBLEMS_PER_FILE])


_FLAWS = "(ERROR) @error (MISSING) @missing"


@cache
def _compiled(grammar: str) -> tree_sitter.Language:
    module, _, function = grammar.partition(":")
    return tree_sitter.Language(getattr(importlib.import_module(module), function)())
