"""What an expression, a name, a definition, a parameter is, and what a function returns."""

from __future__ import annotations

from collections.abc import Iterable

from codeplane.facts.ir import ExprKind, FlowKind, ParameterKind
from codeplane.index.resolve.ecma.calls import call, make, parameter, signatures
from codeplane.index.resolve.ecma.members import CALLABLES, access, members, reached, site_value
from codeplane.index.resolve.ecma.script import OBJECTS, PASSED, REST, Source, Step
from codeplane.index.resolve.ecma.shapes import (
    NOTHING,
    Value,
    Values,
    array,
    awaited,
    either,
    elements,
    made,
    object_of,
    spelled,
    tuple_of,
    union,
)
from codeplane.index.resolve.ecma.world import World
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Site


def value_of_node(world: World, at: FileScope, node: int) -> Values:
    kind, a, b, _ = at.nodes[node]
    path = at.path
    if kind == ExprKind.NAME:
        return world.bound(path, a - 1) if a else _unbound(world, at.texts[b])
    if kind == ExprKind.MEMBER:
        return _member_of(world, at, a, at.texts[b])
    if kind == ExprKind.CALL:
        return call(world, at, node)
    if kind == ExprKind.NEW:
        return make(world, at, node)
    if kind in (ExprKind.THIS, ExprKind.SUPER):
        return this(world, at, a, kind)
    if kind == ExprKind.INDEX:
        return _item(world, at, a, at.lists[b])
    if kind == ExprKind.PAREN:
        return world.value(path, a)
    if kind == ExprKind.AWAIT:
        return awaited(world.value(path, a))
    if kind == ExprKind.UNION:
        return either(world.value(path, part) for part in at.lists[a])
    if kind == ExprKind.LIST:
        return _list(world, at, at.lists[a])
    if kind == ExprKind.DICT:
        return frozenset({("L", path, node, ())})
    if kind == ExprKind.CAST:
        return world.type_of(path, b)
    if kind == ExprKind.FUNCTION:
        return frozenset({("f", path, a, ())})
    return frozenset({("k", at.texts[a])}) if kind == ExprKind.STRING else NOTHING


def _unbound(world: World, name: str) -> Values:
    sites = world.names.shared(name)
    return union(site_value(world, site) for site in sites) if sites else frozenset({made(name, ())})


def _member_of(world: World, at: FileScope, of: int, name: str) -> Values:
    if at.nodes[of][0] == ExprKind.STRING:
        return NOTHING
    found = reached(world, at, of, name)[1]
    if not found and name == "then":
        # What a function that is `async` returns is a promise, whether it says so or not.
        values = world.value(at.path, of)
        return frozenset(("e", made("Promise", (frozenset({value}),)), name) for value in values)
    return found


def _item(world: World, at: FileScope, of: int, keys: Iterable[int]) -> Values:
    values = world.value(at.path, of)
    found = NOTHING
    for key in keys:
        kind = at.nodes[key][0]
        text = world.script(at.path).key_text(key) if kind in (ExprKind.STRING, ExprKind.LITERAL) else None
        if kind == ExprKind.STRING and text is not None:
            found |= members(world, values, text)[1]
        for value in values:
            if value[0] == "t" and text is not None and text.isdigit():
                found |= value[1][int(text)] if int(text) < len(value[1]) else NOTHING
            elif value[0] == "x" and value[1] == "Record" and len(value[2]) > 1:
                found |= value[2][1]
            elif kind != ExprKind.STRING and not (value[0] == "x" and value[1] in ("Map", "Set")):
                found |= elements(frozenset({value}))
    return found


def _list(world: World, at: FileScope, parts: Iterable[int]) -> Values:
    held: list[Values] = []
    spread = False
    for part in parts:
        kind, a, _, _ = at.nodes[part]
        if kind == ExprKind.SPLAT_KEYS:
            spread = True
            held.append(elements(world.value(at.path, a)))
        else:
            held.append(world.value(at.path, part))
    return array(union(held)) if spread or len(held) > 8 or not held else frozenset({tuple_of(held)})


