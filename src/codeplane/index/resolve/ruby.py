"""Ruby: constants by the modules around them, classes that are opened in several files, modules that are mixed in, and
messages to an object that the source names or makes. A message to anything else stays unresolved.

A class is one however often it is opened: its first opening stands for it, its members are those of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from codeplane.base.paths import basename
from codeplane.facts.ir import ExprKind
from codeplane.facts.model import Namespace, Usage
from codeplane.facts.sketch import SketchBind
from codeplane.index.resolve.evaluator import CALLABLES
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import ANYTHING, NOTHING, Site, Value, Values, bound, union

_GIVE_THEMSELVES = frozenset({"tap", "dup", "clone", "freeze", "itself"})
_OF_EVERY_MODULE = frozenset(
    {"name", "class", "hash", "inspect", "to_s", "method", "send", "methods", "display", "ancestors"}
)
_MESSAGES = frozenset({"method", "property", "constructor"})
_TESTS = frozenset({"test", "tests", "spec", "specs", "features"})
_CORE = frozenset(
    {
        "Array", "BasicObject", "Binding", "Class", "Comparable", "Complex", "Data", "Date", "DateTime", "Dir",
        "Encoding", "Enumerable", "Enumerator", "Exception", "FalseClass", "Fiber", "File", "FileUtils", "Float",
        "Hash", "IO", "Integer", "Kernel", "Logger", "Marshal", "MatchData", "Math", "Method", "Module", "Mutex",
        "NilClass", "Numeric", "Object", "OpenStruct", "Pathname", "Proc", "Process", "Queue", "Random", "Range",
        "Rational", "Regexp", "Set", "Signal", "StandardError", "String", "StringIO", "Struct", "Symbol", "Tempfile",
        "Thread", "Time", "TrueClass", "URI",
    }
)  # fmt: skip
"""What a repository opens again without defining it."""
_MAX_OPENINGS = 8
"""A module that is opened more often is a namespace: only the file that is called like it tells what it is."""

Opening = tuple[str, int]


class RubyResolver(LanguageResolver):
    classes = frozenset({"class", "module"})
    takes_object = False
    invoked = "call"

    # Constants

    def is_loose(self, at: FileScope, bind: SketchBind) -> bool:
        if bind.namespace == Namespace.CALLABLE:
            # A function outside of any class is found where the file binds it.
            return bind.target is None or at.defs[bind.target].kind != "function"
        return bind.namespace == Namespace.TYPE

    def held(self, at: FileScope, node: int) -> Values:
        """Where it may be an object of another library as well, nothing is meant for certain."""
        values = self.evaluator.value(at.path, node)
        others = sum(value[0] == "x" and value[1].endswith("()") for value in values)
        return values if others in (0, len(values)) else ANYTHING

    def _named(self, full: str) -> Sequence[Opening]:
        """Definitions of a constant by its path; of a namespace only those that tell what it is, or its first."""
        return self.evaluator.memo_tracked(("ruby", full), lambda: self._look_up(full))

    def _defined(self, full: str) -> Sequence[Opening]:
        return self.evaluator.memo_tracked(("ruby defined", full), lambda: self.evaluator.library.defined(full))

    def _look_up(self, full: str) -> list[Opening]:
        found = self._defined(full) if full not in _CORE else ()
        if self._is_namespace(full):
            own = full.rpartition(".")[2].lower()
            found = [opening for opening in found if _stem(opening[0]) == own and not _is_test(opening[0])][
                :_MAX_OPENINGS
            ] or found[:1]
        found = [
            (path, number)
            for path, number in found
            if (at := self.evaluator.library.tables(path)) is not None
            and at.language == "ruby"
            and (at.defs[number].kind in self.classes or at.defs[number].kind == "constant")
        ]
        if len({path for path, _ in found}) < 2:
            return found
        # Who names a base defines the class: several such are several classes of one name.
        if len({path for path, number in found if self._begins(self.evaluator.at(path), number)}) > 1:
            return []
        return [opening for opening in found if not _is_test(opening[0])]

    def _is_namespace(self, full: str) -> bool:
        return len(self._defined(full)) > _MAX_OPENINGS

    def _begins(self, at: FileScope, definition: int) -> bool:
        return at.defs[definition].kind == "constant" or bool(at.bases(definition))

    def _full(self, of: Value) -> str:
        return self.evaluator.at(of[1]).defs[of[2]].lexical_path

    def _openings(self, of: Value) -> Sequence[Opening]:
        return self._named(self._full(of)) or ((of[1], of[2]),)

    def whole(self, path: str, definition: int) -> Opening:
        """The first opening."""
        for opening in self._named(self.evaluator.at(path).defs[definition].lexical_path):
            if self.evaluator.at(opening[0]).defs[opening[1]].kind in self.classes:
                return opening
        return path, definition

    def all_parts(self, at: FileScope, definition: int) -> Sequence[tuple[FileScope, int]]:
        return [(self.evaluator.at(path), number) for path, number in self._openings(("c", at.path, definition))]

    def _around(self, at: FileScope, scope: int | None) -> Iterator[int]:
        """Classes and modules around a scope, innermost first."""
        while scope is not None and at.sketch.scopes:
            owner = at.owner.get(scope)
            if owner is not None and at.defs[owner].kind in self.classes:
                yield owner
            scope = at.sketch.scopes[scope][0]

    def _constant(self, at: FileScope, name: str, scope: int) -> str:
        """Path of a constant: in a module around it, or in what the innermost inherits from, or at the top."""
        if name.startswith("::"):
            return name[2:]
        innermost: int | None = None
        for owner in self._around(at, scope):
            innermost = owner if innermost is None else innermost
            full = f"{at.defs[owner].lexical_path}.{name}"
            if self._named(full):
                return full
        inherited = self._inherited(("c", *self.whole(at.path, innermost)), name) if innermost is not None else None
        return inherited or name

    def _inherited(self, of: Value, name: str) -> str | None:
        for base in self.evaluator.bases(of[1], of[2]):
            if base[0] == "c" and self._named(full := f"{self._full(base)}.{name}"):
                return full
        return None

    def _sites(self, full: str) -> list[Site]:
        found = self._named(full)
        own = full.rpartition(".")[2].lower()
        if not any(_stem(path) == own for path, _ in found):
            # Opened for what lies in it: what it is itself, another library says, or no file in particular.
            is_foreign = "." not in full and all(
                self.evaluator.at(path).defs[number].kind == "module" and self._only_nests(path, number)
                for path, number in found
            )
            if is_foreign or self._is_namespace(full):
                return []
        # Where it is only opened for what lies in it, it is not what is meant.
        telling = [opening for opening in found if not self._only_nests(*opening)]
        return [(path, "d", number) for path, number in telling or found]

    def _only_nests(self, path: str, definition: int) -> bool:
        at = self.evaluator.at(path)
        if at.defs[definition].kind not in self.classes:
            return False
        if at.bases(definition) or at.mixed(definition) or at.extended(definition):
            return False
        return all(
            at.defs[inner].kind in self.classes for held in at.members.get(definition, {}).values() for inner in held
        )

    def _values(self, full: str) -> Values:
        found = list(self._named(full))
        if len(found) > 1 and self.evaluator.at(found[0][0]).defs[found[0][1]].kind in self.classes:
            found = found[:1]
        return union(self.evaluator.query(("v", *opening)) for opening in found)

    def bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        if _is_constant(name) and usage != Usage.CALL:
            return self._sites(self._constant(at, name, scope))
        of = self._self(at, scope)
        return self.member(of, name)[0] if of is not None else self._functions(at, name, scope)

    def bare(self, at: FileScope, node: int) -> Values:
        name, scope = at.texts[at.nodes[node][2]], at.ambient[node][0]
        if _is_constant(name):
            return self._values(self._constant(at, name, scope)) or frozenset({("x", name)})
        of = self._self(at, scope)
        if of is None:
            values = union(map(self.evaluator.site_value, self._functions(at, name, scope)))
        else:
            values = self.member(of, name)[1]
        return union(self.evaluator.call(value, None, 0) for value in values)

    def _functions(self, at: FileScope, name: str, scope: int | None) -> list[Site]:
        """Functions outside of any class, as the file binds them."""
        while scope is not None and at.sketch.scopes and at.sketch.scopes[scope][1] != "namespace":
            found = [number for number in at.defs_in.get((scope, name), ()) if at.defs[number].kind == "function"]
            if found:
                return [(at.path, "d", number) for number in found]
            scope = at.sketch.scopes[scope][0]
        return []

    # Classes

    def this(self, at: FileScope, scope: int | None, kind: int = ExprKind.THIS) -> Values:
        of = self._self(at, scope)
        return frozenset({of}) if of is not None else NOTHING

    def _self(self, at: FileScope, scope: int | None) -> Value | None:
        """What it is in a block of a class body depends on whom the block is given to."""
        blocks = 0
        while scope and at.sketch.scopes:
            parent, kind = at.sketch.scopes[scope]
            owner = at.owner.get(scope)
            if owner is not None:
                if at.defs[owner].kind in self.classes:
                    return ("c", *self.whole(at.path, owner)) if not blocks else None
                around = self.class_around(at, owner)
                if around is None:
                    return None
                return ("c" if self._is_static(at, owner) else "i", *around, scope)
            if kind == "namespace":
                return None  # the class of a class
            blocks += 1
            scope = parent
        return None

    def class_around(self, at: FileScope, definition: int) -> Opening | None:
        parent = at.defs[definition].parent
        if parent is None or at.defs[parent].kind not in self.classes:
            return None
        return self.whole(at.path, parent)

    def _is_static(self, at: FileScope, definition: int) -> bool:
        """Whether a method is one of the class itself."""
        row = at.defs[definition]
        bind = at.bind_of_def.get(definition)
        if row.kind == "method" and bind is not None and at.binds[bind].namespace == Namespace.MEMBER:
            return True
        is_inside = at.sketch.scopes[row.scope][1] == "namespace" and row.scope not in at.owner
        return is_inside and row.kind in ("method", "property")

    def direct_bases(self, at: FileScope, definition: int) -> list[Value]:
        """What was mixed in last comes first, the class that is inherited from last."""
        mixed: list[Value] = []
        parents: list[Value] = []
        for opened, number in self.all_parts(at, definition):
            mixed += self._held(opened, opened.mixed(number))
            parents += self._held(opened, opened.bases(number))
        return list(dict.fromkeys([*reversed(mixed), *parents]))

    def _held(self, at: FileScope, nodes: Sequence[int]) -> list[Value]:
        return [value for node in nodes for value in sorted(self.evaluator.value(at.path, node), key=repr)]

    def base_sites(self, at: FileScope, definition: int) -> tuple[list[Site], bool]:
        nodes = [*at.bases(definition), *at.mixed(definition)]
        found = {node: [value for value in self.evaluator.value(at.path, node) if value[0] == "c"] for node in nodes}
        sites = {(value[1], "d", value[2]) for values in found.values() for value in values}
        return sorted(sites), not all(found.values())

    def query(self, at: FileScope, key: tuple[Any, ...]) -> Values | None:
        """Modules whose methods a class has itself."""
        if key[0] != "extended":
            return None
        return frozenset(
            value
            for opened, number in self.all_parts(at, key[2])
            for node in opened.extended(number)
            for value in self.evaluator.value(opened.path, node)
            if value[0] == "c"
        )

    def _lookup(self, of: Value) -> Iterator[tuple[Value, bool]]:
        """Where a message is looked for: a class or module, and whether among the methods of the class itself."""
        own = ("c", of[1], of[2])
        for base in self.evaluator.bases(of[1], of[2]):
            if base[0] != "c":
                continue
            if of[0] == "i":
                yield base, False
                continue
            is_module = self._kind(base) == "module"
            if base == own or not is_module:
                yield base, True
                for module in sorted(self.evaluator.query(("extended", base[1], base[2]))):
                    yield from (
                        (inner, False) for inner in self.evaluator.bases(module[1], module[2]) if inner[0] == "c"
                    )
            else:
                # A module brings methods of the class along in one that is called so.
                for opening in self._named(f"{self._full(base)}.ClassMethods")[:1]:
                    yield ("c", *opening), False
        if of[0] == "c" and self._kind(own) == "module":
            yield own, False

    def _kind(self, of: Value) -> str:
        return self.evaluator.at(of[1]).defs[of[2]].kind

    def member(self, of: Value, name: str) -> tuple[list[Site], Values]:
        if _is_constant(name):
            full = self._inherited(of, name)
            return (self._sites(full), self._values(full)) if full is not None else ([], NOTHING)
        for base, is_static in self._lookup(of):
            if name in _OF_EVERY_MODULE and of[0] == "c" and not is_static:
                continue
            found = self._fields(base, name, of) if name.startswith("@") else self._methods(base, name, of, is_static)
            if found[0]:
                return found
        return [], self._of_all(of, name)

    def _defining(self, base: Value, name: str) -> Sequence[tuple[str, int, int]]:
        """Path, opening and number of what a class defines under a name."""
        return self.evaluator.memo_tracked(("ruby defining", base, name), lambda: self._look_for(base, name))

    def _look_for(self, base: Value, name: str) -> list[tuple[str, int, int]]:
        full = self._full(base)
        openings = self._openings(base)
        found: list[tuple[str, int, int]] = []
        is_namespace = self._is_namespace(full)
        for path, number in self._defined(f"{full}.{name}"):
            if is_namespace and _is_test(path):
                continue
            at = self.evaluator.library.tables(path)
            parent = at.defs[number].parent if at is not None and at.language == "ruby" else None
            if parent is not None and (is_namespace or (path, parent) in openings):
                found.append((path, parent, number))
        return found

    def _fields(self, base: Value, name: str, of: Value) -> tuple[list[Site], Values]:
        sites: list[Site] = []
        values = NOTHING
        if of[0] == "i" and not name.startswith("@@"):
            for path, opening in self._openings(base)[:_MAX_OPENINGS]:
                attribute = self.evaluator.at(path).attributes.get((opening, name))
                if attribute is not None:
                    sites.append((path, "a", attribute))
                    values |= self.evaluator.query(("a", path, opening, name))
        else:
            for path, opening, number in self._defining(base, name):
                sites.append((path, "d", number))
                values |= self.evaluator.query(("a", path, opening, name))
        return sites, values

    def _methods(self, base: Value, name: str, of: Value, is_static: bool) -> tuple[list[Site], Values]:
        kinds = {
            (path, opening, number): kind
            for path, opening, number in self._defining(base, name)
            if (kind := self.evaluator.at(path).defs[number].kind) in _MESSAGES
            and self._is_static(self.evaluator.at(path), number) == is_static
        }
        # Beside a method, what is declared under its name can only be written.
        found = [place for place, kind in kinds.items() if kind != "property"] or list(kinds)
        values = NOTHING
        for path, opening, number in found:
            if kinds[path, opening, number] in CALLABLES:
                values |= frozenset(bound(value, of) for value in self.evaluator.query(("v", path, number)))
            elif held := self.evaluator.query(("a", path, opening, f"@{name}")):
                values |= frozenset({("g", held)})
        if not found and name.endswith("="):
            written, _ = self._methods(base, name[:-1], of, is_static)
            return [site for site in written if self.evaluator.at(site[0]).defs[site[2]].kind == "property"], NOTHING
        return [(path, "d", number) for path, _, number in found], values

    def _of_all(self, of: Value, name: str) -> Values:
        """What a message gives that every class or object understands."""
        if name == "new" and of[0] == "c":
            return frozenset({("c", *of[1:])})
        if name == "class" and of[0] == "i":
            return frozenset({("g", frozenset({("c", *of[1:])}))})
        if name in _GIVE_THEMSELVES:
            return frozenset({("g", frozenset({of}))})
        is_single = name == "instance" and of[0] == "c"
        if is_single and any(base == ("x", "Singleton") for base in self.evaluator.bases(of[1], of[2])):
            return frozenset({("c", *of[1:3])})
        return NOTHING

    def constructors(self, of: Value) -> tuple[str, ...]:
        return ("initialize",)


def _is_test(path: str) -> bool:
    return not _TESTS.isdisjoint(path.split("/")[:-1])


def _is_constant(name: str) -> bool:
    return name[:1].isupper() or name.startswith("::")


def _stem(path: str) -> str:
    return basename(path).partition(".")[0].replace("_", "")
