"""Definitions by any written form of a symbol, for `cpl defs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import normalize
from codeplane.operations.missing_paths import nothing_indexed
from codeplane.operations.refs import Reads
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.operations.symbols.resolve import resolve_symbols, with_suggestions
from codeplane.query.defs import DefRow, get_def, list_kinds
from codeplane.query.files import get_file, list_files
from codeplane.query.relations import Symbol
from codeplane.query.snapshot import Snapshot, check_limit
from codeplane.workspace.freshness import FreshResult


@dataclass(frozen=True)
class Definition:
    symbol: Symbol
    row: DefRow | None
    """None for an attribute that a method assigns."""


class DefinitionPage(NamedTuple):
    definitions: tuple[Definition, ...]
    """By path and line."""
    total: int


def find_definitions(
    reads: Reads, written: str, kind: str | None = None, path: str | None = None, limit: int = 20
) -> FreshResult[DefinitionPage | SymbolNotFound]:
    """Return definitions of the named symbols; `kind` and `path`, a file or directory, narrow a name."""
    check_limit(limit)
    inside = normalize(path) if path else ""

    def ask(snapshot: Snapshot) -> DefinitionPage | SymbolNotFound:
        index = IndexedSymbols(snapshot)
        found = resolve_symbols(index, written, scope=inside, kind=kind, limit=limit, suggest=False)
        if isinstance(found, SymbolNotFound):
            _check_filters(snapshot, kind, inside)
            return with_suggestions(index, found)
        symbols = found.symbols[:limit]
        definitions = tuple(Definition(symbol, get_def(snapshot, symbol.def_uid)) for symbol in symbols)
        return DefinitionPage(definitions, found.total)

    return reads(ask)


def _check_filters(snapshot: Snapshot, kind: str | None, directory: str) -> None:
    """Reject filters that nothing can pass."""
    kinds = list_kinds(snapshot) if kind is not None else ()
    if kind is not None and kind not in kinds:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"no definition of kind '{kind}'",
            expected=", ".join(kinds),
            received=kind,
            example="cpl defs main --kind function",
        )
    if directory and get_file(snapshot, directory) is None and not list_files(snapshot, 1, directory).total:
        raise nothing_indexed(directory)
