"""Go: every variable has the one type that it is declared with, so a value here is an object of a type.

Packages are what the files of a directory define together; members are found in a type, in the methods that its
package gives it, and in what it embeds, the nearest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from codeplane.facts.model import Target
from codeplane.facts.values import Into, Of, Param, Passing
from codeplane.index.resolve.evaluate import CALLABLES
from codeplane.index.resolve.go_packages import Declarations, Files, Package, find_directory
from codeplane.index.resolve.go_values import filled, is_open, is_stream, map_of, stream_of
from codeplane.index.resolve.rules import Rules
from codeplane.index.resolve.tables import PART, Tables
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, list_of, objects, tuple_of, union

_LIKE_THE_FIRST = frozenset(
    {
        "append", "min", "max", "cmp.Or", "maps.Clone", "slices.Clip", "slices.Clone", "slices.Compact", "slices.CompactFunc",
        "slices.Concat", "slices.Delete", "slices.DeleteFunc", "slices.Grow", "slices.Insert", "slices.Replace",
    }
)  # fmt: skip
"""Functions that give what they are given."""
_COLLECTING = frozenset({"slices.Collect", "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc"})
_ELEMENTS = frozenset({"slices.Max", "slices.MaxFunc", "slices.Min", "slices.MinFunc"})
_HOLDING = frozenset({"sync/atomic.Pointer().Load", "sync/atomic.Pointer().Swap"})
"""Methods of other libraries that give objects of the argument of their type."""
_MAX_STEPS = 50


class GoRules(Rules):
    classes = frozenset({"struct", "interface", "type"})

    # Packages

    @cached_property
    def _declarations(self) -> Declarations:
        texts: dict[str, str] = {}
        for path in self.ev.library.paths():
            if path.rpartition("/")[2] in ("go.mod", "go.work"):
                said = self.ev.library.declared(path)
                texts[path] = str(said.get("text", "")) if said is not None else ""
        return Declarations(texts)

    @cached_property
    def _directories(self) -> dict[str, Files]:
        return {}

    @cached_property
    def _modules(self) -> dict[str, Any]:
        return {}

    @cached_property
    def _file_imports(self) -> dict[str, dict[str, Value]]:
        return {}

    def _files(self, directory: str) -> Files:
        if directory not in self._directories:
            paths = [path for path in self.ev.library.directory(directory) if path.endswith(".go")]
            tables = [at for path in paths if (at := self.ev.library.tables(path)) is not None]
            self._directories[directory] = Files(tables)
        return self._directories[directory]

    def _package(self, at: Tables) -> Package:
        """The package that a file is part of."""
        return self._files(at.path.rpartition("/")[0]).package(at.sketch.flow.package)

    def imported(self, at: Tables, number: int) -> Values:
        source = at.imports[number].source or ""
        folder = at.path.rpartition("/")[0]
        if folder not in self._modules:
            self._modules[folder] = self._declarations.seen_from(at.path)
        directory = find_directory(self._modules[folder], source)
        name = self._files(directory).name if directory is not None else None
        return frozenset({("N", "go", directory, name) if name is not None else ("x", source)})

    def _imports(self, at: Tables) -> dict[str, Value]:
        """Packages of the repository that a file imports, by the name that they have in it; `.` for all of theirs."""
        found = self._file_imports.get(at.path)
        if found is None:
            found = self._file_imports[at.path] = {}
            for number, row in enumerate(at.imports):
                for value in self.imported(at, number):
                    if value[0] == "N":
                        found["." if row.imported_name == "*" else row.alias or value[3]] = value
        return found

    def unbound_sites(self, at: Tables, name: str) -> list[Site]:
        imports = self._imports(at)
        if name in imports:
            return []
        sites = self._package(at).names.get(name, [])
        return sites if sites or "." not in imports else self.module_sites(imports["."], name)

    def unbound(self, at: Tables, name: str) -> Values:
        package = self._imports(at).get(name)
        if package is not None:
            return frozenset({package})
        sites = self.unbound_sites(at, name)
        return union(map(self.ev.site_value, sites)) if sites else frozenset({("x", name)})

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        return self._files(module[2]).package(module[3]).names.get(name, [])

    def key_sites(self, at: Tables, of: Values, name: str) -> list[Site]:
        """The keys of a mapping and of a list are names like others, where nothing nearer can have the name."""
        if not any(held[0] in ("l", "d") for value in of for held in self._under(value)):
            return []
        if any(row.name == name and row.scope and at.sketch.scopes[row.scope][1] != "class" for row in at.binds):
            return []
        own: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((0, name), ())]
        return own or self.unbound_sites(at, name)

    # Values

    def cell(self, at: Tables, key: tuple[Any, ...]) -> Values | None:
        what = key[0]
        if what == "n":
            return self._expression(at, key[2])
        if what == "b":
            return self._variable(at, key[2])
        if what == "y":
            return self._type_named(at, key[2])
        if what == "v":
            return self._defined(at, key[2])
        return self._results(at, key[2]) if what == "r" else None

    def _expression(self, at: Tables, node: int) -> Values:
        kind, a, b, _ = at.nodes[node]
        if kind == Of.NAME:
            return self.unbound(at, at.texts[b])
        if kind == Of.MEMBER:
            name = at.texts[b]
            return union(
                self.ev.member(of, name)[1]
                if of[0] != "x" or len(of) < 3
                else frozenset({("x", f"{of[1]}.{name}", *of[2:])})
                for of in self.ev.value(at.path, a)
            )
        if kind == Of.CALL:
            return union(self.call(callee, at, node) for callee in self.ev.value(at.path, a))
        if kind == Of.CAST:
            return self._type_of(at, b)
        if kind in (Of.SAME, Of.SPLAT):
            return self.ev.value(at.path, a)
        if kind == Of.ITEM:
            return union(self._item(of, at, at.lists[b]) for of in self.ev.value(at.path, a))
        if kind == Of.EITHER:
            return union(self.ev.value(at.path, part) for part in at.lists[a])
        if kind == Of.TUPLE:
            return frozenset({tuple_of([self.ev.value(at.path, part) for part in at.lists[a]])})
        return NOTHING

    def _item(self, of: Value, at: Tables, keys: Sequence[int]) -> Values:
        if of[0] in ("c", "f") and keys:
            return frozenset({self._with_arguments(of, tuple(self._type_of(at, key) for key in keys))})
        found = NOTHING
        for held in self._under(of):
            if held[0] in ("l", "d"):
                found |= held[1 if held[0] == "l" else 2]
        return found

    def _with_arguments(self, of: Value, arguments: tuple[Values, ...]) -> Value:
        if of[0] != "f":
            return (*of[:3], arguments)
        at = self.ev.at(of[1])
        return (*of[:3], tuple(sorted(zip(self._keys(at, at.owner.get(of[2])), arguments, strict=False), key=repr)))

    def _variable(self, at: Tables, bind: int) -> Values:
        row = at.binds[bind]
        if row.target_kind == Target.IMPORT and row.target is not None:
            return self.imported(at, row.target)
        place = at.param_of_bind.get(bind)
        if place is not None:
            return self._passed(at, at.params[place[0]][place[1]])
        if row.target_kind == Target.DEF and row.target is not None:
            kind = at.defs[row.target].kind
            if kind in CALLABLES or kind in self.classes:
                return union(self.ev.cell(("v", at.path, number)) for number in at.defs_in[row.scope, row.name])
        return self._declared(at, bind)

    def _passed(self, at: Tables, param: Param) -> Values:
        declared = self._type_of(at, param.type)
        return frozenset({list_of(declared)}) if param.how == Passing.REST else declared

    def _declared(self, at: Tables, bind: int) -> Values:
        """By its type, or by the first value: later ones are of the same type."""
        for _ in range(len(at.binds)):
            flows = at.into_bind(bind)
            declared = next((node for kind, node in flows if kind == Into.DECLARE), None)
            if declared is not None:
                return self._type_of(at, declared)
            if not flows:
                return NOTHING
            kind, node = flows[0]
            step = 0
            if kind & PART:
                step = at.way(node >> 32)[0]
                kind, node = kind & ~PART, node & 0xFFFFFFFF
            what, a, _, _ = at.nodes[node]
            if kind == Into.ASSIGN and what == Of.NAME and a and at.binds[a - 1].target_kind == Target.DEF and a - 1 != bind:
                # A constant that repeats the one above it: there may be thousands.
                if at.defs[at.binds[a - 1].target or 0].kind == "constant":
                    bind = a - 1
                    continue
            values = self.ev.value(at.path, node)
            if kind == Into.FOR:
                values = union(self._ranged(value) for value in values)
            return union(self._part(value, step) for value in values)
        return NOTHING

    def _part(self, value: Value, step: int) -> Values:
        """Of several results; of anything else there may be a second that tells whether there is a first."""
        if value[0] == "t":
            return value[1][step] if step < len(value[1]) else NOTHING
        return frozenset({value}) if step == 0 else NOTHING

    def _ranged(self, of: Value) -> Values:
        """What `range` gives: the variables of a round."""
        found = NOTHING
        for held in self._under(of):
            if held[0] == "l":
                found |= {tuple_of([held[1]] if is_stream(held) else [NOTHING, held[1]])}
            elif held[0] == "d":
                found |= {tuple_of([held[3], held[2]])}
            elif held[0] == "f":
                for given in self._signature(held)[:1]:
                    found |= {tuple_of(self._signature(inner)) for inner in given if inner[0] == "f"}
        return found

    def _signature(self, of: Value) -> list[Values]:
        """Types of the parameters of a function."""
        at = self.ev.at(of[1])
        known = dict(of[3]) if len(of) > 3 else {}
        return [
            filled(self._passed(at, param), known)
            for param in at.params.get(of[2], ())
            if param.how in (Passing.PLAIN, Passing.REST)
        ]

    def _defined(self, at: Tables, definition: int) -> Values:
        kind = at.defs[definition].kind
        if kind in CALLABLES:
            scope = at.body.get(definition)
            return frozenset({("f", at.path, scope)}) if scope is not None else NOTHING
        if kind in self.classes:
            return frozenset(
                ("c", *value[1:]) for value in self._type_of_site((at.path, "d", definition)) if value[0] == "i"
            )
        bind = at.bind_of_def.get(definition)
        return self.ev.cell(("b", at.path, bind)) if bind is not None else NOTHING

    # Calls

    def constructors(self, of: Value) -> tuple[str, ...]:
        return ()

    def call(self, callee: Value, at: Tables, node: int) -> Values:
        what = callee[0]
        arguments = at.lists[at.nodes[node][2]]
        if what in ("f", "m"):
            found = self.ev.cell(("r", callee[1], callee[2]))
            return filled(found, self._known(callee, at, arguments)) if is_open(found) else found
        if what == "c":
            return frozenset({("i", *callee[1:])})
        if what == "x":
            return self._call_foreign(callee, at, arguments)
        if what == "i":
            return union(self.call(held, at, node) for held in self._under(callee) if held[0] == "f")
        return NOTHING

    def _results(self, at: Tables, scope: int) -> Values:
        named = [param for param in at.params.get(scope, ()) if param.how == Passing.RESULT]
        declared = at.return_type(scope)
        if not named and declared is None:
            return NOTHING
        kind, a, _, _ = at.nodes[declared or 0]
        if named:
            parts = [self._type_of(at, param.type) for param in named]
        else:
            parts = [self._type_of(at, part) for part in (at.lists[a] if kind == Of.TUPLE else [declared or 0])]
        return parts[0] if len(parts) == 1 else frozenset({tuple_of(parts)})

    def _known(self, callee: Value, at: Tables, arguments: Sequence[int]) -> dict[Value, Values]:
        """What a call says of the type parameters of a function."""
        target = self.ev.at(callee[1])
        params = target.params.get(callee[2], [])
        known: dict[Value, Values] = dict(callee[3]) if callee[0] == "f" and len(callee) > 3 else {}
        if callee[0] == "m":
            for param in params[:1]:
                if param.how == Passing.SELF:
                    self._match(self._type_of(target, param.type), frozenset({callee[3]}), known)
        keys = self._keys(target, target.owner.get(callee[2]))
        if any(key not in known for key in keys):
            plain = [param for param in params if param.how in (Passing.PLAIN, Passing.REST)]
            for number, part in enumerate(arguments):
                if not plain:
                    break
                param = plain[min(number, len(plain) - 1)]
                said = self._type_of(target, param.type)
                if is_open(said):
                    spread = at.nodes[part][0] == Of.SPLAT
                    self._match(frozenset({list_of(said)}) if spread else said, self.ev.value(at.path, part), known)
        return known

    def _match(self, said: Values, given: Values, known: dict[Value, Values], depth: int = 0) -> None:
        if depth > _MAX_STEPS:
            return
        for value in sorted(said, key=repr):
            if value[0] == "T":
                if value not in known and given:
                    known[value] = given
                    self._match(self._constraint(value), given, known, depth + 1)
                continue
            for other in sorted(given, key=repr):
                if value[0] == "i" and len(value) > 3:
                    if other[:3] == value[:3] and len(other) > 3:
                        for part, held in zip(value[3], other[3], strict=False):
                            self._match(part, held, known, depth + 1)
                    continue
                for held in self._under(other):
                    if held[0] != value[0]:
                        continue
                    if value[0] == "l":
                        self._match(value[1], held[1], known, depth + 1)
                    elif value[0] == "d":
                        self._match(value[2], held[2], known, depth + 1)
                        self._match(value[3], held[3], known, depth + 1)
                    elif value[0] == "f":
                        for part, passed in zip(self._signature(value), self._signature(held), strict=False):
                            self._match(part, passed, known, depth + 1)
                        results = [self.ev.cell(("r", of[1], of[2])) for of in (value, held)]
                        self._match(*results, known, depth + 1)
                if value[0] == "t" and other[0] == "t":
                    for part, passed in zip(value[1], other[1], strict=False):
                        self._match(part, passed, known, depth + 1)

    def _call_foreign(self, callee: Value, at: Tables, arguments: Sequence[int]) -> Values:
        name = callee[1]
        if name in _HOLDING and len(callee) > 2:
            return callee[2][0] if callee[2] else NOTHING
        if arguments:
            if name in ("new", "make"):
                return self._type_of(at, arguments[0])
            if name in _LIKE_THE_FIRST:
                return self.ev.value(at.path, arguments[0])
            if name in _COLLECTING or name in _ELEMENTS or name.startswith(("maps.", "slices.")):
                return self._call_on_elements(name, self.ev.value(at.path, arguments[0]))
        return frozenset({("x", name if name.endswith("()") else f"{name}()")})

    def _call_on_elements(self, name: str, given: Values) -> Values:
        found = NOTHING
        for held in (held for value in given for held in self._under(value)):
            if held[0] == "l":
                if name in _ELEMENTS:
                    found |= held[1]
                elif name in _COLLECTING:
                    found |= {list_of(held[1])}
                elif name == "slices.Values":
                    found |= {stream_of(held[1])}
                elif name in ("slices.All", "slices.Backward"):
                    found |= {map_of(NOTHING, held[1])}
            elif held[0] == "d":
                if name == "maps.Keys":
                    found |= {stream_of(held[3])}
                elif name == "maps.Values":
                    found |= {stream_of(held[2])}
                elif name == "maps.All":
                    found |= {held}
        return found

    # Types

    def _type_of(self, at: Tables, node: int) -> Values:
        """Objects of the type that an expression names."""
        kind, a, b, _ = at.nodes[node]
        if kind == Of.NAME:
            if a:
                return self.ev.cell(("y", at.path, a - 1))
            sites = self.unbound_sites(at, at.texts[b])
            return union(map(self._type_of_site, sites)) if sites else frozenset({("x", f"{at.texts[b]}()")})
        if kind == Of.SAME:
            return self._type_of(at, a)
        if kind == Of.MEMBER:
            found = NOTHING
            for of in self.ev.value(at.path, a):
                sites, values = self.ev.member(of, at.texts[b])
                found |= union(map(self._type_of_site, sites)) if sites else objects(values)
            return found
        if kind == Of.ITEM:
            arguments = tuple(self._type_of(at, key) for key in at.lists[b])
            return union(self._generic(of, arguments) for of in self._type_of(at, a))
        if kind == Of.LIST:
            return frozenset({list_of(union(self._type_of(at, part) for part in at.lists[a]))})
        if kind == Of.PAIR:
            return frozenset({map_of(self._type_of(at, a), self._type_of(at, b))})
        if kind == Of.AWAIT:
            return frozenset({stream_of(self._type_of(at, a))})
        if kind == Of.FUNCTION:
            return frozenset({("S" if at.sketch.scopes[a][1] == "class" else "f", at.path, a)})
        return NOTHING

    def _generic(self, of: Value, arguments: tuple[Values, ...]) -> Values:
        if of[0] != "x":
            return frozenset({(*of[:3], arguments) if of[0] == "i" else of})
        if of[1] == "iter.Seq()":
            return frozenset({stream_of(arguments[0])})
        if of[1] == "iter.Seq2()" and len(arguments) > 1:
            return frozenset({map_of(arguments[0], arguments[1])})
        return frozenset({("x", of[1], arguments)})

    def _type_named(self, at: Tables, bind: int) -> Values:
        row = at.binds[bind]
        if row.target_kind == Target.UNKNOWN:
            return frozenset({("T", at.path, bind)})
        if row.target_kind == Target.IMPORT:
            return NOTHING
        found = NOTHING
        for number in at.defs_in.get((row.scope, row.name), ()):
            if self._is_alias(at, number):
                for kind, node in at.into_bind(bind):
                    found |= self._type_of(at, node) if kind == Into.ASSIGN else NOTHING
            elif at.defs[number].kind in self.classes:
                found |= {("i", at.path, number)}
        return found

    def _is_alias(self, at: Tables, definition: int) -> bool:
        return at.defs[definition].kind == "type" and not at.bases(definition)

    def _type_of_site(self, site: Site) -> Values:
        at = self.ev.at(site[0])
        if at.defs[site[2]].kind not in self.classes:
            return NOTHING
        bind = at.bind_of_def.get(site[2])
        if bind is None or not self._is_alias(at, site[2]):
            return frozenset({("i", site[0], site[2])})
        return self.ev.cell(("y", site[0], bind))

    def _keys(self, at: Tables, definition: int | None) -> list[Value]:
        """The type parameters of a definition."""
        if definition is None:
            return []
        return [("T", at.path, at.nodes[node][1] - 1) for node in at.keys(definition)]

    def _arguments(self, of: Value) -> dict[Value, Values]:
        """What the type parameters of a type stand for."""
        if len(of) < 4:
            return {}
        return dict(zip(self._keys(self.ev.at(of[1]), of[2]), of[3], strict=False))

    def _constraint(self, of: Value) -> Values:
        at = self.ev.at(of[1])
        return union(self._type_of(at, node) for kind, node in at.into_bind(of[2]) if kind == Into.DECLARE)

    def _under(self, of: Value) -> list[Value]:
        """What a value is beneath the name of its type."""
        found: list[Value] = []
        waiting = [of]
        for _ in range(_MAX_STEPS):
            if not waiting:
                break
            value = waiting.pop()
            if value[0] == "T":
                waiting += sorted(self._constraint(value), key=repr)
            elif value[0] == "i" and self.ev.at(value[1]).defs[value[2]].kind == "type":
                waiting += self._said_to_be(value)
            else:
                found.append(value)
        return found

    def _said_to_be(self, of: Value) -> list[Value]:
        at = self.ev.at(of[1])
        known = self._arguments(of)
        return sorted(
            (value for node in at.bases(of[2]) for value in filled(self._type_of(at, node), known)), key=repr
        )

    # Members

    def member(self, of: Value, name: str) -> tuple[list[Site], Values]:
        level, seen = [of], set[tuple[Any, ...]]()
        foreign = False
        while level:
            found: list[tuple[list[Site], Values]] = []
            deeper: list[Value] = []
            hidden = False
            for held in level:
                if held[0] == "x":
                    hidden = True
                    continue
                if held[:3] in seen or held[0] not in ("i", "c", "S", "T"):
                    continue
                seen.add(held[:3])
                own = self._own_member(held, name)
                if own[0] or own[1]:
                    found.append(own)
                deeper += self._embedded(held)
            if found:
                # What another library defines is not known here, except that it does not reach for small letters.
                if len(found) > 1 or (foreign and name[:1].isupper()):
                    break
                return found[0]
            foreign = foreign or hidden
            level = deeper
        return [], NOTHING

    def _own_member(self, of: Value, name: str) -> tuple[list[Site], Values]:
        at = self.ev.at(of[1])
        if of[0] == "S":
            return self._field_of_record(at, of, name)
        if of[0] == "T":
            return [], NOTHING
        sites: list[Site] = []
        values = NOTHING
        row = at.defs[of[2]]
        if row.scope == 0 and row.kind != "interface":
            for path, _, number in self._package(at).members.get(row.name, {}).get(name, ()):
                sites.append((path, "d", number))
                values |= self._method(path, number, of)
        for shape in self._under(of):
            if shape[0] == "S":
                more, held = self._field_of_record(self.ev.at(shape[1]), shape, name)
                sites += more
                values |= held
            elif shape[0] == "i":
                at = self.ev.at(shape[1])
                for number in at.members.get(shape[2], {}).get(name, ()):
                    sites.append((shape[1], "d", number))
                    if at.defs[number].kind in CALLABLES:
                        values |= self._method(shape[1], number, of)
                    else:
                        values |= filled(self._field(at, shape[2], number), self._arguments(shape))
        return sites, values

    def _method(self, path: str, number: int, of: Value) -> Values:
        scope = self.ev.at(path).body.get(number)
        if scope is None:
            return NOTHING
        return frozenset({("m", path, scope, of) if of[0] == "i" else ("f", path, scope)})

    def _field(self, at: Tables, definition: int, number: int) -> Values:
        bind = at.bind_of_def.get(number)
        if bind is not None and at.into_bind(bind):
            return self.ev.cell(("b", at.path, bind))
        return union(
            self._type_of(at, node) for node in at.bases(definition) if _last_name(at, node) == at.defs[number].name
        )

    def _field_of_record(self, at: Tables, of: Value, name: str) -> tuple[list[Site], Values]:
        sites: list[Site] = []
        values = NOTHING
        for bind in at.binds_in.get((of[2], name), ()):
            row = at.binds[bind]
            if row.target_kind == Target.DEF and row.target is not None:
                sites.append((at.path, "d", row.target))
            values |= self.ev.cell(("b", at.path, bind))
        return sites, filled(values, dict(of[3])) if len(of) > 3 else values

    def _embedded(self, of: Value) -> Iterable[Value]:
        if of[0] == "S":
            return []
        if of[0] == "T":
            return sorted(self._constraint(of), key=repr)
        return [
            held
            for shape in self._under(of)
            if shape[0] == "i" and self.ev.at(shape[1]).defs[shape[2]].kind != "type"
            for held in self._said_to_be(shape)
        ]


def _last_name(at: Tables, node: int) -> str | None:
    """The name that an embedded type gives to its field."""
    kind, a, b, _ = at.nodes[node]
    while kind in (Of.SAME, Of.ITEM):
        kind, a, b, _ = at.nodes[a]
    return at.texts[b] if kind in (Of.NAME, Of.MEMBER) else None
