"""Ruby: constants by their enclosing modules, reopened classes, mixins, and messages to known receivers.

A class is one type however often it is reopened: its first opening represents it, its members are those of all
openings. A message to an unknown receiver stays unresolved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from codeplane.facts.ir import NameExpr, SuperExpr, ThisExpr
from codeplane.facts.model import Namespace as NameSpace
from codeplane.facts.model import Usage
from codeplane.facts.summary import SummaryBinding
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import LanguageQuery, Member, Query, QueryKind
from codeplane.index.resolve.resolver import CALLABLES, LanguageResolver, LanguageTraits
from codeplane.index.resolve.types import (
    NOTHING,
    TOP,
    ClassType,
    External,
    Instance,
    Site,
    SiteKind,
    StubMethod,
    Type,
    Types,
    bind_method,
    class_of,
    definition_site,
    one,
    union,
)
from codeplane.languages.ruby.resolver_modules import CLASS_KINDS, MAX_OPENINGS, RubyConstants, is_test
from codeplane.languages.ruby.resolver_requires import RequiredFiles

_IDENTITY = frozenset({"tap", "dup", "clone", "freeze", "itself"})
_MODULE_METHODS = frozenset(
    {"name", "class", "hash", "inspect", "to_s", "method", "send", "methods", "display", "ancestors"}
)
"""Methods of every class and module object."""
_MESSAGES = frozenset({"method", "property", "constructor"})


def _is_position_dependent(file: FileScope, bind: SummaryBinding) -> bool:
    if bind.namespace == NameSpace.CALLABLE:
        # A function outside of any class is found where the file binds it.
        return bind.target is None or file.defs[bind.target].kind != "function"
    return bind.namespace == NameSpace.TYPE


class RubyResolver(LanguageResolver):
    traits = LanguageTraits(
        is_position_dependent=_is_position_dependent,
        class_kinds=CLASS_KINDS,
        self_parameter=False,
        call_operator="call",
        constructors=("initialize",),
    )

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._constants = RubyConstants(evaluator)
        self._required = RequiredFiles(evaluator.library.paths)

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        for row in file.imports:
            path = self._required.find(file.path, row.source or "", is_relative=row.kind == "ruby_require_relative")
            if path is not None:
                yield path

    # --- constants

    def class_parts(self, file: FileScope, definition: int) -> Sequence[tuple[FileScope, int]]:
        openings = self._constants.openings(ClassType(file.path, definition))
        return [(self.evaluator.file(path), number) for path, number in openings]

    # --- names

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        if _is_constant(name) and usage != Usage.CALL:
            return self._constants.sites(self._constants.path(file, name, scope))
        receiver = self._self(file, scope)
        return self._member(receiver, name).sites if receiver is not None else self._functions(file, name, scope)

    def name_types(self, file: FileScope, node: int) -> Types:
        expr = file.exprs[node]
        assert isinstance(expr, NameExpr)
        name, scope = expr.name, file.ambient[node][0]
        if _is_constant(name):
            return self._constants.types(self._constants.path(file, name, scope)) or one(External(name))
        receiver = self._self(file, scope)
        if receiver is None:
            types = self.evaluator.types_at(self._functions(file, name, scope))
        else:
            types = self._member(receiver, name).types
        return union(self.evaluator.call(value, None, 0) for value in types)

    def _functions(self, file: FileScope, name: str, scope: int | None) -> list[Site]:
        """Functions outside of any class, as the file binds them."""
        while scope is not None and file.summary.scopes and file.scope_kind(scope) != "namespace":
            numbers = file.defs_in.get((scope, name), ())
            found = [number for number in numbers if file.defs[number].kind == "function"]
            if found:
                return [definition_site(file.path, number) for number in found]
            scope = file.parent(scope)
        return []

    # --- classes

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        expr = file.exprs[query.number] if query.kind is QueryKind.NODE else None
        if not isinstance(expr, ThisExpr | SuperExpr):
            return None
        receiver = self._self(file, expr.scope)
        return one(receiver) if receiver is not None else NOTHING

    def receiver_types(self, file: FileScope, node: int) -> Types:
        """A receiver that may also be an external object is unknown."""
        types = self.evaluator.infer(file, node)
        externals = sum(isinstance(value, External) and value.name.endswith("()") for value in types)
        return types if externals in (0, len(types)) else TOP

    def _self(self, file: FileScope, scope: int | None) -> ClassType | Instance | None:
        """`self` in a scope; unknown in a block in a class body, whose receiver the called method sets."""
        blocks = 0
        while scope and file.summary.scopes:
            owner = file.owner.get(scope)
            if owner is not None:
                if file.defs[owner].kind in CLASS_KINDS:
                    return ClassType(*self.evaluator.definitions.canonical(file.path, owner)) if not blocks else None
                around = self.enclosing_class(file, owner)
                if around is None:
                    return None
                return ClassType(*around, scope) if self._is_static(file, owner) else Instance(*around, scope)
            if file.scope_kind(scope) == "namespace":
                return None  # the singleton class
            blocks += 1
            scope = file.parent(scope)
        return None

    def _is_static(self, file: FileScope, definition: int) -> bool:
        """True for a method of the class object."""
        row = file.defs[definition]
        bind = file.bind_of_def.get(definition)
        if row.kind == "method" and bind is not None and file.binds[bind].namespace == NameSpace.MEMBER:
            return True
        is_singleton = file.scope_kind(row.scope) == "namespace" and row.scope not in file.owner
        return is_singleton and row.kind in ("method", "property")

    def _find_extended(self, path: str, definition: int) -> frozenset[ClassType]:
        """Modules that a class object extends."""
        return frozenset(
            value
            for part, number in self.class_parts(self.evaluator.file(path), definition)
            for node in part.extended(number)
            for value in self.evaluator.infer(part, node)
            if isinstance(value, ClassType)
        )

    def _extended_modules(self, class_: ClassType) -> list[ClassType]:
        query = LanguageQuery("ruby", RubyResolver._find_extended, (class_.path, class_.definition))
        return sorted(self.evaluator.language_query(query, ClassType), key=lambda value: value[:2])

    def _lookup_order(self, value: ClassType | Instance) -> Iterator[tuple[ClassType, bool]]:
        """Classes and modules to look a message up in; True for methods of the class object."""
        own = ClassType(value.path, value.definition)
        for base in self.evaluator.mro(value.path, value.definition):
            if not isinstance(base, ClassType):
                continue
            if isinstance(value, Instance):
                yield base, False
                continue
            if base == own or self._kind(base) != "module":
                yield base, True
                for module in self._extended_modules(base):
                    order = self.evaluator.mro(module.path, module.definition)
                    yield from ((inner, False) for inner in order if isinstance(inner, ClassType))
            else:
                # By convention, a nested module ClassMethods extends the class that includes the module.
                for opening in self._constants.definitions(f"{self._constants.full_name(base)}.ClassMethods")[:1]:
                    yield ClassType(*opening), False
        if isinstance(value, ClassType) and self._kind(own) == "module":
            yield own, False

    def _kind(self, class_: ClassType) -> str:
        return self.evaluator.file(class_.path).defs[class_.definition].kind

    # --- members

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        return self._member(receiver, name) if isinstance(receiver, ClassType | Instance) else None

    def _member(self, receiver: ClassType | Instance, name: str) -> Member:
        if _is_constant(name):
            full = self._constants.inherited(receiver, name)
            return Member(self._constants.sites(full), self._constants.types(full)) if full is not None else Member()
        for base, is_static in self._lookup_order(receiver):
            if name in _MODULE_METHODS and isinstance(receiver, ClassType) and not is_static:
                continue
            if name.startswith("@"):
                found = self._variables(base, name, receiver)
            else:
                found = self._methods(base, name, receiver, is_static=is_static)
            if found.sites:
                return found
        return Member((), self._universal_method(receiver, name))

    def _members_named(self, base: ClassType, name: str) -> Sequence[tuple[str, int, int]]:
        """Path, opening and number of the members of a class with a name."""
        return self.evaluator.memo_tracked(("ruby members", base, name), lambda: self._find_members(base, name))

    def _find_members(self, base: ClassType, name: str) -> list[tuple[str, int, int]]:
        full = self._constants.full_name(base)
        openings = self._constants.openings(base)
        found: list[tuple[str, int, int]] = []
        is_namespace = self._constants.is_namespace(full)
        for path, number in self.evaluator.definitions.at(f"{full}.{name}"):
            if is_namespace and is_test(path):
                continue
            file = self.evaluator.library.file(path)
            parent = file.defs[number].parent if file is not None and file.language == "ruby" else None
            if parent is not None and (is_namespace or (path, parent) in openings):
                found.append((path, parent, number))
        return found

    def _attribute(self, path: str, opening: int, name: str) -> Types:
        return self.evaluator.query(Query(QueryKind.ATTRIBUTE, path, opening, name))

    def _variables(self, base: ClassType, name: str, receiver: Type) -> Member:
        sites: list[Site] = []
        types = NOTHING
        if isinstance(receiver, Instance) and not name.startswith("@@"):
            for path, opening in self._constants.openings(base)[:MAX_OPENINGS]:
                attribute = self.evaluator.file(path).attributes.get((opening, name))
                if attribute is not None:
                    sites.append(Site(path, SiteKind.ATTRIBUTE, attribute))
                    types |= self._attribute(path, opening, name)
        else:
            for path, opening, number in self._members_named(base, name):
                sites.append(definition_site(path, number))
                types |= self._attribute(path, opening, name)
        return Member(sites, types)

    def _methods(self, base: ClassType, name: str, receiver: Type, *, is_static: bool) -> Member:
        kinds = {
            (path, opening, number): kind
            for path, opening, number in self._members_named(base, name)
            if (kind := self.evaluator.file(path).defs[number].kind) in _MESSAGES
            and self._is_static(self.evaluator.file(path), number) == is_static
        }
        # A property beside a method of its name can only be written.
        found = [place for place, kind in kinds.items() if kind != "property"] or list(kinds)
        types = NOTHING
        for path, opening, number in found:
            if kinds[path, opening, number] in CALLABLES:
                definition = self.evaluator.query(Query(QueryKind.DEFINITION, path, number))
                types |= frozenset(bind_method(value, receiver) for value in definition)
            elif held := self._attribute(path, opening, f"@{name}"):
                types |= one(StubMethod(held))
        if not found and name.endswith("="):
            written = self._methods(base, name[:-1], receiver, is_static=is_static).sites
            properties = [
                site for site in written if self.evaluator.file(site.path).defs[site.number].kind == "property"
            ]
            return Member(properties)
        return Member([definition_site(path, number) for path, _, number in found], types)

    def _universal_method(self, receiver: ClassType | Instance, name: str) -> Types:
        """Methods that every class or object has."""
        if isinstance(receiver, ClassType):
            if name == "new":
                return one(receiver)
            bases = self.evaluator.mro(receiver.path, receiver.definition) if name == "instance" else ()
            if External("Singleton") in bases:
                return one(ClassType(receiver.path, receiver.definition))
        elif name == "class":
            return one(StubMethod(one(class_of(receiver))))
        return one(StubMethod(one(receiver))) if name in _IDENTITY else NOTHING


def _is_constant(name: str) -> bool:
    return name[:1].isupper() or name.startswith("::")
