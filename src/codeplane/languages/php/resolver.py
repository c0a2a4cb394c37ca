"""PHP: namespaces and imports, classes with traits, and types declared in doc comments.

Classes, functions and constants have separate namespaces, and so have properties (`$name`), methods (`name()`) and
constants (`name`) of a class. A full name that several files define refers to none of them, unless one is in the same
directory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from posixpath import dirname, join, normpath

from codeplane.facts.ir import DocTypeExpr, NameExpr
from codeplane.facts.model import Usage
from codeplane.facts.summary import SummaryDefinition
from codeplane.index.resolve.calls import argument_types
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.members import this_types
from codeplane.index.resolve.queries import FieldPattern, Member, Operator, Query, QueryKind
from codeplane.index.resolve.resolver import LanguageResolver, LanguageTraits
from codeplane.index.resolve.stubs import StubCall, read_stubs
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    DictType,
    External,
    Instance,
    Site,
    Type,
    Types,
    bind_method,
    dict_of,
    instance_of,
    instances,
    list_of,
    one,
    union,
)
from codeplane.languages.php.resolver_doc_types import (
    DocClass,
    DocFields,
    DocList,
    DocName,
    DocType,
    DocUnion,
    parse_doc_type,
)

_CLASS, _FUNCTION, _CONSTANT = "class", "function", "constant"
_IMPORT_KINDS = {"php_use": _CLASS, "php_use_function": _FUNCTION, "php_use_const": _CONSTANT}
_USAGE_KINDS = {Usage.TYPE: _CLASS, Usage.CALL: _FUNCTION, Usage.NAME: _CONSTANT}
_LANGUAGES = frozenset({"php"})
_CLASS_KINDS = frozenset({"class", "interface", "trait", "enum"})
_METHODS = frozenset({"method", "constructor"})
_ENUM_FACTORIES = frozenset({"from()", "tryFrom()"})


def _member_definitions(file: FileScope, definition: int, name: str) -> Sequence[int]:
    own = file.members.get(definition, {})
    if name.endswith("()"):
        return [number for number in own.get(name[:-2], ()) if file.defs[number].kind in _METHODS]
    if not name.startswith("$"):
        return [number for number in own.get(name, ()) if file.defs[number].kind in ("constant", "enum_member")]
    found = [number for number in own.get(name[1:], ()) if file.defs[number].kind == "property"]
    for constructor in own.get("__construct", ()):
        found += file.member_definitions(constructor, name[1:])
    return found


class PhpResolver(LanguageResolver):
    traits = LanguageTraits(
        member_definitions=_member_definitions,
        out_of_line_members=False,
        class_kinds=_CLASS_KINDS,
        self_parameter=False,
        call_operator="__invoke()",
        constructors=("__construct()",),
        base_ranks={"trait": 0, "interface": 2},
    )

    # --- namespaces

    def _namespace_at(self, file: FileScope, scope: int) -> tuple[int, str]:
        """The scope of the enclosing namespace, and its name."""
        if not file.summary.scopes:
            return 0, ""  # nothing is defined there
        while scope and file.scope_kind(scope) != "namespace":
            scope = file.parent(scope) or 0
        known = self.evaluator.memo_tracked(("php namespaces", file.path), lambda: _read_namespaces(file))
        return scope, known.get(scope, "")

    def module_of(self, file: FileScope, definition: int) -> str | None:
        row = file.defs[definition]
        is_member = row.parent is not None and file.defs[row.parent].kind in _CLASS_KINDS
        is_named = row.kind in _CLASS_KINDS or (row.kind in (_FUNCTION, _CONSTANT) and not is_member)
        return self._namespace_at(file, row.scope)[1] if is_named else None

    def _alias(self, file: FileScope, scope: int, kind: str, name: str) -> str | None:
        known = self.evaluator.memo_tracked(("php aliases", file.path), lambda: _read_aliases(file))
        found = known.get((scope, kind, name))
        return self._imported_name(file, found) if found is not None else None

    def _imported_name(self, file: FileScope, number: int) -> str:
        row = file.imports[number]
        inner = f"{row.source}\\{row.imported_name}"
        if row.source != row.imported_name:
            return inner
        # `use A` and `use A\A` have the same facts.
        return inner if self._definitions(_IMPORT_KINDS[row.kind], inner) else row.imported_name

    def _full_names(self, file: FileScope, name: str, scope: int, kind: str) -> list[str]:
        """Full names that a name can have; the first that exists is meant."""
        if name.startswith("\\"):
            return [name[1:]]
        scope, namespace = self._namespace_at(file, scope)
        prefix = f"{namespace}\\" if namespace else ""
        head, more, rest = name.partition("\\")
        if head.lower() == "namespace" and more:
            return [prefix + rest]
        known = self._alias(file, scope, _CLASS if more else kind, head)
        if known is not None:
            return [known + more + rest]
        return [prefix + name] if more or kind == _CLASS or not namespace else [prefix + name, name]

    def _definitions(self, kind: str, name: str) -> Sequence[Site]:
        """All definitions of a full name."""
        namespace, _, last = name.rpartition("\\")
        found = self.evaluator.definitions.in_module(_LANGUAGES, namespace, last)
        return [site for site in found if _is_kind(self.evaluator.file(site.path).defs[site.number], kind)]

    def _find(self, file: FileScope, name: str, scope: int, kind: str) -> list[Site]:
        for full in self._full_names(file, name, scope, kind):
            found = self._definitions(kind, full)
            if found:
                return _nearest(found, file.path)
        return []

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        kind = _USAGE_KINDS.get(Usage(usage))
        if kind is not None:
            return self._find(file, name, scope, kind)
        found = [sites for kind in (_CLASS, _FUNCTION, _CONSTANT) if (sites := self._find(file, name, scope, kind))]
        return found[0] if len(found) == 1 else []

    def name_types(self, file: FileScope, node: int) -> Types:
        expr = file.exprs[node]
        assert isinstance(expr, NameExpr)
        sites = self.resolve_name(file, *file.ambient[node], expr.name, -1)
        return self.evaluator.types_at(sites) or one(External(expr.name))

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        kind = _IMPORT_KINDS.get(file.imports[number].kind)
        if kind is None:
            return []
        return _nearest(self._definitions(kind, self._imported_name(file, number)), file.path)

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        yield from super().imported_files(file, used)
        for row in file.imports:
            if row.kind not in _IMPORT_KINDS and row.source:
                # A path without a directory is looked for beside the file, then from the root.
                beside = normpath(join(dirname(file.path), row.source.removeprefix("./").lstrip("/")))
                for path in (beside, normpath(row.source)):
                    if self.evaluator.library.file(path) is not None:
                        yield path
                        break

    def import_types(self, file: FileScope, number: int) -> Types:
        return self.evaluator.types_at(self.resolve_import(file, number)) or one(
            External(file.imports[number].imported_name)
        )

    # --- classes

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        """A promoted constructor parameter has its declared type as a property."""
        if query.kind is not QueryKind.ATTRIBUTE or not query.name.startswith("$"):
            return None
        name = query.name[1:]
        for constructor in file.member_definitions(query.number, "__construct"):
            if file.member_definitions(constructor, name):
                for param in file.params.get(file.body.get(constructor, -1), ()):
                    if param.name == name and param.type >= 0:
                        return self.evaluator.named_type(file, param.type) or None
        return None

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        """Factories of an enum are defined by the language."""
        if name not in _ENUM_FACTORIES or not isinstance(receiver, ClassType) or receiver.definition < 0:
            return None
        file = self.evaluator.file(receiver.path)
        if file.defs[receiver.definition].kind != "enum" or _member_definitions(file, receiver.definition, name):
            return None
        return Member((), one(receiver))

    def member_types(self, site: Site, receiver: Type, owner: ClassType, name: str) -> Types:
        """A method called on a class may be called on any instance of it (`new static`)."""
        found = super().member_types(site, receiver, owner, name)
        bound = instance_of(receiver) if isinstance(receiver, ClassType) else receiver
        return frozenset(bind_method(value, bound) for value in found) if name.endswith("()") else found

    # --- operators and library calls

    def apply_operator(self, operator: Operator | FieldPattern, value: Type) -> Types:
        if operator is Operator.LOOP:
            return value.values() if isinstance(value, DictType) else self.evaluator.elements(value)
        if operator is Operator.INDEX:
            return self.evaluator.call_method(value, "offsetGet()")
        if operator is Operator.ITERATE and isinstance(value, Instance):
            iterators = self.evaluator.call_method(value, "getIterator()")
            inner = union(self.evaluator.elements(iterator) for iterator in iterators if iterator != value)
            return self.evaluator.call_method(value, "current()") | inner
        return super().apply_operator(operator, value) if operator is Operator.AWAIT else NOTHING

    def _elements(self, types: Types) -> Types:
        return union(self.apply_operator(Operator.LOOP, value) for value in types)

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        if not isinstance(callee, External):
            return None
        last = callee.name.rpartition("\\")[2]
        arguments = argument_types(self.evaluator, file, node)
        call = StubCall(lambda name, parts: one(list_of(parts[0])), self._elements, self._call_all, arguments=arguments)
        return read_stubs("php").apply("", last, call)

    def _call_all(self, functions: Types, arguments: Sequence[Types]) -> Types:
        return union(self.evaluator.call_with(value, arguments) for value in functions)

    # --- types in doc comments

    def named_type(self, file: FileScope, node: int) -> Types:
        expr = file.exprs[node]
        if isinstance(expr, DocTypeExpr):
            return self._doc_types(file, parse_doc_type(expr.text), expr.scope)
        return super().named_type(file, node) if isinstance(expr, NameExpr) else NOTHING

    def _doc_types(self, file: FileScope, doc_type: DocType, scope: int) -> Types:
        match doc_type:
            case DocName():
                return self._instances_of(file, doc_type.name, scope)
            case DocUnion():
                return union(self._doc_types(file, part, scope) for part in doc_type.parts)
            case DocList():
                return one(list_of(self._doc_types(file, doc_type.items, scope)))
            case DocFields():
                fields = {key: self._doc_types(file, part, scope) for key, part in doc_type.fields}
                return one(dict_of(fields, NOTHING))
            case DocClass():
                found = self._doc_types(file, doc_type.type, scope)
                return frozenset(
                    ClassType(value.path, value.definition) for value in found if isinstance(value, Instance)
                )

    def _instances_of(self, file: FileScope, name: str, scope: int) -> Types:
        if name in ("static", "$this"):
            return this_types(self.evaluator, file, scope)
        if name == "self":
            found = this_types(self.evaluator, file, scope)
            return frozenset(
                value._replace(method=None) if isinstance(value, Instance | ClassType) else value for value in found
            )
        return instances(self.evaluator.types_at(self._find(file, name, scope, _CLASS)))


def _is_kind(row: SummaryDefinition, kind: str) -> bool:
    return row.kind in _CLASS_KINDS if kind == _CLASS else row.kind == kind


def _read_namespaces(file: FileScope) -> dict[int, str]:
    """Scope -> namespace. One with braces has a scope of its own; without braces, the first has that of the file."""
    modules = [(number, row) for number, row in enumerate(file.defs) if row.kind == "module"]
    scopes = [number for number, (_, kind) in enumerate(file.summary.scopes) if kind == "namespace"]
    if len(scopes) < len(modules):
        return {row.scope: row.name for _, row in modules}
    if len(scopes) == len(modules):
        return {scope: row.name for scope, (_, row) in zip(scopes, modules, strict=True)}
    names = {number: row.name for number, row in modules}
    return {row.scope: names[row.parent] for row in file.defs if row.parent in names}


def _read_aliases(file: FileScope) -> dict[tuple[int, str, str], int]:
    """Scope, kind and name -> the import that binds it."""
    return {
        (row.scope, _IMPORT_KINDS[row.kind], row.alias or row.imported_name): number
        for number, row in enumerate(file.imports)
        if row.kind in _IMPORT_KINDS
    }


def _nearest(found: Sequence[Site], path: str) -> list[Site]:
    paths = {site.path for site in found}
    if len(paths) < 2:
        return list(found)
    beside = {other for other in paths if dirname(other) == dirname(path)}
    chosen = path if path in paths else next(iter(beside)) if len(beside) == 1 else None
    return [site for site in found if site.path == chosen]
