"""Python: modules and packages, classes whose methods name their object, decorators, and pytest's fixtures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from codeplane.base.paths import parent
from codeplane.facts.ir import ExprKind
from codeplane.facts.sketch import SketchImport
from codeplane.index.resolve.evaluator import CALLABLES
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.python_modules import PythonModules
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import (
    NOTHING,
    Site,
    Value,
    Values,
    bound,
    dict_of,
    foreign,
    list_of,
    objects,
    tuple_of,
    union,
)

_MAPPINGS = frozenset({"Dict", "dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict"})
_COLLECTIONS = frozenset(
    {
        "List", "list", "Set", "set", "FrozenSet", "frozenset", "Sequence", "MutableSequence", "Iterable", "Iterator",
        "Collection", "Generator", "AsyncGenerator", "AsyncIterator", "AsyncIterable", "Deque", "deque", "AbstractSet",
        "ContextManager", "AbstractContextManager", "AsyncContextManager", "AbstractAsyncContextManager",
    }
)  # fmt: skip


class PythonResolver(LanguageResolver):
    @cached_property
    def _modules(self) -> PythonModules:
        return PythonModules(self.evaluator.library.paths())

    def local_name(self, row: SketchImport) -> str:
        if row.alias:
            return row.alias
        return row.imported_name.partition(".")[0] if row.kind == "python_import" else row.imported_name

    def constructors(self, of: Value) -> tuple[str, ...]:
        return ("__init__",)

    def item(self, of: Value) -> Values:
        return self.evaluator.result(of, "__getitem__")

    def unbound(self, at: FileScope, name: str) -> Values:
        for source in self._stars(at):
            found = self.module_values(source, name)
            if found:
                return found
        return frozenset({("x", f"builtins.{name}")})

    def _stars(self, at: FileScope) -> list[Value]:
        """Modules that all names are taken from."""
        return [
            module
            for reexport in at.sketch.reexports
            if reexport[1] == "REEXPORT_ALL"
            for module in self._module_named(at.path, reexport[0])
        ]

    def unbound_sites(self, at: FileScope, name: str) -> list[Site]:
        """What a name that nothing in a file binds stands for, if all names of a module are taken over."""
        for source in self._stars(at):
            found = self.module_sites(source, name)
            if found:
                return found
        return []

    def imported(self, at: FileScope, number: int) -> Values:
        sites = self.import_sites(at, number)
        if sites:
            return union(self.evaluator.site_value(site) for site in sites)
        row = at.imports[number]
        source, name = row.source or "", row.imported_name
        if row.kind == "python_import":
            top = name if row.alias else name.partition(".")[0]
            stem_modules = self._module_named(at.path, top)
            return frozenset(stem_modules) if stem_modules else frozenset({("x", top)})
        found = union(self.module_values(module, name) for module in self._module_named(at.path, source))
        return found or (NOTHING if source.startswith(".") else frozenset({("x", f"{source}.{name}")}))

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        """What an import stands for in the repository."""
        row = at.imports[number]
        source, name = row.source or "", row.imported_name
        if row.kind == "python_import":
            top = name if row.alias else name.partition(".")[0]
            return [(module[1], "M", 0) for module in self._module_named(at.path, top) if module[0] == "M"]
        if row.kind != "python_from" or name == "*":
            return []
        found: list[Site] = []
        for module in self._module_named(at.path, source):
            found += self.module_sites(module, name)
        return found

    def import_files(self, at: FileScope, number: int) -> list[str]:
        row = at.imports[number]
        source = row.imported_name if row.kind == "python_import" else row.source or ""
        modules = self._module_named(at.path, source)
        inner = [self._submodule(module, row.imported_name) for module in modules if row.kind == "python_from"]
        return [module[1] for module in (*modules, *inner) if module is not None and module[0] == "M"]

    def _module_named(self, near: str, source: str) -> list[Value]:
        if source.startswith("."):
            stem = self._modules.relative(near, source)
            path = self._modules.at(stem)
            if path is not None:
                return [("M", path)]
            return [("N", "python", "/" + stem)] if self._modules.has_beneath(stem) else []
        path = self._modules.find(source, near)
        if path is not None:
            return [("M", path)]
        return [("N", "python", source)] if self._modules.is_directory(source) else []

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        """What a name of a module stands for."""
        if (module, name) in seen:
            inner = self._submodule(module, name)
            return [(inner[1], "M", 0)] if inner is not None and inner[0] == "M" else []
        seen = (*seen, (module, name))
        if module[0] != "M":
            inner = self._submodule(module, name)
            return [(inner[1], "M", 0)] if inner is not None and inner[0] == "M" else []
        at = self.evaluator.library.tables(module[1])
        if at is None:
            return []
        found: list[Site] = []
        bound = at.binds_in.get((0, name), ())
        for definition in at.defs_in.get((0, name), ()):
            if at.defs[definition].parent is None:
                found.append((at.path, "d", definition))
        for number in at.imports_in(0, name, self.local_name):
            imported = at.imports[number]
            if imported.kind == "python_import":
                found += self.import_sites(at, number)
            elif imported.kind == "python_from":
                for source in self._module_named(at.path, imported.source or ""):
                    found += self.module_sites(source, imported.imported_name, seen)
        if not found and not bound:
            inner = self._submodule(module, name)
            if inner is not None:
                return [(inner[1], "M", 0)] if inner[0] == "M" else []
            if not name.startswith("_") or any(export[0] == name for export in at.sketch.exports):
                for source in self._stars(at):
                    found += self.module_sites(source, name, seen)
                    if found:
                        break
        return list(dict.fromkeys(found))

    def _submodule(self, module: Value, name: str) -> Value | None:
        if module[0] == "N" and not module[2].startswith("/"):
            found = self._module_named("", f"{module[2]}.{name}")
            return found[0] if found else None
        if module[0] == "M":
            path = module[1]
            if not path.endswith(("/__init__.py", "/__init__.pyi")):
                return None
            stem = f"{parent(path)}/{name}"
        else:
            stem = f"{module[2][1:]}/{name}"
        file = self._modules.at(stem)
        if file is not None:
            return ("M", file)
        return ("N", "python", "/" + stem) if self._modules.has_beneath(stem) else None

    def module_values(self, module: Value, name: str) -> Values:
        sites = self.module_sites(module, name)
        if sites:
            return union(self.evaluator.site_value(site) for site in sites)
        if module[0] == "M":
            at = self.evaluator.library.tables(module[1])
            bound = at.binds_in.get((0, name), ()) if at is not None else ()
            if bound:
                return union(self.evaluator.query(("b", module[1], bind)) for bind in bound)
        inner = self._submodule(module, name)
        return frozenset({inner}) if inner is not None else NOTHING

    def how(self, at: FileScope, definition: int) -> str:
        """How a method takes its object."""
        names = {name.rpartition(".")[2] for name in self._decorator_names(at, definition)}
        if "staticmethod" in names:
            return "static"
        if "classmethod" in names or at.defs[definition].name in ("__new__", "__init_subclass__", "__class_getitem__"):
            return "class"
        return "object"

    def _decorator_names(self, at: FileScope, definition: int) -> list[str]:
        """Dotted texts of the decorators, the arguments of those that are called left out."""
        found = []
        for node in at.decorators(definition):
            kind, a, b, _ = at.nodes[node]
            if kind == ExprKind.CALL:
                kind, a, b, _ = at.nodes[a]
            parts: list[str] = []
            while kind == ExprKind.MEMBER:
                parts.append(at.texts[b])
                kind, a, b, _ = at.nodes[a]
            if kind == ExprKind.NAME:
                found.append(".".join([at.texts[b], *reversed(parts)]))
        return found

    def passed(self, at: FileScope, definition: int, name: str) -> Values:
        """What pytest passes to a test or to a fixture."""
        if not (at.defs[definition].name.startswith("test") or self._is_fixture(at, definition)):
            return NOTHING
        places = [at.path]
        folder = at.path
        while folder:
            folder = parent(folder)
            places.append(f"{folder}/conftest.py" if folder else "conftest.py")
        for path in places:
            tables = self.evaluator.library.tables(path)
            if tables is None:
                continue
            for number, row in enumerate(tables.defs):
                if (
                    row.name == name
                    and (path, number) != (at.path, definition)
                    and row.kind in CALLABLES
                    and self._is_fixture(tables, number)
                ):
                    scope = tables.body.get(number)
                    if scope is None:
                        return NOTHING
                    values = self.evaluator.query(("r", path, scope))
                    return union(
                        value[1] if value[0] == "l" and tables.yields(scope) else frozenset({value}) for value in values
                    )
        return NOTHING

    def _is_fixture(self, at: FileScope, definition: int) -> bool:
        return any(name.rpartition(".")[2] == "fixture" for name in self._decorator_names(at, definition))

    def method(self, at: FileScope, definition: int, of: Value) -> Values:
        names = self._decorator_names(at, definition)
        last = {name.rpartition(".")[2] for name in names}
        held = self.evaluator.query(("v", at.path, definition))
        if of[0] == "i" and any(name.endswith("property") or name in ("setter", "getter", "deleter") for name in last):
            return union(self.evaluator.call(bound(value, of), None, 0) for value in held)
        if "staticmethod" in last:
            return held
        if "classmethod" in last:
            return frozenset(bound(value, ("c", of[1], of[2])) for value in held)
        if of[0] == "c":
            return held
        return frozenset(bound(value, of) for value in held)

    def described(self, values: Values, of: Value) -> Values:
        found = NOTHING
        for value in values:
            getter = self.evaluator.member(value, "__get__")[1] if value[0] == "i" and of[0] == "i" else NOTHING
            found |= union(self.evaluator.call(method, None, 0) for method in getter) if getter else frozenset({value})
        return found

    def is_enum(self, of: Value) -> bool:
        return any(
            base[0] == "x" and base[1].rpartition(".")[2] in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
            for base in self.evaluator.bases(of[1], of[2])
        )

    def elements(self, of: Value) -> Values:
        if of[0] == "c":
            return frozenset({("i", of[1], of[2])}) if self.is_enum(of) else NOTHING
        iterator = self.evaluator.result(of, "__iter__") | self.evaluator.result(of, "__aiter__")
        stepped = union(
            self.evaluator.result(value, "__next__") | self.evaluator.result(value, "__anext__")
            for value in iterator
            if value[0] == "i"
        )
        found = stepped | union(self.evaluator.elements(value) for value in iterator if value[0] != "i")
        return found or self.evaluator.result(of, "__getitem__")

    def entered(self, of: Value) -> Values:
        return self.evaluator.result(of, "__enter__") | self.evaluator.result(of, "__aenter__")

    def call_foreign(self, name: str, at: FileScope, node: int, values: Sequence[Values]) -> Values:
        arguments = at.lists[at.nodes[node][2]]
        module, _, last = name.rpartition(".")
        first = values[0] if values else NOTHING
        if module == "builtins":
            if last == "super":
                return self._super(values) if values else self._super_in(at, at.scope_of_call.get(node))
            if last in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"):
                return frozenset({list_of(union(self.evaluator.elements(value) for value in first))})
            if last == "dict":
                return frozenset(value for value in first if value[0] == "d") or frozenset(
                    {self._labelled(at, arguments)}
                )
            if last == "enumerate":
                return frozenset(
                    {list_of(frozenset({tuple_of([NOTHING, union(map(self.evaluator.elements, first))])}))}
                )
            if last == "zip":
                return frozenset(
                    {list_of(frozenset({tuple_of([union(map(self.evaluator.elements, held)) for held in values])}))}
                )
            if last in ("next", "anext", "min", "max"):
                return union(self.evaluator.elements(value) for value in first)
            if last == "filter" and len(values) > 1:
                return frozenset({list_of(union(map(self.evaluator.elements, values[1])))})
            if last == "map" and len(values) > 1:
                passed = union(map(self.evaluator.elements, values[1]))
                return frozenset({list_of(union(self.evaluator.call_with(value, [passed]) for value in first))})
            if last == "type" and len(values) == 1:
                return frozenset(("c", *value[1:]) for value in first if value[0] == "i")
            if last == "getattr" and len(values) > 1:
                names = [value[1] for value in values[1] if value[0] == "k"]
                found = union(self.evaluator.member(value, name)[1] for value in first for name in names)
                return found | (values[2] if len(values) > 2 else NOTHING)
            if last in ("staticmethod", "classmethod", "property"):
                return first
        if last == "cast" and len(arguments) > 1:
            return self.evaluator.type_of(at, arguments[0])
        if last == "TypeVar":
            for part in arguments:
                kind, a, b, _ = at.nodes[part]
                if kind == ExprKind.LABELLED and at.texts[b] == "bound":
                    return frozenset({("v", at.path, a)})
            return NOTHING
        if name in ("functools.partial", "copy.copy", "copy.deepcopy", "asyncio.run", "weakref.ref", "weakref.proxy"):
            return first
        return foreign(name if name.endswith("()") else f"{name}()")

    def _labelled(self, at: FileScope, arguments: Sequence[int]) -> Value:
        known = {}
        for part in arguments:
            kind, a, b, _ = at.nodes[part]
            if kind == ExprKind.LABELLED:
                known[at.texts[b]] = self.evaluator.value(at.path, a)
        return dict_of(known, NOTHING)

    def _super(self, values: Sequence[Values]) -> Values:
        if len(values) > 1:
            return frozenset(
                ("s", cls[1], cls[2], of)
                for cls in values[0]
                if cls[0] == "c"
                for of in values[1]
                if of[0] in ("i", "c")
            )
        return NOTHING

    def _super_in(self, at: FileScope, scope: int | None) -> Values:
        """`super()` without arguments, in a scope."""
        while scope is not None:
            owner = at.owner.get(scope)
            parent = at.defs[owner].parent if owner is not None else None
            if (
                owner is not None
                and parent is not None
                and at.defs[owner].kind in CALLABLES
                and at.defs[parent].kind in self.classes
            ):
                what = "c" if self.how(at, owner) == "class" else "i"
                return frozenset({("s", at.path, parent, (what, at.path, parent, scope))})
            scope = at.sketch.scopes[scope][0]
        return NOTHING

    def generic(self, name: str, at: FileScope, parts: Sequence[int]) -> Values:
        found = NOTHING
        last = name.rpartition(".")[2]
        if last in (
            "Optional",
            "Union",
            "Annotated",
            "Final",
            "ClassVar",
            "Required",
            "NotRequired",
            "ReadOnly",
            "TypeGuard",
        ):
            taken = parts[:1] if last == "Annotated" else parts
            found |= union(self.evaluator.type_of(at, part) for part in taken)
        elif last in ("Type", "type"):
            found |= frozenset(
                ("c", held[1], held[2]) for part in parts for held in self.evaluator.type_of(at, part) if held[0] == "i"
            )
        elif last in _MAPPINGS and len(parts) > 1:
            found |= frozenset({dict_of({}, self.evaluator.type_of(at, parts[1]))})
        elif last in ("Tuple", "tuple") and parts:
            if len(parts) > 1 and self._is_open_ended(at, parts[-1]):
                found |= frozenset({list_of(self.evaluator.type_of(at, parts[0]))})
            else:
                found |= frozenset({tuple_of([self.evaluator.type_of(at, part) for part in parts])})
        elif last in ("Awaitable", "Coroutine") and parts:
            found |= self.evaluator.type_of(at, parts[-1])
        elif last in _COLLECTIONS and parts:
            found |= frozenset({list_of(self.evaluator.type_of(at, parts[0]))})
        return found

    def _is_open_ended(self, at: FileScope, node: int) -> bool:
        return at.nodes[node][0] == ExprKind.UNKNOWN

    def written(self, at: FileScope, text: str) -> Values:
        """A type in quotes."""
        found = NOTHING
        for part in text.split("|"):
            name = part.strip()
            if not all(piece.isidentifier() for piece in name.split(".")):
                continue
            head, *rest = name.split(".")
            binds = at.binds_in.get((0, head), ())
            if not rest:
                found |= union(self.evaluator.query(("y", at.path, bind)) for bind in binds)
                continue
            values = union(self.evaluator.query(("b", at.path, bind)) for bind in binds)
            for piece in rest:
                values = union(self.evaluator.member(value, piece)[1] for value in values)
            found |= objects(values)
        return found
