"""Resolution of a written form to symbols: found, ambiguous, or not found.

Every tool and command resolves symbols here, so a form that one of them prints is accepted by all others and names the
same symbol. Nothing is guessed: a name that differs only in case is a suggestion, not a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.base.symbols import symbol_ref
from codeplane.operations.symbols.forms import (
    DefinitionUid,
    FileForm,
    FileMember,
    FilePosition,
    SymbolName,
    looks_like_path,
    parse_written,
)
from codeplane.operations.symbols.lookup import SymbolCandidate, SymbolIndex
from codeplane.operations.symbols.model import AmbiguousSymbol, Resolution, SymbolNotFound, SymbolsFound
from codeplane.operations.symbols.presenter import did_you_mean
from codeplane.operations.symbols.suggestions import MAX_SUGGESTIONS, nearest_candidates, nearest_to_line
from codeplane.query.defs import split_name
from codeplane.query.relations import Symbol
from codeplane.store.codec import ORDINAL_MASK

MAX_SYMBOLS = 200
"""Maximum symbols of one name."""
MAX_CANDIDATES = 20
"""Maximum candidates of an ambiguous name."""
EXPECTED = "a name, Class.member, path#name, path:line or path:line:column"


def resolve_symbols(
    index: SymbolIndex,
    written: str,
    *,
    scope: str = "",
    kind: str | None = None,
    limit: int = MAX_SYMBOLS,
    suggest: bool = True,
) -> SymbolsFound | SymbolNotFound:
    """Return every symbol that a written form names. `scope`, a file or directory, and `kind` narrow a name.

    Raises FILE_NOT_FOUND if the form names a file that is not indexed.
    """
    text = written.strip()
    if not text:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID, "the name is empty", expected=EXPECTED, received="''", example="Cart.total"
        )
    missing: SymbolNotFound | None = None
    absent: FileForm | None = None
    for form in parse_written(text):
        found: Sequence[Symbol] = ()
        match form:
            case DefinitionUid(uid):
                found = index.by_identity(uid)
            case FileMember(path, name, line) if index.has_file(path):
                found = _find_in_file(index, path, name, line, limit)
                missing = missing or SymbolNotFound(name, _parts(name), path, kind=kind)
            case FilePosition(path, line, column) if index.has_file(path):
                found = index.at(path, line, column)
                missing = missing or SymbolNotFound(text, (), path, line, kind)
            case FileMember(path) | FilePosition(path):
                absent = form if absent is None and looks_like_path(path) else absent
            case SymbolName(name) if missing is None and absent is None:
                found, total = index.named(name, scope, kind, limit)
                if found:
                    return SymbolsFound(_distinct(found), total, len(_parts(name)) <= 1)
                missing = SymbolNotFound(name, _parts(name), scope, kind=kind)
        found = [symbol for symbol in found if kind in (None, symbol.kind)]
        if found:
            return SymbolsFound(_distinct(found), len(set(found)))
    if missing is None:
        assert absent is not None
        raise _file_not_found(index, absent)
    return with_suggestions(index, missing) if suggest else missing


def resolve_symbol(index: SymbolIndex, written: str, *, scope: str = "", kind: str | None = None) -> Resolution:
    """Return the one symbol that a written form names. A type takes precedence over its constructor."""
    found = resolve_symbols(index, written, scope=scope, kind=kind)
    if isinstance(found, SymbolNotFound):
        return found
    symbols = _without_constructors(found.symbols)
    total = found.total - (len(found.symbols) - len(symbols))
    if total == 1:
        return SymbolsFound(tuple(symbols), 1, found.is_bare_name)
    symbols.sort(
        key=lambda each: (each.lexical_path.count("."), each.path, each.start_line, each.end_line, each.lexical_path)
    )
    return AmbiguousSymbol(written.strip(), tuple(symbols[:MAX_CANDIDATES]), total)


def with_suggestions(index: SymbolIndex, missing: SymbolNotFound) -> SymbolNotFound:
    """Add suggestions."""
    if missing.line is not None:
        near = nearest_to_line(index.file_candidates(missing.scope), missing.line)[:_NEAR_LINES]
        return replace(missing, suggestions=_references(near))
    if not missing.parts:
        return missing
    candidates = index.candidates(missing.parts, missing.scope)
    nearest = nearest_candidates(candidates, missing.parts, missing.scope, missing.kind)
    return replace(missing, suggestions=_references(nearest))


_NEAR_LINES = 2


def _find_in_file(index: SymbolIndex, path: RepoPath, name: str, line: int | None, limit: int) -> list[Symbol]:
    """Find by lexical path, else by name; among several, those that start on the line."""
    found = index.in_file(path, name) or index.named(name, path, None, limit)[0]
    return [symbol for symbol in found if symbol.start_line == line] or found


def _parts(name: str) -> tuple[str, ...]:
    return tuple(split_name(name))


def _distinct(symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    return tuple(dict.fromkeys(symbols))


def _without_constructors(symbols: Sequence[Symbol]) -> list[Symbol]:
    types = {(symbol.path, symbol.row_id & ORDINAL_MASK) for symbol in symbols}
    return [symbol for symbol in symbols if symbol.kind != "constructor" or (symbol.path, symbol.parent) not in types]


def _references(candidates: Sequence[SymbolCandidate]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(symbol_ref(each.path, each.lexical_path) for each in candidates))[:MAX_SUGGESTIONS]


def _file_not_found(index: SymbolIndex, form: FileForm) -> CodePlaneError:
    """Return the error for a symbol of an unindexed file, with likely alternatives."""
    nearest = index.nearest_files(form.path)
    meant: list[str] = []
    if isinstance(form, FilePosition):
        meant = [f"{each}:{form.line}" for each in nearest]
    elif parts := _parts(form.name):
        exact = [each for each in index.candidates(parts, "") if list(each.qualified[-len(parts) :]) == list(parts)]
        exact.sort(key=lambda each: (each.path not in nearest, each.path, each.line))
        meant = list(_references(exact)) or list(nearest)
    return CodePlaneError(
        ErrorCode.FILE_NOT_FOUND,
        f"'{display(form.path)}' is not an indexed file{did_you_mean(meant)}",
        details={"nearest": list(nearest)} if nearest else None,
        expected=None if meant else "the path of an indexed file",
        received=display(form.path),
    )
