"""Members of types: their definitions, and the types that they have."""

from __future__ import annotations

from collections.abc import Iterator

from codeplane.facts import ir
from codeplane.index.resolve.queries import NO_MEMBER, Member
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    ContainerMethod,
    ExpandoObject,
    External,
    Function,
    IndexedAccessType,
    Instance,
    KeyofType,
    LiteralType,
    Module,
    NamespaceObject,
    ObjectLiteral,
    PickType,
    Site,
    SiteKind,
    Type,
    TypeLiteral,
    Types,
    TypeVar,
    definition_site,
    one,
    union,
)
from codeplane.languages.javascript.resolver.queries import TsQueries
from codeplane.languages.javascript.resolver.source_file import SourceFile
from codeplane.languages.javascript.resolver.types import Known, Value, instance, substitute

_MAX_BASES = 24
_MERGED = frozenset({"class", "enum", "module", "function"})
"""Kinds of declarations of one name whose static members are merged."""
_STRUCTURED = (Instance, TypeLiteral, ObjectLiteral, ClassType, NamespaceObject, Module, PickType)
"""Types whose members are all known."""


def member(ts: TsQueries, receiver: Type, name: str) -> Member:
    if name == "constructor":
        return NO_MEMBER
    match receiver:
        case Instance():
            return _instance_member(ts, receiver, name)
        case ClassType() | NamespaceObject():
            return _static_member(ts, receiver, name, ())
        case Module():
            return _module_member(ts, receiver.path, name)
        case ObjectLiteral() | TypeLiteral():
            return _literal_member(ts, receiver, name)
        case ExpandoObject():
            return _expando_member(ts, receiver, name)
        case TypeVar():
            param = ts.file(receiver.path).type_param_of_bind.get(receiver.binding)
            return members(ts, ts.type_of(receiver.path, param.type), name) if param is not None else NO_MEMBER
        case PickType():
            is_key = any(_is_key(ts, key, name) for key in receiver.keys)
            return members(ts, receiver.types, name) if is_key == receiver.is_pick else NO_MEMBER
        case IndexedAccessType():
            return members(ts, member(ts, receiver.receiver, receiver.name).types, name)
        case Function():
            return Member([], one(ContainerMethod(receiver, name)))
        case External() if not receiver.name.endswith("()"):
            return Member([], one(ContainerMethod(receiver, name)))
    return NO_MEMBER


def members(ts: TsQueries, receivers: Types, name: str) -> Member:
    """Return a member of any of several types."""
    sites: list[Site] = []
    types = NOTHING
    for receiver in receivers:
        found = member(ts, receiver, name)
        sites += found.sites
        types |= found.types
    return Member(list(dict.fromkeys(sites)), types)


def _is_key(ts: TsQueries, key: Type, name: str) -> bool:
    if isinstance(key, LiteralType):
        return key.value == name
    return isinstance(key, KeyofType) and _have_member(ts, key.types, name)


def _have_member(ts: TsQueries, types: Types, name: str) -> bool:
    # All of them are looked up, so that the dependencies do not vary with the order of a set.
    found = [_has_member(ts, value, name) for value in types]
    return any(found)


def _has_member(ts: TsQueries, value: Type, name: str) -> bool:
    if isinstance(value, Instance) and ts.member(value.path, value.definition, name).sites:
        return True
    found = member(ts, value, name)
    return bool(found.sites or found.types)


def access(ts: TsQueries, receivers: Types, name: str) -> Member:
    """Return a member that a program names. If not all types have it, and those that do define it differently, a test
    must have narrowed the type: it is not known to which."""
    if len(receivers) < 2:
        return members(ts, receivers, name)
    sites: list[Site] = []
    types = NOTHING
    owners: set[tuple[Site, ...]] = set()
    is_missing = False
    for receiver in receivers:
        found = member(ts, receiver, name)
        sites += found.sites
        types |= found.types
        if isinstance(receiver, _STRUCTURED):
            if found.sites or found.types:
                owners.add(tuple(sorted(found.sites)))
            else:
                is_missing = True
    if is_missing and len(owners) > 1:
        return NO_MEMBER
    return Member(list(dict.fromkeys(sites)), types)


def access_node(ts: TsQueries, path: str, receiver: int, name: str) -> Member:
    """Return a member of an expression."""
    key = ("access", path, receiver, name)
    return ts.memo(key, _access_node, ts, path, receiver, name, nothing=NO_MEMBER)


