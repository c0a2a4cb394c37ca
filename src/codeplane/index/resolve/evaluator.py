"""What an expression can hold, as far as every step is explicit: what is declared, constructed, imported or returned.

The same for all languages; what differs is asked of their rules (`rules.Rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Protocol, TypeVar

from codeplane.facts.ir import ExprKind, FlowKind, ParameterKind
from codeplane.facts.model import Certainty, Target
from codeplane.index.resolve.file_scope import PART, PUT, FileScope
from codeplane.index.resolve.query_cache import QueryCache
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import (
    ANYTHING,
    NOTHING,
    Site,
    Value,
    Values,
    bounded,
    dict_of,
    foreign,
    generic_of,
    list_of,
    mentions,
    merged,
    objects,
    tuple_of,
    union,
    wrapped,
)

T = TypeVar("T")

CALLABLES = frozenset({"function", "method", "constructor"})
_NAMED = frozenset({"enum_member", "module"})
"""What else a name may be bound to that holds something by itself."""
RECEIVER = -1
"""In place of the number of a parameter: the object that a method is called on."""
_Member = tuple[Sequence[Site], Values]
_NO_MEMBER: _Member = ((), NOTHING)
_PLACED = frozenset({"i", "c", "T", "S"})
"""Values of a language, told by the file that they begin with."""


class Library(Protocol):
    """What is known of the files of a repository."""

    def paths(self) -> Iterable[str]:
        """Of all files, in no order."""

    def tables(self, path: str) -> FileScope | None:
        """Of a file in a language that can be resolved."""

    def key(self, path: str) -> int:
        """What a file goes by among the things that links depend on."""

    def named(self, name: str) -> Sequence[tuple[str, int]]:
        """Path and number of every definition of this name, by path and place."""

    def defined(self, lexical_path: str) -> Sequence[tuple[str, int]]:
        """The same, of every definition that is nested so, names with dots between them."""

    def detaching(self, owner: str) -> Sequence[str]:
        """Files that define members of a type of this name outside of it."""

    def directory(self, path: str) -> Sequence[str]:
        """Paths of the files that lie directly in a directory."""

    def declared(self, path: str) -> Mapping[str, Any] | None:
        """What a file that configures a build says."""


class Evaluator:
    def __init__(self, library: Library, rules_of: Callable[[str], Callable[[Evaluator], LanguageResolver]]) -> None:
        self.library = library
        self._rules_of = rules_of
        self._resolvers = _RulesMade(self)
        self._cells: QueryCache[tuple[Any, ...], Value] = QueryCache(self._compute, self._bounded)
        self.memo = self._cells.memo
        """For what is no cell but comes to one before it asks for itself."""
        self._noted = self._cells.noted
        self._held: dict[str, tuple[FileScope, int]] = {}
        self.flowing: dict[tuple[str, int, int], Values] = {}
        """What is known to be passed within a file."""
        self._outer: Evaluator | None = None
        self._own = ""

    def within(self, path: str, flowing: dict[tuple[str, int, int], Values]) -> Evaluator:
        """One that knows what is passed within a file, and asks this one for all others."""
        inner = Evaluator(self.library, self._rules_of)
        # What rules have looked up so far serves both.
        for language, resolver in self._resolvers.items():
            inner._resolvers[language] = copy(resolver)
            inner._resolvers[language].evaluator = inner
        inner._outer, inner._own, inner.flowing = self._outer or self, path, flowing
        inner._held = self._held
        inner._noted = inner._cells.noted = self._noted
        return inner

    def forget(self) -> None:
        """Let go of what hardly serves another file."""
        self._cells.forget()

    def close(self) -> None:
        """Let go of everything at once: evaluator, rules and cells know each other, and to find that out takes long."""
        for resolver in self._resolvers.values():
            vars(resolver).clear()
        self._resolvers.clear()
        self._held.clear()
        self._cells.close()

    # --- cells

    def _compute(self, key: tuple[Any, ...]) -> Values:
        if key[0] == "z":
            return self._resolvers[key[1]].compute(key[2:])
        what, at = key[0], self.at(key[1])
        own = self.resolver(at).query(at, key)
        if own is not None:
            return bounded(own)
        if what == "n":
            return bounded(self._node(at, key[2]))
        if what == "b":
            return bounded(self._bind(at, key[2]))
        if what == "y":
            return bounded(self._type_of_bind(at, key[2]))
        if what == "r":
            return bounded(self._returned(at, key[2]))
        if what == "a":
            return bounded(self._attribute(at, key[2], key[3]))
        if what == "v":
            return bounded(self._definition(at, key[2]))
        if what == "w":
            return bounded(self._alias(at, key[2]))
        if what == "s":
            return frozenset({tuple(self.found_in(self.bases(key[1], key[2]), key[3]))})
        assert what == "o"
        return frozenset({("o", self._order(at, key[2]))})

    def _bounded(self, key: tuple[Any, ...], values: Values) -> Values:
        return self._resolvers[key[1]].bounded(values) if key[0] == "z" else bounded(values)

    def at(self, path: str) -> FileScope:
        held = self._held.get(path)
        if held is None:
            tables = self.library.tables(path)
            assert tables is not None
            held = self._held[path] = (tables, self.library.key(path))
        # The same as `note`, for what is asked more often than anything else.
        self._noted[-1].add(held[1])
        return held[0]

    def note(self, key: int) -> None:
        """What is being computed depends on this."""
        self._cells.note(key)

    def memo_tracked(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made once, for rules that look up much at a time; it must not ask for itself.

        Whoever asks for it depends on all that was looked up to make it; a plain cache would not say so.
        """
        return self._cells.memo_tracked(key, make)  # type: ignore[no-any-return]

    def take_noted(self) -> set[int]:
        """What all depended on that was asked since this was taken last."""
        return self._cells.take_noted()

    def resolver(self, at: FileScope) -> LanguageResolver:
        return self._resolvers[at.language]

    def query(self, key: tuple[Any, ...]) -> Values:
        if self._outer is not None and key[1] != self._own:
            return self._outer.query(key)
        return self._cells.get(key)

    def value(self, path: str, node: int) -> Values:
        """What a node can hold."""
        at = self.at(path)
        kind, a, _, _ = at.nodes[node]
        if kind == ExprKind.NAME and a and node not in at.ambient:
            return self.query(("b", path, a - 1))
        if kind in (ExprKind.UNKNOWN, ExprKind.STRING, ExprKind.LITERAL, ExprKind.FUNCTION):
            return self._node(at, node)
        own = self if self._outer is None or path == self._own else self._outer
        key = ("n", path, node)
        return own.memo(key, own._compute, key, nothing=NOTHING)  # type: ignore[no-any-return]

    def bases(self, path: str, definition: int) -> tuple[Value, ...]:
        """A class and those that it inherits from, in the order in which members are looked up."""
        found = self.query(("o", path, definition))
        return max((value[1] for value in found), key=_length_first) if found else (("c", path, definition),)

    # --- expressions

    def _node(self, at: FileScope, node: int) -> Values:
        kind, a, b, _ = at.nodes[node]
        if kind == ExprKind.NAME:
            if node in at.ambient:
                return self.resolver(at).bare(at, node)
            return self.query(("b", at.path, a - 1)) if a else self.resolver(at).unbound(at, at.texts[b])
        if kind == ExprKind.MEMBER:
            return self.reached(at, a, at.texts[b])[1]
        if kind == ExprKind.CALL:
            found = self.resolver(at).called(at, node)
            if found is not None:
                return found
            return union(self.call(callee, at, node) for callee in self.value(at.path, a))
        if kind == ExprKind.NEW:
            return self.type_of(at, a)
        if kind in (ExprKind.THIS, ExprKind.SUPER):
            found = self.resolver(at).this(at, a, kind)
            return frozenset(value[:3] for value in found) if b else found
        if kind == ExprKind.INDEX:
            return union(self._item(of, at, b) for of in self.value(at.path, a))
        if kind == ExprKind.AWAIT:
            values = self.value(at.path, a)
            return self.resolver(at).awaited(values) | values & ANYTHING
        if kind in (ExprKind.PAREN, ExprKind.SPLAT, ExprKind.SPLAT_KEYS, ExprKind.LABELLED):
            return self.value(at.path, a)
        if kind == ExprKind.UNION:
            return union(self.value(at.path, part) for part in at.lists[a])
        if kind == ExprKind.LIST:
            return frozenset({list_of(union(self._elements_in(at, part) for part in at.lists[a]))})
        if kind == ExprKind.TUPLE:
            if any(at.nodes[part][0] == ExprKind.SPLAT for part in at.lists[a]):
                return frozenset({list_of(union(self._elements_in(at, part) for part in at.lists[a]))})
            return frozenset({tuple_of([self.value(at.path, part) for part in at.lists[a]])})
        if kind == ExprKind.DICT:
            return frozenset({self._mapping(at, at.lists[a])})
        if kind == ExprKind.CAST:
            return self.type_of(at, b) or self.value(at.path, a)
        if kind == ExprKind.FUNCTION:
            return frozenset({("f", at.path, a)})
        if kind == ExprKind.CLASS_LITERAL:
            found = frozenset(("Y", of[1], of[2]) for of in self.type_of(at, a) if of[0] == "i")
            return found or frozenset({("x", "Class()")})
        if kind == ExprKind.CASE:
            return self.resolver(at).bare(at, node)
        if kind == ExprKind.STRING:
            return frozenset({("k", at.texts[a])})
        if kind == ExprKind.LITERAL:
            return frozenset({("k", int(at.texts[b - 1]))} if b else {("x", f"builtins.{at.texts[a]}()")})
        return NOTHING

    def _elements_in(self, at: FileScope, part: int) -> Values:
        kind, a, _, _ = at.nodes[part]
        if kind in (ExprKind.SPLAT, ExprKind.SPLAT_KEYS):
            return union(self.elements(value) for value in self.value(at.path, a))
        return self.value(at.path, part)

    def _mapping(self, at: FileScope, parts: Sequence[int]) -> Value:
        known: dict[Any, Values] = {}
        rest = NOTHING
        for part in parts:
            kind, a, b, _ = at.nodes[part]
            if kind == ExprKind.PAIR:
                keys = [value[1] for value in self.value(at.path, a) if value[0] == "k"]
                for key in keys:
                    known[key] = known.get(key, NOTHING) | self.value(at.path, b)
                rest = rest if keys else rest | self.value(at.path, b)
            elif kind == ExprKind.SPLAT_KEYS:
                for value in self.value(at.path, a):
                    if value[0] == "d":
                        for key, held in value[1]:
                            known[key] = known.get(key, NOTHING) | held
                        rest |= value[2]
        return dict_of(known, rest)

    def _item(self, of: Value, at: FileScope, keys: int) -> Values:
        nodes = at.lists[keys]
        if of[0] == "c" or (of[0] == "x" and not of[1].endswith("()")):
            return frozenset({of})
        if of[0] == "i":
            return self.resolver(self.at(of[1])).item(of)
        if of[0] == "?":
            return ANYTHING
        held = [value[1] for node in nodes for value in self.value(at.path, node) if value[0] == "k"]
        if of[0] == "t":
            places = [key for key in held if isinstance(key, int)]
            if places:
                return union(of[1][place] for place in places if place < len(of[1]))
            return self.elements(of)
        if of[0] == "d":
            known = dict(of[1])
            return of[2] | union(known.get(key, NOTHING) for key in held) if held else self.held(of)
        return self.elements(of)

    def elements(self, of: Value) -> Values:
        """What going through a value gives."""
        if of[0] == "l":
            return of[1]  # type: ignore[no-any-return]
        if of[0] == "t":
            return union(of[1])
        if of[0] == "d":
            return frozenset(("k", key) for key, _ in of[1])
        if of[0] == "?":
            return ANYTHING
        if of[0] == "G":
            return self._resolvers[of[1]].elements(of)
        return self.resolver(self.at(of[1])).elements(of) if of[0] in ("i", "c", "T") else NOTHING

    def entered(self, of: Value) -> Values:
        """What entering a value, as a context, gives."""
        if of[0] == "i":
            return self.resolver(self.at(of[1])).entered(of)
        if of[0] == "?":
            return ANYTHING
        return of[1] if of[0] == "l" else NOTHING

    def held(self, of: Value) -> Values:
        """The values of a mapping."""
        return union((of[2], *(held for _, held in of[1])))

    def result(self, of: Value, name: str) -> Values:
        """What a method without arguments gives."""
        return union(self.call(method, None, 0) for method in self.member(of, name)[1])

    # --- names

    def _bind(self, at: FileScope, bind: int) -> Values:
        row = at.binds[bind]
        if row.certainty == Certainty.CERTAIN and row.target_kind == Target.IMPORT and row.target is not None:
            return self.resolver(at).imported(at, row.target)
        found = NOTHING
        for definition in at.defs_in.get((row.scope, row.name), ()):
            kind = at.defs[definition].kind
            if kind in CALLABLES or kind in self.resolver(at).classes or kind in _NAMED:
                found |= self.query(("v", at.path, definition))
        for number in at.imports_in(row.scope, row.name, self.resolver(at).local_name):
            found |= self.resolver(at).imported(at, number)
        return found | self._flowing(at, at.into_bind(bind)) | self._param(at, bind)

    def _flowing(self, at: FileScope, flows: Iterable[tuple[int, int]]) -> Values:
        flows = tuple(flows)
        declared = union(self.type_of(at, node) for kind, node in flows if kind == FlowKind.DECLARE)
        if declared:
            return declared
        found = NOTHING
        for kind, node in flows:
            if kind not in (FlowKind.DECLARE, FlowKind.NARROW, FlowKind.BOUND):
                found |= self._flow(at, kind, node)
        return found

    def _flow(self, at: FileScope, kind: int, node: int) -> Values:
        if kind & PUT:
            place, value = node >> 32, node & 0xFFFFFFFF
            values = self._flow(at, kind & ~PUT, value)
            keys = [
                held[1] for key in at.lists[at.nodes[place][2]] for held in self.value(at.path, key) if held[0] == "k"
            ]
            if keys:
                return frozenset({dict_of(dict.fromkeys(keys, values), NOTHING)})
            return frozenset({dict_of({}, values), list_of(values)})
        if kind & PART:
            way, values = at.way(node >> 32), self._flow(at, kind & ~PART, node & 0xFFFFFFFF)
            for step in way:
                if isinstance(step, tuple):
                    values = self.resolver(at).taken_apart(at, step, values)
                    continue
                if step < 0:
                    return frozenset({list_of(union(self.elements(value) for value in values))})
                values = union(self._part(value, step) for value in values)
            return values
        if kind == FlowKind.FOR:
            return union(self.resolver(at).gone_through(value) for value in self.value(at.path, node))
        if kind == FlowKind.WITH:
            return union(self.entered(value) for value in self.value(at.path, node))
        if kind in (FlowKind.CATCH, FlowKind.DECLARE):
            return self.type_of(at, node)
        return self.value(at.path, node)

    def _part(self, value: Value, step: int) -> Values:
        if value[0] == "t":
            return value[1][step] if step < len(value[1]) else NOTHING
        return self.elements(value)

    def _param(self, at: FileScope, bind: int) -> Values:
        place = at.param_of_bind.get(bind)
        if place is None:
            return NOTHING
        scope, number = place
        param = at.params[scope][number]
        definition = at.owner.get(scope)
        parent = at.defs[definition].parent if definition is not None else None
        if (
            number == 0
            and param.kind == ParameterKind.PLAIN
            and parent is not None
            and at.defs[parent].kind in self.resolver(at).classes
        ):
            how = self.resolver(at).how(at, definition or 0)
            if how == "class":
                return frozenset({("c", at.path, parent, scope)})
            if how != "static":
                declared = self.type_of(at, param.type) if param.type >= 0 else NOTHING
                return declared or frozenset({("i", at.path, parent, scope)})
        if param.type >= 0:
            declared = self.type_of(at, param.type)
            if declared:
                return wrapped(declared, param.kind) | frozenset({("p", at.path, scope, number)})
        found = frozenset({("p", at.path, scope, number)})
        found |= self.flowing.get((at.path, scope, number), NOTHING)
        if param.default >= 0:
            found |= self.value(at.path, param.default)
        if definition is not None:
            found |= self.resolver(at).passed(at, definition, param.name)
        return found

    # --- imports and modules

    def site_value(self, site: Site) -> Values:
        path, kind, number = site
        if kind == "M":
            return frozenset({("M", path)})
        if kind == "d":
            return self.query(("v", path, number))
        return NOTHING

    def decorated(self, at: FileScope, definition: int, until: int = -1) -> Values:
        """A function or class as its decorators leave it, or as it is given to one of them."""
        scope = at.body.get(definition)
        values: Values = frozenset({("f", at.path, scope)}) if scope is not None else NOTHING
        if at.defs[definition].kind in self.resolver(at).classes:
            values = frozenset({("c", at.path, definition)})
        for node in reversed(at.decorators(definition)):
            if node == until:
                break
            given = union(self.call_with(decorator, [values]) for decorator in self.value(at.path, node))
            values = frozenset(value for value in given if value[0] != "x") or values
        return values

    def _definition(self, at: FileScope, definition: int) -> Values:
        """What the name of a definition holds."""
        row = at.defs[definition]
        if row.kind in self.resolver(at).classes:
            return frozenset({("c", *self.resolver(at).whole(at.path, definition))})
        if row.kind in CALLABLES:
            return self.decorated(at, definition)
        if row.kind == "enum_member" and row.parent is not None and at.defs[row.parent].kind == "enum":
            return frozenset({("i", at.path, row.parent)})
        bind = at.bind_of_def.get(definition)
        return self._flowing(at, at.into_bind(bind)) if bind is not None else NOTHING

    # --- members

    def reached(self, at: FileScope, node: int, name: str) -> _Member:
        """What a member of an expression stands for, and what it holds. A test of its type counts where nothing else
        has such a member: it may stand elsewhere than the use."""
        kind, scope, _, _ = at.nodes[node]
        own = self.resolver(at).own_member(at, scope, name) if kind == ExprKind.SELF_TYPE else None
        if own is not None:
            return own
        found = [self.member(of, name) for of in self.resolver(at).held(at, node)]
        if not any(sites for sites, _ in found):
            found += [self.member(of, name) for of in self._narrowed(at, node)]
        return [site for sites, _ in found for site in sites], union(values for _, values in found)

    def _narrowed(self, at: FileScope, node: int) -> Values:
        kind, a, _, _ = at.nodes[node]
        if kind != ExprKind.NAME or not a:
            return NOTHING
        return union(self.type_of(at, held) for how, held in at.into_bind(a - 1) if how == FlowKind.NARROW)

    def member(self, of: Value, name: str) -> _Member:
        """What a member of a value stands for, and what it holds."""
        what = of[0]
        if what == "G":
            return self._resolvers[of[1]].member(of, name) or _NO_MEMBER
        if what in _PLACED:
            own = self.resolver(self.at(of[1])).member(of, name)
            if own is not None:
                return own
        if what in ("i", "c"):
            if name == "__class__":
                return [], frozenset({("c", *of[1:])})
            return self._once(("m", of, name), self._found_in_bases, of, name)
        if what == "s":
            order = self.bases(of[3][1], of[3][2]) if of[3][0] in ("i", "c") else self.bases(of[1], of[2])
            class_ = ("c", of[1], of[2])
            rest = order[order.index(class_) + 1 :] if class_ in order else order[1:]
            return self._found_in(rest, of[3], name)
        if what == "M":
            resolver = self.resolver(self.at(of[1]))
            return self._once(("m", of, name), _of_module, resolver, of, name)
        if what == "N":
            return self._once(("m", of, name), _of_module, self._resolvers[of[1]], of, name)
        if what == "k":
            return [], foreign(f"builtins.{type(of[1]).__name__}.{name}")
        if what == "x":
            return [], foreign(f"{of[1]}.{name}")
        if what == "t" and name.isdigit():
            return [], of[1][int(name)] if int(name) < len(of[1]) else NOTHING
        if what in ("l", "t", "d"):
            return [], frozenset({("e", of, name)})
        if what == "v":
            found = [self.member(bound, name) for bound in self.type_of(self.at(of[1]), of[2])]
            return [site for sites, _ in found for site in sites], union(values for _, values in found)
        return [], ANYTHING if what == "?" else NOTHING

    def _once(self, key: Hashable, make: Callable[..., _Member], *of: Any) -> _Member:
        return self.memo(key, make, *of, nothing=_NO_MEMBER)  # type: ignore[no-any-return]

    def member_sites(self, of: Value, name: str) -> Sequence[Site]:
        """What a member of a value stands for, in the bases too where methods of one name stand beside each other."""
        if of[0] in ("i", "c"):
            return max(self.query(("s", of[1], of[2], name)), key=_length_first, default=())
        if of[0] == "s":
            order = self.bases(of[1], of[2])
            return self.found_in(order[1:], name)
        return self.member(of, name)[0]

    def found_in(self, order: Sequence[Value], name: str) -> list[Site]:
        found: list[Site] = []
        for base in order:
            if base[0] == "c":
                found += self.resolver(self.at(base[1])).members(self.at(base[1]), base[2], name)
        return found

    def _found_in_bases(self, of: Value, name: str) -> _Member:
        return self._found_in(self.bases(of[1], of[2]), of, name)

    def _found_in(self, order: Sequence[Value], of: Value, name: str) -> _Member:
        for base in order:
            if base[0] != "c":
                continue
            at = self.at(base[1])
            attribute = at.attributes.get((base[2], name))
            sites = [*self.resolver(at).members(at, base[2], name)]
            definitions = [(path, definition) for path, _, definition in sites]
            if attribute is not None:
                sites.append((base[1], "a", attribute))
            if not sites:
                continue
            values = NOTHING
            for path, definition in definitions:
                at = self.at(path)
                row = at.defs[definition]
                if row.kind in CALLABLES:
                    values |= self.resolver(at).method(at, definition, of)
                elif row.kind == "enum_member":
                    values |= self.query(("v", path, definition))
                elif row.kind in self.resolver(at).classes:
                    values |= frozenset({("c", path, definition)})
                else:
                    values |= self.resolver(at).described(self.query(("a", base[1], base[2], name)), of)
                    if of[0] == "c" and self.resolver(at).is_enum(base):
                        values |= frozenset({("i", base[1], base[2])})
            if attribute is not None:
                values |= self.query(("a", base[1], base[2], name))
            return sites, values
        return [], NOTHING

    def _attribute(self, at: FileScope, definition: int, name: str) -> Values:
        """What an attribute of the objects of a class can hold."""
        flows: list[tuple[int, int]] = []
        for path, _, member in self.resolver(at).members(at, definition, name):
            bind = at.bind_of_def.get(member) if path == at.path else None
            if bind is not None:
                flows += at.into_bind(bind)
        for of, flow in at.into_member(name):
            kind, bind, _, _ = at.nodes[of]
            if (kind == ExprKind.NAME and bind and self._object_of(at, bind - 1) == definition) or (
                kind == ExprKind.THIS and self._is_object_of(at, bind, definition)
            ):
                flows.append(flow)
        return self._flowing(at, flows)

    def _is_object_of(self, at: FileScope, scope: int, definition: int) -> bool:
        whole = ("i", *self.resolver(at).whole(at.path, definition))
        return any(of[:3] == whole for of in self.resolver(at).this(at, scope))

    def _object_of(self, at: FileScope, bind: int) -> int | None:
        """The class whose object a binding is, if it is the first parameter of a method."""
        place = at.param_of_bind.get(bind)
        if place is None or place[1] != 0:
            return None
        owner = at.owner.get(place[0])
        parent = at.defs[owner].parent if owner is not None else None
        if parent is None or owner is None or at.defs[parent].kind not in self.resolver(at).classes:
            return None
        return parent if self.resolver(at).how(at, owner) != "static" else None

    def _order(self, at: FileScope, definition: int) -> tuple[Value, ...]:
        own: Value = ("c", at.path, definition)
        lists: list[list[Value]] = []
        direct: list[Value] = []
        for value in self.resolver(at).direct_bases(at, definition):
            if value[0] == "c" and value != own:
                lists.append([base for base in self.bases(value[1], value[2]) if base != own])
                direct.append(value)
            elif value[0] == "x":
                direct.append(value)
                lists.append([value])
        return (own, *merged([*lists, direct]))

    # --- calls

    def call(self, callee: Value, at: FileScope | None, node: int) -> Values:
        """What calling a value gives, where a node of a file says with what."""
        what = callee[0]
        own = self.resolver(at).call(callee, at, node) if at is not None else None
        if own is not None:
            return own
        arguments = at.lists[at.nodes[node][2]] if at is not None else ()
        if what in ("f", "m"):
            return self.call_function(callee, at, arguments)
        if what == "c":
            return frozenset({("i", *callee[1:])})
        if what == "i":
            return union(self.call(method, at, node) for method in self.invoked(callee))
        if what == "g":
            return callee[1]  # type: ignore[no-any-return]
        values = [self.value(at.path, part) for part in arguments] if at is not None else []
        if what == "e":
            found = self.resolver(at).call_container(callee, values) if at is not None else None
            return _call_container(self, callee, values) if found is None else found
        if what == "x" and at is not None:
            return self.resolver(at).call_foreign(callee[1], at, node, values)
        return ANYTHING if what == "?" else NOTHING

    def invoked(self, of: Value) -> Values:
        """What runs when an object is called like a function."""
        return self.member(of, self.resolver(self.at(of[1])).invoked)[1]

    def constructors(self, of: Value) -> list[Value]:
        """What runs when an object of a class is made."""
        object_ = ("i", *of[1:])
        names = self.resolver(self.at(of[1])).constructors(of)
        return sorted(
            {value for name in names for value in self.member(object_, name)[1] if value[0] in ("f", "m")}, key=repr
        )

    def call_with(self, callee: Value, values: Sequence[Values]) -> Values:
        """What calling a value with these arguments gives."""
        if callee[0] in ("f", "m"):
            path, scope = callee[1], callee[2]
            return self._filled(self.query(("r", path, scope)), path, scope, self.given_values(callee, values))
        if callee[0] == "c":
            return frozenset({("i", callee[1], callee[2])})
        if callee[0] == "i":
            return union(self.call_with(method, values) for method in self.invoked(callee))
        return ANYTHING if callee[0] == "?" else NOTHING

    def call_function(self, callee: Value, at: FileScope | None, arguments: Sequence[int]) -> Values:
        path, scope = callee[1], callee[2]
        values = self.query(("r", path, scope))
        if not any(mentions(value, path, scope) for value in values):
            return values
        given = self.given(callee, at, arguments)
        return union(self._fill(value, path, scope, given) for value in values)

    def _with_object(self, callee: Value) -> dict[int, Values]:
        """The object that a method is bound to, as the parameters that get it."""
        if callee[0] != "m":
            return {}
        of = frozenset({callee[3]})
        return {RECEIVER: of, 0: of} if self._takes_object(self.at(callee[1]), callee[2]) else {RECEIVER: of}

    def given_values(self, callee: Value, values: Sequence[Values]) -> dict[int, Values]:
        """Which parameter of a function gets which of these values."""
        given = self._with_object(callee)
        given.update(enumerate(values, len(given.keys() & {0})))
        return given

    def given(self, callee: Value, at: FileScope | None, arguments: Sequence[int]) -> dict[int, Values]:
        """Which parameter of a function gets which values."""
        path, scope = callee[1], callee[2]
        target = self.at(path)
        params = target.params.get(scope, [])
        given = self._with_object(callee)
        place = len(given.keys() & {0})
        for part in arguments if at is not None else ():
            kind, a, b, _ = at.nodes[part]  # type: ignore[union-attr]
            if kind == ExprKind.LABELLED:
                name = at.texts[b]  # type: ignore[union-attr]
                values = self.value(at.path, a)  # type: ignore[union-attr]
                for number, param in enumerate(params):
                    if param.name == name and param.kind == ParameterKind.PLAIN:
                        given[number] = values
                        break
                else:
                    for number, param in enumerate(params):
                        if param.kind == ParameterKind.KEYS:
                            given[number] = given.get(number, NOTHING) | {dict_of({name: values}, NOTHING)}
            elif kind in (ExprKind.SPLAT, ExprKind.SPLAT_KEYS):
                continue
            else:
                values = self.value(at.path, part)  # type: ignore[union-attr]
                if place < len(params) and params[place].kind == ParameterKind.PLAIN:
                    given[place] = values
                    place += 1
                elif place < len(params) and params[place].kind == ParameterKind.REST:
                    given[place] = given.get(place, NOTHING) | {list_of(values)}
        return given

    def _takes_object(self, at: FileScope, scope: int) -> bool:
        """Whether the first parameter of a method is the object that it is called on."""
        definition = at.owner.get(scope)
        return definition is None or self.resolver(at).takes_object

    def _filled(self, values: Values, path: str, scope: int, given: dict[int, Values]) -> Values:
        """Values with those of the call in place of parameters."""
        if not any(mentions(value, path, scope) for value in values):
            return values
        return union(self._fill(value, path, scope, given) for value in values)

    def _fill(self, value: Value, path: str, scope: int, given: dict[int, Values]) -> Values:
        if value[0] == "p" and value[1] == path and value[2] == scope:
            return given.get(value[3], NOTHING)
        if value[0] in ("i", "c") and len(value) == 4 and value[1] == path and value[3] == scope:
            object_ = given.get(RECEIVER, given.get(0, ()) if self._takes_object(self.at(path), scope) else ())
            own = frozenset((value[0], *held[1:]) for held in object_ if held[0] in ("i", "c"))
            return own or frozenset({value[:3]})
        if value[0] == "l":
            return frozenset({list_of(self._filled(value[1], path, scope, given))})
        if value[0] == "t":
            return frozenset({tuple_of([self._filled(part, path, scope, given) for part in value[1]])})
        if value[0] == "G":
            parts = [self._filled(part, path, scope, given) for part in value[3]]
            return frozenset({generic_of(value[1], value[2], parts)})
        if value[0] == "d":
            known = {key: self._filled(held, path, scope, given) for key, held in value[1]}
            return frozenset({dict_of(known, self._filled(value[2], path, scope, given))})
        return frozenset({value})

    def _returned(self, at: FileScope, scope: int) -> Values:
        declared = at.return_type(scope)
        if declared is not None:
            found = self.type_of(at, declared)
            if found:
                return found
        yielded = union(self.value(at.path, node) for node in at.yields(scope))
        for node in at.yields_from(scope):
            yielded |= union(self.elements(value) for value in self.value(at.path, node))
        found = union(self.value(at.path, node) for node in at.returns(scope))
        if at.yields(scope) or at.yields_from(scope):
            return frozenset({list_of(yielded)})
        return found

    # --- types

    def type_of(self, at: FileScope, node: int) -> Values:
        """Objects of the type that an expression names."""
        kind, a, b, _ = at.nodes[node]
        if kind == ExprKind.PAREN:
            return self.type_of(at, a)
        if kind == ExprKind.THIS:
            return frozenset(("i", *value[1:]) for value in self.value(at.path, node))
        if kind == ExprKind.DOC_TYPE:
            return self.resolver(at).said(at, at.texts[a], b)
        if kind == ExprKind.NAME:
            if node in at.ambient:
                return self.resolver(at).bare_type(at, node)
            if not a:
                return objects(self.resolver(at).unbound(at, at.texts[b]))
            return self.query(("y", at.path, a - 1))
        if kind == ExprKind.MEMBER:
            return self._type_of_member(at, node)
        if kind == ExprKind.SELF_TYPE:
            return objects(self.value(at.path, node))
        if kind == ExprKind.TUPLE and self.resolver(at).tuple_types:
            return frozenset({tuple_of([self.type_of(at, part) for part in at.lists[a]])})
        if kind == ExprKind.UNION or kind == ExprKind.TUPLE:
            return union(self.type_of(at, part) for part in at.lists[a])
        if kind == ExprKind.INDEX:
            return self._generic(at, a, at.lists[b])
        if kind == ExprKind.STRING:
            return self.resolver(at).written(at, at.texts[a])
        if kind == ExprKind.LIST:
            return frozenset({list_of(union(self.type_of(at, part) for part in at.lists[a]))})
        if kind == ExprKind.LITERAL:
            return self._node(at, node)
        return NOTHING

    def _type_of_member(self, at: FileScope, node: int) -> Values:
        _, of, text, _ = at.nodes[node]
        if at.nodes[of][0] == ExprKind.SELF_TYPE:
            sites, values = self.reached(at, of, at.texts[text])
            return union(map(self.site_type, sites)) if sites else objects(values)
        found = NOTHING
        for value in self.value(at.path, of):
            sites, values = self.member(value, at.texts[text])
            found |= union(map(self.site_type, sites)) if sites else objects(values)
        return found

    def _type_of_bind(self, at: FileScope, bind: int) -> Values:
        row = at.binds[bind]
        found = NOTHING
        for definition in at.defs_in.get((row.scope, row.name), ()):
            found |= self.site_type((at.path, "d", definition))
        resolver = self.resolver(at)
        for number in at.imports_in(row.scope, row.name, resolver.local_name):
            sites = resolver.import_sites(at, number)
            found |= union(map(self.site_type, sites)) if sites else objects(resolver.imported(at, number))
        if row.target_kind == Target.UNKNOWN:
            bounds = [node for kind, node in at.into_bind(bind) if kind == FlowKind.BOUND]
            found |= union(self.type_of(at, node) for node in bounds)
            found |= objects(self.query(("b", at.path, bind)))
        return found

    def site_type(self, site: Site) -> Values:
        """Objects of the type that a definition is, or gives a name to."""
        path, kind, number = site
        if kind != "d":
            return NOTHING
        at = self.at(path)
        row = at.defs[number]
        if row.kind in self.resolver(at).classes:
            return frozenset({("i", *self.resolver(at).whole(path, number))})
        return self.query(("w", path, number))

    def _alias(self, at: FileScope, definition: int) -> Values:
        """Objects of the type that a name was given to."""
        bind = at.bind_of_def.get(definition)
        if bind is None:
            return NOTHING
        found = NOTHING
        for how, node in at.into_bind(bind):
            if how == FlowKind.ASSIGN:
                found |= self.type_of(at, node)
                found |= frozenset(value for value in self.value(at.path, node) if value[0] == "v")
        return found

    def _generic(self, at: FileScope, of: int, keys: Sequence[int]) -> Values:
        parts: list[int] = []
        for key in keys:
            kind, a, _, _ = at.nodes[key]
            parts += at.lists[a] if kind == ExprKind.TUPLE and not self.resolver(at).tuple_types else [key]
        found = NOTHING
        for value in self.value(at.path, of):
            if value[0] == "c":
                found |= self.resolver(at).applied(value, at, parts)
            elif value[0] == "x":
                found |= self.resolver(at).generic(value[1], at, parts)
        return found