def this(world: World, at: FileScope, scope: int | None, kind: int) -> Values:
    """The object that a function belongs to, or that object as one of its base."""
    script = world.script(at.path)
    while scope is not None:
        owner = at.owner.get(scope)
        if owner is not None and at.defs[owner].kind in OBJECTS:
            return _object(world, at, owner, static=False, above=kind == ExprKind.SUPER)
        if at.summary.scopes[scope][1] == "function":
            said = script.self_type(scope)
            if said >= 0:
                return world.type_of(at.path, said)
            parent = at.defs[owner].parent if owner is not None else None
            if owner is not None and parent is not None and at.defs[parent].kind in OBJECTS:
                return _object(world, at, parent, static=script.is_static(owner), above=kind == ExprKind.SUPER)
            return _object_of_function(world, at, scope, owner)
        scope = at.summary.scopes[scope][0]
    return NOTHING


def _object_of_function(world: World, at: FileScope, scope: int, owner: int | None) -> Values:
    """What a function outside of a class is a member of."""
    script = world.script(at.path)
    node = script.function_node.get(scope)
    around = script.around.get(node) if node is not None else None
    if around is not None and around.how == ExprKind.PAIR:
        around = script.around.get(around.of)
    if around is not None and around.how == ExprKind.DICT:
        return world.context(at.path, around.of) or frozenset({("L", at.path, around.of, ())})
    if owner is None:
        return NOTHING
    row = at.defs[owner]
    if row.parent is None and row.lexical_path != row.name:
        above = row.lexical_path[: -len(row.name) - 1]
        for number in at.defs_in.get((0, above), ()):
            if at.defs[number].kind in ("function", "class"):
                return frozenset({object_of(at.path, number)})
            return world.defined(at.path, number)
    if row.kind == "function" and (row.lexical_path in at.detached or any(of == owner for of, _ in at.attributes)):
        return frozenset({object_of(at.path, owner)})
    return NOTHING


def _object(world: World, at: FileScope, definition: int, *, static: bool, above: bool) -> Values:
    if above:
        bases = [base for base in world.bases(at.path, definition) if base[0] == "o"]
        classes = [base for base in bases if world.at(base[1]).defs[base[2]].kind in ("class", "function")]
        return frozenset(("c", base[1], base[2]) if static else base for base in classes)
    return frozenset({("c", at.path, definition)}) if static else world.named(at.path, definition)


def value_of_bind(world: World, at: FileScope, bind: int) -> Values:
    row = at.binds[bind]
    script = world.script(at.path)
    found = NOTHING
    for number in script.imports_by_name.get((row.scope, row.name), ()):
        found |= imported(world, at, number)
    defined = [
        number
        for number in at.defs_in.get((row.scope, row.name), ())
        if at.defs[number].kind not in ("method", "property", "field", "interface", "type")
    ]
    if defined:
        return found | union(world.defined(at.path, number) for number in defined)
    return found | flowing(world, at, script.into_bind(bind))


def imported(world: World, at: FileScope, number: int) -> Values:
    """What the name is that an import binds."""
    row = at.imports[number]
    sites: list[Site] = world.names.imported(at, number)
    path = world.names.module(at.path, row.source)
    found = union(site_value(world, site) for site in sites)
    if path is None:
        return found or frozenset({made(row.imported_name, ())}) if not sites else found
    if not sites and row.imported_name == "default":
        return union(world.value(path, node) for node in world.at(path).returns(0))
    if world.names.is_common(path) and any(site[1] == "M" for site in sites):
        found |= union(world.value(path, node) for node in world.at(path).returns(0))
    if not sites and world.names.is_common(path):
        given = union(world.value(path, node) for node in world.at(path).returns(0))
        return members(world, given, row.imported_name)[1]
    return found


def flowing(world: World, at: FileScope, sources: Iterable[Source]) -> Values:
    """What comes from several sources, those that declare it before all others."""
    sources = tuple(sources)
    declared = [source for source in sources if source.how == FlowKind.DECLARE]
    if declared:
        return union(_followed(world, world.type_of(at.path, source.node), source.way) for source in declared)
    found = union(source_value(world, at, source) for source in sources if source.how != FlowKind.NARROW)
    if found:
        return found
    narrowed = [source for source in sources if source.how == FlowKind.NARROW and not source.way]
    return frozenset(
        object_of(value[1], value[2])
        for source in narrowed
        for value in world.value(at.path, source.node)
        if value[0] == "c"
    )


def source_value(world: World, at: FileScope, source: Source) -> Values:
    if source.how == PASSED:
        held = world.passed(at.path, source.node, source.place)
    elif source.how == FlowKind.DECLARE:
        held = world.type_of(at.path, source.node)
    elif source.how == FlowKind.FOR:
        held = awaited(elements(world.value(at.path, source.node)))
    else:
        held = world.value(at.path, source.node)
    return _followed(world, held, source.way)