def _access_node(ts: TsQueries, path: str, receiver: int, name: str) -> Member:
    return access(ts, ts.value(path, receiver), name)


def apply_known(ts: TsQueries, types: Types, known: Known) -> Types:
    """Replace type variables by their arguments, and look up members that are known then."""
    return look_up_members(ts, substitute(types, known)) if known else types


def look_up_members(ts: TsQueries, types: Types) -> Types:
    """Replace indexed accesses whose receivers are known."""
    if not any(isinstance(value, IndexedAccessType) for value in types):
        return types
    return union(_look_up_member(ts, value) for value in types)


def _look_up_member(ts: TsQueries, value: Type) -> Types:
    if not isinstance(value, IndexedAccessType):
        return one(value)
    found = NOTHING
    for receiver in _look_up_member(ts, value.receiver):
        if isinstance(receiver, TypeVar | IndexedAccessType):
            found |= one(IndexedAccessType(receiver, value.name))
        else:
            found |= member(ts, receiver, value.name).types
    return found


def _instance_member(ts: TsQueries, receiver: Instance, name: str) -> Member:
    if not receiver.arguments:
        return ts.member(receiver.path, receiver.definition, name)
    return ts.memo(("member", receiver, name), _generic_member, ts, receiver, name, nothing=NO_MEMBER)


def _generic_member(ts: TsQueries, receiver: Instance, name: str) -> Member:
    sites, types = ts.member(receiver.path, receiver.definition, name)
    return Member(sites, apply_known(ts, types, ts.arguments(receiver)) if types else types)


def compute_member(ts: TsQueries, file: SourceFile, key: tuple[int, str]) -> frozenset[Value]:
    """Find a member of the instances of a class: its types and its definitions."""
    definition, name = key
    if file.defs[definition].kind == "enum":
        return frozenset()
    found: frozenset[Value] = frozenset()
    for number in declarations(file, definition):
        for site in _own_members(file, number, name):
            if site.kind is not SiteKind.DEFINITION or not file.is_static(site.number):
                found |= {site} | _member_types(ts, file, number, site, name)
    if found:
        return found
    for base in _bases(ts, file, definition):
        sites, types = member(ts, base, name)
        if sites:
            return types | frozenset(sites)
    return frozenset()


def _bases(ts: TsQueries, file: SourceFile, definition: int) -> Iterator[Type]:
    for number in declarations(file, definition):
        yield from ts.bases(file.path, number)


def declarations(file: SourceFile, definition: int) -> list[int]:
    """Return all declarations of a class or interface in a file; they are merged."""
    row = file.defs[definition]
    if row.kind not in ("class", "interface"):
        return [definition]
    same = file.facts.defs_in.get((row.scope, row.name), ())
    return [number for number in same if file.defs[number].kind in ("class", "interface")] or [definition]


def _own_members(file: SourceFile, definition: int, name: str) -> list[Site]:
    """Return the definitions of a member that a class does not inherit."""
    facts = file.facts
    numbers = list(facts.members.get(definition, {}).get(name, ()))
    if not numbers:
        numbers += [number for number in file.parameter_properties(definition) if file.defs[number].name == name]
    if facts.detached:
        numbers += facts.detached.get(file.defs[definition].lexical_path, {}).get(name, ())
    attribute = facts.attributes.get((definition, name))
    if attribute is not None and not numbers:
        return [Site(file.path, SiteKind.ATTRIBUTE, attribute)]
    return [definition_site(file.path, number) for number in numbers]


def _member_types(ts: TsQueries, file: SourceFile, definition: int, site: Site, name: str) -> Types:
    if site.kind is SiteKind.DEFINITION:
        found = ts.defined(file.path, site.number)
        is_declared = file.declared_type(site.number) is not None or file.initializer(site.number) is not None
        if found or is_declared:
            return found
    return union(
        ts.value(file.path, source.source)
        for this, source in file.into_this(name, definition)
        if _is_instance(ts, file, this, definition)
    )


def _is_instance(ts: TsQueries, file: SourceFile, node: int, definition: int) -> bool:
    return any(
        isinstance(value, Instance) and value.path == file.path and value.definition == definition
        for value in ts.value(file.path, node)
    )


