"""What differs between languages when their names are resolved. Everything has an answer that says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from codeplane.facts.sketch import SketchImport
from codeplane.index.resolve.tables import Tables
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, union

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluate import Evaluator


_CLASSES = frozenset({"class", "interface", "struct", "enum", "trait", "record", "object"})


class Rules:
    """Asked by the evaluator, and may ask it."""

    classes = _CLASSES
    """Kinds of definitions that have members and objects."""
    tuple_is_arguments = True
    """Whether a tuple in the place of a type's argument is a list of them."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev
        self._by_name: dict[str, dict[tuple[int, str | None], list[int]]] = {}

    # Names

    def local_name(self, row: SketchImport) -> str | None:
        """The name that an import binds."""
        return row.alias or row.imported_name

    def imports_named(self, at: Tables, scope: int, name: str) -> Sequence[int]:
        """Imports that bind a name in a scope."""
        known = self._by_name.get(at.path)
        if known is None:
            known = self._by_name[at.path] = {}
            for number, row in enumerate(at.imports):
                known.setdefault((row.scope, self.local_name(row)), []).append(number)
        return known.get((scope, name), ())

    def import_sites(self, at: Tables, number: int) -> list[Site]:
        """What an import stands for in the repository."""
        return []

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

    def free_sites(self, at: Tables, name: str, scope: int) -> list[Site]:
        """The same, seen from a scope that has ways of its own to see names."""
        return self.unbound_sites(at, name)

    def free(self, at: Tables, name: str, scope: int) -> Values:
        return self.unbound(at, name)

    def doubted(self, at: Tables, name: str, scope: int, sites: list[Site]) -> list[Site]:
        """What a name stands for that the file binds to these, though something out of sight may come before."""
        return sites

    def head_sites(self, at: Tables, name: str, scope: int) -> list[Site]:
        """What the first name of the path of an import stands for."""
        return []

    def fitting(self, sites: Sequence[Site], namespace: int | None, usage: int) -> Sequence[Site]:
        """Those of several that a name can mean where it stands: in a namespace if it is bound, or by its usage."""
        return sites

    def label_sites(self, at: Tables, of: int, name: str) -> list[Site]:
        """What the label of an argument stands for, by the node of what it is passed to."""
        return []

    def module_around(self, at: Tables, scope: int, how: int) -> Values:
        """The module that a scope lies in (0), the one around that (1), the outermost one (2)."""
        return NOTHING

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        """What a name of a module stands for."""
        return []

    def module_values(self, module: Value, name: str) -> Values:
        return union(map(self.ev.site_value, self.module_sites(module, name)))

    def defined(self, at: Tables, definition: int) -> Values | None:
        """What the name of a definition holds, if the language has a word on it."""
        return None

    # Classes and their objects

    def this(self, at: Tables, scope: int | None) -> Values | None:
        """The object that a method belongs to, if that is not the class around it."""
        return None

    def own(self, at: Tables, scope: int) -> Values:
        """The type that a method belongs to."""
        return NOTHING

    def own_member(self, at: Tables, scope: int, name: str) -> tuple[list[Site], Values] | None:
        """A member of that type, if where it is named matters."""
        return None

    def member(self, of: Value, name: str) -> tuple[list[Site], Values] | None:
        """What a member of an object or class stands for and holds, if the language has an order of its own."""
        return None

    def constructors(self, of: Value) -> tuple[str, ...]:
        """Names of the members that run when an object is made."""
        return ("constructor",)

    def class_around(self, at: Tables, definition: int) -> tuple[str, int] | None:
        """Path and number of the class that a function is a method of."""
        parent = at.defs[definition].parent
        return (at.path, parent) if parent is not None and at.defs[parent].kind in self.classes else None

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

    # Values

    def computed(self, key: tuple[Any, ...]) -> Values:
        """A cell of the language's own: `z`, the language, whatever it needs."""
        return NOTHING

    def tried(self, of: Value) -> Values:
        """What is left of a value if it is no failure."""
        return frozenset({of})

    def taken_apart(self, at: Tables, step: tuple[int, int, str], values: Values) -> Values:
        """A part of objects that a pattern names: by the node of their type, its place, its name."""
        return NOTHING

    def returned(self, method: Value, values: Values) -> Values:
        """What a method gives, as its object has it."""
        return values

    def call_object(self, of: Value) -> Values | None:
        """What calling an object gives, if no method of it is run."""
        return None

    def call_container(self, callee: Value, values: Sequence[Values]) -> Values | None:
        """What calling a method of a container gives, if it is not the way of Python."""
        return None

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

    def variable(self, at: Tables, bind: int) -> Values | None:
        """What a name holds that is bound to neither a definition nor an import, if it is a type variable."""
        return None

    def applied(self, of: Value, at: Tables, parts: Sequence[int]) -> Values:
        """Objects of a class that has arguments."""
        return frozenset({("i", of[1], of[2])})

    def type_named(self, at: Tables, definition: int) -> Values | None:
        """Objects of the type that a definition names that is no class."""
        return None

    def tuple_type(self, at: Tables, parts: Sequence[int]) -> Values:
        return union(self.ev.type_of(at, part) for part in parts)

    def generic(self, name: str, at: Tables, parts: Sequence[int]) -> Values:
        """Objects of a type of another library that has arguments."""
        return NOTHING

    def written(self, at: Tables, text: str) -> Values:
        """Objects of a type that is written as a text."""
        return NOTHING
