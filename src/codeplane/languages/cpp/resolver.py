"""C and C++: a file sees what it includes; names belong to namespaces, whichever file declares them.

A declaration and its definition elsewhere are one entity. Overloads are not distinguished.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from codeplane.facts.ir import CallExpr, IndexExpr, NameExpr, NewExpr
from codeplane.facts.model import Target, Usage
from codeplane.index.resolve.calls import argument_types
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.members import join
from codeplane.index.resolve.queries import NO_MEMBER, CallTargets, FieldPattern, Member, Operator, Query, QueryKind
from codeplane.index.resolve.references import bind_sites
from codeplane.index.resolve.resolver import CALLABLES, LanguageResolver, LanguageTraits
from codeplane.index.resolve.stubs import StubCall, Stubs, read_stubs
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    ContainerMethod,
    External,
    Instance,
    LibraryType,
    ListType,
    NamespaceType,
    Site,
    Type,
    Types,
    definition_site,
    library_type,
    list_of,
    one,
    union,
)
from codeplane.languages.cpp.resolver_modules import Includes

_LANGUAGES = frozenset({"c", "cpp"})


class CppResolver(LanguageResolver):
    traits = LanguageTraits(
        is_position_dependent=lambda file, bind: bind.target_kind == Target.DEF,
        fitting_kinds=lambda kinds, namespace, usage: kinds - CALLABLES if usage == Usage.TYPE else kinds,
        constructors=(),
        declarations_construct=True,
        path_members=True,
        container_names={ListType: "std", LibraryType: "std"},
    )

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._includes = Includes(evaluator)

    # --- names

    def _entities(self, path: str, qualified: str) -> list[Site]:
        """Declarations of a full name that a file sees, with their definitions elsewhere."""
        return self.evaluator.memo_tracked(("entities", path, qualified), lambda: self._find(path, qualified))

    def _find(self, path: str, qualified: str) -> list[Site]:
        visible = self._includes.visible(path)
        found: list[Site] = []
        others: list[Site] = []
        module, _, name = qualified.rpartition(".")
        for site in self.evaluator.definitions.in_module(_LANGUAGES, module, name):
            (found if site.path in visible else others).append(site)
        if not found:
            return self._announced_class(visible, qualified, others)
        return found + self._definitions_of(found, others)

    def _announced_class(self, visible: frozenset[str], qualified: str, others: Sequence[Site]) -> list[Site]:
        """Return the only class of a name that a visible file declares without a body, `class Cache;`."""
        classes = [site for site in others if self._kind(site) in self.traits.class_kinds]
        if len(classes) != 1 or not any(qualified in self._announced_names(path) for path in visible):
            return []
        return classes

    def _announced_names(self, path: str) -> frozenset[str]:
        return self.evaluator.memo_tracked(("announced classes", path), lambda: self._read_announced(path))

    def _read_announced(self, path: str) -> frozenset[str]:
        file = self.evaluator.library.file(path)
        return frozenset(
            _qualify(next(self._enclosing_names(file, row.scope)), row.imported_name)
            for row in (file.imports if file is not None else ())
            if file is not None and row.kind == "cpp_forward"
        )

    def module_of(self, file: FileScope, definition: int) -> str | None:
        """The enclosing namespace or class; members of an unscoped enumeration belong to what encloses it."""
        if _is_made_by_macro(file, definition):
            return None
        row = file.defs[definition]
        if row.kind == "enum_member" and row.parent is not None and file.defs[row.parent].scope == row.scope:
            row = file.defs[row.parent]
        return row.lexical_path.rpartition(".")[0]

    def _kind(self, site: Site) -> str:
        return self.evaluator.file(site.path).defs[site.number].kind

    def _definitions_of(self, found: Sequence[Site], others: Sequence[Site]) -> list[Site]:
        """Definitions among the others: their files see a declaration."""
        declared = {site.path for site in found if self._kind(site) in CALLABLES}
        return [
            site for site in others if self._kind(site) in CALLABLES and declared & self._includes.visible(site.path)
        ]

    def _class_at(self, path: str, qualified: str) -> tuple[str, int] | None:
        return self.evaluator.memo_tracked(("class", path, qualified), lambda: self._find_class(path, qualified))

    def _find_class(self, path: str, qualified: str) -> tuple[str, int] | None:
        for site in self._entities(path, qualified) if qualified else ():
            if self._kind(site) in self.traits.class_kinds:
                return site.path, site.number
        return None

    def _enclosing_names(self, file: FileScope, scope: int) -> Iterator[str]:
        """Full names of the enclosing definitions, innermost first; the last is empty."""
        definition = file.enclosing_def(scope)
        path = file.defs[definition].lexical_path if definition is not None else ""
        while path:
            yield path
            path = path.rpartition(".")[0]
        yield ""

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        found = self._lookup(file, scope, name)
        if not found and bind >= 0 and not self._may_inherit(file, scope):
            sites = bind_sites(self.evaluator, file, bind)
            found = [site for site in sites if not _is_made_by_macro(self.evaluator.file(site.path), site.number)]
        return found

    def _may_inherit(self, file: FileScope, scope: int) -> bool:
        """True if an enclosing class has an unknown base."""
        classes = (self._class_at(file.path, prefix) for prefix in self._enclosing_names(file, scope))
        return any(
            not isinstance(base, ClassType)
            for class_ in classes
            if class_ is not None
            for base in self.evaluator.mro(*class_)
        )

    def _lookup(self, file: FileScope, scope: int, name: str) -> Sequence[Site]:
        prefixes = list(self._enclosing_names(file, scope))
        for prefix in prefixes:
            class_ = self._class_at(file.path, prefix)
            if class_ is not None:
                if prefix.rpartition(".")[2] == name:
                    return [definition_site(*class_)]
                order = self.evaluator.mro(*class_)
                sites = self.evaluator.member(Instance(*class_), name).sites
                if sites:
                    return sites
                if any(not isinstance(base, ClassType) for base in order):
                    return []  # It may come from an unknown base.
            found = self._entities(file.path, _qualify(prefix, name))
            if found:
                return found
        for row in file.imports:
            if row.kind == "cpp_using_namespace":
                inner = (row.source or "").replace("::", ".")
                for prefix in prefixes:
                    found = self._entities(file.path, _qualify(prefix, f"{inner}.{name}"))
                    if found:
                        return found
        return []

    def name_types(self, file: FileScope, node: int) -> Types:
        name, sites = self._name_at(file, node)
        return self._types_seen_from(file.path, file.language, sites) if sites else one(External(name))

    def named_type(self, file: FileScope, node: int) -> Types:
        name, sites = self._name_at(file, node)
        return union(map(self.evaluator.site_named_type, sites)) if sites else one(External(f"{name}()"))

    def _name_at(self, file: FileScope, node: int) -> tuple[str, Sequence[Site]]:
        expr = file.exprs[node]
        assert isinstance(expr, NameExpr)
        return expr.name, self._lookup(file, file.ambient[node][0], expr.name)

    def _types_seen_from(self, path: str, language: str, sites: Sequence[Site]) -> Types:
        found: set[Type] = set()
        for site in sites:
            row = self.evaluator.file(site.path).defs[site.number]
            if row.kind == "module":
                found.add(NamespaceType(language, row.lexical_path, path))
            else:
                found |= self.evaluator.site_types(site)
        return frozenset(found)

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        if query.kind is not QueryKind.DEFINITION or file.defs[query.number].kind != "module":
            return None
        return one(NamespaceType(file.language, file.defs[query.number].lexical_path, file.path))

    def _namespace_member(self, module: NamespaceType, name: str) -> Member:
        sites = self._entities(module.qualifier, f"{module.name}.{name}")
        types = self._types_seen_from(module.qualifier, module.language, sites)
        return Member(sites, types if sites else one(External(f"{module.name}.{name}")))

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        row = file.imports[number]
        if row.kind != "cpp_using" or not row.source:
            return []
        name = f"{row.source}::{row.imported_name}".replace("::", ".").lstrip(".")
        for prefix in self._enclosing_names(file, row.scope):
            found = self._entities(file.path, _qualify(prefix, name))
            if found:
                return found
        return []

    def imported_files(self, file: FileScope, used: Set[str]) -> Sequence[str]:
        return self._includes.direct(file.path)

    # --- members

    def enclosing_class(self, file: FileScope, definition: int) -> tuple[str, int] | None:
        found = super().enclosing_class(file, definition)
        return found or self._class_at(file.path, file.defs[definition].lexical_path.rpartition(".")[0])

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        if isinstance(receiver, LibraryType):
            return self._member_of_library_type(receiver, name)
        if isinstance(receiver, NamespaceType):
            return self._namespace_member(receiver, name)
        if not isinstance(receiver, Instance | ClassType):
            return None
        for base in self.evaluator.mro(receiver.path, receiver.definition):
            if not isinstance(base, ClassType):
                return NO_MEMBER
            declared, others = self._member_declarations(base.path, base.definition, name)
            if declared:
                return Member(declared + others, union(self._member_types(site, base) for site in declared))
        return NO_MEMBER

    def _member_declarations(self, path: str, definition: int, name: str) -> tuple[list[Site], list[Site]]:
        """Declarations of a member of a class, and its definitions outside of the class."""
        key = ("member", path, definition, name)
        return self.evaluator.memo_tracked(key, lambda: self._read_member(path, definition, name))

    def _read_member(self, path: str, definition: int, name: str) -> tuple[list[Site], list[Site]]:
        file = self.evaluator.file(path)
        declared = [
            definition_site(path, number)
            for number in file.member_definitions(definition, name)
            if file.defs[number].kind != "constructor"
        ]
        if not declared:
            return [], []
        named = self.evaluator.definitions.in_module(_LANGUAGES, file.defs[definition].lexical_path, name)
        others = [site for site in named if site not in declared]
        return declared, self._definitions_of(declared, others)

    def _member_types(self, site: Site, class_: ClassType) -> Types:
        row = self.evaluator.file(site.path).defs[site.number]
        if row.kind == "field":
            return self.evaluator.query(Query(QueryKind.ATTRIBUTE, class_.path, class_.definition, row.name))
        if row.kind == "enum_member":
            return one(Instance(class_.path, class_.definition))
        return self.evaluator.query(Query(QueryKind.DEFINITION, site.path, site.number))

    def _member_of_library_type(self, receiver: LibraryType, name: str) -> Member:
        if receiver.name == "pair":
            return Member((), self._call_container(receiver, name))
        if receiver.name == "map" or _stubs().has("ptr", name):
            return Member((), one(ContainerMethod(receiver, name)))
        return join([self.evaluator.member(value, name) for value in receiver.arguments[0]])

    # --- calls and types

    def call_targets(self, file: FileScope, node: int) -> CallTargets | None:
        pointee = self._made_type(file, node)
        made = [ClassType(value.path, value.definition) for value in pointee if isinstance(value, Instance)]
        return CallTargets(made, made) if made else None

    def _made_type(self, file: FileScope, node: int) -> Types:
        """Types of the object that `make_unique<T>()` makes."""
        call = file.exprs[node]
        callee = file.exprs[file.skip_parens(call.callee)] if isinstance(call, CallExpr | NewExpr) else call
        if not isinstance(callee, IndexExpr) or not callee.keys:
            return NOTHING
        names = {value.name for value in self.evaluator.infer(file, callee.value) if isinstance(value, External)}
        is_maker = any(name.rpartition(".")[2] in ("make_unique", "make_shared") for name in names)
        return self.evaluator.named_type(file, callee.keys[0]) if is_maker else NOTHING

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        if isinstance(callee, ContainerMethod):
            return self._call_container(callee.container, callee.name)
        if isinstance(callee, External):
            return self._call_external(callee.name, file, node, argument_types(self.evaluator, file, node))
        return NOTHING if isinstance(callee, Instance) else None

    def apply_operator(self, operator: Operator | FieldPattern, value: Type) -> Types:
        if operator is Operator.ITERATE:
            if not isinstance(value, LibraryType) or value.name != "map":
                return NOTHING
            return _make("pair", value.arguments)
        if operator is Operator.INDEX and isinstance(value, Instance):
            # A pointer and an array have the type of what they hold.
            called = self.evaluator.member(value, "operator[]").types
            bases = self.evaluator.mro(value.path, value.definition)
            is_known = all(isinstance(base, ClassType) for base in bases)
            found = union(self.evaluator.call(each, None, 0) for each in called)
            return found if called or not is_known else one(value)
        return super().apply_operator(operator, value)

    def _call_container(self, container: Type, name: str) -> Types:
        def elements(types: Types) -> Types:
            return union(map(self.evaluator.elements, types))

        if isinstance(container, LibraryType):
            kind, parts = container.name, container.arguments
        else:
            kind, parts = "list", (elements(one(container)),)
        return _stubs().apply(kind, name, StubCall(_make, elements, own=one(container), parts=parts)) or NOTHING

    def _call_external(self, name: str, file: FileScope, node: int, arguments: Sequence[Types]) -> Types:
        last = name.rpartition(".")[2]
        known = _stubs().apply("", last, StubCall(arguments=arguments))
        if known is not None:
            return known
        return _make("ptr", [self._made_type(file, node)]) if last in ("make_unique", "make_shared") else NOTHING

    def apply_type_arguments(self, value: ClassType | External, file: FileScope, parts: Sequence[int]) -> Types:
        if isinstance(value, ClassType):
            return super().apply_type_arguments(value, file, parts)
        last = value.name.rpartition(".")[2]
        arguments = [self.evaluator.named_type(file, part) for part in parts]
        if not any(arguments) or not value.name.startswith("std."):
            return NOTHING
        kind = _stubs().represented_by.get(last)
        return _make(kind, arguments) if kind is not None else NOTHING


def _stubs() -> Stubs:
    return read_stubs("cpp")


def _make(kind: str, parts: Sequence[Types]) -> Types:
    """An instance of a library type; nothing if none of its arguments is known."""
    if not any(parts):
        return NOTHING
    return one(list_of(parts[0]) if kind == "list" else library_type("cpp", kind, parts))


def _qualify(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _is_made_by_macro(file: FileScope, definition: int) -> bool:
    """A function without a return type, `TEST(a, b) {`, has another name after the expansion of the macro."""
    scope = file.body.get(definition)
    return file.defs[definition].kind == "function" and (scope is None or file.return_type(scope) is None)
