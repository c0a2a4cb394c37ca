"""What differs between languages when their names are resolved. Everything has an answer that says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from codeplane.facts.model import Tier
from codeplane.facts.sketch import SketchBind, SketchImport
from codeplane.facts.values import Of
from codeplane.index.resolve.tables import Tables
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, union

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluate import Evaluator


_CLASSES = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object"})


class Rules:
    """Asked by the evaluator, and may ask it."""

    classes = _CLASSES
    """Kinds of definitions that have members and objects."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev

    # Where a language goes its own way; None leaves it to the common one.

    def cell(self, at: Tables, key: tuple[Any, ...]) -> Values | None:
        """What a cell of the evaluator holds."""
        return None

    def member(self, of: Value, name: str) -> tuple[list[Site], Values] | None:
        """What a member of a class, of an object or of another value of the language stands for, and what it holds."""
        return None

    def call(self, callee: Value, at: Tables, node: int) -> Values | None:
        """What calling a value gives."""
        return None

    # Names

    def local_name(self, row: SketchImport) -> str | None:
        """The name that an import binds."""
        return row.alias or row.imported_name

    def import_sites(self, at: Tables, number: int) -> list[Site]:
        """What an import stands for in the repository."""
        return []

    def import_files(self, at: Tables, number: int) -> list[str]:
        """Files that an import names, or takes something from."""
        return [path for path, _, _ in self.import_sites(at, number)]

    def imported(self, at: Tables, number: int) -> Values:
        """What the name that an import binds holds."""
        sites = self.import_sites(at, number)
        row = at.imports[number]
        return (
            union(map(self.ev.site_value, sites)) if sites else frozenset({("x", f"{row.source}.{row.imported_name}")})
        )

    def unbound_sites(self, at: Tables, name: str) -> list[Site]:
        """What a name stands for that nothing in its file binds."""
        return []

    def unbound(self, at: Tables, name: str) -> Values:
        sites = self.unbound_sites(at, name)
        return union(map(self.ev.site_value, sites)) if sites else frozenset({("x", name)})

    def is_placed(self, at: Tables, bind: SketchBind) -> bool:
        """Whether a name that a file binds, but not for certain, is looked up like one that it does not bind."""
        return False

    def placed_sites(self, at: Tables, name: str, scope: int, usage: int) -> list[Site]:
        """The same, where it depends on the scope, or on the syntax around it (a `Usage`)."""
        return self.unbound_sites(at, name)

    def placed(self, at: Tables, name: str, scope: int) -> Values:
        return self.unbound(at, name)

    def tier(self, at: Tables, sites: Sequence[Site]) -> int:
        """How sure it is that what is written in a file stands for these."""
        return Tier.STRONG

    def key_sites(self, at: Tables, of: Values, name: str) -> list[Site]:
        """What a key of a literal stands for that is no member of what the literal makes."""
        return []

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        """What a name of a module stands for."""
        return []

    def module_values(self, module: Value, name: str) -> Values:
        return union(map(self.ev.site_value, self.module_sites(module, name)))

    # Classes and their objects

    takes_object = False
    """Whether a method has its object as its first parameter."""

    called = "__call__"
    """The member that runs when an object is called."""

    def direct_bases(self, at: Tables, definition: int) -> list[Value]:
        """What a class inherits from, nearest first; of another library too."""
        return [
            value
            for node in at.bases(definition)
            if at.nodes[node][0] != Of.LABELLED
            for value in sorted(self.ev.value(at.path, node), key=repr)
        ]

    def members(self, at: Tables, definition: int, name: str) -> list[Site]:
        """Definitions of a member of a class, as it is named where it is used."""
        found: list[Site] = [(at.path, "d", number) for number in at.members.get(definition, {}).get(name, ())]
        for path, owner in self.parts(at, definition):
            other = self.ev.at(path)
            found += [(path, "d", number) for number in other.detached.get(owner, {}).get(name, ())]
        return found

    def declared(self, at: Tables, definition: int, name: str) -> Values:
        """What an attribute holds, where that is said neither where it is declared nor by what is assigned to it."""
        return NOTHING

    def constructors(self, of: Value) -> tuple[str, ...]:
        """Names of the members that run when an object is made."""
        return ("constructor",)

    def class_around(self, at: Tables, definition: int) -> tuple[str, int] | None:
        """Path and number of the class that a function is a method of."""
        parent = at.defs[definition].parent
        return (at.path, parent) if parent is not None and at.defs[parent].kind in self.classes else None

    def this(self, at: Tables, scope: int | None) -> Value | None:
        """The object that the method around a scope belongs to; the class, where a method belongs to that."""
        while scope is not None:
            owner = at.owner.get(scope)
            if owner is not None:
                parent = self.class_around(at, owner)
                if parent is not None:
                    return ("c" if self.how(at, owner) == "class" else "i", *parent, scope)
                if at.defs[owner].kind in self.classes:
                    return ("i", at.path, owner)
            elif at.sketch.scopes[scope][1] == "class":
                return None  # a class without a name
            scope = at.sketch.scopes[scope][0]
        return None

    def canonical(self, at: Tables, definition: int) -> tuple[str, int]:
        """Path and number of the definition that stands for a class that is defined in several places."""
        return at.path, definition

    def absent(self, of: Value, name: str) -> Values:
        """What a member holds that no class of the repository defines."""
        return NOTHING

    def parts(self, at: Tables, definition: int) -> list[tuple[str, str]]:
        """Where members of a class stand outside of it: a file, and the name by which it calls the class."""
        return [(at.path, at.defs[definition].lexical_path)] if at.detached else []

    def how(self, at: Tables, definition: int) -> str:
        """How a method takes its object as its first parameter: `object`, `class`, or `static` for not at all."""
        return "static"

    def method(self, at: Tables, definition: int, of: Value) -> Values:
        """What a method holds that is reached through an object or a class."""
        return frozenset(
            ("m", value[1], value[2], of) if value[0] == "f" and of[0] == "i" else value
            for value in self.ev.cell(("v", at.path, definition))
        )

    def described(self, values: Values, of: Value) -> Values:
        """What an attribute gives that holds these values."""
        return values

    def is_enum(self, of: Value) -> bool:
        """Whether the attributes of a class are objects of it."""
        return False

    def passed(self, at: Tables, definition: int, name: str) -> Values:
        """What is passed as a parameter by nobody in the repository."""
        return NOTHING

    def base_sites(self, at: Tables, definition: int) -> tuple[list[Site], bool]:
        """What a class inherits from directly, and whether something of that is not in the repository, or not known."""
        found: set[Site] = set()
        unknown = False
        for node in at.bases(definition):
            if at.nodes[node][0] == Of.LABELLED:
                continue
            values = [value for value in self.ev.value(at.path, node) if value[0] == "c"]
            found |= {(value[1], "d", value[2]) for value in values}
            unknown = unknown or not values
        return sorted(found), unknown

    # Values

    def certain(self, values: Values) -> Values:
        """Those of an expression's values whose members may be meant."""
        return values

    def gone_through(self, of: Value) -> Values:
        """What a loop takes from a value."""
        return self.ev.elements(of)

    def held(self, at: Tables, node: int) -> Values:
        """What an expression can hold."""
        return self.ev.value(at.path, node)

    def elements(self, of: Value) -> Values:
        return NOTHING

    def entered(self, of: Value) -> Values:
        return NOTHING

    def item(self, of: Value) -> Values:
        return NOTHING

    def call_foreign(self, name: str, at: Tables, node: int, values: Sequence[Values]) -> Values:
        """What calling something of another library gives."""
        return frozenset({("x", name if name.endswith("()") else f"{name}()")})

    # Types

    def generic(self, name: str, at: Tables, parts: Sequence[int]) -> Values:
        """Objects of a type of another library that has arguments."""
        return NOTHING

    def said(self, at: Tables, text: str, scope: int) -> Values:
        """Objects of a type that a comment names."""
        return NOTHING

    def written(self, at: Tables, text: str) -> Values:
        """Objects of a type that is written as a text."""
        return NOTHING