def _followed(world: World, values: Values, way: tuple[Step, ...]) -> Values:
    for step in way:
        if step == REST:
            listed = elements(values)
            values = array(listed) if listed else values
        elif isinstance(step, str):
            values = access(world, values, step)[1]
        else:
            values = union(_at_place(value, step) for value in values)
    return values


def _at_place(value: Value, place: int) -> Values:
    if value[0] == "t":
        return value[1][place] if place < len(value[1]) else NOTHING
    return elements(frozenset({value}))


def value_of_definition(world: World, at: FileScope, definition: int) -> Values:
    """What a definition is as a value; a getter is what it gives."""
    row, script = at.defs[definition], world.script(at.path)
    if row.kind in ("class", "enum"):
        return frozenset({("c", at.path, definition)})
    if row.kind == "enum_member":
        return frozenset({("k", f"{at.path}:{definition}")})
    held = script.held(definition)
    if row.kind == "module":
        return world.value(at.path, held) if held is not None else frozenset({("n", at.path, definition)})
    if row.kind in ("interface", "type"):
        return NOTHING
    found = NOTHING
    declared = script.declared(definition)
    scope = at.body.get(definition)
    if declared is not None:
        found = world.type_of(at.path, declared)
    elif row.kind in CALLABLES and scope is not None:
        found = world.returned(at.path, scope) if script.is_read(scope) else frozenset({("f", at.path, scope, ())})
    elif held is not None:
        found = world.value(at.path, held)
    else:
        bind = at.bind_of_def.get(definition)
        if bind is not None and row.kind in ("constant", "variable"):
            found = flowing(world, at, script.into_bind(bind))
    if row.lexical_path in at.detached:
        found |= {("E", at.path, row.lexical_path)}
    return found


def returned_of(world: World, at: FileScope, scope: int) -> Values:
    declared = at.return_type(scope)
    if declared is not None:
        return world.type_of(at.path, declared)
    if at.yields(scope):
        return frozenset({made("Generator", (union(world.value(at.path, node) for node in at.yields(scope)),))})
    return union(world.value(at.path, node) for node in at.returns(scope))


def passed_as(world: World, at: FileScope, key: int) -> Values:
    """What a parameter is: what it declares, or what the context of its function says."""
    scope, place = key >> 10, key & 1023
    script = world.script(at.path)
    param = script.params[scope][place]
    if param.type >= 0:
        return world.type_of(at.path, param.type)
    node = script.function_node.get(scope)
    found = NOTHING
    if node is not None:
        wanted = world.context(at.path, node)
        functions = [value for value in wanted if value[0] in ("f", "F")]
        for value in wanted:
            several = signatures(world, value, FlowKind.CALL_OPERATOR) if value[0] in ("o", "K") else []
            # Of several signatures none says what is passed.
            functions += several if len(several) == 1 else []
        if param.kind == ParameterKind.REST:
            found = array(union(parameter(world, value, place) for value in functions))
        else:
            found = union(parameter(world, value, place) for value in functions)
    if not found and param.default >= 0:
        return world.value(at.path, param.default)
    return found


def bases_of(world: World, at: FileScope, definition: int) -> Values:
    found: list[Value] = []
    for node in at.bases(definition):
        found += sorted(_base(world, at, definition, node), key=spelled)
    return frozenset({("B", tuple(dict.fromkeys(found)))})


def _base(world: World, at: FileScope, definition: int, node: int) -> Values:
    kind, a, b, _ = at.nodes[node]
    if at.defs[definition].kind == "class":
        of = a if kind in (ExprKind.PAREN, ExprKind.INDEX) else node
        values = world.value(at.path, of)
        arguments = tuple(world.type_of(at.path, key) for key in at.lists[b]) if kind == ExprKind.INDEX else ()
        found: set[Value] = set()
        for value in values:
            if value[0] == "c":
                found.add(object_of(value[1], value[2], arguments))
            elif value[0] == "f":
                owner = world.at(value[1]).owner.get(value[2])
                if owner is not None:
                    found.add(object_of(value[1], owner))
        if found:
            return frozenset(found)
    return frozenset(value for value in world.type_of(at.path, node) if value[0] in ("o", "K"))
