"""Resolution of a written form to symbols: found, ambiguous, or not found.

Every tool and command resolves symbols here, so a form that one of them prints is accepted by all others and names the
same symbol. Nothing is guessed: a name that differs only in case is a suggestion, not a match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from codeplane.base.edit_distance import edit_distance
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, is_inside
from codeplane.base.symbols import symbol_ref
from codeplane.facts.words import name_key
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


MAX_SUGGESTIONS = 5

_STYLE = 1
"""Cost of another case or style of the same name: `totalPrice` for `total_price`."""
_PREFIX = 2
"""Cost of a name that the written one is a prefix of; the same as one edit."""
_WRONG_QUALIFIER = 4
_ELSEWHERE = 2
"""Cost of being outside of the requested file, directory or kind."""
_MAX_COST = 6
_MIN_PREFIX = 2


def nearest_candidates(
    candidates: Iterable[SymbolCandidate], parts: Sequence[str], scope: str, kind: str | None
) -> list[SymbolCandidate]:
    """Return the candidates of the lowest cost, by length of name, nesting, path and line."""
    costs: dict[SymbolCandidate, int] = {}
    for candidate in dict.fromkeys(candidates):
        # The type of that name is suggested instead.
        if candidate.kind == "constructor" and candidate.name in candidate.qualified[:-1]:
            continue
        cost = _cost(candidate, parts, scope, kind)
        if cost is not None and cost <= _MAX_COST:
            costs[candidate] = cost
    if not costs:
        return []
    least = min(costs.values())
    return sorted(
        (candidate for candidate, cost in costs.items() if cost == least),
        key=lambda candidate: (
            len(candidate.name),
            candidate.lexical_path.count("."),
            candidate.path,
            candidate.line,
            candidate.lexical_path,
        ),
    )


def nearest_to_line(candidates: Iterable[SymbolCandidate], line: int) -> list[SymbolCandidate]:
    """Sort symbols by distance from a line outside of them; at equal distance, the one below comes first."""

    def key(candidate: SymbolCandidate) -> tuple[int, bool, int, int, str]:
        is_above = candidate.line <= line
        distance = line - candidate.end_line if is_above else candidate.line - line
        return distance, is_above, candidate.lexical_path.count("."), candidate.line, candidate.lexical_path

    return sorted(candidates, key=key)


def _cost(candidate: SymbolCandidate, parts: Sequence[str], scope: str, kind: str | None) -> int | None:
    name = _name_cost(parts[-1], candidate.name)
    if name is None:
        return None
    cost = name + _qualifier_cost(parts[:-1], candidate.qualified[:-1])
    cost += 0 if is_inside(candidate.path, scope) else _ELSEWHERE
    return cost + (0 if kind in (None, candidate.kind) else _ELSEWHERE)


def _name_cost(written: str, other: str) -> int | None:
    """Return the cost between two names; None if they are unrelated."""
    if written == other:
        return 0
    key, other_key = name_key(written), name_key(other)
    if not key or not other_key:
        return None
    if key == other_key:
        return _STYLE
    costs = [_PREFIX] if len(key) >= _MIN_PREFIX and other_key.startswith(key) else []
    allowed = 2 if min(len(key), len(other_key)) >= 6 else 1 if max(len(key), len(other_key)) >= 4 else 0
    if abs(len(key) - len(other_key)) <= allowed:
        edits = edit_distance(key, other_key)
        # A class is rarely misspelled as a function or module with the same letters.
        other_case = written[:1].isupper() != other[:1].isupper()
        costs += [_STYLE + edits + other_case] if edits <= allowed else []
    return min(costs, default=None)


def _qualifier_cost(written: Sequence[str], own: Sequence[str]) -> int:
    """Return the cost between qualifiers, compared from the innermost as far as both have some."""
    if not written:
        return 0
    if not own:
        return _WRONG_QUALIFIER
    total = 0
    for one, other in zip(reversed(written), reversed(own), strict=False):
        cost = _name_cost(one, other)
        total += _WRONG_QUALIFIER if cost is None else cost
    return min(total, _WRONG_QUALIFIER)
