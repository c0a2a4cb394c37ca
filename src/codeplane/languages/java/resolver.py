"""Java: packages, imports, types of the same package, and methods of the common containers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from codeplane.index.resolve.calls import arguments_of
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloaded import OverloadedResolver, OverloadedTraits
from codeplane.index.resolve.proximity import nearest_sites
from codeplane.index.resolve.queries import Member
from codeplane.index.resolve.resolver import OWN_NAME
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    ContainerMethod,
    DictType,
    External,
    NamespaceType,
    Site,
    TupleType,
    Type,
    Types,
    list_of,
    one,
    tuple_of,
)

_MAPS = frozenset(
    {"Map", "HashMap", "LinkedHashMap", "TreeMap", "SortedMap", "NavigableMap", "ConcurrentMap", "ConcurrentHashMap",
     "WeakHashMap", "IdentityHashMap", "EnumMap"}
)  # fmt: skip
_COLLECTIONS = frozenset(
    {"Iterable", "Iterator", "ListIterator", "Collection", "List", "ArrayList", "LinkedList", "Set", "HashSet",
     "LinkedHashSet", "TreeSet", "SortedSet", "NavigableSet", "EnumSet", "Queue", "Deque", "ArrayDeque",
     "PriorityQueue", "Vector", "Stack", "CopyOnWriteArrayList", "Optional", "Stream", "ThreadLocal",
     "AtomicReference", "Reference", "WeakReference", "SoftReference", "Future", "CompletableFuture",
     "BlockingQueue", "ConcurrentLinkedQueue", "Enumeration"}
)  # fmt: skip
_BOXES = frozenset({"Byte", "Short", "Integer", "Long", "Float", "Double", "Character", "Boolean"})
_UNIVERSAL_RESULTS = {
    "toString": "String()",
    "hashCode": "builtins.int()",
    "equals": "builtins.boolean()",
    "getClass": "Class()",
}
"""Results of methods that every object has."""
JVM = frozenset({"java", "kotlin"})
_MAP_VALUE = frozenset({"get", "getOrDefault", "remove", "put", "putIfAbsent", "computeIfAbsent", "compute", "merge"})
_ELEMENT = frozenset(
    {"get", "next", "previous", "remove", "poll", "peek", "pop", "element", "first", "last", "getFirst", "getLast",
     "orElse", "orElseThrow", "orElseGet", "take", "pollFirst", "pollLast", "peekFirst", "peekLast", "call", "join",
     "removeFirst", "removeLast", "elementAt", "firstElement", "lastElement", "nextElement", "getAndSet", "set"}
)  # fmt: skip
_SAME_CONTAINER = frozenset(
    {"iterator", "listIterator", "stream", "parallelStream", "filter", "sorted", "distinct", "limit", "skip", "subList",
     "findFirst", "findAny", "peek", "descendingIterator", "reversed"}
)  # fmt: skip


class JavaResolver(OverloadedResolver):
    traits = OverloadedTraits(
        constructors=(OWN_NAME,),
        maps=_MAPS,
        collections=_COLLECTIONS,
        pair="Entry",
        universal_methods=frozenset(
            {
                "getClass", "hashCode", "equals", "toString", "clone", "notify", "notifyAll", "wait", "finalize",
                "name", "ordinal", "compareTo", "getDeclaringClass", "describeConstable",
            }
        ),
    )  # fmt: skip

    def is_callable(self, file: FileScope, node: int, site: Site) -> bool:
        """A component of a record is a method too."""
        return self.kind(site) == "property" and not arguments_of(file, node)

    # --- types by name

    def module_of(self, file: FileScope, definition: int) -> str | None:
        row = file.defs[definition]
        return file.package if row.parent is None and row.scope == 0 else None

    def types_in(self, package: str, name: str, near: str) -> list[Site]:
        """Types of a package as a file sees them; of several the nearest, if there is one."""
        found = [site for site in self.evaluator.definitions.in_module(JVM, package, name) if self.is_type(site)]
        if len(found) < 2:
            return found
        nearest = nearest_sites(found, near)
        if len(nearest) > 1:
            # A declaration for all platforms represents its implementations.
            nearest = [site for site in nearest if "/commonMain/" in site.path]
        return nearest if len(nearest) == 1 else []

    def qualified(self, name: str, near: str) -> list[Site]:
        """The type of a qualified name, nested or not."""
        outer, _, last = name.rpartition(".")
        found = self.types_in(outer, last, near)
        if found or not outer:
            return found
        owners = self.qualified(outer, near) if outer[outer.rfind(".") + 1].isupper() else []
        return [site for site in self.members_of(owners, last) if self.is_type(site)]

    def members_of(self, owners: Sequence[Site], name: str) -> list[Site]:
        return [site for owner in owners for site in self.member_sites(ClassType(owner.path, owner.number), name)]

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        row = file.imports[number]
        source, name = row.source or "", row.imported_name
        if name == "*":
            return []
        if row.kind == "java_import_static":
            return self.members_of(self.qualified(source, file.path), name)
        return self.qualified(f"{source}.{name}" if source else name, file.path)

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        yield from super().imported_files(file, used)
        for row in file.imports:
            if row.source and (row.imported_name == "*" or row.kind == "java_import_static"):
                yield from (site.path for site in self.qualified(row.source, file.path))
                yield from (path for path in used if row.imported_name == "*" and self._package(path) == row.source)

    def _package(self, path: str) -> str:
        return self.evaluator.file(path).package

    def import_types(self, file: FileScope, number: int) -> Types:
        sites = self.resolve_import(file, number)
        row = file.imports[number]
        name = f"{row.source}.{row.imported_name}" if row.source else row.imported_name
        return self.evaluator.types_at(sites) if sites else one(External(name))

    def sites_outside(self, file: FileScope, scope: int, name: str) -> list[Site]:
        found = self.types_in(file.package, name, file.path)
        if found:
            return found
        for row in file.imports:
            if row.imported_name == "*" and row.source:
                if row.kind == "java_import_static":
                    found += self.members_of(self.qualified(row.source, file.path), name)
                else:
                    found += self.types_in(row.source, name, file.path) or self._nested(file, row.source, name)
        return list(dict.fromkeys(found))

    def _nested(self, file: FileScope, source: str, name: str) -> list[Site]:
        members = self.members_of(self.qualified(source, file.path), name)
        return [site for site in members if self.is_type(site)]

    def unknown_types(self, file: FileScope, scope: int, bind: int, name: str) -> Types:
        if bind < 0 and name[:1].islower():
            return one(NamespaceType(file.language, name))
        return super().unknown_types(file, scope, bind, name)

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        if not isinstance(receiver, NamespaceType):
            return None
        sites = self.types_in(receiver.name, name, "")
        if sites:
            return Member(sites, self.evaluator.types_at(sites))
        dotted = f"{receiver.name}.{name}"
        return Member((), one(NamespaceType(receiver.language, dotted) if name[:1].islower() else External(dotted)))

    # --- library calls

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        if isinstance(callee, ContainerMethod):
            return self._call_container(callee)
        return self._call_external(callee.name) if isinstance(callee, External) else None

    def _call_external(self, name: str) -> Types | None:
        owner, _, last = name.rpartition(".")
        box = owner.rpartition(".")[2]
        if last == "valueOf" and (box in _BOXES or box == "String"):
            return one(External(f"{box}()"))
        if last == "toCharArray":
            return one(list_of(one(External("builtins.char()"))))
        known = _UNIVERSAL_RESULTS.get(last)
        if known is not None and owner.endswith("()"):
            return one(External(known))
        return None

    def _call_container(self, callee: ContainerMethod) -> Types:
        container, name = callee.container, callee.name
        if isinstance(container, TupleType):
            position = {"getKey": 0, "getValue": 1}.get(name)
            is_known = position is not None and position < len(container.items)
            return container.items[position] if position is not None and is_known else NOTHING
        if isinstance(container, DictType):
            values = container.values()
            if name in _MAP_VALUE:
                return values
            if name == "values":
                return one(list_of(values))
            return one(list_of(one(tuple_of([NOTHING, values])))) if name == "entrySet" else NOTHING
        if name in _ELEMENT:
            return self.evaluator.elements(container)
        return one(container) if name in _SAME_CONTAINER else NOTHING
