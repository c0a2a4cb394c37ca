"""Python: modules and packages, `self` parameters, decorators, and pytest fixtures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property

from codeplane.base.paths import parent
from codeplane.facts.ir import CallExpr, FlowKind, LabelledExpr, MemberExpr, NameExpr, StringExpr, UnknownExpr
from codeplane.facts.model import ReexportMode
from codeplane.index.resolve.calls import argument_types, arguments_of
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import FieldPattern, Member, Operator, Query, QueryKind, ReceiverKind
from codeplane.index.resolve.resolver import CALLABLES, LanguageResolver, LanguageTraits
from codeplane.index.resolve.stubs import StubCall, read_stubs
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    DictType,
    External,
    Instance,
    ListType,
    Module,
    NamespaceType,
    ParamType,
    Site,
    SuperType,
    Type,
    Types,
    TypeVarBound,
    bind_method,
    class_of,
    definition_site,
    dict_of,
    external_call,
    instances,
    list_of,
    literals,
    module_site,
    one,
    tuple_of,
    union,
)
from codeplane.languages.python.resolver_modules import PythonModules

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_ACCESSORS = frozenset({"setter", "getter", "deleter"})
_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_PythonModule = Module | NamespaceType


def _decorator_names(file: FileScope, definition: int) -> set[str]:
    """Names of the decorators, without qualifiers and arguments."""
    found = set()
    for node in file.decorators(definition):
        expr = file.exprs[node]
        if isinstance(expr, CallExpr):
            expr = file.exprs[expr.callee]
        name = expr.name if isinstance(expr, NameExpr | MemberExpr) else ""
        while isinstance(expr, MemberExpr):
            expr = file.exprs[expr.receiver]
        if isinstance(expr, NameExpr):
            found.add(name)
    return found


def _is_fixture(file: FileScope, definition: int) -> bool:
    return "fixture" in _decorator_names(file, definition)


def _receiver_kind(file: FileScope, definition: int) -> ReceiverKind:
    names = _decorator_names(file, definition)
    if "staticmethod" in names:
        return ReceiverKind.STATIC
    if "classmethod" in names or file.defs[definition].name in _CLASS_METHODS:
        return ReceiverKind.CLASS
    return ReceiverKind.INSTANCE


class PythonResolver(LanguageResolver):
    traits = LanguageTraits(
        constructors=("__init__",),
        dotted_imports=frozenset({"python_import"}),
        implied_methods={
            FlowKind.FOR: ("__iter__", "__next__", "__aiter__", "__anext__"),
            FlowKind.WITH: ("__enter__", "__exit__"),
        },
        receiver_kind=_receiver_kind,
    )

    @cached_property
    def _modules(self) -> PythonModules:
        return PythonModules(self.evaluator.library.paths())

    # --- imports and modules

    def name_types(self, file: FileScope, node: int) -> Types:
        expr = file.exprs[node]
        if not isinstance(expr, NameExpr):
            return NOTHING
        for source in self._star_imports(file):
            found = self._module_types(source, expr.name)
            if found:
                return found
        return one(External(f"builtins.{expr.name}"))

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        for source in self._star_imports(file):
            found = self._module_sites(source, name)
            if found:
                return found
        return []

    def _star_imports(self, file: FileScope) -> list[_PythonModule]:
        return [
            module
            for reexport in file.summary.reexports
            if reexport.mode == ReexportMode.REEXPORT_ALL
            for module in self._find_module(file.path, reexport.source_literal)
        ]

    def import_types(self, file: FileScope, number: int) -> Types:
        sites = self.resolve_import(file, number)
        if sites:
            return self.evaluator.types_at(sites)
        row = file.imports[number]
        source, name = row.source or "", row.imported_name
        if row.kind == "python_import":
            top = name if row.alias else name.partition(".")[0]
            return frozenset(self._find_module(file.path, top)) or one(External(top))
        found = union(self._module_types(module, name) for module in self._find_module(file.path, source))
        return found or (NOTHING if source.startswith(".") else one(External(f"{source}.{name}")))

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        row = file.imports[number]
        source, name = row.source or "", row.imported_name
        if row.kind == "python_import":
            top = name if row.alias else name.partition(".")[0]
            return [site for module in self._find_module(file.path, top) for site in _file_of(module)]
        if row.kind != "python_from" or name == "*":
            return []
        found: list[Site] = []
        for module in self._find_module(file.path, source):
            found += self._module_sites(module, name)
        return found

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        for row in file.imports:
            source = row.imported_name if row.kind == "python_import" else row.source or ""
            modules = self._find_module(file.path, source)
            inner = [self._submodule(module, row.imported_name) for module in modules if row.kind == "python_from"]
            yield from (module.path for module in (*modules, *inner) if isinstance(module, Module))

    def _find_module(self, near: str, source: str) -> list[_PythonModule]:
        if source.startswith("."):
            return self._module_at(self._modules.relative(near, source))
        path = self._modules.find(source, near)
        if path is not None:
            return [Module(path)]
        return [NamespaceType("python", source)] if self._modules.is_directory(source) else []

    def _module_at(self, stem: str) -> list[_PythonModule]:
        path = self._modules.at(stem)
        if path is not None:
            return [Module(path)]
        return [NamespaceType("python", "/" + stem)] if self._modules.has_folder(stem) else []

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        if not isinstance(receiver, Module | NamespaceType):
            return None
        return Member(self._module_sites(receiver, name), self._module_types(receiver, name))

    def _module_sites(self, module: _PythonModule, name: str) -> list[Site]:
        return self._lookup(module, name, ())

    def _lookup(self, module: _PythonModule, name: str, seen: tuple[tuple[_PythonModule, str], ...]) -> list[Site]:
        """Declarations of a name of a module; `seen` guards against circular imports."""
        if (module, name) in seen or not isinstance(module, Module):
            return _file_of(self._submodule(module, name))
        seen = (*seen, (module, name))
        file = self.evaluator.library.file(module.path)
        if file is None:
            return []
        found = [
            definition_site(file.path, definition)
            for definition in file.defs_in.get((0, name), ())
            if file.defs[definition].parent is None
        ]
        for number in file.imports_in(0, name, self.traits.dotted_imports):
            imported = file.imports[number]
            if imported.kind == "python_import":
                found += self.resolve_import(file, number)
            elif imported.kind == "python_from":
                for source in self._find_module(file.path, imported.source or ""):
                    found += self._lookup(source, imported.imported_name, seen)
        if not found and not file.binds_in.get((0, name), ()):
            inner = self._submodule(module, name)
            if inner is not None:
                return _file_of(inner)
            if not name.startswith("_") or any(export[0] == name for export in file.summary.exports):
                for source in self._star_imports(file):
                    found += self._lookup(source, name, seen)
                    if found:
                        break
        return list(dict.fromkeys(found))

    def _submodule(self, module: _PythonModule, name: str) -> _PythonModule | None:
        if isinstance(module, Module):
            if not module.path.endswith(("/__init__.py", "/__init__.pyi")):
                return None
            found = self._module_at(f"{parent(module.path)}/{name}")
        elif module.name.startswith("/"):
            found = self._module_at(f"{module.name[1:]}/{name}")
        else:
            found = self._find_module("", f"{module.name}.{name}")
        return found[0] if found else None

    def _module_types(self, module: _PythonModule, name: str) -> Types:
        sites = self._module_sites(module, name)
        if sites:
            return self.evaluator.types_at(sites)
        if isinstance(module, Module):
            file = self.evaluator.library.file(module.path)
            binds = file.binds_in.get((0, name), ()) if file is not None else ()
            if binds:
                return self._bindings_types(module.path, binds)
        inner = self._submodule(module, name)
        return one(inner) if inner is not None else NOTHING

    def _bindings_types(self, path: str, binds: Sequence[int]) -> Types:
        return union(self.evaluator.query(Query(QueryKind.BINDING, path, bind)) for bind in binds)

    # --- methods and attributes

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        """A parameter without a declared type may be a pytest fixture."""
        place = file.param_of_bind.get(query.number) if query.kind is QueryKind.BINDING else None
        if place is None or (definition := file.owner.get(place[0])) is None:
            return None
        if not (file.defs[definition].name.startswith("test") or _is_fixture(file, definition)):
            return None
        types = self.evaluator.default_types(file, query)
        param = file.params[place[0]][place[1]]
        is_declared = param.type >= 0 and self.evaluator.named_type(file, param.type)
        if is_declared or ParamType(file.path, *place) not in types:
            return types
        return types | self._fixture_named(file, definition, param.name)

    def _fixture_named(self, file: FileScope, definition: int, name: str) -> Types:
        """The pytest fixture that is passed to a test or to another fixture."""
        paths = [file.path]
        folder = file.path
        while folder:
            folder = parent(folder)
            paths.append(f"{folder}/conftest.py" if folder else "conftest.py")
        for path in paths:
            other = self.evaluator.library.file(path)
            if other is None:
                continue
            for number, row in enumerate(other.defs):
                is_other = row.name == name and (path, number) != (file.path, definition)
                if is_other and row.kind in CALLABLES and _is_fixture(other, number):
                    return self._fixture_types(other, number)
        return NOTHING

    def _fixture_types(self, file: FileScope, definition: int) -> Types:
        scope = file.body.get(definition)
        if scope is None:
            return NOTHING
        types = self.evaluator.query(Query(QueryKind.RETURN, file.path, scope))
        is_generator = bool(file.yields(scope))
        return union(value.items if isinstance(value, ListType) and is_generator else one(value) for value in types)

    def member_types(self, site: Site, receiver: Type, owner: ClassType, name: str) -> Types:
        file = self.evaluator.file(site.path)
        if file.defs[site.number].kind in CALLABLES:
            return self._method_types(file, site.number, receiver)
        return self._attribute_types(super().member_types(site, receiver, owner, name), receiver, owner)

    def _method_types(self, file: FileScope, definition: int, receiver: Type) -> Types:
        names = _decorator_names(file, definition)
        found = self.evaluator.query(Query(QueryKind.DEFINITION, file.path, definition))
        is_property = any(name.endswith("property") or name in _ACCESSORS for name in names)
        if isinstance(receiver, Instance) and is_property:
            return union(self.evaluator.call(bind_method(value, receiver), None, 0) for value in found)
        if "staticmethod" in names:
            return found
        if "classmethod" in names and isinstance(receiver, Instance | ClassType):
            class_ = ClassType(receiver.path, receiver.definition)
            return frozenset(bind_method(value, class_) for value in found)
        if isinstance(receiver, ClassType):
            return found
        return frozenset(bind_method(value, receiver) for value in found)

    def _attribute_types(self, types: Types, receiver: Type, owner: ClassType) -> Types:
        found = NOTHING
        for value in types:
            is_read = isinstance(value, Instance) and isinstance(receiver, Instance)
            getter = self.evaluator.member(value, "__get__").types if is_read else NOTHING
            found |= union(self.evaluator.call(method, None, 0) for method in getter) if getter else one(value)
        if isinstance(receiver, ClassType) and self._is_enum(owner):
            found |= one(Instance(owner.path, owner.definition))
        return found

    def _is_enum(self, class_: ClassType) -> bool:
        bases = self.evaluator.mro(class_.path, class_.definition)
        return any(isinstance(base, External) and base.name.rpartition(".")[2] in _ENUMS for base in bases)

    # --- operators

    def apply_operator(self, operator: Operator | FieldPattern, value: Type) -> Types:
        match operator:
            case Operator.INDEX:
                return self.evaluator.call_method(value, "__getitem__")
            case Operator.ENTER:
                return self._call_methods(value, "__enter__", "__aenter__")
            case Operator.ITERATE:
                return self._iterate(value)
        return super().apply_operator(operator, value)

    def _call_methods(self, receiver: Type, *names: str) -> Types:
        return union(self.evaluator.call_method(receiver, name) for name in names)

    def _iterate(self, value: Type) -> Types:
        if isinstance(value, ClassType):
            return one(Instance(value.path, value.definition)) if self._is_enum(value) else NOTHING
        found = NOTHING
        for iterator in self._call_methods(value, "__iter__", "__aiter__"):
            if isinstance(iterator, Instance):
                found |= self._call_methods(iterator, "__next__", "__anext__")
            else:
                found |= self.evaluator.elements(iterator)
        return found or self.evaluator.call_method(value, "__getitem__")

    # --- library calls

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        if not isinstance(callee, External):
            return None
        return self._call_external(callee.name, file, node, argument_types(self.evaluator, file, node))

    def _call_external(self, name: str, file: FileScope, node: int, arguments: Sequence[Types]) -> Types:
        nodes = arguments_of(file, node)
        module, _, last = name.rpartition(".")
        stubs = read_stubs("python")
        call = StubCall(lambda _, parts: one(list_of(parts[0])), self._elements, self._call_all, arguments=arguments)
        if module == "builtins":
            found = self._call_builtin(last, file, node, arguments)
            found = stubs.apply("builtins", last, call) if found is None else found
            if found is not None:
                return found
        if last == "cast" and len(nodes) > 1:
            return self.evaluator.named_type(file, nodes[0])
        if last == "TypeVar":
            labelled = [expr for part in nodes if isinstance(expr := file.exprs[part], LabelledExpr)]
            bound = next((expr.value for expr in labelled if expr.name == "bound"), None)
            return one(TypeVarBound(file.path, bound)) if bound is not None else NOTHING
        known = stubs.apply("", name, call)
        return known if known is not None else external_call(name)

    def _call_builtin(self, name: str, file: FileScope, node: int, arguments: Sequence[Types]) -> Types | None:
        """Result of a function that is more than a stub can describe."""
        match name, len(arguments):
            case "super", count:
                return self._super(arguments) if count else self._super_in(file, file.scope_of_call.get(node))
            case "dict", _:
                dicts: Types = frozenset(value for value in union(arguments[:1]) if isinstance(value, DictType))
                return dicts or one(self._keyword_dict(file, arguments_of(file, node)))
            case "zip", _:
                return one(list_of(one(tuple_of([self._elements(types) for types in arguments]))))
            case "type", 1:
                return frozenset(class_of(value) for value in arguments[0] if isinstance(value, Instance))
            case "getattr", (2 | 3):
                names = map(str, literals(arguments[1]))
                members = [self.evaluator.member(value, name).types for name in names for value in arguments[0]]
                return union([*members, *arguments[2:]])
        return None

    def _elements(self, types: Types) -> Types:
        return union(map(self.evaluator.elements, types))

    def _call_all(self, functions: Types, arguments: Sequence[Types]) -> Types:
        return union(self.evaluator.call_with(value, arguments) for value in functions)

    def _keyword_dict(self, file: FileScope, nodes: Sequence[int]) -> Type:
        labelled = [expr for part in nodes if isinstance(expr := file.exprs[part], LabelledExpr)]
        return dict_of({expr.name: self.evaluator.infer(file, expr.value) for expr in labelled}, NOTHING)

    def _super(self, arguments: Sequence[Types]) -> Types:
        if len(arguments) < 2:
            return NOTHING
        return frozenset(
            SuperType(class_.path, class_.definition, receiver)
            for class_ in arguments[0]
            if isinstance(class_, ClassType)
            for receiver in arguments[1]
            if isinstance(receiver, Instance | ClassType)
        )

    def _super_in(self, file: FileScope, scope: int | None) -> Types:
        """`super()` without arguments."""
        while scope is not None:
            owner = file.owner.get(scope)
            enclosing = self.enclosing_class(file, owner) if owner is not None else None
            if owner is not None and enclosing is not None and file.defs[owner].kind in CALLABLES:
                is_class = _receiver_kind(file, owner) is ReceiverKind.CLASS
                receiver = ClassType(*enclosing, scope) if is_class else Instance(*enclosing, scope)
                return one(SuperType(*enclosing, receiver))
            scope = file.parent(scope)
        return NOTHING

    # --- annotations

    def apply_type_arguments(self, value: ClassType | External, file: FileScope, parts: Sequence[int]) -> Types:
        if isinstance(value, ClassType):
            return super().apply_type_arguments(value, file, parts)
        named = self.evaluator.named_type
        last = value.name.rpartition(".")[2]
        kind = read_stubs("python").represented_by.get(last)
        types = [named(file, part) for part in parts] if kind is not None else []
        match kind:
            case "transparent":
                return union(types[:1] if last == "Annotated" else types)
            case "type":
                return frozenset(ClassType(*held[:2]) for held in union(types) if isinstance(held, Instance))
            case "dict" if len(types) > 1:
                return one(dict_of({}, types[1]))
            case "tuple" if types:
                is_variadic = len(parts) > 1 and isinstance(file.exprs[parts[-1]], UnknownExpr)
                return one(list_of(types[0]) if is_variadic else tuple_of(types))
            case "awaitable" if types:
                return types[-1]
            case "list" if types:
                return one(list_of(types[0]))
        return NOTHING

    def named_type(self, file: FileScope, node: int) -> Types:
        """A type in quotes."""
        expr = file.exprs[node]
        if isinstance(expr, NameExpr):
            return super().named_type(file, node)
        found = NOTHING
        for part in expr.text.split("|") if isinstance(expr, StringExpr) else ():
            name = part.strip()
            if not all(piece.isidentifier() for piece in name.split(".")):
                continue
            head, *rest = name.split(".")
            binds = file.binds_in.get((0, head), ())
            if not rest:
                found |= union(self.evaluator.query(Query(QueryKind.NAMED_TYPE, file.path, bind)) for bind in binds)
                continue
            types = self._bindings_types(file.path, binds)
            for piece in rest:
                types = union(self.evaluator.member(value, piece).types for value in types)
            found |= instances(types)
        return found


def _file_of(module: _PythonModule | None) -> list[Site]:
    return [module_site(module.path)] if isinstance(module, Module) else []
