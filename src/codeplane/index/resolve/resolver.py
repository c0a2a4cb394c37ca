"""What differs between languages when their names are resolved. Everything has an answer that says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import ExprKind
from codeplane.facts.model import Tier
from codeplane.facts.sketch import SketchBind, SketchImport
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, bounded, foreign, objects, union

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator


_CLASSES = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object"})


_CALLABLES = frozenset({"function", "method", "constructor"})


_CONTAINERS: Mapping[str, str] = {"l": "builtins.list", "t": "builtins.tuple", "d": "builtins.dict"}


class LanguageResolver:
    """Asked by the evaluator, and may ask it."""

    classes = _CLASSES
    """Kinds of definitions that have members and objects."""
    overloads = False
    """Whether functions of one name stand beside each other, those that a class defines and inherits too."""
    bare_members = False
    """Whether members are named without their object where its class stands."""
    takes_object = True
    """Whether the first parameter of a method is its object."""
    invoked = "__call__"
    """The member that runs when an object is called."""
    containers = _CONTAINERS
    """Kinds of values whose methods are those of another library -> what it calls them."""
    paths_are_members = False
    """Whether a name that comes after another is a member of that, whatever it is used as."""
    declarations_construct = False
    """Whether a declared variable is an object that is made there. Its type may then be none that has objects."""
    tuple_types = False
    """Whether a tuple in the place of a type is the type of tuples, and not several types."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def compute(self, key: tuple[Any, ...]) -> Values:
        """The value of a cell of one's own: `cell(("z", language, *key))`."""
        return NOTHING

    def bounded(self, values: Values) -> Values:
        """What such a cell holds, without more than is of use."""
        return bounded(values)

    # Where a language goes its own way; None leaves it to the common one.

    def references(
        self, at: FileScope, names: Sequence[str], columns: Columns
    ) -> Iterator[tuple[int, list[Site]]] | None:
        """What the references of a file stand for that the file alone does not prove."""
        return None

    def calls(self, at: FileScope) -> Mapping[int, Sequence[Value]] | None:
        """What the calls of a file run, by their nodes."""
        return None

    def query(self, at: FileScope, key: tuple[Any, ...]) -> Values | None:
        """What a cell of the evaluator holds."""
        return None

    def member(self, of: Value, name: str) -> tuple[list[Site], Values] | None:
        """What a member of a class, of an object or of another value of the language stands for, and what it holds."""
        return None

    def call(self, callee: Value, at: FileScope, node: int) -> Values | None:
        """What calling a value gives."""
        return None

    # Names

    def local_name(self, row: SketchImport) -> str | None:
        """The name that an import binds."""
        return row.alias or row.imported_name

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        """What an import stands for in the repository."""
        return []

    def import_files(self, at: FileScope, number: int) -> list[str]:
        """Files that an import names, or takes something from."""
        return [path for path, _, _ in self.import_sites(at, number)]

    def imported(self, at: FileScope, number: int) -> Values:
        """What the name that an import binds holds."""
        sites = self.import_sites(at, number)
        row = at.imports[number]
        return (
            union(map(self.evaluator.site_value, sites))
            if sites
            else frozenset({("x", f"{row.source}.{row.imported_name}")})
        )

    def unbound_sites(self, at: FileScope, name: str) -> list[Site]:
        """What a name stands for that nothing in its file binds."""
        return []

    def unbound(self, at: FileScope, name: str) -> Values:
        sites = self.unbound_sites(at, name)
        return union(map(self.evaluator.site_value, sites)) if sites else frozenset({("x", name)})

    def is_loose(self, at: FileScope, bind: SketchBind) -> bool:
        """Whether a name that its file binds, but not for certain, is looked up like one that it does not bind."""
        return False

    def bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        """What a name stands for whose meaning depends on where it stands, because it may be an inherited member, or
        because nothing in its file binds it; `bind` is what the file says, or -1."""
        return self.unbound_sites(at, name)

    def head_sites(self, at: FileScope, name: str, scope: int) -> list[Site]:
        """What the first name of the path of an import stands for."""
        return []

    def fitting(self, sites: Sequence[Site], namespace: int | None, usage: int) -> Sequence[Site]:
        """Those of several that a name can mean where it stands: in a namespace if it is bound, or by its usage."""
        return sites

    def label_sites(self, at: FileScope, of: int, name: str) -> list[Site]:
        """What the label of a part of an object stands for, by the node of what makes it or takes it apart."""
        return []

    def written_name(self, at: FileScope, ref: int, name: str) -> str:
        """A name with what tells namesakes apart."""
        return name

    def bare(self, at: FileScope, node: int) -> Values:
        """What such a name holds."""
        return NOTHING

    def bare_type(self, at: FileScope, node: int) -> Values:
        """Objects of the type that such a name stands for."""
        return objects(self.bare(at, node))

    def tier(self, at: FileScope, sites: Sequence[Site]) -> int:
        """How sure it is that what is written in a file stands for these."""
        return Tier.STRONG

    def key_sites(self, at: FileScope, of: Values, name: str) -> list[Site]:
        """What a key of a literal stands for that is no member of what the literal makes."""
        return []

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        """What a name of a module stands for."""
        return []

    def module_values(self, module: Value, name: str) -> Values:
        return union(map(self.evaluator.site_value, self.module_sites(module, name)))

    # Classes and their objects

    def direct_bases(self, at: FileScope, definition: int) -> list[Value]:
        """What a class inherits from, nearest first; of another library too."""
        return [
            value
            for part, number in self.all_parts(at, definition)
            for node in part.bases(number)
            if part.nodes[node][0] != ExprKind.LABELLED
            for value in sorted(self.evaluator.value(part.path, node), key=repr)
        ]

    def members(self, at: FileScope, definition: int, name: str) -> list[Site]:
        """Definitions of a member of a class, as it is named where it is used."""
        found: list[Site] = [
            (part.path, "d", number)
            for part, of in self.all_parts(at, definition)
            for number in part.members.get(of, {}).get(name, ())
        ]
        for path, owner in self.parts(at, definition):
            other = self.evaluator.at(path)
            found += [(path, "d", number) for number in other.detached.get(owner, {}).get(name, ())]
        return found

    def own_member(self, at: FileScope, scope: int, name: str) -> tuple[list[Site], Values] | None:
        """A member of the type that a method belongs to, if where it is named matters."""
        return None

    def taken_apart(self, at: FileScope, step: tuple[int, int, str], values: Values) -> Values:
        """A part of objects that a pattern names: by the node of their type, its place, its name."""
        return NOTHING

    def constructors(self, of: Value) -> tuple[str, ...]:
        """Names of the members that run when an object is made."""
        return ("constructor",)

    def class_around(self, at: FileScope, definition: int) -> tuple[str, int] | None:
        """Path and number of the class that a function is a method of."""
        parent = at.defs[definition].parent
        return (at.path, parent) if parent is not None and at.defs[parent].kind in self.classes else None

    def this(self, at: FileScope, scope: int | None, kind: int = ExprKind.THIS) -> Values:
        """The object that the method around a scope belongs to, or that object as one of the bases of its class; the
        class, where a method belongs to that."""
        while scope is not None:
            owner = at.owner.get(scope)
            if scope in at.nameless:
                return _seen_as(kind, ("i", at.path, -scope))
            if owner is not None and kind == ExprKind.THIS and (receiver := at.receiver(owner)) is not None:
                return self.evaluator.type_of(at, receiver)
            if owner is not None:
                parent = self.class_around(at, owner)
                if parent is not None:
                    what = "c" if self.how(at, owner) == "class" else "i"
                    return _seen_as(kind, (what, *self.whole(*parent), scope))
                if at.defs[owner].kind in self.classes:
                    return _seen_as(kind, ("i", *self.whole(at.path, owner)))
            scope = at.parent(scope)
        return NOTHING

    def parts(self, at: FileScope, definition: int) -> list[tuple[str, str]]:
        """Where members of a class stand outside of it: a file, and the name by which it calls the class."""
        return [(at.path, at.defs[definition].lexical_path)] if at.detached else []

    def whole(self, path: str, definition: int) -> tuple[str, int]:
        """The part of a type that stands for all of it."""
        return path, definition

    def all_parts(self, at: FileScope, definition: int) -> Sequence[tuple[FileScope, int]]:
        """Where a type is defined, which has members in all of these places."""
        return ((at, definition),)

    def how(self, at: FileScope, definition: int) -> str:
        """How a method takes its object as its first parameter: `object`, `class`, or `static` for not at all."""
        return "static"

    def method(self, at: FileScope, definition: int, of: Value) -> Values:
        """What a method holds that is reached through an object or a class."""
        return frozenset(
            ("m", value[1], value[2], of) if value[0] == "f" and of[0] == "i" else value
            for value in self.evaluator.query(("v", at.path, definition))
        )

    def described(self, values: Values, of: Value) -> Values:
        """What an attribute gives that holds these values."""
        return values

    def is_enum(self, of: Value) -> bool:
        """Whether the attributes of a class are objects of it."""
        return False

    def passed(self, at: FileScope, definition: int, name: str) -> Values:
        """What is passed as a parameter by nobody in the repository."""
        return NOTHING

    # Calls

    def called(self, at: FileScope, node: int) -> Values | None:
        """What a call gives; None where all that its callee can hold is called."""
        return None

    def calls_of(self, at: FileScope, node: int) -> tuple[tuple[Value | None, tuple[Site, ...]], ...]:
        """What the name stands for by which something is called or made, for each object that it is called on."""
        return ()

    def named_sites(self, at: FileScope, node: int) -> list[tuple[Site, ...]]:
        """What a name or a member stands for that is not called, for each object that it is one of."""
        return []

    def call_container(self, callee: Value, values: Sequence[Values]) -> Values | None:
        """What a method of a container gives; None for what is usual."""
        return None

    def base_sites(self, at: FileScope, definition: int) -> tuple[list[Site], bool]:
        """What a class inherits from directly, and whether something of that is not in the repository, or not known."""
        found: set[Site] = set()
        unknown = False
        for node in at.bases(definition):
            if at.nodes[node][0] == ExprKind.LABELLED:
                continue
            values = [value for value in self.evaluator.value(at.path, node) if value[0] == "c"]
            found |= {(value[1], "d", value[2]) for value in values}
            unknown = unknown or not values
        return sorted(found), unknown

    def overridden(self, at: FileScope, definition: int) -> tuple[list[Site], bool] | None:
        """Members that a member overrides whose class is no definition (an anonymous class), and whether a base that is
        not in the repository may own one; None for all other definitions, whose class says what they override."""
        row = at.defs[definition]
        if row.scope not in at.nameless or row.kind not in _CALLABLES:
            return None
        found: list[Site] = []
        unknown = False
        for base in self.evaluator.bases(at.path, -row.scope)[1:]:
            if base[0] == "c":
                found += self.members(self.evaluator.at(base[1]), base[2], row.name)
            else:
                unknown = True
        return sorted(set(found)), unknown

    # Values

    def gone_through(self, of: Value) -> Values:
        """What a loop takes from a value."""
        return self.evaluator.elements(of)

    def held(self, at: FileScope, node: int) -> Values:
        """What an expression can hold, as far as members of it may be meant."""
        return self.evaluator.value(at.path, node)

    def elements(self, of: Value) -> Values:
        return NOTHING

    def awaited(self, values: Values) -> Values:
        return values

    def entered(self, of: Value) -> Values:
        return NOTHING

    def item(self, of: Value) -> Values:
        return NOTHING

    def call_foreign(self, name: str, at: FileScope, node: int, values: Sequence[Values]) -> Values:
        """What calling something of another library gives."""
        return foreign(name if name.endswith("()") else f"{name}()")

    # Types

    def applied(self, of: Value, at: FileScope, parts: Sequence[int]) -> Values:
        """Objects of a class that has arguments."""
        return frozenset({("i", of[1], of[2])})

    def generic(self, name: str, at: FileScope, parts: Sequence[int]) -> Values:
        """Objects of a type of another library that has arguments."""
        return NOTHING

    def said(self, at: FileScope, text: str, scope: int) -> Values:
        """Objects of a type that a comment names."""
        return NOTHING

    def written(self, at: FileScope, text: str) -> Values:
        """Objects of a type that is written as a text."""
        return NOTHING


def _seen_as(kind: int, of: Value) -> Values:
    return frozenset({of if kind == ExprKind.THIS else ("s", of[1], of[2], of)})
