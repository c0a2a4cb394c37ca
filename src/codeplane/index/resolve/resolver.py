"""Per-language hooks for name resolution; every hook has a neutral default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import LabelledExpr
from codeplane.facts.summary import SummaryBinding, SummaryDefinition
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.flow_targets import FieldStep
from codeplane.index.resolve.queries import NO_MEMBER, Member, Operator, Query, QueryKind, ReceiverKind
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    DictType,
    External,
    Instance,
    ListType,
    LiteralType,
    Module,
    NamespaceType,
    Site,
    SuperType,
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
_FOREIGN = (External, LiteralType, ListType, TupleType, DictType, NamespaceType)


@dataclass(frozen=True)
class LanguageTraits:
    class_kinds: frozenset[str] = CLASS_KINDS
    """Kinds of definitions that have members and instances."""
    self_parameter: bool = True
    """The first parameter of a method is its receiver."""
    call_operator: str = "__call__"
    """Member that runs when an instance is called."""
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
    certain_receivers: bool = False
    """A receiver that may also be an external object is unknown."""
    base_ranks: Mapping[str, int] = field(default_factory=dict)
    """Kinds of bases that come before (0) or after (2) the others (1) in the method resolution order."""
    ignored_directory: Callable[[str], str] = lambda path: ""
    """The outermost directory around a file that the build ignores, with a slash; empty for none."""
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

    def link_references(
        self, file: FileScope, names: Sequence[str], columns: Columns
    ) -> Iterator[tuple[int, Sequence[Site]]] | None:
        """Resolve the references of a file that the file alone does not prove."""
        return None

    def call_targets(self, file: FileScope) -> Mapping[int, Sequence[Type]] | None:
        """Functions, classes and externals that the calls of a file run, by node."""
        return None

    def constructed_classes(self, file: FileScope, callee: int) -> Types:
        """Classes that `new` constructs, for languages with `call_targets`."""
        return NOTHING

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        """Compute a query of the evaluator."""
        return None

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        """Look a member up in a class, an instance or another type of the language."""
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

    def import_files(self, file: FileScope, number: int) -> list[str]:
        """Files that an import names, or takes a name from."""
        return [site.path for site in self.resolve_import(file, number)]

    def import_types(self, file: FileScope, number: int) -> Types:
        """Types of the name that an import binds."""
        sites = self.resolve_import(file, number)
        row = file.imports[number]
        return self.evaluator.types_at(sites) if sites else one(External(f"{row.source}.{row.imported_name}"))

    def module_member(self, module: Module | NamespaceType, name: str) -> Member:
        """Look a name of a module, package or namespace up."""
        return NO_MEMBER

    # --- names

    def unbound_types(self, file: FileScope, name: str) -> Types:
        """Types of a name that its file does not bind, and that is not looked up by its position."""
        return one(External(name))

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        """Declarations that a name refers to by its position: it may be an inherited member, or its file does not
        bind it. `bind` is the binding in the file, or -1."""
        return ()

    def name_types(self, file: FileScope, node: int) -> Types:
        """Types of a name that is looked up by its position."""
        return NOTHING

    def named_type(self, file: FileScope, node: int) -> Types:
        """Instances of the type that such a name refers to, or a type written as text (in a doc comment, in quotes)."""
        return instances(self.name_types(file, node))

    def filter_by_usage(self, sites: Sequence[Site], namespace: int | None, usage: int) -> Sequence[Site]:
        """Keep the declarations that a name can refer to, by the namespace of its binding or by its usage."""
        return sites

    def resolve_label(self, file: FileScope, node: int, name: str) -> Sequence[Site]:
        """Declarations that a label refers to; `node` is the type that is constructed or destructured, or a literal
        whose type has no such member."""
        return []

    def is_foreign_receiver(self, file: FileScope, node: int) -> bool:
        """True if the members of an expression are certainly not defined in the repository."""
        types = self.evaluator.receiver_types(file, node)
        return bool(types) and all(isinstance(value, _FOREIGN) for value in types)

    # --- classes and their members

    def own_members(self, file: FileScope, definition: int, name: str) -> Sequence[Site]:
        """Definitions of a member of a class, bases excluded."""
        found = [
            definition_site(part.path, number)
            for part, owner in self.class_parts(file, definition)
            for number in part.member_definitions(owner, name)
        ]
        if self.traits.out_of_line_members and file.detached:
            owner_name = file.defs[definition].lexical_path
            found += [definition_site(file.path, number) for number in file.detached.get(owner_name, {}).get(name, ())]
        return found

    def class_parts(self, file: FileScope, definition: int) -> Sequence[tuple[FileScope, int]]:
        """All parts of a type that is defined in several places."""
        return ((file, definition),)

    def enclosing_class(self, file: FileScope, definition: int) -> tuple[str, int] | None:
        """Path and number of the class that a function is a method of."""
        parent = file.defs[definition].parent
        is_class = parent is not None and file.defs[parent].kind in self.traits.class_kinds
        return (file.path, parent) if parent is not None and is_class else None

    def self_type_member(self, file: FileScope, scope: int, name: str) -> Member | None:
        """Look a member of `Self` up, where it depends on the position."""
        return None

    def this_types(self, file: FileScope, scope: int | None, *, is_super: bool = False) -> Types:
        """Types of `this` or `super` in a scope; the class itself in a class method."""
        while scope is not None:
            owner = file.owner.get(scope)
            if scope in file.anonymous_classes:
                return _seen_as(Instance(file.path, -scope), is_super=is_super)
            if owner is not None and not is_super and (receiver := file.receiver(owner)) is not None:
                return self.evaluator.named_type(file, receiver)
            if owner is not None:
                parent = self.enclosing_class(file, owner)
                if parent is not None:
                    is_class = self.receiver_kind(file, owner) is ReceiverKind.CLASS
                    kind = ClassType if is_class else Instance
                    return _seen_as(kind(*self.evaluator.definitions.canonical(*parent), scope), is_super=is_super)
                if file.defs[owner].kind in self.traits.class_kinds:
                    return _seen_as(
                        Instance(*self.evaluator.definitions.canonical(file.path, owner)), is_super=is_super
                    )
            scope = file.parent(scope)
        return NOTHING

    def receiver_kind(self, file: FileScope, definition: int) -> ReceiverKind:
        """Kind of the first parameter of a method."""
        return ReceiverKind.STATIC

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

    def injected_argument(self, file: FileScope, definition: int, name: str) -> Types:
        """Types that a framework passes as a parameter."""
        return NOTHING

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
                found += self.own_members(self.evaluator.file(base.path), base.definition, row.name)
            else:
                unknown = True
        return sorted(set(found)), unknown

    # --- types

    def apply_operator(self, operator: Operator, value: Type) -> Types:
        """Result of iterating over an instance, indexing it, and so on."""
        if operator is Operator.AWAIT:
            return one(value)
        return self.evaluator.elements(value) if operator is Operator.LOOP else NOTHING

    def destructure(self, file: FileScope, step: FieldStep, types: Types) -> Types:
        """Types of a part of an object that a pattern names."""
        return NOTHING

    def apply_type_arguments(self, value: ClassType | External, file: FileScope, parts: Sequence[int]) -> Types:
        """Instances of a generic type with type arguments."""
        return one(Instance(value.path, value.definition)) if isinstance(value, ClassType) else NOTHING


def _seen_as(value: ClassType | Instance, *, is_super: bool) -> Types:
    return one(SuperType(value.path, value.definition, value) if is_super else value)
