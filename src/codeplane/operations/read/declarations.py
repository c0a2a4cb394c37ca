"""Declarations among the candidates of a name; a reader means the definition.

Declarations are prototypes in a header and the signatures of an overloaded function. A declaration is dropped only for
a definition of the same function; two definitions stay ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from codeplane.languages.registry import find
from codeplane.operations.signatures import parameters_of
from codeplane.operations.symbols.model import AmbiguousSymbol
from codeplane.query.relations import Symbol

_BRACED = frozenset({"c", "cpp", "typescript", "tsx"})
_OVERLOAD = re.compile(r"\s*@(?:\w+\.)?overload\b")


class SymbolText(NamedTuple):
    """Source text of a symbol, and its language."""

    language: str
    text: str


class DefinitionSplit(NamedTuple):
    symbols: tuple[Symbol, ...]
    declarations: tuple[Symbol, ...]
    """Declarations of those symbols."""


def split_declarations(ambiguous: AmbiguousSymbol, read: Callable[[Symbol], SymbolText | None]) -> DefinitionSplit:
    """Separate candidates that declare another candidate; otherwise all candidates are symbols."""
    candidates = ambiguous.candidates
    if ambiguous.total != len(candidates):
        return DefinitionSplit(candidates, ())
    texts = {symbol: read(symbol) for symbol in candidates}
    declared = [symbol for symbol, text in texts.items() if text is not None and _is_declaration(symbol, text)]
    defined = [symbol for symbol in candidates if symbol not in declared]
    dropped = [symbol for symbol in declared if any(_declares(symbol, other, texts[symbol]) for other in defined)]
    return DefinitionSplit(tuple(symbol for symbol in candidates if symbol not in dropped), tuple(dropped))


def _is_declaration(symbol: Symbol, source: SymbolText) -> bool:
    if source.language == "python":
        return _OVERLOAD.match(source.text) is not None
    # A signature may contain braces; the body comes after it.
    return source.language in _BRACED and "{" not in " ".join(source.text.split())[len(symbol.signature) :]


def _declares(declared: Symbol, defined: Symbol, source: SymbolText | None) -> bool:
    if (declared.lexical_path, declared.kind) != (defined.lexical_path, defined.kind) or source is None:
        return False
    language = find(source.language)
    if language is None or language.announces is None:
        return declared.path == defined.path
    return language.announces(parameters_of(declared.signature), parameters_of(defined.signature))
