"""Member look-up: in classes and their bases by method resolution order, in modules, and in other types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codeplane.facts.ir import FlowKind, LabelledExpr, NameExpr, SelfTypeExpr, ThisExpr
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.flow_targets import Inflow
from codeplane.index.resolve.queries import NO_MEMBER, Member, MemberQuery, Query, QueryKind, ReceiverKind
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.types import (
    NOTHING,
    TOP,
    ClassType,
    ContainerMethod,
    DictType,
    External,
    Instance,
    LibraryType,
    ListType,
    LiteralType,
    Module,
    NamespaceType,
    RecordType,
    SelfType,
    Site,
    SiteKind,
    SuperType,
    Top,
    TupleType,
    Type,
    Types,
    TypeVar,
    TypeVarBound,
    class_of,
    definition_site,
    external,
    in_order,
    linearize,
    one,
    union,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator


def member_of_expr(evaluator: Evaluator, file: FileScope, node: int, name: str) -> Member:
    """Look a member of an expression up.

    A type test (`isinstance`) is used only if no other type has the member: the test may not dominate the use.
    """
    expr = file.exprs[node]
    resolver = evaluator.resolver(file)
    self_type = SelfType(file.path, expr.scope) if isinstance(expr, SelfTypeExpr) else None
    own = resolver.lookup_member(self_type, name) if self_type is not None else None
    if own is not None:
        return own
    found = [member(evaluator, value, name) for value in evaluator.receiver_types(file, node)]
    if not any(each.sites for each in found) and isinstance(expr, NameExpr) and expr.binding is not None:
        tests = [inflow.source for inflow in file.into_bind(expr.binding) if inflow.is_whole(FlowKind.NARROW)]
        narrowed = union(evaluator.named_type(file, test) for test in tests)
        found += [member(evaluator, value, name) for value in narrowed]
    return join(found)


def join(found: Sequence[Member]) -> Member:
    if len(found) == 1:
        return found[0]
    return Member([site for each in found for site in each.sites], union(each.types for each in found))


def member(evaluator: Evaluator, receiver: Type, name: str) -> Member:
    match receiver:
        case Instance() | ClassType() | TypeVar() | RecordType():
            own = evaluator.resolver_at(receiver.path).lookup_member(receiver, name)
            if own is not None:
                return own
            if not isinstance(receiver, Instance | ClassType):
                return NO_MEMBER
            if name == "__class__":
                return Member((), one(class_of(receiver)))
            key = MemberQuery(receiver, name)
            return evaluator.memo(key, _member_of_class, evaluator, receiver, name, nothing=NO_MEMBER)
        case External():
            return Member((), external(f"{receiver.name}.{name}"))
        case LibraryType():
            return evaluator.resolver_of(receiver.language).lookup_member(receiver, name) or NO_MEMBER
        case SuperType():
            return _member_of_super(evaluator, receiver, name)
        case Module():
            return _member_of_module(evaluator, evaluator.resolver_at(receiver.path), receiver, name)
        case NamespaceType():
            return _member_of_module(evaluator, evaluator.resolver_of(receiver.language), receiver, name)
        case LiteralType():
            return Member((), external(f"builtins.{type(receiver.value).__name__}.{name}"))
        case TupleType() if name.isdigit():
            return Member((), receiver.items[int(name)] if int(name) < len(receiver.items) else NOTHING)
        case ListType() | TupleType() | DictType():
            return Member((), one(ContainerMethod(receiver, name)))
        case TypeVarBound():
            bounds = evaluator.named_type(evaluator.file(receiver.path), receiver.node)
            return join([member(evaluator, value, name) for value in bounds])
        case Top():
            return Member((), TOP)
    return NO_MEMBER


def _member_of_module(
    evaluator: Evaluator, resolver: LanguageResolver, module: Module | NamespaceType, name: str
) -> Member:
    return evaluator.memo(MemberQuery(module, name), _look_up, resolver, module, name, nothing=NO_MEMBER)


def _look_up(resolver: LanguageResolver, module: Module | NamespaceType, name: str) -> Member:
    return resolver.lookup_member(module, name) or NO_MEMBER


def _member_of_super(evaluator: Evaluator, receiver: SuperType, name: str) -> Member:
    inner = receiver.receiver
    if isinstance(inner, Instance | ClassType):
        order = mro(evaluator, inner.path, inner.definition)
    else:
        order = mro(evaluator, receiver.path, receiver.definition)
    class_ = ClassType(receiver.path, receiver.definition)
    rest = order[order.index(class_) + 1 :] if class_ in order else order[1:]
    return _member_in(evaluator, rest, inner, name)


def _member_of_class(evaluator: Evaluator, receiver: Instance | ClassType, name: str) -> Member:
    return _member_in(evaluator, mro(evaluator, receiver.path, receiver.definition), receiver, name)


def _member_in(evaluator: Evaluator, order: Sequence[Type], receiver: Type, name: str) -> Member:
    for base in order:
        if not isinstance(base, ClassType):
            continue
        file = evaluator.file(base.path)
        attribute = file.attributes.get((base.definition, name))
        sites = own_members(evaluator, file, base.definition, name)
        types = NOTHING
        for site in sites:
            types |= evaluator.resolver_at(site.path).member_types(site, receiver, base, name)
        if attribute is not None:
            sites.append(Site(base.path, SiteKind.ATTRIBUTE, attribute))
            types |= evaluator.query(Query(QueryKind.ATTRIBUTE, base.path, base.definition, name))
        if sites:
            return Member(sites, types)
    return NO_MEMBER


def member_sites(evaluator: Evaluator, receiver: Type, name: str) -> Sequence[Site]:
    """Definitions of a member, those in bases included (overloads)."""
    if isinstance(receiver, Instance | ClassType):
        versions = evaluator.member_sites_query(receiver.path, receiver.definition, name)
        return max(versions, key=_length_first, default=())
    if isinstance(receiver, SuperType):
        return sites_in(evaluator, mro(evaluator, receiver.path, receiver.definition)[1:], name)
    return member(evaluator, receiver, name).sites


def sites_in(evaluator: Evaluator, order: Sequence[Type], name: str) -> list[Site]:
    found: list[Site] = []
    for base in order:
        if isinstance(base, ClassType):
            file = evaluator.file(base.path)
            found += own_members(evaluator, file, base.definition, name)
    return found


def own_members(evaluator: Evaluator, file: FileScope, definition: int, name: str) -> list[Site]:
    """Definitions of a member of a class, bases excluded."""
    resolver = evaluator.resolver(file)
    found = [
        definition_site(part.path, number)
        for part, owner in resolver.class_parts(file, definition)
        for number in resolver.traits.member_definitions(part, owner, name)
    ]
    if resolver.traits.out_of_line_members and file.detached:
        owner_name = file.defs[definition].lexical_path
        found += [definition_site(file.path, number) for number in file.detached.get(owner_name, {}).get(name, ())]
    return found


def this_types(evaluator: Evaluator, file: FileScope, scope: int | None, *, is_super: bool = False) -> Types:
    """Types of `this` or `super` in a scope; the class itself in a class method."""
    resolver = evaluator.resolver(file)
    while scope is not None:
        owner = file.owner.get(scope)
        if scope in file.anonymous_classes:
            return _seen_as(Instance(file.path, -scope), is_super=is_super)
        if owner is not None and not is_super and (receiver := file.receiver(owner)) is not None:
            return evaluator.named_type(file, receiver)
        if owner is not None:
            parent = resolver.enclosing_class(file, owner)
            if parent is not None:
                is_class = resolver.traits.receiver_kind(file, owner) is ReceiverKind.CLASS
                kind = ClassType if is_class else Instance
                return _seen_as(kind(*evaluator.definitions.canonical(*parent), scope), is_super=is_super)
            if file.defs[owner].kind in resolver.traits.class_kinds:
                return _seen_as(Instance(*evaluator.definitions.canonical(file.path, owner)), is_super=is_super)
        scope = file.parent(scope)
    return NOTHING


def _seen_as(value: ClassType | Instance, *, is_super: bool) -> Types:
    return one(SuperType(value.path, value.definition, value) if is_super else value)


def attribute_types(evaluator: Evaluator, file: FileScope, definition: int, name: str) -> Types:
    """Types that the source assigns to an attribute of the instances of a class."""
    inflows: list[Inflow] = []
    for site in own_members(evaluator, file, definition, name):
        bind = file.bind_of_def.get(site.number) if site.path == file.path else None
        if bind is not None:
            inflows += file.into_bind(bind)
    for node, inflow in file.into_member(name):
        expr = file.exprs[node]
        if isinstance(expr, NameExpr):
            is_own = expr.binding is not None and _class_of_self(evaluator, file, expr.binding) == definition
        else:
            is_own = isinstance(expr, ThisExpr) and _is_instance(evaluator, file, node, definition)
        if is_own:
            inflows.append(inflow)
    return evaluator.inflow_types(file, inflows)


def _is_instance(evaluator: Evaluator, file: FileScope, node: int, definition: int) -> bool:
    whole = evaluator.definitions.canonical(file.path, definition)
    return any(
        isinstance(value, Instance) and (value.path, value.definition) == whole for value in evaluator.infer(file, node)
    )


def _class_of_self(evaluator: Evaluator, file: FileScope, bind: int) -> int | None:
    """The class whose instance a binding is, if it is the first parameter of a method."""
    place = file.param_of_bind.get(bind)
    if place is None or place[1] != 0:
        return None
    owner = file.owner.get(place[0])
    parent = file.defs[owner].parent if owner is not None else None
    resolver = evaluator.resolver(file)
    if parent is None or owner is None or file.defs[parent].kind not in resolver.traits.class_kinds:
        return None
    return parent if resolver.traits.receiver_kind(file, owner) is not ReceiverKind.STATIC else None


def mro(evaluator: Evaluator, path: str, definition: int) -> tuple[Type, ...]:
    """A class and its bases, in the order in which members are looked up."""
    found = evaluator.mro_query(path, definition)
    return max(found, key=_length_first) if found else (ClassType(path, definition),)


def compute_mro(evaluator: Evaluator, file: FileScope, definition: int) -> tuple[Type, ...]:
    own = ClassType(file.path, definition)
    lists: list[list[Type]] = []
    direct: list[Type] = []
    for value in direct_bases(evaluator, file, definition):
        if isinstance(value, ClassType) and value != own:
            lists.append([base for base in mro(evaluator, value.path, value.definition) if base != own])
            direct.append(value)
        elif isinstance(value, External):
            direct.append(value)
            lists.append([value])
    return (own, *linearize([*lists, direct]))


def direct_bases(evaluator: Evaluator, file: FileScope, definition: int) -> list[Type]:
    """Direct bases of a class in look-up order, externals included. The last mixin comes first."""
    resolver = evaluator.resolver(file)
    mixins: list[Type] = []
    bases: list[Type] = []
    for part, number in resolver.class_parts(file, definition):
        mixins += _infer_all(evaluator, part, part.mixins(number))
        bases += _infer_all(evaluator, part, part.bases(number))
    ranks = resolver.traits.base_ranks
    if ranks:
        bases.sort(
            key=lambda base: (
                ranks.get(evaluator.file(base.path).defs[base.definition].kind, 1) if isinstance(base, ClassType) else 1
            )
        )
    return list(dict.fromkeys([*reversed(mixins), *bases]))


def _infer_all(evaluator: Evaluator, file: FileScope, nodes: Sequence[int]) -> list[Type]:
    return [
        value
        for node in nodes
        if not isinstance(file.exprs[node], LabelledExpr)
        for value in in_order(evaluator.infer(file, node))
    ]


def _length_first(values: Sequence[object]) -> tuple[int, str]:
    return len(values), repr(values)
