"""What an expression should be, as far as what is around it says: declarations, parameters, casts, literals."""

from __future__ import annotations

from codeplane.facts.ir import ExprKind, FlowKind
from codeplane.index.resolve.ecma.builtins import passed_by, taken_by
from codeplane.index.resolve.ecma.calls import constructors, fitting, inferred, parameter, signatures
from codeplane.index.resolve.ecma.members import filled, member, members
from codeplane.index.resolve.ecma.script import DEFAULT, INTO, Around
from codeplane.index.resolve.ecma.shapes import NOTHING, Values, awaited, elements, union
from codeplane.index.resolve.ecma.world import World
from codeplane.index.resolve.file_scope import FileScope


def context_of(world: World, at: FileScope, node: int) -> Values:
    around = world.script(at.path).around.get(node)
    if around is None:
        return NOTHING
    how = around.how
    if how in (ExprKind.PAREN, ExprKind.UNION):
        return world.context(at.path, around.of)
    if how == ExprKind.CAST:
        return world.type_of(at.path, at.nodes[around.of][2])
    if how == ExprKind.PAIR:
        return _of_pair(world, at, around.of)
    if how == ExprKind.DICT:
        return _of_method(world, at, node, around.of)
    if how in (ExprKind.LIST, ExprKind.TUPLE):
        wanted = world.context(at.path, around.of)
        found = NOTHING
        for value in wanted:
            if value[0] == "t":
                found |= value[1][around.place] if around.place < len(value[1]) else NOTHING
            else:
                found |= elements(frozenset({value}))
        return found
    if how in (ExprKind.CALL, ExprKind.NEW):
        return _of_argument(world, at, around)
    if how == ExprKind.LABELLED:
        return members(world, attributes(world, at, around.of), at.texts[at.nodes[around.place][2]])[1]
    if how == DEFAULT:
        param = world.script(at.path).params[around.of][around.place]
        return world.type_of(at.path, param.type)
    return _of_flow(world, at, around)


def _of_pair(world: World, at: FileScope, pair: int) -> Values:
    script = world.script(at.path)
    outer = script.around.get(pair)
    key = script.key_text(at.nodes[pair][1])
    if outer is None or outer.how != ExprKind.DICT or key is None:
        return NOTHING
    wanted = world.wanted(at.path, outer.of)
    found = members(world, wanted, key)[1]
    for value in wanted:
        if value[0] == "x" and value[1] == "Record" and len(value[2]) > 1:
            found |= value[2][1]
    return found


def _of_method(world: World, at: FileScope, node: int, literal: int) -> Values:
    """What a method of an object literal should be."""
    kind, scope, _, _ = at.nodes[node]
    owner = at.owner.get(scope) if kind == ExprKind.FUNCTION else None
    if owner is None:
        return NOTHING
    return members(world, world.wanted(at.path, literal), at.defs[owner].name)[1]


def wanted_by(world: World, at: FileScope, literal: int) -> Values:
    """What an object literal should be; of several those that its texts do not exclude."""
    # What another literal happens to be says nothing about this one.
    wanted = frozenset(value for value in world.context(at.path, literal) if value[0] != "L")
    if len(wanted) < 2:
        return wanted
    script = world.script(at.path)
    texts: dict[str, Values] = {}
    for part in at.lists[at.nodes[literal][1]]:
        kind, a, b, _ = at.nodes[part]
        if kind == ExprKind.PAIR and at.nodes[b][0] in (ExprKind.STRING, ExprKind.MEMBER):
            key, given = script.key_text(a), world.value(at.path, b)
            if key is not None and given and all(value[0] == "k" for value in given):
                texts[key] = given
    if not texts:
        return wanted
    memo_tracked = set()
    for value in wanted:
        for key, text in texts.items():
            held = member(world, value, key)[1]
            if held and all(other[0] == "k" and other not in text for other in held):
                break
        else:
            memo_tracked.add(value)
    return frozenset(memo_tracked)


def _of_argument(world: World, at: FileScope, around: Around) -> Values:
    call, place = around.of, around.place
    found = NOTHING
    if around.how == ExprKind.NEW:
        callees = []
        for value in world.value(at.path, at.nodes[call][1]):
            if value[0] == "c":
                callees += constructors(world, value)
            elif value[0] in ("o", "K"):
                callees += signatures(world, value, FlowKind.CONSTRUCTOR)
        callees = fitting(world, at, call, callees)
    else:
        callees = list(world.called(at.path, call))

    def given(at_place: int) -> Values:
        arguments = world.script(at.path).arguments(call)
        return world.value(at.path, arguments[at_place]) if at_place < len(arguments) else NOTHING

    for callee in callees:
        if callee[0] == "f":
            known = {**inferred(world, at, call, callee, functions=False), **dict(callee[3])}
            found |= filled(world, parameter(world, callee, place), known)
        elif callee[0] == "e":
            passed = passed_by(callee[1], callee[2], place, given)
            if passed is not None:
                found |= {("F", passed)}
            found |= taken_by(callee[1], callee[2])
    return found


def attributes(world: World, at: FileScope, call: int) -> Values:
    """What the attributes of an element should be: the first parameter of its function."""
    found = NOTHING
    for value in world.value(at.path, at.nodes[call][1]):
        if value[0] == "f":
            found |= parameter(world, value, 0)
        elif value[0] in ("o", "K"):
            found |= union(parameter(world, made, 0) for made in signatures(world, value, FlowKind.CALL_OPERATOR))
        elif value[0] == "c":
            found |= members(world, world.named(value[1], value[2]), "props")[1]
        elif value[0] == "x" and value[2] and value[1] in _COMPONENTS:
            found |= value[2][0]
    return found


_COMPONENTS = frozenset({"FC", "FunctionComponent", "ComponentType", "VFC", "SFC"})


def _of_flow(world: World, at: FileScope, around: Around) -> Values:
    script = world.script(at.path)
    how = around.how - INTO
    if how == FlowKind.VALUE:
        declared = script.declared(around.of)
        return world.type_of(at.path, declared) if declared is not None else NOTHING
    if how == FlowKind.RETURN:
        declared = at.return_type(around.of)
        if declared is not None:
            return awaited(world.type_of(at.path, declared))
        node = script.function_node.get(around.of)
        if node is None:
            return NOTHING
        functions = [value for value in world.context(at.path, node) if value[0] == "f"]
        return awaited(union(filled(world, world.returned(value[1], value[2]), dict(value[3])) for value in functions))
    kind, a, b, _ = at.nodes[around.of]
    if kind == ExprKind.NAME and a:
        sources = [source for source in script.into_bind(a - 1) if source.how == FlowKind.DECLARE and not source.way]
        return union(world.type_of(at.path, source.node) for source in sources)
    if kind == ExprKind.MEMBER:
        return members(world, world.value(at.path, a), at.texts[b])[1]
    return NOTHING
