"""What a member of a value stands for, and what it is."""

from __future__ import annotations

from collections.abc import Iterator

from codeplane.facts.ir import ExprKind
from codeplane.index.resolve.ecma.shapes import NOTHING, Known, Value, Values, object_of, substitute, union
from codeplane.index.resolve.ecma.world import World
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Site

CALLABLES = frozenset({"function", "method", "constructor"})
CLASSES = frozenset({"class", "interface", "enum"})
_MAX_BASES = 24
_STRUCTURED = frozenset({"o", "K", "L", "c", "n", "M", "O"})

Found = tuple[list[Site], Values]
NONE: Found = ([], NOTHING)


def member(world: World, of: Value, name: str) -> Found:
    what = of[0]
    if name == "constructor":
        return NONE
    if what == "o":
        return _of_object(world, of, name)
    if what in ("c", "n"):
        return _of_class(world, of, name, ())
    if what == "M":
        return _of_module(world, of[1], name)
    if what in ("L", "K"):
        return _of_literal(world, of, name)
    if what == "E":
        return _assigned(world, world.at(of[1]), of[2], name)
    if what == "v":
        param = world.script(of[1]).variable_of_bind.get(of[2])
        return members(world, world.type_of(of[1], param.type), name) if param is not None else NONE
    if what == "O":
        listed = any(key[1] == name if key[0] == "k" else key[0] == "Q" and _have(world, key[1], name) for key in of[2])
        return members(world, of[1], name) if listed == of[3] else NONE
    if what == "I":
        return members(world, member(world, of[1], of[2])[1], name)
    if what == "f":
        return [], frozenset({("e", of, name)})
    if what == "x" and not of[1].endswith("()"):
        return [], frozenset({("e", of, name)})
    return NONE


def members(world: World, values: Values, name: str) -> Found:
    """The same of any of several values."""
    sites: list[Site] = []
    held = NOTHING
    for value in values:
        more, values_of = member(world, value, name)
        sites += more
        held |= values_of
    return list(dict.fromkeys(sites)), held


def _have(world: World, values: Values, name: str) -> bool:
    """Whether any of several values has a member."""
    found = [
        (value[0] == "o" and world.member(value[1], value[2], name)[0]) or member(world, value, name) != NONE
        for value in values
    ]
    return any(found)


def access(world: World, values: Values, name: str) -> Found:
    """The same where a program names the member. One that not all have is named of those only that a test has left:
    of several it is not known which."""
    if len(values) < 2:
        return members(world, values, name)
    sites: list[Site] = []
    held = NOTHING
    owners: set[tuple[Site, ...]] = set()
    lacking = False
    for value in values:
        more, values_of = member(world, value, name)
        sites += more
        held |= values_of
        if value[0] in _STRUCTURED:
            if more or values_of:
                owners.add(tuple(sorted(more)))
            else:
                lacking = True
    if lacking and len(owners) > 1:
        return NONE
    return list(dict.fromkeys(sites)), held


def reached(world: World, at: FileScope, of: int, name: str) -> Found:
    """The same of what an expression is."""
    return world.memo(("reached", at.path, of, name), _reached, world, at.path, of, name, nothing=NONE)


def _reached(world: World, path: str, of: int, name: str) -> Found:
    return access(world, world.value(path, of), name)


def filled(world: World, values: Values, known: Known) -> Values:
    """Values with those that are known in place of type parameters, and what follows from these."""
    return settled(world, substitute(values, known)) if known else values


def settled(world: World, values: Values) -> Values:
    if not any(value[0] == "I" for value in values):
        return values
    return union(_settled(world, value) for value in values)


def _settled(world: World, value: Value) -> Values:
    if value[0] != "I":
        return frozenset({value})
    found = NOTHING
    for of in _settled(world, value[1]):
        found |= frozenset({("I", of, value[2])}) if of[0] in ("v", "I") else member(world, of, value[2])[1]
    return found


def _of_object(world: World, of: Value, name: str) -> Found:
    if not of[3]:
        return world.member(of[1], of[2], name)
    return world.memo(("member", of, name), _of_generic, world, of, name, nothing=NONE)


def _of_generic(world: World, of: Value, name: str) -> Found:
    sites, values = world.member(of[1], of[2], name)
    return sites, filled(world, values, world.known(of)) if values else values


def member_of_class(world: World, at: FileScope, key: tuple[int, str]) -> Values:
    """What a member of the objects of a class is, and as `S` the definitions of it."""
    definition, name = key
    script = world.script(at.path)
    if at.defs[definition].kind == "enum":
        return NOTHING
    found = NOTHING
    for number in declarations(at, definition):
        for site in own_members(world, at, number, name):
            if site[1] != "d" or not script.is_static(site[2]):
                found |= {("S", *site)}
                found |= member_value(world, at, number, site, name)
    if found:
        return found
    for base in _bases(world, at.path, definition):
        sites, values = member(world, base, name)
        if sites:
            return values | {("S", *site) for site in sites}
    return NOTHING


def _bases(world: World, path: str, definition: int) -> Iterator[Value]:
    for number in declarations(world.at(path), definition):
        yield from world.bases(path, number)


def declarations(at: FileScope, definition: int) -> list[int]:
    """All declarations of a class or interface in a file, which are one."""
    row = at.defs[definition]
    if row.kind not in ("class", "interface"):
        return [definition]
    same = [
        number for number in at.defs_in.get((row.scope, row.name), ()) if at.defs[number].kind in ("class", "interface")
    ]
    return same or [definition]


