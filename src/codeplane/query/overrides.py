"""Members that override or implement each other: what a call through a base class or an interface can run.

Declared bases are stored edges (`bases`). Structural types (Go interfaces, Python protocols and, where a class declares
none, TypeScript interfaces) are compared by their members in `structural`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from codeplane.base.paths import parent
from codeplane.facts.links import uid_number
from codeplane.query.relations import (
    DEFINITIONS,
    Symbol,
    find_symbols,
    list_bases,
    list_derived,
    list_hierarchy,
    list_members,
    symbol_from_row,
)
from codeplane.query.signatures import count_parameters
from codeplane.query.snapshot import Snapshot
from codeplane.query.structural import TYPESCRIPT, list_implementations, list_literal_candidates, list_satisfied_members
from codeplane.store.codec import row_range

MAX_DERIVED = 100
"""Derived classes that are searched for interfaces of an inherited member"""
CLASSES = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object", "type", "module"})
"""Kinds with members"""
CONSTRUCTORS = frozenset({"__init__", "__new__", "__construct", "initialize", "constructor"})
"""Names of constructors, where the kind does not tell"""
_METHODS = frozenset({"method", "function", "property", "field"})
_OVERLOADING = frozenset({"java", "kotlin", "csharp", "cpp"})
"""Languages in which members are overloaded by their number of parameters"""
_BY_MEMBER = frozenset({"go", "rust"})
"""Languages without inheritance: interfaces and traits are implemented"""
_C_FAMILY = frozenset({"c", "cpp"})
_OPEN_CLASSES = frozenset({"csharp", "ruby"})
"""Languages in which a class can have several definitions"""


class OverriddenMembers(NamedTuple):
    members: tuple[Symbol, ...]
    """Members that a member overrides or implements, the nearest first"""
    possible: frozenset[int]
    """Numbers of those that it may implement: nothing declares it"""
    outside: bool
    """True if it implements a member from outside the repository"""
    open: bool
    """True if a base from outside the repository may declare the member"""


class OverrideFamily(NamedTuple):
    overrides: list[Symbol]
    """Members that a member overrides or implements, the nearest first"""
    overridden_by: list[Symbol]
    """Members that override it, or override the same members"""
    open: bool
    """True if a base from outside the repository may declare the member"""


NO_OVERRIDES = OverriddenMembers((), frozenset(), False, False)


def is_constructor(symbol: Symbol) -> bool:
    return symbol.kind == "constructor" or (symbol.kind == "method" and symbol.name in CONSTRUCTORS)


def list_constructors(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    """List the constructors that a class defines itself."""
    if symbol.kind not in CLASSES:
        return []
    rows = [member for part in list_parts(snapshot, symbol) for member in list_members(snapshot, part.number)]
    return [member for member in rows if is_constructor(member)]


def find_owner(snapshot: Snapshot, symbol: Symbol) -> Symbol | None:
    """Return the class of a member, also if the member is defined outside of it."""
    if symbol.parent is not None:
        owner_row = snapshot.reader.row(
            "SELECT def_uid FROM defs WHERE def_id = ?", (row_range(symbol.file_id)[0] | symbol.parent,)
        )
        found = find_symbols(snapshot, [uid_number(str(owner_row[0]))]) if owner_row is not None else {}
        outer = next(iter(found.values()), None)
        if outer is None or outer.kind in CLASSES - {"module"} or not _is_out_of_line(symbol, outer):
            return outer if outer is not None and outer.kind in CLASSES else None
    head = symbol.lexical_path[: -len(symbol.name) - 1]
    if not head or symbol.kind not in _METHODS | {"constructor"}:
        return None
    language = _language(snapshot, symbol)
    candidates = [
        other
        for other in _defined(snapshot, head)
        if other.kind in CLASSES and other.kind != "module" and _related(_language(snapshot, other), language)
    ]
    folder = parent(symbol.path)
    near = [other for other in candidates if parent(other.path) == folder]
    return next(iter(sorted(near or candidates, key=lambda other: (other.path != symbol.path, other.path))), None)


def _is_out_of_line(symbol: Symbol, outer: Symbol) -> bool:
    """True for a member whose class is not around it: `namespace app { void Widget::draw() {} }`."""
    return outer.kind == "module" and symbol.lexical_path != f"{outer.lexical_path}.{symbol.name}"


def list_overridden(snapshot: Snapshot, symbol: Symbol) -> OverriddenMembers:
    """List the members that a member overrides or implements; a call of one of them may run it."""
    if symbol.kind not in _METHODS or is_constructor(symbol) or _is_private(symbol):
        return NO_OVERRIDES
    own, outside = list_bases(snapshot, symbol.number)
    language = _language(snapshot, symbol)
    named = find_symbols(snapshot, own)
    members = {number: member for number, member in named.items() if _same_arity(language, member, symbol)}
    owner = find_owner(snapshot, symbol)
    possible: dict[int, Symbol] = {}
    is_open = False
    if owner is not None and language not in _BY_MEMBER:
        above, beside, is_open = _inherited(snapshot, owner, symbol)
        members |= {member.number: member for member in above}
        possible |= {member.number: member for member in beside if member.number not in members}
    if owner is not None:
        certain, maybe = list_satisfied_members(snapshot, language, owner, symbol, bool(members))
        members |= {member.number: member for member in certain}
        possible |= {member.number: member for member in maybe if member.number not in members}
    elif language in TYPESCRIPT:
        possible = {member.number: member for member in list_literal_candidates(snapshot, symbol)}
    members.pop(symbol.number, None)
    possible.pop(symbol.number, None)
    return OverriddenMembers((*members.values(), *possible.values()), frozenset(possible), outside, is_open)


def list_overriding(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    """List the members that override or implement a member."""
    if symbol.kind not in _METHODS or is_constructor(symbol) or _is_private(symbol):
        return []
    numbers = list_derived(snapshot, symbol.number)
    members = find_symbols(snapshot, numbers)
    found = {number: members[number] for number in numbers if number in members}
    owner = find_owner(snapshot, symbol)
    language = _language(snapshot, symbol)
    if owner is not None and language not in _BY_MEMBER:
        below = _hierarchy(snapshot, list_parts(snapshot, owner), up=False)[0]
        for part in _parts_of_all(snapshot, below, language):
            found |= {member.number: member for member in list_members(snapshot, part, symbol.name)}
    if owner is not None:
        found |= {member.number: member for member in list_implementations(snapshot, language, owner, symbol)}
    found.pop(symbol.number, None)
    return [member for member in found.values() if _same_arity(language, member, symbol)]


def find_family(snapshot: Snapshot, symbol: Symbol) -> OverrideFamily | None:
    """Return what a member overrides and what overrides it; None for a definition that is not a member."""
    if find_owner(snapshot, symbol) is None:
        return None
    above = list_overridden(snapshot, symbol)
    certain = [member for member in above.members if member.number not in above.possible]
    below: dict[int, Symbol] = {}
    for top in (symbol, *certain):
        below |= {member.number: member for member in list_overriding(snapshot, top)}
    own = {symbol.number, *(member.number for member in certain)}
    others = [member for number, member in below.items() if number not in own]
    return OverrideFamily(certain, others, above.open or above.outside)


def list_redeclarations(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    """List the properties of related TypeScript types that are the same property: a value has it once."""
    if symbol.kind not in ("property", "field") or _language(snapshot, symbol) not in TYPESCRIPT:
        return []
    family = find_family(snapshot, symbol)
    return [*family.overrides, *family.overridden_by] if family is not None else []


def _inherited(snapshot: Snapshot, owner: Symbol, symbol: Symbol) -> tuple[list[Symbol], list[Symbol], bool]:
    """Return members of bases, and those beside the class: of another base of a derived class without the member.

    A derived class may implement an interface by an inherited member. Of two classes only the one that comes first in
    the method resolution order has its member run, never a base of the other.
    """
    language = _language(snapshot, symbol)
    parts = list_parts(snapshot, owner)
    above, is_open = _hierarchy(snapshot, parts, up=True)
    below = _hierarchy(snapshot, parts, up=False)[0]
    beside: list[int] = []
    for number in below[:MAX_DERIVED]:
        if not list_members(snapshot, number, symbol.name):
            beside += list_hierarchy(snapshot, number, up=True)[0]
    own = {part.number for part in parts}
    members = _members_of(snapshot, language, [number for number in above if number not in own], symbol)
    others = [number for number in dict.fromkeys(beside) if number not in own.union(above, below)]
    classes = find_symbols(snapshot, others)
    plain = {number for number in others if number in classes and classes[number].kind == "class"}
    members += _members_of(snapshot, language, [number for number in others if number not in plain], symbol)
    return members, _members_of(snapshot, language, [number for number in others if number in plain], symbol), is_open


def _members_of(snapshot: Snapshot, language: str, classes: Sequence[int], symbol: Symbol) -> list[Symbol]:
    """Return the members of classes that a member overrides or implements."""
    found = [
        member
        for number in _parts_of_all(snapshot, classes, language)
        for member in list_members(snapshot, number, symbol.name)
        if _same_arity(language, member, symbol)
    ]
    return [member for member in found if _is_dispatched(language, member, symbol)]


def _hierarchy(snapshot: Snapshot, parts: Iterable[Symbol], *, up: bool) -> tuple[list[int], bool]:
    found: dict[int, None] = {}
    is_open = False
    for part in parts:
        classes, unknown = list_hierarchy(snapshot, part.number, up=up)
        found |= dict.fromkeys(classes)
        is_open = is_open or unknown
    return list(found), is_open


def list_parts(snapshot: Snapshot, owner: Symbol) -> list[Symbol]:
    """Return all definitions of a partial or reopened class."""
    if _language(snapshot, owner) not in _OPEN_CLASSES:
        return [owner]
    same = [other for other in _defined(snapshot, owner.lexical_path) if other.kind == owner.kind]
    return [other for other in same if _language(snapshot, other) == _language(snapshot, owner)] or [owner]


def _parts_of_all(snapshot: Snapshot, numbers: Iterable[int], language: str) -> list[int]:
    if language not in _OPEN_CLASSES:
        return list(numbers)
    classes = find_symbols(snapshot, list(numbers))
    found = [part.number for number in numbers if number in classes for part in list_parts(snapshot, classes[number])]
    return list(dict.fromkeys(found))


def _defined(snapshot: Snapshot, lexical_path: str) -> list[Symbol]:
    return [
        symbol_from_row(row)
        for row in snapshot.reader.rows(
            f"{DEFINITIONS} WHERE lower(defs.name) = lower(?1) AND lexical_path = ?2 ORDER BY path, def_id",
            (lexical_path.rpartition(".")[2], lexical_path),
        )
    ]


def _language(snapshot: Snapshot, symbol: Symbol) -> str:
    row = snapshot.reader.row("SELECT language FROM files WHERE file_id = ?", (symbol.file_id,))
    return str(row[0] or "") if row is not None else ""


def _related(language: str, other: str) -> bool:
    return language == other or {language, other} <= _C_FAMILY


def _same_arity(language: str, member: Symbol, symbol: Symbol) -> bool:
    return language not in _OVERLOADING or (
        count_parameters(member.signature, member.name) == count_parameters(symbol.signature, symbol.name)
    )


def _is_dispatched(language: str, base: Symbol, symbol: Symbol) -> bool:
    """True if a call through the base runs the member; in C++ only for virtual functions."""
    if language != "cpp":
        return True
    return any(word in f"{base.signature} {symbol.signature}".split() for word in ("virtual", "override", "final"))


def _is_private(symbol: Symbol) -> bool:
    return symbol.name.startswith("__") and not symbol.name.endswith("__")
