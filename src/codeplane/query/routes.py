"""Uses and callers of a symbol, directly or through a base member, a constructor, or the class of a constructor.

References and the call graph both read from here, so that they list the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.links import uid_number
from codeplane.facts.model import ReferenceRole, Tier, Usage
from codeplane.languages.registry import detect
from codeplane.query.calling_scopes import find_callers_by_place, top_level
from codeplane.query.contents import list_files_with_name
from codeplane.query.enclosing import find_enclosing
from codeplane.query.files import get_file
from codeplane.query.occurrences import list_occurrences
from codeplane.query.overrides import (
    CLASSES,
    NO_OVERRIDES,
    OverriddenMembers,
    find_owner,
    is_constructor,
    list_constructors,
    list_overridden,
    list_redeclarations,
)
from codeplane.query.refs import UseRow, list_uses_of
from codeplane.query.relations import CallSites, Symbol, find_symbols, list_members
from codeplane.query.signatures import parameters_after
from codeplane.query.snapshot import Snapshot

MAX_NAME_FILES = 1_000
"""Files that are searched for unresolved uses of a name; each takes about a millisecond."""

_CALLED = frozenset({"method", "function", "property"})
"""Kinds of members that a call through a base can run"""

Place = tuple[RepoPath, int, int]


class Route(NamedTuple):
    """Another symbol through which a symbol is used."""

    symbol: Symbol
    calls_only: bool
    """True if only calls of it are uses of the symbol: naming a class does not construct an object"""
    is_possible: bool
    """True if calls of it may not be uses of the symbol"""
    except_for: frozenset[int] = frozenset()
    """Numbers of symbols; a place that calls one of them does not use the symbol"""
    is_same: bool = False
    """True if both are one property, so that a declaration of it is a use, too"""
    is_construction: bool = False
    """True if it constructs a class"""


class Routes(NamedTuple):
    symbol: Symbol
    own: tuple[int, ...]
    """Numbers of the symbol and of its declarations elsewhere"""
    others: tuple[Route, ...]
    overridden: OverriddenMembers


class NameUses(NamedTuple):
    """Occurrences of a name that are not known uses of a symbol."""

    unresolved: int
    """Occurrences that may refer to the symbol"""
    unresolved_calls: int
    """Calls among them"""
    elsewhere: int
    """Calls that are known to refer to something else"""
    skipped_files: int = 0
    """Files beyond MAX_NAME_FILES"""


def find_routes(snapshot: Snapshot, symbol: Symbol) -> Routes:
    declared = _declarations(snapshot, symbol)
    overridden = list_overridden(snapshot, symbol) if symbol.kind in _CALLED else NO_OVERRIDES
    others = [Route(member, False, member.number in overridden.possible) for member in overridden.members]
    others += [Route(member, False, False, is_same=True) for member in list_redeclarations(snapshot, symbol)]
    if symbol.kind in CLASSES:
        constructors = list_constructors(snapshot, symbol)
        others += [Route(constructor, True, False, is_construction=True) for constructor in constructors]
    elif is_constructor(symbol):
        owner = find_owner(snapshot, symbol)
        if owner is not None:
            siblings = list_constructors(snapshot, owner)
            called = frozenset(other.number for other in siblings)
            overloaded = len([other for other in siblings if other.number not in declared]) > 1
            others.append(Route(owner, True, overloaded, called))
    return Routes(symbol, (symbol.number, *declared), tuple(others), overridden)


def list_routed_uses(snapshot: Snapshot, routes: Routes) -> list[UseRow]:
    """List the places that use a symbol, by path and place; each place once, by its most direct route.

    The place of the definition and imports of other routes are left out.
    """
    found: dict[Place, UseRow] = {}
    for number in routes.own:
        for use in list_uses_of(snapshot, number):
            _merge(found, use)
    for route in routes.others:
        # `Cart.new` calls a class and its constructor at two places of a line.
        excluded = {use[:2] for number in route.except_for for use in list_uses_of(snapshot, number) if use.calls}
        excluded |= {use[:2] for use in found.values() if use.calls} if route.calls_only else set()
        for use in list_uses_of(snapshot, route.symbol.number):
            # A call without a name has no role.
            wanted = use.calls or (use.role is ReferenceRole.REFERENCE and not route.calls_only) or route.is_same
            if wanted and use[:3] not in found and use[:2] not in excluded:
                tier = min(use.tier, Tier.ANCHORED) if route.is_possible else use.tier
                # `super().__init__()` and `new Derived()` construct a class without naming it.
                found[use[:3]] = use._replace(tier=tier, via=route.symbol, names=False, renames=route.is_construction)
    return sorted(found.values(), key=lambda use: use[:3])


def list_callers(snapshot: Snapshot, routes: Routes) -> list[CallSites]:
    """List callers of a symbol: direct calls first, then calls through other symbols; each by path and place."""
    uses = [use for use in list_routed_uses(snapshot, routes) if use.calls]
    by_path: dict[RepoPath, list[UseRow]] = {}
    for use in uses:
        by_path.setdefault(use.path, []).append(use)
    grouped: dict[tuple[Symbol, Symbol | None], list[UseRow]] = {}
    for path, here in sorted(by_path.items()):
        for use, caller in zip(here, _callers_in(snapshot, path, here), strict=True):
            grouped.setdefault((caller, use.via), []).append(use)
    calls = [
        CallSites(
            caller,
            caller.path,
            tuple((use.start_line, use.start_col) for use in made),
            min(use.tier for use in made),
            via,
        )
        for (caller, via), made in grouped.items()
    ]
    return sorted(calls, key=lambda call: call.via is not None)


def _callers_in(snapshot: Snapshot, path: RepoPath, calls: Sequence[UseRow]) -> list[Symbol]:
    """Return the code of a file that runs these calls."""
    file = get_file(snapshot, path)
    if file is None:
        return [top_level(path, 0)] * len(calls)
    known = find_callers_by_place(snapshot, file.file_id)
    places = [(use.start_line, use.start_col) for use in calls]
    # A construction is listed at the name of its class, which need not be the place of the call.
    missing = [place for place in places if place not in known]
    for _, _, around in find_enclosing(snapshot, {path: missing}) if missing else ():
        numbers = [uid_number(outer.def_uid) if outer is not None else 0 for outer in around]
        symbols = find_symbols(snapshot, numbers)
        known |= {place: symbols[number] for place, number in zip(missing, numbers, strict=True) if number in symbols}
    return [known.get(place) or top_level(path, file.file_id) for place in places]


def count_name_uses(snapshot: Snapshot, routes: Routes) -> NameUses:
    """Count occurrences of the name of a symbol, in its language family, that are not known uses of it."""
    name = routes.symbol.name
    language = detect(routes.symbol.path)
    known = {use[:3] for use in list_routed_uses(snapshot, routes)}
    unresolved = calls = elsewhere = 0
    named = list_files_with_name(snapshot, name)
    files = [file for file in named if language is None or file.family == language.family]
    for file in files[:MAX_NAME_FILES]:
        for occurrence in list_occurrences(snapshot, file.file_id, name):
            if (
                occurrence.role is not ReferenceRole.REFERENCE
                or (file.path, occurrence.line, occurrence.column) in known
            ):
                continue
            is_call = occurrence.usage in (Usage.CALL, Usage.MEMBER_CALL)
            if occurrence.is_elsewhere:
                elsewhere += is_call
            else:
                unresolved += 1
                calls += is_call
    return NameUses(unresolved, calls, elsewhere, max(0, len(files) - MAX_NAME_FILES))


def _merge(found: dict[Place, UseRow], use: UseRow) -> None:
    before = found.get(use[:3])
    if before is None:
        found[use[:3]] = use
        return
    found[use[:3]] = before._replace(
        tier=max(before.tier, use.tier),
        names=before.names or use.names,
        calls=before.calls or use.calls,
        renames=before.renames or use.renames,
    )


def _encloses(owner: Symbol, member: Symbol) -> bool:
    return owner.file_id == member.file_id and owner.start_line <= member.start_line <= owner.end_line


def _declarations(snapshot: Snapshot, symbol: Symbol) -> tuple[int, ...]:
    """Return the declarations of a member that is defined outside of its class."""
    language = detect(symbol.path)
    if language is None:
        return ()
    owner = find_owner(snapshot, symbol)
    if language.announces is not None and owner is not None and not _encloses(owner, symbol):
        own = parameters_after(symbol.signature, symbol.name) or ""
        same = list_members(snapshot, owner.number, symbol.name)
        return tuple(
            other.number
            for other in same
            if language.announces(parameters_after(other.signature, other.name) or "", own)
        )
    return ()
