"""Resolves the references and calls of one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import (
    AwaitExpr,
    CallExpr,
    CaseExpr,
    DefinitionFlow,
    Expr,
    FlowKind,
    IndexExpr,
    LabelledExpr,
    MemberExpr,
    NameExpr,
    NewExpr,
    ParenExpr,
    PatternExpr,
    ScopeFlow,
    ValueFlow,
)
from codeplane.facts.model import Role, Target, Tier, Usage
from codeplane.index.resolve.calls import RECEIVER, bind_arguments, bind_values, call_operators, constructors
from codeplane.index.resolve.evaluator import Arguments, Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import CallGroup
from codeplane.index.resolve.resolver import CALLABLES
from codeplane.index.resolve.types import (
    BoundMethod,
    ClassType,
    ContainerMethod,
    External,
    Function,
    Instance,
    LiteralType,
    ParamType,
    Site,
    SiteKind,
    Type,
    Types,
    definition_site,
    in_order,
)

_OPAQUE = frozenset({"macro", "attribute"})
"""Scopes whose names are interpreted by a macro."""
_MEMBER_USAGES = frozenset({Usage.MEMBER, Usage.MEMBER_CALL, Usage.LABEL})
_MAX_ROUNDS = 3
"""Rounds of passing functions on within a file."""
_IMPLIED_METHODS: Mapping[FlowKind, tuple[str, ...]] = {
    FlowKind.FOR: ("__iter__", "__next__", "__aiter__", "__anext__"),
    FlowKind.WITH: ("__enter__", "__exit__"),
}
_HIGHER_ORDER = frozenset({"builtins.map", "builtins.filter", "functools.reduce"})
"""Externals that call the functions passed to them."""


class Link(NamedTuple):
    ref: int
    sites: tuple[Site, ...]
    tier: int


class CallEdge(NamedTuple):
    scope: int
    """Scope of the call."""
    line: int
    col: int
    ref: int
    """Identifier of the callee, or -1."""
    targets: tuple[Type, ...]
    node: int = -1
    constructed: tuple[ClassType, ...] = ()
    """Classes that are instantiated; `targets` has their constructors, if any."""


def link_references(evaluator: Evaluator, file: FileScope, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    resolver = evaluator.resolver(file)
    own = resolver.link_references(file, names, columns)
    if own is not None:
        yield from (Link(ref, tuple(found), Tier.STRONG) for ref, found in own)
    elif resolver.traits.implicit_receiver:
        yield from _ImplicitLinker(evaluator, file, names, columns).link()
    else:
        yield from _Linker(evaluator, file, names, columns).link()


class _Linker:
    """Resolves references of languages whose members always have a receiver."""

    def __init__(self, evaluator: Evaluator, file: FileScope, names: Sequence[str], columns: Columns) -> None:
        self._evaluator = evaluator
        self._resolver = evaluator.resolver(file)
        self._file = file
        self._names = names
        self._columns = columns
        self._members = {
            expr.reference: expr for expr in file.exprs if isinstance(expr, MemberExpr) and expr.reference >= 0
        }
        self._paths = {
            expr.reference: expr.name
            for node in file.ambient
            if isinstance(expr := file.exprs[node], NameExpr | CaseExpr)
        }
        self._labels = _labels(file)
        self._bound_sites: dict[int, list[Site]] = {}

    def link(self) -> Iterator[Link]:
        for ref, (flags, bound) in enumerate(zip(self._columns.flags, self._columns.binds, strict=True)):
            sites = self._sites(ref, flags, bound)
            if sites:
                yield Link(ref, tuple(sorted(set(sites))), self._resolver.tier(self._file, sites))

    def _sites(self, ref: int, flags: int, bound: int) -> Sequence[Site]:
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        file, resolver = self._file, self._resolver
        if ref in self._labels:
            sites = resolver.resolve_label(file, self._labels[ref], self._name(ref))
            if sites:
                return sites
        # A file without facts has no scopes in its summary.
        scope = self._columns.scopes[ref] if file.summary.scopes else 0
        is_member = usage in _MEMBER_USAGES and role != Role.IMPORT
        if is_member or (resolver.traits.path_members and ref in self._members and not bound):
            return self._member_sites(ref, scope, role, usage)
        if tier != Tier.PROVEN and scope and file.scope_kind(scope) in _OPAQUE:
            return ()
        if bound and not (tier != Tier.PROVEN and resolver.is_position_dependent(file, file.binds[bound - 1])):
            return self._sites_of_binding(ref, bound, role, usage, tier)
        if role == Role.IMPORT:
            name = self._name(ref)
            before = _sites_before_alias(self._evaluator, file, self._columns, ref)
            return before or resolver.resolve_import_head(file, name, scope)
        if role != Role.DEFINITION:
            return resolver.resolve_name(file, scope, usage, self._name(ref), bound - 1)
        return ()

    def _name(self, ref: int) -> str:
        return self._names[self._columns.names[ref]]

    def _member_sites(self, ref: int, scope: int, role: int, usage: int) -> Sequence[Site]:
        member = self._members.get(ref)
        if member is None:
            if ref not in self._paths:
                return ()
            return self._resolver.resolve_name(self._file, scope, usage, self._paths[ref], -1)
        sites = self._evaluator.member_of_expr(self._file, member.receiver, member.name).sites
        if not sites and usage == Usage.LABEL:
            literal = self._evaluator.infer(self._file, member.receiver)
            sites = self._resolver.resolve_key(self._file, literal, member.name)
        return self._resolver.filter_by_usage(sites, None, usage) if role != Role.IMPORT else sites

    def _sites_of_binding(self, ref: int, bound: int, role: int, usage: int, tier: int) -> Sequence[Site]:
        bind = self._file.binds[bound - 1]
        if bind.target_kind == Target.DEF and tier == Tier.PROVEN:
            return ()
        if role == Role.DEFINITION and bind.target_kind == Target.UNKNOWN:
            return ()
        if bound not in self._bound_sites:
            self._bound_sites[bound] = bind_sites(self._evaluator, self._file, bound - 1)
        sites = self._bound_sites[bound]
        if role != Role.IMPORT:
            return self._resolver.filter_by_usage(sites, bind.namespace, usage)
        member = self._members.get(ref)
        if self._resolver.traits.path_members and member is not None:
            # Another import may bind the same name, under another condition.
            return self._evaluator.member_of_expr(self._file, member.receiver, member.name).sites
        return sites


def _labels(file: FileScope) -> dict[int, int]:
    """Reference of a label -> node of the type that is constructed, destructured or applied.

    A variable may be its own label.
    """
    found: dict[int, int] = {}
    for expr in file.exprs:
        match expr:
            case NewExpr(node, parts) | PatternExpr(node, parts) | IndexExpr(node, parts):
                for part in parts:
                    inner = file.exprs[part]
                    is_label = isinstance(inner, LabelledExpr)
                    if is_label or (isinstance(inner, NameExpr) and not isinstance(expr, IndexExpr)):
                        assert isinstance(inner, LabelledExpr | NameExpr)
                        if inner.reference >= 0:
                            found[inner.reference] = node
    return found


class _ImplicitLinker:
    """Resolves references where members are named without a receiver.

    A name may refer to an inherited member, and a call selects an overload by its arguments. A construction refers to
    the constructor and to the class.
    """

    def __init__(self, evaluator: Evaluator, file: FileScope, names: Sequence[str], columns: Columns) -> None:
        self._evaluator = evaluator
        self._resolver = evaluator.resolver(file)
        self._file = file
        self._names = names
        self._columns = columns
        self._calls: dict[int, int] = {}
        self._members: dict[int, int] = {}
        for node, expr in enumerate(file.exprs):
            if isinstance(expr, CallExpr | NewExpr) and expr.reference >= 0:
                self._calls[expr.reference] = node
            elif isinstance(expr, MemberExpr | CaseExpr) and expr.reference >= 0:
                self._members[expr.reference] = node

    def link(self) -> Iterator[Link]:
        for ref, (flags, bound) in enumerate(zip(self._columns.flags, self._columns.binds, strict=True)):
            role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
            if role == Role.DEFINITION:
                continue
            own: Site | None = None
            if tier == Tier.PROVEN and bound and role != Role.IMPORT:
                row = self._file.binds[bound - 1]
                if row.target_kind != Target.IMPORT:
                    if ref not in self._calls or row.target is None:
                        continue
                    own = definition_site(self._file.path, row.target)
            groups = self._groups(ref, bound, role, usage)
            # For receivers of several types, their common base is not determined.
            found = {tuple(sorted(set(sites))) for sites in groups if sites}
            if len(found) == 1:
                yield from self._tiered(ref, found.pop(), own, role)

    def _groups(self, ref: int, bound: int, role: int, usage: int) -> Sequence[Sequence[Site]]:
        file, resolver = self._file, self._resolver
        if ref in self._calls:
            return [group.sites for group in resolver.resolve_call(file, self._calls[ref])]
        if ref in self._members:
            return resolver.resolve_member_name(file, self._members[ref])
        if usage in _MEMBER_USAGES:
            return ()
        if role == Role.IMPORT:
            if bound:
                return [bind_sites(self._evaluator, file, bound - 1)]
            return [_sites_before_alias(self._evaluator, file, self._columns, ref)]
        name = resolver.qualify_name(file, ref, self._names[self._columns.names[ref]])
        return [resolver.resolve_name(file, self._columns.scopes[ref], usage, name, bound - 1)]

    def _tiered(self, ref: int, sites: tuple[Site, ...], own: Site | None, role: int) -> Iterator[Link]:
        """Rank a call that several overloads fit below one that is unambiguous."""
        methods = tuple(site for site in sites if self._is_callable(site))
        if len(methods) < 2 or role == Role.IMPORT:
            methods = ()
        certain = tuple(site for site in sites if site not in methods and site != own)
        if certain:
            yield Link(ref, certain, Tier.STRONG)
        if methods:
            yield Link(ref, methods, Tier.ANCHORED)

    def _is_callable(self, site: Site) -> bool:
        is_definition = site.kind is SiteKind.DEFINITION
        return is_definition and self._evaluator.file(site.path).defs[site.number].kind in CALLABLES


def _sites_before_alias(evaluator: Evaluator, file: FileScope, columns: Columns, ref: int) -> list[Site]:
    """`A` in `import A as B`: the name that follows is bound to the import."""
    if ref + 1 >= len(columns.binds) or not columns.binds[ref + 1] or columns.flags[ref + 1] & 3 != Role.IMPORT:
        return []
    bind = file.binds[columns.binds[ref + 1] - 1]
    found: list[Site] = []
    resolver = evaluator.resolver(file)
    for number in file.imports_in(bind.scope, bind.name, resolver.local_name):
        if file.imports[number].alias == bind.name:
            found += resolver.resolve_import(file, number)
    return sorted(set(found))


def bind_sites(evaluator: Evaluator, file: FileScope, bind: int) -> list[Site]:
    """Declarations that a binding refers to, in this file and through imports."""
    row = file.binds[bind]
    found = [definition_site(file.path, number) for number in file.defs_in.get((row.scope, row.name), ())]
    resolver = evaluator.resolver(file)
    for number in file.imports_in(row.scope, row.name, resolver.local_name):
        found += resolver.resolve_import(file, number)
    return sorted(set(found))


# --- calls


def call_edges(evaluator: Evaluator, file: FileScope, columns: Columns) -> list[CallEdge]:
    """Resolve every call of a file. Functions that are passed as arguments within the file are followed."""
    found, arguments = _edges_and_arguments(evaluator, file, columns)
    for _ in range(_MAX_ROUNDS):
        if arguments == evaluator.arguments or not _is_worthwhile(file, found, {key[1:] for key in arguments}):
            break
        evaluator = evaluator.with_arguments(file.path, arguments)
        found, arguments = _edges_and_arguments(evaluator, file, columns)
    return [
        edge._replace(targets=tuple(value for value in edge.targets if not isinstance(value, ParamType)))
        for edge in found
    ]


_Note = Callable[[Function | BoundMethod, Mapping[int, Types]], None]


def _edges_and_arguments(evaluator: Evaluator, file: FileScope, columns: Columns) -> tuple[list[CallEdge], Arguments]:
    passed: dict[tuple[str, int, int], set[Type]] = {}

    def note(callee: Function | BoundMethod, arguments: Mapping[int, Types]) -> None:
        """Record arguments of a function of the file; the receiver is known without."""
        receiver = arguments.get(RECEIVER)
        for number, types in arguments.items() if callee.path == file.path else ():
            concrete = {value for value in types if not isinstance(value, ParamType | External | LiteralType)}
            if concrete and types is not receiver:
                passed.setdefault((file.path, callee.scope, number), set()).update(concrete)

    found = list(_edges(evaluator, file, columns, note))
    return found, {key: frozenset(types) for key, types in passed.items()}


def _is_worthwhile(file: FileScope, found: Iterable[CallEdge], passed: Set[tuple[int, int]]) -> bool:
    """True if the target of a call depends on a parameter with known arguments."""
    return any(
        all(isinstance(value, ParamType) for value in edge.targets)
        and edge.node >= 0
        and _depends_on(file, edge.node, passed)
        for edge in found
    )


def _depends_on(file: FileScope, node: int, passed: Set[tuple[int, int]]) -> bool:
    call = file.exprs[node]
    assert isinstance(call, CallExpr | NewExpr)
    head = _head(file, call.callee, (MemberExpr, CallExpr, IndexExpr, ParenExpr, AwaitExpr))
    return isinstance(head, NameExpr) and head.binding is not None and file.param_of_bind.get(head.binding) in passed


def _head(file: FileScope, node: int, through: tuple[type, ...]) -> Expr:
    """The expression that a chain of these kinds starts with."""
    expr = file.exprs[node]
    while isinstance(expr, through):
        match expr:
            case MemberExpr():
                node = expr.receiver
            case CallExpr():
                node = expr.callee
            case IndexExpr() | ParenExpr() | AwaitExpr():
                node = expr.value
        expr = file.exprs[node]
    return expr


def _edges(evaluator: Evaluator, file: FileScope, columns: Columns, note: _Note) -> Iterator[CallEdge]:
    resolver = evaluator.resolver(file)
    own = resolver.call_targets(file)
    for node, scope, line, col in file.summary.flow.calls:
        expr = file.exprs[node]
        assert isinstance(expr, CallExpr | NewExpr)
        if own is not None:
            made = resolver.constructed_classes(file, expr.callee) if isinstance(expr, NewExpr) else ()
            yield CallEdge(scope, line, col, expr.reference, _ordered(own[node]), node, _classes(made))
        elif resolver.traits.implicit_receiver:
            groups = resolver.resolve_call(file, node)
            targets = _overloads(evaluator, groups)
            yield CallEdge(scope, line, col, expr.reference, targets, -1, _instantiated(evaluator, groups))
        else:
            found, classes = _call_targets(evaluator, file, expr, note)
            yield CallEdge(scope, line, col, expr.reference, _ordered(found), node, _classes(classes))
    if own is None:
        yield from _implied_calls(evaluator, file, columns, note)


def _call_targets(
    evaluator: Evaluator, file: FileScope, expr: CallExpr | NewExpr, note: _Note
) -> tuple[set[Type], set[Type]]:
    is_new = isinstance(expr, NewExpr)
    targets: set[Type] = set()
    classes: set[Type] = set()
    for value in evaluator.named_type(file, expr.callee) if is_new else evaluator.infer(file, expr.callee):
        if is_new and isinstance(value, Instance):
            value = ClassType(value.path, value.definition, value.method, value.arguments)
        targets |= set(_called(evaluator, file, value))
        if isinstance(value, ClassType):
            classes.add(value)
        for function in _functions(evaluator, value):
            if function.path == file.path:
                note(function, bind_arguments(evaluator, function, file, expr.arguments))
        if isinstance(value, External) and value.name in _HIGHER_ORDER:
            for part in expr.arguments:
                for passed in evaluator.infer(file, part):
                    if isinstance(passed, Function | BoundMethod):
                        targets |= set(_called(evaluator, file, passed))
    return targets, classes


def _implied_calls(evaluator: Evaluator, file: FileScope, columns: Columns, note: _Note) -> Iterator[CallEdge]:
    """Calls by `raise`, decorators, loops and context managers."""
    for flow in file.flows:
        node = flow.source
        if isinstance(flow, ScopeFlow) and flow.kind is FlowKind.RAISE:
            raised = [value for value in evaluator.infer(file, node) if isinstance(value, ClassType)]
            run = [value for class_ in raised for value in _called(evaluator, file, class_)]
            yield from _implied(file, columns, node, run, flow.scope, raised)
        elif isinstance(flow, DefinitionFlow) and flow.kind is FlowKind.DECORATOR:
            decorators = evaluator.infer(file, node)
            for function in [found for decorator in decorators for found in _functions(evaluator, decorator)]:
                decorated = evaluator.decorated_types(file, flow.definition, node)
                note(function, bind_values(evaluator, function, [decorated]))
            applied = [value for decorator in decorators for value in _called(evaluator, file, decorator)]
            yield from _implied(file, columns, node, applied, file.defs[flow.definition].scope)
        elif isinstance(flow, ValueFlow) and flow.kind in _IMPLIED_METHODS:
            methods = [
                method
                for value in evaluator.infer(file, node)
                if isinstance(value, Instance)
                for name in _IMPLIED_METHODS[flow.kind]
                for found in evaluator.member(value, name).types
                for method in _called(evaluator, file, found)
            ]
            yield from _implied(file, columns, node, methods, None)


def _implied(
    file: FileScope,
    columns: Columns,
    node: int,
    targets: Sequence[Type],
    scope: int | None,
    constructed: Sequence[Type] = (),
) -> Iterator[CallEdge]:
    """A call without call syntax, at the identifier that its expression starts with."""
    head = _head(file, node, (CallExpr, ParenExpr, IndexExpr))
    known = [value for value in targets if isinstance(value, Function | ClassType)]
    if known and isinstance(head, NameExpr | MemberExpr) and head.reference >= 0:
        ref = head.reference
        where = columns.scopes[ref] if scope is None else scope
        place = (columns.lines[ref], columns.columns[ref])
        yield CallEdge(where, *place, ref, _ordered(known), constructed=_classes(constructed))


def _ordered(types: Iterable[Type]) -> tuple[Type, ...]:
    return tuple(in_order(set(types)))


def _classes(types: Iterable[Type]) -> tuple[ClassType, ...]:
    return tuple(value for value in _ordered(types) if isinstance(value, ClassType))


def _overloads(evaluator: Evaluator, groups: Iterable[CallGroup]) -> tuple[Type, ...]:
    found: set[Type] = set()
    for group in groups:
        methods: list[Type] = []
        for path, _, number in group.sites:
            file = evaluator.file(path)
            if file.defs[number].kind in CALLABLES and number in file.body:
                methods.append(Function(path, file.body[number]))
        found |= set(methods or [ClassType(site.path, site.number) for site in group.sites])
    return _ordered(found)


def _instantiated(evaluator: Evaluator, groups: Iterable[CallGroup]) -> tuple[ClassType, ...]:
    return _classes(
        ClassType(site.path, site.number)
        for group in groups
        for site in group.sites
        if site.kind is SiteKind.DEFINITION
        and evaluator.file(site.path).defs[site.number].kind in evaluator.resolver_at(site.path).traits.class_kinds
    )


def _functions(evaluator: Evaluator, callee: Type) -> Sequence[Function | BoundMethod]:
    """Functions that run when a value is called."""
    found: Iterable[Type] = ()
    if isinstance(callee, Function | BoundMethod):
        return [callee]
    if isinstance(callee, ClassType):
        found = constructors(evaluator, callee)
    elif isinstance(callee, Instance):
        found = call_operators(evaluator, callee)
    return [value for value in found if isinstance(value, Function | BoundMethod)]


def _called(evaluator: Evaluator, file: FileScope, callee: Type) -> Iterator[Type]:
    functions = _functions(evaluator, callee)
    for value in functions:
        yield Function(value.path, value.scope)
    if isinstance(callee, ClassType) and not functions:
        yield ClassType(callee.path, callee.definition)
    elif isinstance(callee, External | ParamType):
        yield callee
    elif isinstance(callee, ContainerMethod):
        name = evaluator.resolver(file).traits.container_names.get(type(callee.container))
        if name is not None:
            yield External(f"{name}.{callee.name}")
