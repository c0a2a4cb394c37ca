"""Per-language hooks for name resolution; every hook has a neutral default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import FlowKind, LabelledExpr, NameExpr
from codeplane.facts.summary import SummaryBinding, SummaryDefinition
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import (
    CallTargets,
    FieldPattern,
    Link,
    Member,
    Operator,
    Query,
    QueryKind,
    ReceiverKind,
)
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    DictType,
    External,
    Instance,
    ListType,
    Site,
    TupleType,
    Type,
    Types,
    bind_method,
    bounded,
    definition_site,
    instances,
    one,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator

CALLABLES = frozenset({"function", "method", "constructor"})
CLASS_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object"})
_CONTAINERS: Mapping[type, str] = MappingProxyType(
    {ListType: "builtins.list", TupleType: "builtins.tuple", DictType: "builtins.dict"}
)

OWN_NAME = "{class}"
"""In place of the name of a constructor: the name of its class."""


@dataclass(frozen=True)
class LanguageTraits:
    class_kinds: frozenset[str] = CLASS_KINDS
    """Kinds of definitions that have members and instances."""
    self_parameter: bool = True
    """The first parameter of a method is its receiver."""
    call_operator: str = "__call__"
    """Member that runs when an instance is called."""
    implied_methods: Mapping[FlowKind, tuple[str, ...]] = field(default_factory=dict)
    """Methods that a loop or a context manager calls; raising and decorating are calls too, then."""
    container_names: Mapping[type, str] = field(default_factory=lambda: _CONTAINERS)
    """Container types whose methods belong to an external library -> its name for them."""
    path_members: bool = False
    """A name after another one is a member of it, whatever its usage."""
    out_of_line_members: bool = True
    """Members may be defined outside of their class, in the same file."""
    declarations_construct: bool = False
    """A declared variable is an object constructed there; its type may be one without instances."""
    tuple_types: bool = False
    """A tuple in type position is a tuple type, not a union."""
    constructors: tuple[str, ...] = ("constructor",)
    """Members that run when an instance is made."""
    dotted_imports: frozenset[str] = frozenset()
    """Kinds of imports that bind the first part of the imported name."""
    import_paths: bool = False
    """Names in the path of an import refer to declarations too."""
    base_ranks: Mapping[str, int] = field(default_factory=dict)
    """Kinds of bases that come before (0) or after (2) the others (1) in the method resolution order."""
    ignored_directory: Callable[[str], str] = lambda path: ""
    """The outermost directory around a file that the build ignores, with a slash; empty for none."""
    member_definitions: Callable[[FileScope, int, str], Sequence[int]] = FileScope.member_definitions
    """Members of a class in one file; different kinds of members may have the same name."""
    receiver_kind: Callable[[FileScope, int], ReceiverKind] = lambda file, definition: ReceiverKind.STATIC
    """Kind of the first parameter of a method."""
    fitting_kinds: Callable[[Set[str], int | None, int], Set[str]] | None = None
    """Kinds of declarations, among those with one name, that a use can refer to, by the namespace of its binding or
    by its usage."""
    is_position_dependent: Callable[[FileScope, SummaryBinding], bool] = lambda file, bind: False
    """True if an uncertain binding is resolved like an unbound name."""
    bound: Callable[[Types], Types] = bounded
    """Limit on the results of the language's own queries."""