def own_members(world: World, at: FileScope, definition: int, name: str) -> list[Site]:
    """Definitions of a member that a class does not inherit."""
    found: list[Site] = [(at.path, "d", number) for number in at.members.get(definition, {}).get(name, ())]
    if not found:
        found += [
            (at.path, "d", number) for number in world.script(at.path).inner(definition) if at.defs[number].name == name
        ]
    if at.detached:
        owner = at.defs[definition].lexical_path
        found += [(at.path, "d", number) for number in at.detached.get(owner, {}).get(name, ())]
    attribute = at.attributes.get((definition, name))
    if attribute is not None and not found:
        found.append((at.path, "a", attribute))
    return found


def member_value(world: World, at: FileScope, definition: int, site: Site, name: str) -> Values:
    """What a member is that an object has."""
    if site[1] == "d":
        found = world.defined(at.path, site[2])
        script = world.script(at.path)
        if found or script.declared(site[2]) is not None or script.held(site[2]) is not None:
            return found
    return union(
        world.value(at.path, source.node)
        for of, source in world.script(at.path).into_object(name, definition)
        if _is_object_of(world, at, of, definition)
    )


def _is_object_of(world: World, at: FileScope, node: int, definition: int) -> bool:
    return any(
        value[0] == "o" and value[1] == at.path and value[2] == definition for value in world.value(at.path, node)
    )


def _of_class(world: World, of: Value, name: str, seen: tuple[Value, ...]) -> Found:
    what, path, definition = of
    at, script = world.at(path), world.script(path)
    row = at.defs[definition]
    sites: list[Site] = []
    values = NOTHING
    same = [
        number
        for number in at.defs_in.get((row.scope, row.name), ())
        if at.defs[number].kind in ("class", "enum", "module", "function")
    ] or [definition]
    for number in same:
        kind = at.defs[number].kind
        for site in own_members(world, at, number, name):
            if kind == "class" and not (
                site[1] == "d" and (script.is_static(site[2]) or at.defs[site[2]].parent is None)
            ):
                continue
            if kind == "function" and at.defs[site[2]].parent is not None:
                continue
            sites.append(site)
            values |= member_value(world, at, number, site, name)
    if sites:
        return sites, values
    if what == "c" and name == "prototype":
        return [], frozenset({object_of(path, definition)})
    if what == "c" and len(seen) < _MAX_BASES and of not in seen:
        for base in _bases(world, path, definition):
            if base[0] == "o" and world.at(base[1]).defs[base[2]].kind == "class":
                found = _of_class(world, ("c", base[1], base[2]), name, (*seen, of))
                if found[0]:
                    return found
    return NONE


def _of_module(world: World, path: str, name: str) -> Found:
    sites = world.names.exported(path, name)
    if sites:
        return sites, union(site_value(world, site) for site in sites)
    if name == "default" or world.names.is_common(path):
        given = union(world.value(path, node) for node in world.at(path).returns(0))
        return ([], given) if name == "default" else members(world, given, name)
    return NONE


def module_value(world: World, path: str) -> Values:
    """What a module is to those that require it."""
    sites = world.names.whole(path)
    found = union(site_value(world, site) for site in sites) if sites else frozenset({("M", path)})
    if not sites and world.names.is_common(path):
        found |= union(world.value(path, node) for node in world.at(path).returns(0))
    return found


def site_value(world: World, site: Site) -> Values:
    path, kind, number = site
    if kind == "M":
        return frozenset({("M", path)})
    return world.defined(path, number) if kind == "d" else NOTHING


def _of_literal(world: World, of: Value, name: str) -> Found:
    _, path, node, _ = of
    held, spread = world.script(path).literal(node)
    place, part = held.get(name, (-1, 0))
    for at_place, a in spread:
        # What is spread later hides what stands before.
        if at_place < place:
            break
        found = world.spread(path, a, name)
        if found[0] or found[1]:
            return found
    if place >= 0:
        return _of_part(world, of, part)
    return NONE


def _of_part(world: World, of: Value, part: int) -> Found:
    what, path, _, known = of
    at = world.at(path)
    kind, a, b, _ = at.nodes[part]
    sites: list[Site] = []
    if kind == ExprKind.PAIR:
        inner = at.nodes[b]
        held = world.type_of(path, b) if what == "K" else world.value(path, b)
        if inner[0] == ExprKind.FUNCTION and inner[1] in at.owner and what == "L":
            sites = [(path, "d", at.owner[inner[1]])]
    elif kind == ExprKind.FUNCTION:
        sites = [(path, "d", at.owner[a])]
        held = world.defined(path, at.owner[a])
    else:
        held = world.value(path, part) if what == "L" else NOTHING
    return sites, filled(world, held, dict(known))


def member_spread(world: World, at: FileScope, key: tuple[int, str]) -> Values:
    """What a member of an expression is, and as `S` the definitions of it."""
    node, name = key
    sites, values = members(world, world.value(at.path, node), name)
    return values | {("S", *site) for site in sites}


def _assigned(world: World, at: FileScope, owner: str, name: str) -> Found:
    numbers = at.detached.get(owner, {}).get(name, ())
    return [(at.path, "d", number) for number in numbers], union(world.defined(at.path, number) for number in numbers)
