"""Roles of files, and the evidence for them.

Evidence comes from the path, the head of the file and `.gitattributes`; this module defines the precedence. Tests,
their data and documents come first, regardless of authorship; then attributes, the statement of a generator in the
file, and names. A negative attribute only removes that role.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from codeplane.base.paths import parent
from codeplane.git.attributes import DOCUMENTATION, GENERATED, NO_ATTRIBUTES, VENDORED, FileAttributes
from codeplane.languages.role_headers import find_header
from codeplane.languages.role_paths import Role, RoleDecision, claim_generated, claim_place, claim_purpose

ROLES_VERSION = "3"
"""Version of all rules; an index built with others is rebuilt."""

Scope = Literal["runtime", "mixed", "docs"]

_OUTSIDE_RUNTIME = frozenset({Role.TEST, Role.FIXTURE, Role.DOCS})
_ATTRIBUTES = {DOCUMENTATION: Role.DOCS, GENERATED: Role.GENERATED, VENDORED: Role.VENDORED}


def decide_role_of_text(path: str, head: bytes, stated: FileAttributes = NO_ATTRIBUTES) -> RoleDecision:
    """Return the role of a file by its path, the first bytes of its text, and its attributes."""
    return decide_role(path, find_header(path, head), stated)


def decide_role(path: str, header: str | None, stated: FileAttributes = NO_ATTRIBUTES) -> RoleDecision:
    """Return the role of a file, given the result of `find_header`."""
    if not stated:
        return next(_claims(path, header, stated), RoleDecision(Role.SOURCE, ""))
    denied = {_ATTRIBUTES[name]: said.evidence for name, said in stated.items() if not said.holds}
    why = ""
    for claim in _claims(path, header, stated):
        if claim.role not in denied:
            return claim
        why = why or denied[claim.role]
    return RoleDecision(Role.SOURCE, why)


def role_beside(path: str, role: str, test_roots: frozenset[str]) -> str:
    """Return the role of a file given its siblings: `test_roots` are directories that the whole tree shows to be
    tests.
    """
    if not test_roots or not in_scope(role, "runtime"):
        return role
    folder = parent(path)
    while folder and folder not in test_roots:
        folder = parent(folder)
    return Role.TEST if folder else role


def in_scope(role: str, scope: Scope) -> bool:
    return scope == "mixed" or (role in _OUTSIDE_RUNTIME) == (scope == "docs")


def _claims(path: str, header: str | None, stated: FileAttributes) -> Iterator[RoleDecision]:
    """Yield all evidence for a role, best first."""
    yield from _claim_stated(stated, DOCUMENTATION)
    yield from claim_purpose(path)
    yield from _claim_stated(stated, GENERATED)
    yield from _claim_stated(stated, VENDORED)
    if header is not None:
        yield RoleDecision(Role.GENERATED, header)
    yield from claim_generated(path)
    yield from claim_place(path)


def _claim_stated(stated: FileAttributes, attribute: str) -> Iterator[RoleDecision]:
    said = stated.get(attribute)
    if said is not None and said.holds:
        yield RoleDecision(_ATTRIBUTES[attribute], said.evidence)
