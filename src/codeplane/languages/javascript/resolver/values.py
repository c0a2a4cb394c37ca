"""Types of expressions, names, definitions and parameters, and what functions return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, ParameterKind
from codeplane.index.resolve.flow_targets import Inflow, Step
from codeplane.index.resolve.resolver import CALLABLES
from codeplane.index.resolve.types import (
    NOTHING,
    Callback,
    ClassType,
    ContainerMethod,
    ExpandoObject,
    External,
    Function,
    Instance,
    LiteralType,
    NamespaceObject,
    ObjectLiteral,
    SiteKind,
    TupleType,
    Type,
    TypeLiteral,
    Types,
    one,
    union,
)
from codeplane.languages.javascript.resolver.calls import call_result, new_instances, parameter_types, signatures
from codeplane.languages.javascript.resolver.members import access, access_node, members, returned_by_module, site_types
from codeplane.languages.javascript.resolver.queries import TsQueries
from codeplane.languages.javascript.resolver.source_file import (
    OBJECT_KINDS,
    InExpr,
    ParameterSource,
    SourceFile,
    ValueSource,
)
from codeplane.languages.javascript.resolver.types import (
    BaseList,
    array,
    awaited,
    either,
    elements,
    in_order,
    instance,
    library,
    promise,
    tuple_of,
)

_NOT_VALUES = frozenset({"method", "property", "field", "interface", "type"})
"""Kinds of definitions that a name in scope does not refer to as a value."""
_MAX_TUPLE = 8
"""A longer array literal is an array, not a tuple."""


def types_of_node(ts: TsQueries, file: SourceFile, node: int) -> Types:
    path = file.path
    match file.exprs[node]:
        case ir.NameExpr(binding=None) as expr:
            sites = ts.names.global_sites(expr.name)
            return site_types(ts, sites) if sites else one(library(expr.name))
        case ir.NameExpr(binding=int(binding)):
            return ts.bound(path, binding)
        case ir.MemberExpr() as expr:
            return _member_types(ts, file, expr)
        case ir.CallExpr():
            return call_result(ts, file, node)
        case ir.NewExpr() as expr:
            return new_instances(ts, file, node, expr)
        case ir.ThisExpr() as expr:
            return _this(ts, file, expr.scope, is_super=False)
        case ir.SuperExpr() as expr:
            return _this(ts, file, expr.scope, is_super=True)
        case ir.IndexExpr() as expr:
            return _item(ts, file, expr)
        case ir.ParenExpr() as expr:
            return ts.value(path, expr.value)
        case ir.AwaitExpr() as expr:
            return awaited(ts.value(path, expr.value))
        case ir.UnionExpr() as expr:
            return either(ts.value(path, part) for part in expr.parts)
        case ir.ListExpr() as expr:
            return _list(ts, file, expr.parts)
        case ir.DictExpr():
            return one(ObjectLiteral(path, node))
        case ir.CastExpr() as expr:
            return ts.type_of(path, expr.type)
        case ir.FunctionExpr() as expr:
            return one(Function(path, expr.scope))
        case ir.StringExpr() as expr:
            return one(LiteralType(expr.text))
    return NOTHING


def _member_types(ts: TsQueries, file: SourceFile, expr: ir.MemberExpr) -> Types:
    if isinstance(file.exprs[expr.receiver], ir.StringExpr):
        return NOTHING
    found = access_node(ts, file.path, expr.receiver, expr.name).types
    if not found and expr.name == "then":
        # An `async` function returns a promise, whether it says so or not.
        receivers = ts.value(file.path, expr.receiver)
        return frozenset(ContainerMethod(each, "then") for value in receivers for each in promise(one(value)))
    return found


def _item(ts: TsQueries, file: SourceFile, expr: ir.IndexExpr) -> Types:
    receivers = ts.value(file.path, expr.value)
    found = NOTHING
    for key in expr.keys:
        key_expr = file.exprs[key]
        text = file.key_text(key) if isinstance(key_expr, ir.StringExpr | ir.LiteralExpr) else None
        is_string = isinstance(key_expr, ir.StringExpr)
        if is_string and text is not None:
            found |= members(ts, receivers, text).types
        for value in receivers:
            if isinstance(value, TupleType) and text is not None and text.isdigit():
                found |= value.items[int(text)] if int(text) < len(value.items) else NOTHING
            elif isinstance(value, External) and value.name == "Record" and len(value.arguments) > 1:
                found |= value.arguments[1]
            elif not is_string and not (isinstance(value, External) and value.name in ("Map", "Set")):
                found |= elements(one(value))
    return found


def _list(ts: TsQueries, file: SourceFile, parts: Sequence[int]) -> Types:
    items: list[Types] = []
    is_open = not 0 < len(parts) <= _MAX_TUPLE
    for part in parts:
        expr = file.exprs[part]
        if isinstance(expr, ir.SplatKeysExpr):
            is_open = True
            items.append(elements(ts.value(file.path, expr.value)))
        else:
            items.append(ts.value(file.path, part))
    return array(union(items)) if is_open else one(tuple_of(items))


def _this(ts: TsQueries, file: SourceFile, scope: int | None, *, is_super: bool) -> Types:
    """Return the object that a function belongs to, as `this` or as `super`."""
    scopes = file.facts.summary.scopes
    while scope is not None:
        owner = file.owner.get(scope)
        if owner is not None and file.defs[owner].kind in OBJECT_KINDS:
            return _this_of_class(ts, file, owner, is_static=False, is_super=is_super)
        if scopes[scope][1] == "function":
            declared = file.this_type(scope)
            if declared is not None:
                return ts.type_of(file.path, declared)
            parent = file.defs[owner].parent if owner is not None else None
            if owner is not None and parent is not None and file.defs[parent].kind in OBJECT_KINDS:
                return _this_of_class(ts, file, parent, is_static=file.is_static(owner), is_super=is_super)
            return _this_of_function(ts, file, scope, owner)
        scope = scopes[scope][0]
    return NOTHING


def _this_of_class(ts: TsQueries, file: SourceFile, definition: int, *, is_static: bool, is_super: bool) -> Types:
    if not is_super:
        return one(ClassType(file.path, definition)) if is_static else ts.instances(file.path, definition)
    classes = [
        base
        for base in ts.bases(file.path, definition)
        if isinstance(base, Instance) and ts.file(base.path).defs[base.definition].kind in ("class", "function")
    ]
    return frozenset(ClassType(base.path, base.definition) if is_static else base for base in classes)


def _this_of_function(ts: TsQueries, file: SourceFile, scope: int, owner: int | None) -> Types:
    """Return the object that a function outside of a class is a member of."""
    node = file.function_node.get(scope)
    place = file.places.get(node) if node is not None else None
    if isinstance(place, InExpr) and isinstance(file.exprs[place.parent], ir.PairExpr):
        place = file.places.get(place.parent)
    if isinstance(place, InExpr) and isinstance(file.exprs[place.parent], ir.DictExpr):
        return ts.expected(file.path, place.parent) or one(ObjectLiteral(file.path, place.parent))
    if owner is None:
        return NOTHING
    row = file.defs[owner]
    if row.parent is None and row.lexical_path != row.name:
        above = row.lexical_path[: -len(row.name) - 1]
        for number in file.facts.defs_in.get((0, above), ()):
            if file.defs[number].kind in ("function", "class"):
                return one(instance(file.path, number))
            return ts.defined(file.path, number)
    has_members = row.lexical_path in file.facts.detached or any(parent == owner for parent, _ in file.facts.attributes)
    return one(instance(file.path, owner)) if row.kind == "function" and has_members else NOTHING


def types_of_bind(ts: TsQueries, file: SourceFile, bind: int) -> Types:
    row = file.facts.binds[bind]
    found = NOTHING
    for number in file.imports_in(row.scope, row.name):
        found |= _imported(ts, file, number)
    same = file.facts.defs_in.get((row.scope, row.name), ())
    defined = [number for number in same if file.defs[number].kind not in _NOT_VALUES]
    if defined:
        return found | union(ts.defined(file.path, number) for number in defined)
    return found | _flow_types(ts, file, file.into_bind(bind))


def _imported(ts: TsQueries, file: SourceFile, number: int) -> Types:
    """Return the types of the name that an import binds."""
    row = file.facts.imports[number]
    sites = ts.names.imported(file, number)
    path = ts.names.module(file.path, row.source)
    found = site_types(ts, sites)
    if path is None:
        return found if sites else one(library(row.imported_name))
    if not sites and row.imported_name == "default":
        return returned_by_module(ts, path)
    if not ts.names.is_commonjs(path):
        return found
    if not sites:
        return members(ts, returned_by_module(ts, path), row.imported_name).types
    is_module = any(site.kind is SiteKind.MODULE for site in sites)
    return found | returned_by_module(ts, path) if is_module else found


def _flow_types(ts: TsQueries, file: SourceFile, sources: Sequence[ValueSource]) -> Types:
    """Return the types of what flows into a name; declarations come first, `instanceof` last."""
    by_kind: dict[FlowKind | None, list[ValueSource]] = {}
    for source in sources:
        by_kind.setdefault(source.kind if isinstance(source, Inflow) else None, []).append(source)
    if FlowKind.DECLARE in by_kind:
        return union(source_types(ts, file, source) for source in by_kind[FlowKind.DECLARE])
    narrowed = by_kind.pop(FlowKind.NARROW, [])
    found = union(source_types(ts, file, source) for same in by_kind.values() for source in same)
    if found:
        return found
    return frozenset(
        instance(value.path, value.definition)
        for source in narrowed
        if isinstance(source, Inflow) and not source.steps
        for value in ts.value(file.path, source.source)
        if isinstance(value, ClassType)
    )


def source_types(ts: TsQueries, file: SourceFile, source: ValueSource) -> Types:
    if isinstance(source, ParameterSource):
        types = ts.parameter(file.path, source.scope, source.position)
    elif source.kind is FlowKind.DECLARE:
        types = ts.type_of(file.path, source.source)
    elif source.kind is FlowKind.FOR:
        types = awaited(elements(ts.value(file.path, source.source)))
    else:
        types = ts.value(file.path, source.source)
    return _follow(ts, types, source.steps)


def _follow(ts: TsQueries, types: Types, steps: Iterable[Step]) -> Types:
    """Return the types of the part of a value that a pattern binds."""
    for step in steps:
        if not isinstance(step, int):
            types = access(ts, types, step.name).types
        elif step < 0:
            items = elements(types)
            types = array(items) if items else types
        else:
            types = union(_at_index(value, step) for value in types)
    return types


def _at_index(value: Type, index: int) -> Types:
    if isinstance(value, TupleType):
        return value.items[index] if index < len(value.items) else NOTHING
    return elements(one(value))


def types_of_definition(ts: TsQueries, file: SourceFile, definition: int) -> Types:
    """Return the types of a definition as a value; a getter has those that it returns."""
    row, path = file.defs[definition], file.path
    if row.kind in ("class", "enum"):
        return one(ClassType(path, definition))
    if row.kind == "enum_member":
        return one(LiteralType(f"{path}:{definition}"))
    initializer = file.initializer(definition)
    if row.kind == "module":
        return ts.value(path, initializer) if initializer is not None else one(NamespaceObject(path, definition))
    if row.kind in ("interface", "type"):
        return NOTHING
    found = NOTHING
    declared = file.declared_type(definition)
    scope = file.facts.body.get(definition)
    if declared is not None:
        found = ts.type_of(path, declared)
    elif row.kind in CALLABLES and scope is not None:
        found = ts.returned(path, scope) if file.is_accessor(scope) else one(Function(path, scope))
    elif initializer is not None:
        found = ts.value(path, initializer)
    else:
        bind = file.facts.bind_of_def.get(definition)
        if bind is not None and row.kind in ("constant", "variable"):
            found = _flow_types(ts, file, file.into_bind(bind))
    if row.lexical_path in file.facts.detached:
        found |= {ExpandoObject(path, row.lexical_path)}
    return found


def types_returned(ts: TsQueries, file: SourceFile, scope: int) -> Types:
    facts = file.facts
    declared = facts.return_type(scope)
    if declared is not None:
        return ts.type_of(file.path, declared)
    if facts.yields(scope):
        return one(library("Generator", union(ts.value(file.path, node) for node in facts.yields(scope))))
    return union(ts.value(file.path, node) for node in facts.returns(scope))


def types_of_parameter(ts: TsQueries, file: SourceFile, key: tuple[int, int]) -> Types:
    """Return the declared types of a parameter, or those that the context of its function expects."""
    scope, index = key
    param = file.params[scope][index]
    if param.type >= 0:
        return ts.type_of(file.path, param.type)
    node = file.function_node.get(scope)
    found = NOTHING
    if node is not None:
        functions: list[Function | Callback] = []
        for value in ts.expected(file.path, node):
            if isinstance(value, Function | Callback):
                functions.append(value)
            elif isinstance(value, Instance | TypeLiteral):
                several = signatures(ts, value, FlowKind.CALL_OPERATOR)
                # Overloads do not say which of them applies.
                functions += several if len(several) == 1 else []
        found = union(parameter_types(ts, function, index) for function in functions)
        if param.kind == ParameterKind.REST:
            found = array(found)
    if not found and param.default >= 0:
        return ts.value(file.path, param.default)
    return found


def bases_of(ts: TsQueries, file: SourceFile, definition: int) -> frozenset[BaseList]:
    found: list[Type] = []
    for node in file.facts.bases(definition):
        found += in_order(_base(ts, file, definition, node))
    return frozenset({BaseList(tuple(dict.fromkeys(found)))})


def _base(ts: TsQueries, file: SourceFile, definition: int, node: int) -> Types:
    expr = file.exprs[node]
    if file.defs[definition].kind == "class":
        arguments: tuple[Types, ...] = ()
        value = expr.value if isinstance(expr, ir.ParenExpr | ir.IndexExpr) else node
        types = ts.value(file.path, value)
        if isinstance(expr, ir.IndexExpr):
            arguments = tuple(ts.type_of(file.path, key) for key in expr.keys)
        found: set[Type] = set()
        for base in types:
            if isinstance(base, ClassType):
                found.add(instance(base.path, base.definition, arguments))
            elif isinstance(base, Function):
                owner = ts.file(base.path).owner.get(base.scope)
                if owner is not None:
                    found.add(instance(base.path, owner))
        if found:
            return frozenset(found)
    return frozenset(value for value in ts.type_of(file.path, node) if isinstance(value, Instance | TypeLiteral))
