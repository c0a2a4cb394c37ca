"""Rename of a local variable or a parameter, which is addressed by its place `path:line:column`.

Its occurrences share a binding of their file, so they are proven. A parameter is renamed in the whole override family
of its function, with the keyword arguments of the calls.
"""

from __future__ import annotations

from typing import NamedTuple

from codeplane.facts.model import Target
from codeplane.operations.refactor.scopes import FileScopes, ScopedName, read_scopes
from codeplane.query.files import FileInfo, get_file
from codeplane.query.relations import Symbol, find_symbols_at
from codeplane.query.snapshot import Snapshot

PARAMETER = "PARAM"
FUNCTIONS = frozenset({"function", "method", "constructor"})


class LocalName(NamedTuple):
    """A name that is bound in a function."""

    file: FileInfo
    name: str
    scope: int
    bind: int
    is_parameter: bool
    line: int
    column: int


def find_local_name(snapshot: Snapshot, path: str, line: int, column: int) -> LocalName | None:
    """Return the local name at a place (0-based column); None if something else is there."""
    file = get_file(snapshot, path)
    if file is None or file.language is None:
        return None
    scopes = read_scopes(snapshot, file.file_id, file.language)
    if scopes is None:
        return None
    for bind_number, bind in enumerate(scopes.binds):
        if bind.target_kind != Target.UNKNOWN:
            continue
        for use in scopes.occurrences(bind.name):
            if use.bind == bind_number and use.line == line and use.column <= column < use.column + len(bind.name):
                is_parameter = bind.reason_code == PARAMETER
                return LocalName(file, bind.name, bind.scope, bind_number, is_parameter, line, use.column)
    return None


def find_parameter(snapshot: Snapshot, function: Symbol, name: str) -> LocalName | None:
    """Return a parameter of a function."""
    file = get_file(snapshot, function.path)
    scopes = read_scopes(snapshot, function.file_id, file.language) if file is not None and file.language else None
    if file is None or scopes is None:
        return None
    for number, bind in enumerate(scopes.binds):
        if bind.name == name and bind.reason_code == PARAMETER and scopes.is_function(bind.scope, function):
            uses = [use for use in scopes.occurrences(name) if use.bind == number]
            return LocalName(file, name, bind.scope, number, True, *uses[0][:2]) if uses else None
    return None


def find_function(snapshot: Snapshot, local: LocalName) -> Symbol | None:
    """Return the function whose parameter a name is."""
    assert local.file.language is not None
    scopes = read_scopes(snapshot, local.file.file_id, local.file.language)
    for function in find_symbols_at(snapshot, local.file.path, local.line):
        if scopes is not None and function.kind in FUNCTIONS and scopes.is_function(local.scope, function):
            return function
    return None


def list_local_uses(snapshot: Snapshot, local: LocalName) -> tuple[FileScopes, list[ScopedName]]:
    """List the occurrences that share the binding of a local name."""
    assert local.file.language is not None
    scopes = read_scopes(snapshot, local.file.file_id, local.file.language)
    assert scopes is not None
    return scopes, [use for use in scopes.occurrences(local.name) if use.bind == local.bind]
