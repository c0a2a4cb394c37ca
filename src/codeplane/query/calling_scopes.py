"""The code that runs a call: the innermost function or class whose body contains it, a lambda, or a file's top level.

A decorator, a default value and the value of a variable are evaluated by the code around the definition, so the
place of a call alone does not tell; the scope that extraction recorded does. A lambda is a caller of its own if its
calls are known; otherwise what it calls counts as called by the code around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from codeplane.base.paths import RepoPath
from codeplane.facts.links import Links, uid_number
from codeplane.facts.model import Scope
from codeplane.query.enclosing import Place, find_enclosing
from codeplane.query.relations import FILE, LAMBDA, Symbol, find_symbols
from codeplane.query.rows import FileBlock, find_block, find_links
from codeplane.query.snapshot import Snapshot

LAMBDA_NAME = "<lambda>"
_BODIES = frozenset({"function", "lambda", "closure", "class"})
"""Kinds of scopes that are the body of a definition or of a function without a name"""


def top_level(path: RepoPath, file_id: int) -> Symbol:
    """Return the top level of a file as a caller."""
    return Symbol(path, 1, 0, FILE, path, "", "", "", 1, 1, None, file_id)


def find_callers_by_place(snapshot: Snapshot, file_id: int) -> dict[Place, Symbol]:
    """Map the place of every resolved call of a file to the code that runs it."""
    links = find_links(snapshot, file_id)
    scopes = {(line, column): scope for scope, line, column, *_ in links.calls}
    callers = find_callers_by_scope(snapshot, file_id, links, scopes.values())
    return {place: callers[scope] for place, scope in scopes.items() if scope in callers}


def find_callers_by_scope(
    snapshot: Snapshot, file_id: int, links: Links, numbers: Iterable[int]
) -> Mapping[int, Symbol]:
    """Map scopes of a file to the code that runs their calls."""
    block = find_block(snapshot, file_id)
    if block is None:
        return {}
    called = {scope for *_, scope in links.lambdas}
    chains = {number: _bodies(block.facts.scopes, number, called) for number in numbers}
    places = sorted({_start(block, chain[-1]) for chain in chains.values() if chain[-1]})
    definitions: dict[Place, int] = {}
    for _, _, enclosing in find_enclosing(snapshot, {block.path: places}):
        found = zip(places, enclosing, strict=True)
        definitions = {place: uid_number(each.def_uid) for place, each in found if each is not None}
    symbols = find_symbols(snapshot, definitions.values())
    callers: dict[int, Symbol] = {}
    for number, (*lambdas, outer) in chains.items():
        around = symbols.get(definitions.get(_start(block, outer), 0)) if outer else None
        callers[number] = around or top_level(block.path, file_id)
        for each in reversed(lambdas):
            callers[number] = _lambda(block, each, callers[number])
    return callers


def is_lambda_of(symbol: Symbol, outer: Symbol) -> bool:
    """True for a lambda directly in the code of a function, class, lambda or file."""
    is_inside = outer.kind == FILE or outer.start_line <= symbol.line <= outer.end_line
    return is_inside and symbol != outer and symbol.lexical_path == _lambda_path(outer)


def _bodies(scopes: Sequence[Scope], number: int, called: set[int]) -> list[int]:
    """Return the called lambdas around a scope, from the inside, and the body around them; 0 for the top level."""
    found: list[int] = []
    while (parent := scopes[number].parent) is not None:
        if number in called:
            found.append(number)
        elif scopes[number].kind in _BODIES:
            return [*found, number]
        number = parent
    return [*found, 0]


def _start(block: FileBlock, number: int) -> Place:
    scope = block.facts.scopes[number]
    return scope.start_line, scope.start_col


def _lambda(block: FileBlock, number: int, outer: Symbol) -> Symbol:
    scope = block.facts.scopes[number]
    place = (scope.start_line, scope.start_col)
    lines = (scope.start_line, scope.end_line)
    return Symbol(block.path, *place, LAMBDA, LAMBDA_NAME, _lambda_path(outer), "", "", *lines, None, block.file_id)


def _lambda_path(outer: Symbol) -> str:
    return f"{outer.lexical_path}.{LAMBDA_NAME}".removeprefix(".")
