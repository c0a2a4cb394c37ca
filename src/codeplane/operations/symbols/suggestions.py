"""Suggestions for a misspelled name, nearest first.

Every candidate has a cost: edits in the name, edits in its qualifiers, and a penalty outside of the requested scope or
kind. Only candidates of the lowest cost are suggested, so a clear misspelling gets one suggestion, not a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codeplane.base.edit_distance import edit_distance
from codeplane.base.paths import is_inside
from codeplane.facts.words import name_key
from codeplane.operations.symbols.lookup import SymbolCandidate

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
