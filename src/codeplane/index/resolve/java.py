"""Java: packages by their clause, imports, the types of the same package, and what the usual containers hold."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloaded import OverloadedResolver
from codeplane.index.resolve.python_modules import shared_folders
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, list_of, tuple_of, union

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


class JavaResolver(OverloadedResolver):
    maps = _MAPS
    collections = _COLLECTIONS
    pair = "Entry"
    everywhere = frozenset(
        {
            "getClass", "hashCode", "equals", "toString", "clone", "notify", "notifyAll", "wait", "finalize",
            "name", "ordinal", "compareTo", "getDeclaringClass", "describeConstable",
        }
    )  # fmt: skip

    def package(self, at: FileScope) -> str:
        return at.within.get(0, "")

    def constructors(self, of: Value) -> tuple[str, ...]:
        return (self.evaluator.at(of[1]).defs[of[2]].name,) if of[2] >= 0 else ()

    def is_callable(self, at: FileScope, node: int, site: Site) -> bool:
        """A component of a record is a method too."""
        return self.kind(site) == "property" and not at.lists[at.nodes[node][2]]

    # Types by their names

    def types_in(self, package: str, name: str, near: str) -> list[Site]:
        """Types of a package, seen from a file. Of several the nearest one, if there is such."""
        found = self._types_named(package, name)
        if len(found) < 2:
            return found
        shared = [shared_folders(site[0], near) for site in found]
        nearest = [site for site, count in zip(found, shared, strict=True) if count == max(shared)]
        if len(nearest) > 1:
            # What is declared for all platforms stands for its parts.
            nearest = [site for site in nearest if "/commonMain/" in site[0]]
        return nearest if len(nearest) == 1 else []

    def _types_named(self, package: str, name: str) -> list[Site]:
        found: list[Site] = []
        for path, number in self.named(name):
            at = self.evaluator.library.tables(path)
            if at is not None and at.language in _JVM:
                row = at.defs[number]
                if (
                    row.parent is None
                    and row.scope == 0
                    and row.kind in self.classes
                    and at.within.get(0, "") == package
                ):
                    found.append((path, "d", number))
        return found

    def qualified(self, name: str, near: str) -> list[Site]:
        """The type of a qualified name, nested or not."""
        outer, _, last = name.rpartition(".")
        found = self.types_in(outer, last, near)
        if found or not outer:
            return found
        return [
            site
            for owner in (self.qualified(outer, near) if outer[outer.rfind(".") + 1].isupper() else ())
            for site in self.member_sites(("c", owner[0], owner[2]), last)
            if self.kind(site) in self.classes
        ]

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        row = at.imports[number]
        source, name = row.source or "", row.imported_name
        if name == "*":
            return []
        if row.kind == "java_import_static":
            return self._static(at, source, name)
        return self.qualified(f"{source}.{name}" if source else name, at.path)

    def _static(self, at: FileScope, source: str, name: str) -> list[Site]:
        return [
            site
            for owner in self.qualified(source, at.path)
            for site in self.member_sites(("c", owner[0], owner[2]), name)
        ]

    def imported(self, at: FileScope, number: int) -> Values:
        sites = self.import_sites(at, number)
        row = at.imports[number]
        name = f"{row.source}.{row.imported_name}" if row.source else row.imported_name
        return union(map(self.evaluator.site_value, sites)) if sites else frozenset({("x", name)})

    def outside_sites(self, at: FileScope, scope: int, name: str) -> list[Site]:
        found = self.types_in(self.package(at), name, at.path)
        if found:
            return found
        for row in at.imports:
            if row.imported_name == "*" and row.source:
                if row.kind == "java_import_static":
                    found += self._static(at, row.source, name)
                else:
                    found += self.types_in(row.source, name, at.path) or self._static_types(at, row.source, name)
        return list(dict.fromkeys(found))

    def _static_types(self, at: FileScope, source: str, name: str) -> list[Site]:
        return [site for site in self._static(at, source, name) if self.kind(site) in self.classes]

    def unknown(self, at: FileScope, scope: int, bound: int, name: str) -> Values:
        if not bound and name[:1].islower():
            return frozenset({("N", at.language, name)})
        return super().unknown(at, scope, bound, name)

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        return self.types_in(module[2], name, "")

    def module_values(self, module: Value, name: str) -> Values:
        sites = self.module_sites(module, name)
        if sites:
            return union(map(self.evaluator.site_value, sites))
        dotted = f"{module[2]}.{name}"
        return frozenset({("N", module[1], dotted) if name[:1].islower() else ("x", dotted)})

    def call_foreign(self, name: str, at: FileScope, node: int, values: Sequence[Values]) -> Values:
        owner, _, last = name.rpartition(".")
        box = owner.rpartition(".")[2]
        if last == "valueOf" and (box in _BOXES or box == "String"):
            return frozenset({("x", f"{box}()")})
        if last == "toCharArray":
            return frozenset({list_of(frozenset({("x", "builtins.char()")}))})
        known = _GIVEN.get(last)
        if known is not None and owner.endswith("()"):
            return frozenset({("x", known)})
        return super().call_foreign(name, at, node, values)

    # Containers

    def call_container(self, callee: Value, values: Sequence[Values]) -> Values | None:
        _, of, name = callee
        if of[0] == "t":
            place = {"getKey": 0, "getValue": 1}.get(name)
            return of[1][place] if place is not None and place < len(of[1]) else NOTHING
        if of[0] == "d":
            if name in _HELD:
                return self.evaluator.held(of)
            if name == "values":
                return frozenset({list_of(self.evaluator.held(of))})
            if name == "entrySet":
                return frozenset({list_of(frozenset({tuple_of([NOTHING, self.evaluator.held(of)])}))})
            return NOTHING
        if name in _ELEMENT:
            return self.evaluator.elements(of)
        return frozenset({of}) if name in _ALIKE else NOTHING


_BOXES = frozenset({"Byte", "Short", "Integer", "Long", "Float", "Double", "Character", "Boolean"})
_GIVEN = {
    "toString": "String()",
    "hashCode": "builtins.int()",
    "equals": "builtins.boolean()",
    "getClass": "Class()",
}
"""What methods that every object has give."""
_JVM = frozenset({"java", "kotlin"})
_HELD = frozenset({"get", "getOrDefault", "remove", "put", "putIfAbsent", "computeIfAbsent", "compute", "merge"})
_ELEMENT = frozenset(
    {"get", "next", "previous", "remove", "poll", "peek", "pop", "element", "first", "last", "getFirst", "getLast",
     "orElse", "orElseThrow", "orElseGet", "take", "pollFirst", "pollLast", "peekFirst", "peekLast", "call", "join",
     "removeFirst", "removeLast", "elementAt", "firstElement", "lastElement", "nextElement", "getAndSet", "set"}
)  # fmt: skip
_ALIKE = frozenset(
    {"iterator", "listIterator", "stream", "parallelStream", "filter", "sorted", "distinct", "limit", "skip", "subList",
     "findFirst", "findAny", "peek", "descendingIterator", "reversed"}
)  # fmt: skip
