"""Which function a call means, what its parameters that stand for types are there, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.facts.ir import ExprKind, FlowKind, ParameterKind
from codeplane.index.resolve.ecma.builtins import call_method, call_static
from codeplane.index.resolve.ecma.members import filled, members, module_value
from codeplane.index.resolve.ecma.shapes import (
    NOTHING,
    Known,
    Value,
    Values,
    Variable,
    awaited,
    elements,
    made,
    object_of,
    spelled,
    union,
)
from codeplane.index.resolve.ecma.world import World
from codeplane.index.resolve.file_scope import FileScope

_MAX_UNIFYING = 3
_MAX_SIGNATURES = 64
"""Declarations of one function that a call is compared with."""


def called(world: World, at: FileScope, node: int) -> Values:
    """The functions (`f`), and what else there is, that a call or the making of an object runs."""
    kind, callee, _, _ = at.nodes[node]
    values = world.value(at.path, callee)
    found: list[Value] = []
    for value in values:
        if value[0] == "f":
            found.append(value)
        elif value[0] == "c" and kind == ExprKind.NEW:
            found += constructors(world, value) or [value]
        elif value[0] in ("o", "K"):
            found += signatures(world, value, FlowKind.CALL_OPERATOR if kind == ExprKind.CALL else FlowKind.CONSTRUCTOR)
        elif value[0] in ("e", "x", "c"):
            found.append(value)
    return frozenset(fitting(world, at, node, found))


def constructors(world: World, of: Value) -> list[Value]:
    """The constructors of a class, or of the nearest base that has some."""
    path, definition = of[1], of[2]
    for _ in range(16):
        at = world.at(path)
        makers = [
            ("f", path, at.body[number], ())
            for number in at.members.get(definition, {}).get("constructor", ())
            if number in at.body and at.defs[number].kind == "constructor"
        ]
        if makers:
            return makers
        above = next(
            (
                base
                for base in world.bases(path, definition)
                if base[0] == "o" and world.at(base[1]).defs[base[2]].kind == "class"
            ),
            None,
        )
        if above is None:
            return []
        path, definition = above[1], above[2]
    return []


def signatures(world: World, of: Value, how: int) -> list[Value]:
    """By which objects of a type are called or make others."""
    if of[0] == "K":
        at = world.at(of[1])
        return [
            ("f", of[1], at.nodes[part][1], of[3])
            for part in at.lists[at.nodes[of[2]][1]]
            if at.nodes[part][0] == ExprKind.FUNCTION
            and at.nodes[part][1] not in at.owner
            and not at.nodes[part][2]
            and (at.nodes[part][1] in world.script(of[1]).makers) == (how == FlowKind.CONSTRUCTOR)
        ]
    at, script = world.at(of[1]), world.script(of[1])
    known = tuple(sorted(world.known(of).items()))
    found: list[Value] = [("f", of[1], scope, known) for scope in script.running.get((how, at.body.get(of[2], -1)), ())]
    if not found:
        for base in world.bases(of[1], of[2]):
            if base[0] == "o" and base[1:3] != of[1:3]:
                for above in sorted(filled(world, frozenset({base}), world.known(of)), key=spelled):
                    found += signatures(world, above, how) if len(found) < 8 else []
    return found


def fitting(world: World, at: FileScope, node: int, callees: list[Value]) -> list[Value]:
    """Of several declarations of one function those that the arguments fit."""
    if len(callees) < 2:
        return callees
    groups: dict[tuple[str, object], list[Value]] = {}
    for callee in callees:
        key: tuple[str, object] = ("", callee)
        if callee[0] == "f":
            target = world.at(callee[1])
            owner = target.owner.get(callee[2])
            if owner is not None:
                row = target.defs[owner]
                key = (callee[1], (row.scope, row.parent, row.name))
            else:
                key = (callee[1], target.summary.scopes[callee[2]][0])
        groups.setdefault(key, []).append(callee)
    found: list[Value] = []
    for group in groups.values():
        if len(group) > 1 and group[0][0] == "f":
            group = sorted(group, key=lambda value: (value[2], spelled(value)))
            if _has_body(world, group[-1]):
                group = group[:-1]
            group = group[:_MAX_SIGNATURES]
            chosen = [callee for callee in group if _fits(world, at, node, callee)]
            group = chosen[:1] or group[:1]
        found += group
    return found


def _has_body(world: World, callee: Value) -> bool:
    at = world.at(callee[1])
    owner = at.owner.get(callee[2])
    if owner is None or callee[1].endswith((".d.ts", ".d.mts", ".d.cts")):
        return False
    parent = at.defs[owner].parent
    return at.defs[owner].kind == "function" or (parent is not None and at.defs[parent].kind == "class")


def _fits(world: World, at: FileScope, node: int, callee: Value) -> bool:
    script = world.script(callee[1])
    params = script.params.get(callee[2], [])
    arguments = world.script(at.path).arguments(node)
    if len(arguments) > len(params) and not (params and params[-1].kind == ParameterKind.REST):
        return False
    for place, part in enumerate(arguments):
        param = params[min(place, len(params) - 1)] if params else None
        if param is None or param.type < 0:
            continue
        held = world.type_of(callee[1], param.type)
        if held and _excludes(at, part, held):
            return False
    return True


def _excludes(at: FileScope, argument: int, held: Values) -> bool:
    """Whether what is written as an argument cannot be any of these."""
    kind, text, _, _ = at.nodes[argument]
    kinds = {value[0] for value in held}
    if kind == ExprKind.STRING:
        return kinds.isdisjoint("vxI") and ("k", at.texts[text]) not in held
    if kind == ExprKind.FUNCTION:
        return kinds.isdisjoint("fvxFoIKO")
    return kind == ExprKind.DICT and kinds <= {"k", "f"}


def call(world: World, at: FileScope, node: int) -> Values:
    """What a call gives."""
    found = NOTHING
    for callee in world.called(at.path, node):
        what = callee[0]
        if what == "f":
            known = {**inferred(world, at, node, callee, functions=True), **dict(callee[3])}
            found |= filled(world, world.returned(callee[1], callee[2]), known)
        elif what == "e":
            found |= _call_foreign(world, at, node, callee)
        elif what == "x" and callee[1] == "require":
            path = world.names.module(at.path, world.script(at.path).required(node))
            found |= module_value(world, path) if path is not None else NOTHING
        elif what == "x" and callee[1] == "structuredClone":
            found |= _given(world, at, node, 0)
    return found


def _given(world: World, at: FileScope, node: int, place: int) -> Values:
    arguments = world.script(at.path).arguments(node)
    return world.value(at.path, arguments[place]) if place < len(arguments) else NOTHING


def results(world: World, values: Values) -> Values:
    """What functions return."""
    return union(
        filled(world, world.returned(value[1], value[2]), dict(value[3])) for value in values if value[0] == "f"
    )


def _call_foreign(world: World, at: FileScope, node: int, callee: Value) -> Values:
    _, of, name = callee
    arguments = world.script(at.path).arguments(node)

    def given(place: int) -> Values:
        return _given(world, at, node, place)

    def result(place: int) -> Values:
        return results(world, given(place))

    if of[0] == "f":
        if name == "bind":
            return frozenset({of})
        return results(world, frozenset({of})) if name in ("call", "apply") else NOTHING
    if of[0] == "x" and not of[2] and of[1] in ("Object", "Array", "Promise"):
        return call_static(of[1], name, [given(place) for place in range(len(arguments))], result)
    return call_method(of, name, len(arguments), given, result)


def make(world: World, at: FileScope, node: int) -> Values:
    """What `new` gives."""
    script = world.script(at.path)
    explicit = tuple(world.type_of(at.path, part) for part in script.type_arguments(node))
    found: set[Value] = set()
    for value in world.value(at.path, at.nodes[node][1]):
        what = value[0]
        if what == "c":
            arguments = explicit
            variables = world.variables(value[1], value[2])
            if variables and not explicit:
                known: dict[Variable, Values] = {}
                for maker in fitting(world, at, node, constructors(world, value)):
                    known |= inferred(
                        world, at, node, maker, functions=True, own={(value[1], bind) for bind in variables}
                    )
                arguments = tuple(known.get((value[1], bind), NOTHING) for bind in variables)
            found.add(object_of(value[1], value[2], arguments))
        elif what == "f":
            owner = world.at(value[1]).owner.get(value[2])
            if owner is not None:
                found.add(object_of(value[1], owner))
            else:
                found |= filled(world, world.returned(value[1], value[2]), dict(value[3]))
        elif what == "x":
            arguments = explicit
            if not explicit and value[1] in ("Set", "Array") and len(script.arguments(node)) == 1:
                arguments = (elements(_given(world, at, node, 0)),)
            elif not explicit and value[1] == "Map" and script.arguments(node):
                pairs = elements(_given(world, at, node, 0))
                arguments = tuple(
                    union(pair[1][place] for pair in pairs if pair[0] == "t" and len(pair[1]) > place)
                    for place in (0, 1)
                )
            found.add(made(value[1], arguments))
        elif what in ("o", "K"):
            for maker in fitting(world, at, node, signatures(world, value, FlowKind.CONSTRUCTOR)):
                known = {**inferred(world, at, node, maker, functions=False), **dict(maker[3])}
                found |= filled(world, world.returned(maker[1], maker[2]), known)
    return frozenset(found)


def inferred(
    world: World,
    at: FileScope,
    node: int,
    callee: Value,
    *,
    functions: bool,
    own: set[Variable] | None = None,
) -> dict[Variable, Values]:
    """What the type parameters of a function are in a call; what functions return that are passed counts, or not."""
    target, script = world.at(callee[1]), world.script(callee[1])
    variables = script.variables(callee[2])
    if own is None:
        own = {(callee[1], param.binding) for param in variables}
        explicit = world.script(at.path).type_arguments(node)
        if explicit:
            return {
                (callee[1], param.binding): world.type_of(at.path, part)
                for param, part in zip(variables, explicit, strict=False)
            }
    if not own:
        return {}
    known: dict[Variable, Values] = {}
    params = script.params.get(callee[2], [])
    for place, part in enumerate(world.script(at.path).arguments(node)):
        param = params[min(place, len(params) - 1)] if params else None
        if param is None or param.type < 0 or (place >= len(params) and param.kind != ParameterKind.REST):
            continue
        if not functions and at.nodes[part][0] == ExprKind.FUNCTION:
            continue
        wanted = world.type_of(target.path, param.type)
        if param.kind == ParameterKind.REST:
            wanted = elements(wanted)
        if at.nodes[part][0] == ExprKind.LABELLED:
            continue
        given = world.value(at.path, part)
        unify(world, wanted, given, own, known, 0)
    if any(variable not in known for variable in own):
        wished = world.context(at.path, node)
        more: dict[Variable, Values] = {}
        unify(world, world.returned(callee[1], callee[2]), wished, own, more, 0)
        known = {**more, **known}
    for param in variables:
        if (callee[1], param.binding) not in known and param.default >= 0:
            known[callee[1], param.binding] = filled(world, world.type_of(callee[1], param.default), known)
    return known


def unify(
    world: World, wanted: Values, given: Values, own: set[Variable], known: dict[Variable, Values], depth: int
) -> None:
    """What variables must be for the wanted to be the given."""
    if depth > _MAX_UNIFYING or not given:
        return
    for want in wanted:
        what = want[0]
        if what == "v":
            if (want[1], want[2]) in own:
                fixed = {value for value in wanted if value[0] != "v"}
                held = frozenset(value for value in given if value not in fixed)
                if any(value[0] == "x" and value[1] == "Promise" for value in fixed):
                    held = awaited(held)
                known[want[1], want[2]] = known.get((want[1], want[2]), NOTHING) | held
        elif what == "x" and want[2]:
            for value in given:
                if value[0] == "x" and len(value[2]) == len(want[2]):
                    for inner, other in zip(want[2], value[2], strict=True):
                        unify(world, inner, other, own, known, depth + 1)
                elif value[0] == "t" and len(want[2]) == 1:
                    unify(world, want[2][0], union(value[1]), own, known, depth + 1)
        elif what == "o" and want[3]:
            for value in given:
                same = _as(world, value, want, 0)
                if same is not None and len(same[3]) == len(want[3]):
                    for inner, other in zip(want[3], same[3], strict=True):
                        unify(world, inner, other, own, known, depth + 1)
        elif what == "f":
            functions = frozenset(value for value in given if value[0] == "f")
            if functions:
                unify(world, awaited(_returned(world, want)), awaited(results(world, functions)), own, known, depth + 1)
        elif what == "K":
            at = world.at(want[1])
            for part in at.lists[at.nodes[want[2]][1]]:
                kind, a, b, _ = at.nodes[part]
                key = world.script(want[1]).key_text(a) if kind == ExprKind.PAIR else None
                if key is not None:
                    held = members(world, given, key)[1]
                    unify(world, filled(world, world.type_of(want[1], b), dict(want[3])), held, own, known, depth + 1)


def _returned(world: World, function: Value) -> Values:
    return filled(world, world.returned(function[1], function[2]), dict(function[3]))


def _as(world: World, value: Value, want: Value, depth: int) -> Value | None:
    """An object seen as one of a base of its class."""
    if value[0] != "o" or depth > 8:
        return None
    if value[1:3] == want[1:3]:
        return value
    known: Known = world.known(value)
    for base in world.bases(value[1], value[2]):
        for above in sorted(filled(world, frozenset({base}), known), key=spelled):
            found = _as(world, above, want, depth + 1)
            if found is not None:
                return found
    return None


def parameter(world: World, function: Value, place: int) -> Values:
    """What a function takes at a place."""
    if function[0] == "F":
        return function[1][place] if place < len(function[1]) else NOTHING
    script = world.script(function[1])
    params: Sequence = script.params.get(function[2], [])  # type: ignore[type-arg]
    if not params:
        return NOTHING
    param = params[min(place, len(params) - 1)]
    if place >= len(params) and param.kind != ParameterKind.REST:
        return NOTHING
    held = world.passed(function[1], function[2], min(place, len(params) - 1))
    if param.kind == ParameterKind.REST:
        held = elements(held)
    return filled(world, held, dict(function[3]))
