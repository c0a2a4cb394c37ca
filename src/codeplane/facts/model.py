"""Facts of one file: plain rows, in the column order of these tuples.

Rows refer to each other by ordinal within their file (scope 0 is the file itself). The store adds the file's id. They
are NamedTuples, so that a reader can write `ref.start_line` and a writer can hand them to the database unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, StrEnum
from typing import NamedTuple

from codeplane.facts.ir import NO_FLOW, PackedFlow


class ReferenceRole(IntEnum):
    """Role of an identifier occurrence."""

    REFERENCE = 0
    DEFINITION = 1
    IMPORT = 2
    EXPORT = 3


class Usage(IntEnum):
    """Syntax around an identifier. MEMBER and LABEL are never looked up in lexical scopes."""

    NAME = 0
    CALL = 1
    TYPE = 2
    MEMBER = 3
    MEMBER_CALL = 4
    LABEL = 5


class Tier(IntEnum):
    """Confidence of a resolved reference. Written when indexing, never raised by a query."""

    UNKNOWN = 0
    ANCHORED = 1
    STRONG = 2
    PROVEN = 3


class Certainty(IntEnum):
    UNCERTAIN = 0
    CERTAIN = 1


class Target(IntEnum):
    """Kind of thing that a name is bound to."""

    UNKNOWN = 0
    DEF = 1
    IMPORT = 2


class Namespace(IntEnum):
    """Names of different namespaces do not shadow each other (Java's fields and methods)."""

    VALUE = 0
    TYPE = 1
    CALLABLE = 2
    MEMBER = 3
    """Methods declared outside of their type; no lexical look-up finds these."""


class BindReason(StrEnum):
    PARAM = "PARAM"
    LOCAL_ASSIGN = "LOCAL_ASSIGN"
    DEF_IN_SCOPE = "DEF_IN_SCOPE"
    IMPORT_ALIAS = "IMPORT_ALIAS"


class ReexportMode(StrEnum):
    REEXPORT_ALL = "REEXPORT_ALL"
    EXPLICIT_NAMES = "EXPLICIT_NAMES"
    ALIAS_MAP = "ALIAS_MAP"


class Scope(NamedTuple):
    parent: int | None
    kind: str
    start_line: int
    start_col: int
    end_line: int
    end_col: int


class Def(NamedTuple):
    """A definition. Its span includes decorators, attributes and modifiers; its name has a position of its own."""

    def_uid: str
    parent: int | None
    """Ordinal of the enclosing definition."""
    scope: int
    """Ordinal of the scope in which its name is bound."""
    kind: str
    name: str
    qualified_name: str
    """Module path and lexical path, as a user of the language would write it."""
    lexical_path: str
    """Nesting within the file, dot-separated."""
    start_line: int
    start_col: int
    end_line: int
    end_col: int
    name_line: int
    name_col: int
    signature: str
    signature_hash: str
    doc: str | None
    visibility: str
    decorators: tuple[str, ...]

    @property
    def display_name(self) -> str:
        return self.signature or self.name


class Attribute(NamedTuple):
    """An attribute that a method assigns on its object (`self.x = ...`), at its first assignment in the class."""

    def_uid: str
    parent: int
    """Ordinal of the class."""
    name: str
    line: int
    col: int


class Import(NamedTuple):
    import_uid: str
    scope: int
    imported_name: str
    """The name in its source; `*` for all names; the module itself if no name is picked."""
    alias: str | None
    source_literal: str | None
    import_kind: str
    certainty: int
    start_line: int
    start_col: int
    end_line: int
    end_col: int


class Bind(NamedTuple):
    """One name in one scope. UNCERTAIN if its sites disagree on the target."""

    scope: int
    name: str
    namespace: int
    target_kind: int
    target: int | None
    """Ordinal of the definition or import, by target_kind."""
    certainty: int
    reason_code: str


class Ref(NamedTuple):
    """An identifier occurrence on one line. `name` is an ordinal of Facts.names.

    Extraction stores references as columns (`facts.blocks`); iteration yields these rows.
    """

    scope: int
    name: int
    start_line: int
    start_col: int
    end_col: int
    role: int
    usage: int
    tier: int
    certainty: int
    bind: int | None
    """Ordinal of the binding that it resolves to in its own file."""


class Export(NamedTuple):
    exported_name: str
    definition: int | None
    certainty: int
    evidence_kind: str
    local_name: str = ""
    """Its name in the file, if that differs."""


class Reexport(NamedTuple):
    """A re-export, in the forms that are visible in the source alone."""

    source_literal: str
    mode: str
    explicit_names: tuple[str, ...]
    alias_map: tuple[tuple[str, str], ...]
    evidence_kind: str


class Problem(NamedTuple):
    """A part of the source that could not be parsed; the facts around it are valid."""

    code: str
    line: int
    message: str


class Facts(NamedTuple):
    names: Sequence[str] = ()
    scopes: Sequence[Scope] = ()
    defs: Sequence[Def] = ()
    imports: Sequence[Import] = ()
    binds: Sequence[Bind] = ()
    refs: Sequence[Ref] = ()
    exports: Sequence[Export] = ()
    reexports: Sequence[Reexport] = ()
    attributes: Sequence[Attribute] = ()
    flow: PackedFlow = NO_FLOW
    """Data flow between names and expressions."""


class Extraction(NamedTuple):
    facts: Facts
    problems: tuple[Problem, ...] = ()
