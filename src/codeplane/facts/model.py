"""What is known of one file: plain rows, in the column order of these tuples.

Rows refer to each other by ordinal within their file (scope 0 is the file itself).
The store adds the file's identity. They are NamedTuples so that a reader can say
`ref.start_line`, and a writer can hand them to the database unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, StrEnum
from typing import NamedTuple

from codeplane.facts.ir import NO_FLOW, PackedFlow


class Role(IntEnum):
    """What an identifier does where it stands."""

    REFERENCE = 0
    DEFINITION = 1
    IMPORT = 2
    EXPORT = 3


class Usage(IntEnum):
    """The syntax around an identifier. MEMBER and LABEL are never looked up in lexical scopes."""

    NAME = 0
    CALL = 1
    TYPE = 2
    MEMBER = 3
    MEMBER_CALL = 4
    LABEL = 5


class Tier(IntEnum):
    """How well a reference is resolved. Written when indexing, never raised by a query."""

    UNKNOWN = 0
    ANCHORED = 1
    STRONG = 2
    PROVEN = 3


class Certainty(IntEnum):
    UNCERTAIN = 0
    CERTAIN = 1


class Target(IntEnum):
    """What a name is bound to."""

    UNKNOWN = 0
    DEF = 1
    IMPORT = 2


class Namespace(IntEnum):
    """Names of different namespaces do not shadow each other (Java's fields and methods, say)."""

    VALUE = 0
    TYPE = 1
    CALLABLE = 2
    MEMBER = 3
    """Methods that are declared outside of their type; no lexical look-up sees these."""


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
    """Ordinal of the definition that this one is nested in."""
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
    """What a method gives to its object (`self.x = ...`), by its first place in the class."""

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
    """The name in its source; `*` for all of it; the module itself where no name is picked."""
    alias: str | None
    source_literal: str | None
    import_kind: str
    certainty: int
    start_line: int
    start_col: int
    end_line: int
    end_col: int


class Bind(NamedTuple):
    """One name in one scope. UNCERTAIN where its sites disagree on what it stands for."""

    scope: int
    name: str
    namespace: int
    target_kind: int
    target: int | None
    """Ordinal of the definition or import, by target_kind."""
    certainty: int
    reason_code: str


class Ref(NamedTuple):
    """An identifier occurrence; it never spans lines. `name` is an ordinal of Facts.names.

    What extraction makes holds them as columns (`facts.blocks`); looked at, they are rows like the others.
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
    """What it is called in the file, if that is another name."""


class Reexport(NamedTuple):
    """A re-export, in the forms that can be read off the source alone."""

    source_literal: str
    mode: str
    explicit_names: tuple[str, ...]
    alias_map: tuple[tuple[str, str], ...]
    evidence_kind: str


class Problem(NamedTuple):
    """Something in the source that could not be read; the facts around it stand."""

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
    """Where values come from."""


class Extraction(NamedTuple):
    facts: Facts
    problems: tuple[Problem, ...] = ()