class _RulesMade(dict[str, LanguageResolver]):
    """Those of a language are made when they are first asked for."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__()
        self._evaluator = evaluator

    def __missing__(self, language: str) -> LanguageResolver:
        made = self[language] = self._evaluator._rules_of(language)(self._evaluator)
        return made


def _length_first(values: Sequence[Any]) -> tuple[int, str]:
    return len(values), repr(values)


def _of_module(resolver: LanguageResolver, module: Value, name: str) -> _Member:
    return resolver.module_sites(module, name), resolver.module_values(module, name)


def _call_container(evaluator: Evaluator, callee: Value, values: Sequence[Values]) -> Values:
    _, of, name = callee
    if of[0] == "d":
        if name in ("get", "pop", "setdefault"):
            known = dict(of[1])
            keys = [value[1] for value in values[0] if value[0] == "k"] if values else []
            found = union(known.get(key, NOTHING) for key in keys) if keys else evaluator.held(of)
            return union((found, of[2], values[1] if len(values) > 1 else NOTHING))
        if name == "values":
            return frozenset({list_of(evaluator.held(of))})
        if name == "items":
            return frozenset({list_of(frozenset({tuple_of([evaluator.elements(of), evaluator.held(of)])}))})
        if name == "keys":
            return frozenset({list_of(evaluator.elements(of))})
        if name == "copy":
            return frozenset({of})
        if name == "popitem":
            return frozenset({tuple_of([evaluator.elements(of), evaluator.held(of)])})
        return NOTHING
    if name in ("pop", "popleft", "__getitem__", "__next__"):
        return evaluator.elements(of)
    return frozenset({of}) if name in ("copy", "__iter__") else NOTHING
