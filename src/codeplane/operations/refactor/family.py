"""The symbols that must be renamed together: overrides, overloads, redeclarations, parts of a type, its constructors.

A value has one member of a name, so every class of a hierarchy that declares it is part of the family; a base outside
of the repository leaves it open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.languages.registry import detect
from codeplane.languages.spec import VALUE, Language
from codeplane.query.defs import get_def
from codeplane.query.overrides import (
    CLASSES,
    find_family,
    find_owner,
    list_constructors,
    list_parts,
    list_redeclarations,
)
from codeplane.query.relations import (
    ATTRIBUTE,
    Symbol,
    find_symbols,
    find_symbols_in_file,
    list_attributes_named,
    list_hierarchy,
    list_members,
)
from codeplane.query.routes import find_routes
from codeplane.query.snapshot import Snapshot

MAX_SYMBOLS = 500
_CALLABLE = frozenset({"function", "method", "constructor"})


class SymbolFamily(NamedTuple):
    symbols: tuple[Symbol, ...]
    """The requested one first"""
    owners: tuple[Symbol, ...]
    """The classes of its members"""
    open: bool
    """True if a base outside of the repository may declare the member"""

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(symbol.number for symbol in self.symbols)

    @property
    def is_member(self) -> bool:
        return bool(self.owners)


def find_symbol_family(snapshot: Snapshot, symbol: Symbol) -> SymbolFamily:
    found = {symbol.number: symbol}
    owners: dict[int, Symbol] = {}
    waiting = [symbol]
    is_open = False
    while waiting:
        each = waiting.pop()
        owner = find_owner(snapshot, each)
        if owner is not None and each.kind not in CLASSES:
            owners[owner.number] = owner
        related = [*_same_definition(snapshot, each), *_same_type(snapshot, each, owner)]
        if owner is not None and not _is_hidden(snapshot, each):
            family = find_family(snapshot, each)
            related += [*family.overrides, *family.overridden_by] if family is not None else []
            related += _same_attribute(snapshot, each, owner)
            is_open = is_open or (family is not None and family.open)
        fresh = [other for other in related if other.number not in found and other.name == each.name]
        found |= {other.number: other for other in fresh}
        waiting += fresh
        if len(found) > MAX_SYMBOLS:
            raise CodePlaneError(
                ErrorCode.LANGUAGE_UNSUPPORTED,
                f"'{symbol.name}' has more than {MAX_SYMBOLS} definitions that belong together",
                remedy="Rename it by editing: write_source with pattern.",
            )
    return SymbolFamily(tuple(found.values()), tuple(owners.values()), is_open)


def _same_definition(snapshot: Snapshot, symbol: Symbol) -> Iterator[Symbol]:
    """Yield what defines the same name of the same file again: overloads, setters, alternatives, declarations."""
    language = detect(symbol.path)
    for other in find_symbols_in_file(snapshot, symbol.path, symbol.lexical_path):
        if other.parent == symbol.parent and (language is None or not _are_separate(language, symbol, other)):
            yield other
    if symbol.kind != ATTRIBUTE:
        yield from find_symbols(snapshot, find_routes(snapshot, symbol).own).values()
        yield from list_redeclarations(snapshot, symbol)


def _same_type(snapshot: Snapshot, symbol: Symbol, owner: Symbol | None) -> Iterator[Symbol]:
    """Yield the other parts of a type, and its constructors if they bear its name."""
    if symbol.kind in CLASSES:
        yield from list_parts(snapshot, symbol)
        yield from list_constructors(snapshot, symbol)
    elif symbol.kind == "constructor" and owner is not None and owner.name == symbol.name:
        yield owner


def _same_attribute(snapshot: Snapshot, symbol: Symbol, owner: Symbol) -> Iterator[Symbol]:
    """Yield the members and attributes of this name in bases and derived classes, where an object has one of a name."""
    language = detect(symbol.path)
    if language is None or not language.attributes_through:
        return
    classes = {owner.number}
    for up in (True, False):
        classes.update(list_hierarchy(snapshot, owner.number, up=up)[0])
    for number in sorted(classes):
        yield from list_members(snapshot, number, symbol.name)
    for attribute in list_attributes_named(snapshot, symbol.name):
        holder = find_owner(snapshot, attribute)
        if holder is not None and holder.number in classes:
            yield attribute


def _are_separate(language: Language, symbol: Symbol, other: Symbol) -> bool:
    """True if a callable and a value of one name do not meet (Java's fields and methods)."""
    if language.call_namespace == VALUE:
        return False
    return (symbol.kind in _CALLABLE) != (other.kind in _CALLABLE)


def _is_hidden(snapshot: Snapshot, symbol: Symbol) -> bool:
    """True for a member that a derived class cannot see, so that a namesake there is another one."""
    language = detect(symbol.path)
    if language is None:
        return False
    if language.attributes_through == "parameter":
        return symbol.name.startswith("__") and not symbol.name.endswith("__")
    row = get_def(snapshot, symbol.def_uid) if symbol.kind != ATTRIBUTE else None
    return row is not None and row.visibility == "private" and "virtual" not in row.signature
