"""What is of a type that is written."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.facts.ir import ExprKind
from codeplane.index.resolve.ecma.calls import results
from codeplane.index.resolve.ecma.members import filled, members, settled
from codeplane.index.resolve.ecma.shapes import (
    ANY,
    NOTHING,
    SAME,
    Values,
    Variable,
    array,
    awaited,
    either,
    elements,
    made,
    object_of,
    tuple_of,
    union,
)
from codeplane.index.resolve.ecma.world import World
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Site

_TYPES = frozenset({"class", "interface", "enum", "type"})


def type_of_node(world: World, at: FileScope, node: int) -> Values:
    kind, a, b, _ = at.nodes[node]
    path = at.path
    if kind == ExprKind.PAREN:
        return world.type_of(path, a)
    if kind == ExprKind.NAME:
        if a and (a - 1) in world.script(path).variable_of_bind:
            return frozenset({("v", path, a - 1)})
        sites = type_sites(world, at, node)
        if sites:
            return union(_plain(world, site) for site in sites)
        return frozenset({made(at.texts[b], ())}) if not a else NOTHING
    if kind == ExprKind.MEMBER:
        sites = type_sites(world, at, node)
        if sites:
            return union(_plain(world, site) for site in sites)
        # A member of an enumeration is a type as well.
        return frozenset(value for value in members(world, space(world, at, a), at.texts[b])[1] if value[0] == "k")
    if kind == ExprKind.INDEX:
        return _generic(world, at, a, at.lists[b])
    if kind == ExprKind.UNION:
        return either(world.type_of(path, part) for part in at.lists[a])
    if kind == ExprKind.CONDITIONAL:
        parts = {world.type_of(path, part) for part in at.lists[a] if not _is_never(at, part)}
        return next(iter(parts)) if len(parts) == 1 else NOTHING
    if kind == ExprKind.LIST:
        return array(union(world.type_of(path, part) for part in at.lists[a]))
    if kind == ExprKind.TUPLE:
        held = [world.type_of(path, part) for part in at.lists[a]]
        if any(at.nodes[part][0] == ExprKind.SPLAT for part in at.lists[a]):
            return array(union(held))
        return frozenset({tuple_of(held)})
    if kind == ExprKind.SPLAT:
        return elements(world.type_of(path, a))
    if kind == ExprKind.FUNCTION:
        return frozenset({("f", path, a, ())})
    if kind == ExprKind.DICT:
        return frozenset({("K", path, node, ())})
    if kind == ExprKind.KEYOF:
        return frozenset({("Q", world.type_of(path, a))})
    if kind == ExprKind.LITERAL:
        return ANY if at.texts[a] == "any" else NOTHING
    if kind == ExprKind.TYPEOF:
        return world.value(path, a)
    if kind == ExprKind.INDEXED_ACCESS:
        of = world.type_of(path, a)
        key = world.script(path).key_text(b)
        if key is None or at.nodes[b][0] != ExprKind.STRING:
            return elements(of)
        return settled(world, frozenset(("I", value, key) for value in of))
    if kind == ExprKind.STRING:
        return frozenset({("k", at.texts[a])})
    return world.value(path, node) if kind == ExprKind.THIS else NOTHING


def _is_never(at: FileScope, node: int) -> bool:
    return at.nodes[node][0] == ExprKind.LITERAL and at.texts[at.nodes[node][1]] == "never"


def type_sites(world: World, at: FileScope, node: int) -> list[Site]:
    """The definitions of types that a name or a qualified name stands for."""
    kind, a, b, _ = at.nodes[node]
    if kind == ExprKind.NAME:
        name = at.texts[b]
        found = world.names.local(at, at.binds[a - 1].scope, name) if a else world.names.shared(name)
    elif kind == ExprKind.MEMBER:
        found = members(world, space(world, at, a), at.texts[b])[0]
    else:
        return []
    return [site for site in found if site[1] == "d" and world.at(site[0]).defs[site[2]].kind in _TYPES]


def space(world: World, at: FileScope, node: int) -> Values:
    """The module or namespace that a name stands for."""
    kind, a, b, _ = at.nodes[node]
    if kind == ExprKind.MEMBER:
        return frozenset(
            value for value in members(world, space(world, at, a), at.texts[b])[1] if value[0] in ("n", "M", "c")
        )
    return frozenset(value for value in world.value(at.path, node) if value[0] in ("n", "M", "c"))


def _plain(world: World, site: Site) -> Values:
    """What is of a type without arguments: its parameters are what they are by default."""
    values = world.named(site[0], site[2])
    script = world.script(site[0])
    variables = script.variables(script.at.body.get(site[2]))
    if not variables:
        return values
    return filled(world, values, _arguments(world, site[0], site[2], ()))


def _arguments(world: World, path: str, definition: int, given: Sequence[Values]) -> dict[Variable, Values]:
    """What the parameters of a type are, which by default may be said in terms of those before."""
    script = world.script(path)
    known: dict[Variable, Values] = {}
    for place, param in enumerate(script.variables(script.at.body.get(definition))):
        if place < len(given):
            known[path, param.binding] = given[place]
        else:
            said = world.type_of(path, param.default if param.default >= 0 else param.type)
            known[path, param.binding] = filled(world, said, known)
    return known


def named_type(world: World, at: FileScope, definition: int) -> Values:
    """What is of the type that a definition names, with its own parameters in place."""
    row, script = at.defs[definition], world.script(at.path)
    if row.kind == "type":
        declared = script.declared(definition)
        if declared is None:
            return NOTHING
        if at.nodes[declared][0] != ExprKind.DICT or not at.members.get(definition):
            return world.type_of(at.path, declared)
    arguments = tuple(frozenset({("v", at.path, bind)}) for bind in world.variables(at.path, definition))
    return frozenset({object_of(at.path, definition, arguments)})


def _generic(world: World, at: FileScope, of: int, keys: Sequence[int]) -> Values:
    found = NOTHING
    given = [world.type_of(at.path, key) for key in keys]
    sites = type_sites(world, at, of)
    for path, _, number in sites:
        found |= filled(world, world.named(path, number), _arguments(world, path, number, given))
    kind, bind, text, _ = at.nodes[of]
    if sites or kind != ExprKind.NAME or bind:
        return found
    name = at.texts[text]
    if name in SAME:
        return given[0]
    if name in ("Omit", "Pick") and len(given) > 1:
        if not given[1]:
            return given[0]
        return frozenset(("O", frozenset({part}), given[1], name == "Pick") for part in given[0])
    if name == "Awaited":
        return awaited(given[0])
    if name == "ReturnType":
        return results(world, given[0])
    if name == "InstanceType":
        return frozenset(object_of(value[1], value[2]) for value in given[0] if value[0] == "c")
    return frozenset({made(name, tuple(given))})
