"""The definition that runs a call: the innermost function or class whose body contains it.

A decorator, a default value and the value of a variable are evaluated by the code around the definition, so the
place of a call alone does not tell; the scope that extraction recorded does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codeplane.facts.model import Scope
from codeplane.query.enclosing import EnclosingDef, Place, find_enclosing
from codeplane.query.rows import find_block, find_links
from codeplane.query.snapshot import Snapshot

_BODIES = frozenset({"function", "lambda", "closure", "class"})
"""Kinds of scopes that are the body of a definition or of a function without a name"""


def find_calling_definitions(snapshot: Snapshot, file_id: int) -> dict[Place, EnclosingDef | None]:
    """Map the place of every resolved call of a file to the definition that runs it; None for its top level."""
    scopes = {(line, column): scope for scope, line, column, *_ in find_links(snapshot, file_id).calls}
    callers = find_scope_definitions(snapshot, file_id, sorted(set(scopes.values())))
    return {place: callers.get(scope) for place, scope in scopes.items()}


def find_scope_definitions(
    snapshot: Snapshot, file_id: int, numbers: Sequence[int]
) -> Mapping[int, EnclosingDef | None]:
    """Map scopes of a file to the definitions whose bodies contain them; None for the top level."""
    block = find_block(snapshot, file_id)
    if block is None:
        return {}
    starts = {number: _body_start(block.facts.scopes, number) for number in numbers}
    places = sorted({start for start in starts.values() if start is not None})
    found: dict[Place | None, EnclosingDef | None] = {}
    for _, _, enclosing in find_enclosing(snapshot, {block.path: places}):
        found.update(zip(places, enclosing, strict=True))
    return {number: found.get(start) for number, start in starts.items()}


def _body_start(scopes: Sequence[Scope], number: int) -> Place | None:
    scope = scopes[number]
    while scope.parent is not None:
        if scope.kind in _BODIES:
            return scope.start_line, scope.start_col
        scope = scopes[scope.parent]
    return None
