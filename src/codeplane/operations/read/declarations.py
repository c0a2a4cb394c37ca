"""One function that is declared in some places and defined in another: the definition is what a reader means.

Declarations are prototypes in a header and the signatures of an overloaded function. A declaration gives way only to a
definition of the same function; two definitions stay two.
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
    """A symbol as it is written, and in which language."""

    language: str
    text: str


class DefinitionSplit(NamedTuple):
    symbols: tuple[Symbol, ...]
    declarations: tuple[Symbol, ...]
    """Declarations of those symbols."""


def split_declarations(ambiguous: AmbiguousSymbol, read: Callable[[Symbol], SymbolText | None]) -> DefinitionSplit:
    """Candidates that are definitions, if the other candidates are declarations of them; otherwise all candidates."""
    candidates = ambiguous.candidates
    if ambiguous.total != len(candidates):
        return DefinitionSplit(candidates, ())
    texts = {symbol: read(symbol) for symbol in candidates}
    declared = [symbol for symbol, text in texts.items() if text is not None and _is_declaration(symbol, text)]
    defined = [symbol for symbol in candidates if symbol not in declared]
    given = [symbol for symbol in declared if any(_declares(symbol, other, texts[symbol]) for other in defined)]
    return DefinitionSplit(tuple(symbol for symbol in candidates if symbol not in given), tuple(given))


def _is_declaration(symbol: Symbol, written: SymbolText) -> bool:
    if written.language == "python":
        return _OVERLOAD.match(written.text) is not None
    # A signature may hold braces; a body lies behind it.
    return written.language in _BRACED and "{" not in " ".join(written.text.split())[len(symbol.signature) :]


def _declares(declared: Symbol, defined: Symbol, written: SymbolText | None) -> bool:
    if (declared.lexical_path, declared.kind) != (defined.lexical_path, defined.kind) or written is None:
        return False
    language = find(written.language)
    if language is None or language.announces is None:
        return declared.path == defined.path
    return language.announces(parameters_of(declared.signature), parameters_of(defined.signature))