def _static_member(ts: TsQueries, receiver: ClassType | NamespaceObject, name: str, seen: tuple[Type, ...]) -> Member:
    """Find a member of a class, enum or namespace object; declarations of one name are merged."""
    file = ts.file(receiver.path)
    row = file.defs[receiver.definition]
    sites: list[Site] = []
    types = NOTHING
    same = file.facts.defs_in.get((row.scope, row.name), ())
    for number in [number for number in same if file.defs[number].kind in _MERGED] or [receiver.definition]:
        for site in _own_members(file, number, name):
            if _is_static(file, number, site):
                sites.append(site)
                types |= _member_types(ts, file, number, site, name)
    if sites:
        return Member(sites, types)
    if isinstance(receiver, NamespaceObject):
        return NO_MEMBER
    if name == "prototype":
        return Member([], one(instance(receiver.path, receiver.definition)))
    if len(seen) < _MAX_BASES and receiver not in seen:
        for base in _bases(ts, file, receiver.definition):
            if isinstance(base, Instance) and ts.file(base.path).defs[base.definition].kind == "class":
                found = _static_member(ts, ClassType(base.path, base.definition), name, (*seen, receiver))
                if found.sites:
                    return found
    return NO_MEMBER


def _is_static(file: SourceFile, owner: int, site: Site) -> bool:
    kind = file.defs[owner].kind
    if kind not in ("class", "function"):
        return True
    if site.kind is not SiteKind.DEFINITION:
        return False
    return file.defs[site.number].parent is None or (kind == "class" and file.is_static(site.number))


def _module_member(ts: TsQueries, path: str, name: str) -> Member:
    sites = ts.names.exported(path, name)
    if sites:
        return Member(sites, site_types(ts, sites))
    if name == "default" or ts.names.is_commonjs(path):
        exported = returned_by_module(ts, path)
        return Member([], exported) if name == "default" else members(ts, exported, name)
    return NO_MEMBER


def returned_by_module(ts: TsQueries, path: str) -> Types:
    """Return the types of the default export, or of what is assigned to `module.exports`."""
    return union(ts.value(path, node) for node in ts.file(path).facts.returns(0))


def required_module(ts: TsQueries, path: str) -> Types:
    """Return the types of `require(path)`."""
    sites = ts.names.whole(path)
    if sites:
        return site_types(ts, sites)
    found: Types = one(Module(path))
    return found | returned_by_module(ts, path) if ts.names.is_commonjs(path) else found


def site_types(ts: TsQueries, sites: list[Site]) -> Types:
    """Return the types of definitions and modules as values."""
    return union(
        ts.defined(site.path, site.number) if site.kind is SiteKind.DEFINITION else one(Module(site.path))
        for site in sites
        if site.kind is not SiteKind.ATTRIBUTE
    )


def _literal_member(ts: TsQueries, receiver: ObjectLiteral | TypeLiteral, name: str) -> Member:
    literal = ts.file(receiver.path).literal(receiver.node)
    position, part = literal.named.get(name, (-1, 0))
    for spread_position, node in literal.spread:
        # A later spread hides an earlier part.
        if spread_position < position:
            break
        found = ts.spread_member(receiver.path, node, name)
        if found.sites or found.types:
            return found
    return _part_member(ts, receiver, part) if position >= 0 else NO_MEMBER


def _part_member(ts: TsQueries, receiver: ObjectLiteral | TypeLiteral, part: int) -> Member:
    path, file = receiver.path, ts.file(receiver.path)
    is_value = isinstance(receiver, ObjectLiteral)
    sites: list[Site] = []
    match file.exprs[part]:
        case ir.PairExpr() as pair:
            inner = file.exprs[pair.value]
            types = ts.value(path, pair.value) if is_value else ts.type_of(path, pair.value)
            if is_value and isinstance(inner, ir.FunctionExpr) and inner.scope in file.owner:
                sites = [definition_site(path, file.owner[inner.scope])]
        case ir.FunctionExpr() as function:
            sites = [definition_site(path, file.owner[function.scope])]
            types = ts.defined(path, file.owner[function.scope])
        case _:
            types = ts.value(path, part) if is_value else NOTHING
    return Member(sites, apply_known(ts, types, dict(receiver.known)))


def compute_spread_member(ts: TsQueries, file: SourceFile, key: tuple[int, str]) -> frozenset[Value]:
    """Find a member of a spread value: its types and its definitions."""
    node, name = key
    sites, types = members(ts, ts.value(file.path, node), name)
    return types | frozenset(sites)


def _expando_member(ts: TsQueries, receiver: ExpandoObject, name: str) -> Member:
    numbers = ts.file(receiver.path).facts.detached.get(receiver.owner, {}).get(name, ())
    sites = [definition_site(receiver.path, number) for number in numbers]
    return Member(sites, site_types(ts, sites))