class LanguageResolver:
    """Hooks of one language. The evaluator calls them, and they may call it."""

    traits = LanguageTraits()

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    # --- hooks that replace a part of the evaluator; None falls back to it

    def link_references(self, file: FileScope, names: Sequence[str], columns: Columns) -> Iterator[Link] | None:
        """Resolve the references of a file that the file alone does not prove."""
        return None

    def call_targets(self, file: FileScope, node: int) -> CallTargets | None:
        """Resolve a call or construction."""
        return None

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        """Compute a query of the evaluator."""
        return None

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        """Look a member up in a class, an instance, a module or another type of the language."""
        return None

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        """Return the result of a call of a value."""
        return None

    # --- imports and modules

    def module_of(self, file: FileScope, definition: int) -> str | None:
        """Package or namespace whose names include a definition; None if none does."""
        return None

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        """Declarations of the repository that an import refers to."""
        return []

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterable[str]:
        """Files that the imports of a file name. `used` are the files whose definitions it refers to: an import of a
        package or namespace means those of its files."""
        return [site.path for number in range(len(file.imports)) for site in self.resolve_import(file, number)]

    def import_types(self, file: FileScope, number: int) -> Types:
        """Types of the name that an import binds."""
        sites = self.resolve_import(file, number)
        row = file.imports[number]
        return self.evaluator.types_at(sites) if sites else one(External(f"{row.source}.{row.imported_name}"))

    # --- names

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        """Declarations that a name refers to by its position: it may be an inherited member, or its file does not
        bind it. `bind` is the binding in the file, or -1."""
        return ()

    def name_types(self, file: FileScope, node: int) -> Types:
        """Types of a name that is looked up by its position, or that its file does not bind."""
        expr = file.exprs[node]
        return one(External(expr.name)) if isinstance(expr, NameExpr) else NOTHING

    def named_type(self, file: FileScope, node: int) -> Types:
        """Instances of the type that such a name refers to, or a type written as text (in a doc comment, in quotes)."""
        return instances(self.name_types(file, node))

    def resolve_label(self, file: FileScope, node: int, name: str) -> Sequence[Site]:
        """Declarations that a label refers to; `node` is the type that is constructed or destructured, or a literal
        whose type has no such member."""
        return []

    def receiver_types(self, file: FileScope, node: int) -> Types:
        """Types of an expression as the receiver of a member."""
        return self.evaluator.infer(file, node)

    # --- classes and their members

    def class_parts(self, file: FileScope, definition: int) -> Sequence[tuple[FileScope, int]]:
        """All parts of a type that is defined in several places."""
        return ((file, definition),)

    def enclosing_class(self, file: FileScope, definition: int) -> tuple[str, int] | None:
        """Path and number of the class that a function is a method of."""
        parent = file.defs[definition].parent
        if parent is None or file.defs[parent].kind not in self.traits.class_kinds:
            return None
        return self.evaluator.definitions.canonical(file.path, parent)

    def member_types(self, site: Site, receiver: Type, owner: ClassType, name: str) -> Types:
        """Types of a member that is reached through an instance or a class; `owner` is the class that declares it."""
        kind = self.evaluator.file(site.path).defs[site.number].kind
        if kind in CALLABLES:
            found = self.evaluator.query(Query(QueryKind.DEFINITION, site.path, site.number))
            return (
                frozenset(bind_method(value, receiver) for value in found) if isinstance(receiver, Instance) else found
            )
        if kind == "enum_member":
            return self.evaluator.query(Query(QueryKind.DEFINITION, site.path, site.number))
        if kind in self.traits.class_kinds:
            return one(ClassType(site.path, site.number))
        return self.evaluator.query(Query(QueryKind.ATTRIBUTE, owner.path, owner.definition, name))

    def overridden_sites(self, file: FileScope, definition: int) -> tuple[list[Site], bool] | None:
        """Direct bases of a class, or the members that a member of a class without a name overrides; and True if some
        are external or unknown. None for other definitions."""
        if file.bases(definition) or file.mixins(definition):
            return self._base_sites(file, definition)
        row = file.defs[definition]
        is_member = row.scope in file.anonymous_classes and row.kind in CALLABLES
        return self._overridden_members(file, row) if is_member else None

    def _base_sites(self, file: FileScope, definition: int) -> tuple[list[Site], bool]:
        found: set[Site] = set()
        unknown = False
        for node in (*file.bases(definition), *file.mixins(definition)):
            if isinstance(file.exprs[node], LabelledExpr):
                continue
            classes = [value for value in self.evaluator.infer(file, node) if isinstance(value, ClassType)]
            found |= {definition_site(value.path, value.definition) for value in classes}
            unknown = unknown or not classes
        return sorted(found), unknown

    def _overridden_members(self, file: FileScope, row: SummaryDefinition) -> tuple[list[Site], bool]:
        found: list[Site] = []
        unknown = False
        for base in self.evaluator.mro(file.path, -row.scope)[1:]:
            if isinstance(base, ClassType):
                found += self.evaluator.own_members(self.evaluator.file(base.path), base.definition, row.name)
            else:
                unknown = True
        return sorted(set(found)), unknown

    # --- types

    def apply_operator(self, operator: Operator | FieldPattern, value: Type) -> Types:
        """Result of iterating over an instance, indexing it, taking a field by a pattern, and so on."""
        if operator is Operator.AWAIT:
            return one(value)
        return self.evaluator.elements(value) if operator is Operator.LOOP else NOTHING

    def apply_type_arguments(self, value: ClassType | External, file: FileScope, parts: Sequence[int]) -> Types:
        """Instances of a generic type with type arguments."""
        return one(Instance(value.path, value.definition)) if isinstance(value, ClassType) else NOTHING
