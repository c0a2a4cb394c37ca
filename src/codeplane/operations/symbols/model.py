"""Results of the symbol resolver."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.query.relations import Symbol


@dataclass(frozen=True)
class SymbolsFound:
    symbols: tuple[Symbol, ...]
    """By path and line."""
    total: int
    """Total; more than `symbols` if those were truncated."""
    is_bare_name: bool = False
    """True for a plain name, which means all symbols of that name."""


@dataclass(frozen=True)
class AmbiguousSymbol:
    """Several symbols where one is needed."""

    written: str
    candidates: tuple[Symbol, ...]
    """Least nested first, as they are meant more often."""
    total: int


@dataclass(frozen=True)
class SymbolNotFound:
    name: str
    """Written form without its file."""
    parts: tuple[str, ...]
    scope: str = ""
    """File or directory that was searched."""
    line: int | None = None
    """Line of `scope` outside of every symbol, if a position was written."""
    kind: str | None = None
    suggestions: tuple[str, ...] = ()
    """References of similar symbols, nearest first."""


Resolution = SymbolsFound | AmbiguousSymbol | SymbolNotFound
