"""Structural types: interfaces that a class satisfies by its members, without declaring them.

For Go interfaces and Python protocols that is certain. A TypeScript class that declares no interface with the member
possibly satisfies one. Members are compared by name, in Go also by type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from codeplane.base.paths import parent
from codeplane.query.relations import (
    DEFINITIONS,
    Symbol,
    find_symbols,
    list_bases,
    list_hierarchy,
    list_members,
    symbol_from_row,
)
from codeplane.query.signatures import go_types
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_from_text, row_range

MAX_CANDIDATES = 500
"""Members of one name that are compared"""
TYPESCRIPT = frozenset({"typescript", "tsx"})
_MAX_EMBEDDED = 20
_MAX_LITERAL = 3
"""An object literal may implement an interface if at most this many have a member of the name."""
_NOT_REQUIRED = frozenset({"class", "interface", "enum", "type"})
"""Kinds of definitions in a protocol that a class need not have"""


class SatisfiedMembers(NamedTuple):
    certain: list[Symbol]
    possible: list[Symbol]


def list_satisfied_members(
    snapshot: Snapshot, language: str, owner: Symbol, symbol: Symbol, is_declared: bool
) -> SatisfiedMembers:
    """List the interface members that a member satisfies. `is_declared`: its class declares such an interface."""
    if language == "go" and symbol.kind == "method" and owner.kind != "interface":
        own = _go_methods(snapshot, owner)
        found = _candidates(snapshot, symbol.name, ("go",), "interface")
        certain = [other for interface, other in found if _go_satisfies(snapshot, owner, own, interface)]
        return SatisfiedMembers(certain, [])
    if language == "python" and owner.kind == "class" and not _is_protocol(owner):
        names = _member_names(snapshot, owner)
        found = _candidates(snapshot, symbol.name, ("python",), "class")
        protocols = [(protocol, other) for protocol, other in found if _is_protocol(protocol)]
        return SatisfiedMembers([other for protocol, other in protocols if _required(snapshot, protocol) <= names], [])
    if language in TYPESCRIPT and owner.kind == "class" and not is_declared:
        names = _member_names(snapshot, owner)
        found = _candidates(snapshot, symbol.name, sorted(TYPESCRIPT), "interface")
        return SatisfiedMembers([], [other for interface, other in found if _required(snapshot, interface) <= names])
    return SatisfiedMembers([], [])


def list_literal_candidates(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    """List interface members that a method of a TypeScript object literal may implement."""
    if symbol.kind != "method":
        return []
    found = [other for _, other in _candidates(snapshot, symbol.name, sorted(TYPESCRIPT), "interface")]
    return found if len(found) <= _MAX_LITERAL else []


def list_implementations(snapshot: Snapshot, language: str, owner: Symbol, symbol: Symbol) -> list[Symbol]:
    """List members of classes that certainly satisfy an interface without declaring it."""
    if language == "go" and owner.kind == "interface":
        found: list[Symbol] = []
        rows = snapshot.reader.rows(
            f"{DEFINITIONS} WHERE lower(defs.name) = lower(?1) AND defs.name = ?1 AND defs.kind = 'method'"
            f" AND parent IS NULL AND language = 'go' ORDER BY path, def_id LIMIT {MAX_CANDIDATES}",
            (symbol.name,),
        )
        for method in map(symbol_from_row, rows):
            receiver = _go_receiver(snapshot, method)
            if receiver is not None and _go_satisfies(snapshot, receiver, _go_methods(snapshot, receiver), owner):
                found.append(method)
        return found
    if language == "python" and _is_protocol(owner):
        required = _required(snapshot, owner)
        return [
            other
            for holder, other in _candidates(snapshot, symbol.name, ("python",), "class")
            if holder != owner and not _is_protocol(holder) and required <= _member_names(snapshot, holder)
        ]
    return []


def _candidates(snapshot: Snapshot, name: str, languages: Iterable[str], kind: str) -> list[tuple[Symbol, Symbol]]:
    """Return (owner, member) of members of this name in definitions of a kind."""
    languages = tuple(languages)
    rows = snapshot.reader.rows(
        f"{DEFINITIONS} WHERE lower(defs.name) = lower(?1) AND defs.name = ?1 AND parent IS NOT NULL"
        f" AND language IN ({','.join('?' * len(languages))}) ORDER BY path, def_id LIMIT {MAX_CANDIDATES}",
        (name, *languages),
    )
    found: list[tuple[Symbol, Symbol]] = []
    for member in map(symbol_from_row, rows):
        row = snapshot.reader.row(
            f"{DEFINITIONS} WHERE def_id = ? AND defs.kind = ?",
            (row_range(member.file_id)[0] | (member.parent or 0), kind),
        )
        if row is not None:
            found.append((symbol_from_row(row), member))
    return found


def _is_protocol(symbol: Symbol) -> bool:
    bases = symbol.signature.partition("(")[2]
    return any(base.strip().rpartition(".")[2].startswith("Protocol") for base in bases.rstrip("):").split(","))


def _required(snapshot: Snapshot, interface: Symbol) -> frozenset[str]:
    """Return the names of members that an interface and its bases require."""
    found: set[str] = set()
    for number in (interface.number, *list_hierarchy(snapshot, interface.number, up=True)[0]):
        for member in list_members(snapshot, number):
            if member.kind not in _NOT_REQUIRED and f"{member.name}?" not in member.signature:
                found.add(member.name)
    return frozenset(found)


def _member_names(snapshot: Snapshot, owner: Symbol) -> frozenset[str]:
    found: set[str] = set()
    for number in (owner.number, *list_hierarchy(snapshot, owner.number, up=True)[0]):
        found |= {member.name for member in list_members(snapshot, number)}
        symbol = find_symbols(snapshot, [number]).get(number)
        if symbol is not None:
            span = row_range(symbol.file_id)
            found |= {
                str(name)
                for (name,) in snapshot.reader.rows(
                    "SELECT a.name FROM instance_attributes AS a JOIN defs AS d ON d.def_id = (? | a.parent)"
                    " WHERE attribute_id BETWEEN ? AND ? AND d.def_uid = ?",
                    (span[0], *span, symbol.def_uid),
                )
            }
    return frozenset(found)


# Go


def _go_satisfies(snapshot: Snapshot, owner: Symbol, own: dict[str, Symbol], interface: Symbol) -> bool:
    wanted = _go_methods(snapshot, interface)
    if not wanted or not wanted.keys() <= own.keys():
        return False
    # Type parameters match any type.
    if "[" in f"{owner.signature}{interface.signature}".replace("[]", ""):
        return True
    return all(
        go_types(member.signature, name) == go_types(own[name].signature, name) for name, member in wanted.items()
    )


def _go_receiver(snapshot: Snapshot, method: Symbol) -> Symbol | None:
    """Return the receiver type of a method, in the same package."""
    name = method.lexical_path[: -len(method.name) - 1]
    folder = parent(method.path)
    rows = snapshot.reader.rows(
        f"{DEFINITIONS} WHERE lower(defs.name) = lower(?1) AND lexical_path = ?1 AND language = 'go'"
        " ORDER BY path, def_id",
        (name,),
    )
    found = [symbol_from_row(row) for row in rows]
    return next((symbol for symbol in found if parent(symbol.path) == folder and symbol.parent is None), None)


def _go_methods(snapshot: Snapshot, owner: Symbol, depth: int = 0) -> dict[str, Symbol]:
    """Return the methods of a type by name, including those of embedded types."""
    found: dict[str, Symbol] = {}
    if owner.kind == "interface":
        found = {member.name: member for member in list_members(snapshot, owner.number)}
    else:
        folder = parent(owner.path)
        files = snapshot.reader.rows(
            "SELECT file_id, path FROM out_of_line_members JOIN files USING (file_id)"
            " WHERE owner = ? AND language = 'go'",
            (owner.name,),
        )
        for file_id, path in files:
            if path_from_text(path).rpartition("/")[0] == folder:
                rows = snapshot.reader.rows(
                    f"{DEFINITIONS} WHERE def_id BETWEEN ? AND ? AND parent IS NULL AND defs.kind = 'method'",
                    row_range(file_id),
                )
                methods = [symbol_from_row(row) for row in rows]
                found |= {method.name: method for method in methods if _receiver_name(method) == owner.lexical_path}
    if owner.kind in ("struct", "interface") and depth < _MAX_EMBEDDED:
        embedded, _ = list_bases(snapshot, owner.number)
        for other in find_symbols(snapshot, embedded).values():
            found = _go_methods(snapshot, other, depth + 1) | found
    return found


def _receiver_name(method: Symbol) -> str:
    return method.lexical_path[: -len(method.name) - 1]
