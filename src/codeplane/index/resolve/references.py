"""What the references and calls of one file stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import ExprKind, FlowKind
from codeplane.facts.model import Role, Target, Tier, Usage
from codeplane.index.resolve.evaluator import CALLABLES, RECEIVER, Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Site, Value, Values

_OPAQUE = frozenset({"macro", "attribute"})
"""Scopes whose names mean what somebody else makes of them."""
_OF_OBJECTS = frozenset({Usage.MEMBER, Usage.MEMBER_CALL, Usage.LABEL})
_MAX_ROUNDS = 3
"""How often functions may be passed on within a file."""
_IMPLIED: Mapping[int, tuple[str, ...]] = {
    FlowKind.FOR: ("__iter__", "__next__", "__aiter__", "__anext__"),
    FlowKind.WITH: ("__enter__", "__exit__"),
}
_CALLING = frozenset({"builtins.map", "builtins.filter", "functools.reduce"})
"""What calls the functions that it is given."""


class Link(NamedTuple):
    ref: int
    sites: tuple[Site, ...]
    tier: int


class CallEdge(NamedTuple):
    scope: int
    """Where it is called."""
    line: int
    col: int
    ref: int
    """The identifier by which it is called, or -1."""
    targets: tuple[Value, ...]
    node: int = -1
    constructed: tuple[Value, ...] = ()
    """Classes that an object is made of; `targets` has their constructors, if they have some."""


def link_references(evaluator: Evaluator, at: FileScope, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    own = evaluator.resolver(at).references(at, names, columns)
    if own is not None:
        yield from (Link(ref, tuple(found), Tier.STRONG) for ref, found in own)
        return
    if evaluator.resolver(at).bare_members:
        yield from _link_bare(evaluator, at, names, columns)
        return
    resolver = evaluator.resolver(at)
    members = {row[3]: row for row in at.nodes if row[0] == ExprKind.MEMBER and row[3] >= 0}
    paths = {at.nodes[node][3]: at.nodes[node][2] for node in at.ambient}
    labels = _labels(at)
    bound_to: dict[int, list[Site]] = {}
    sites: Sequence[Site]
    for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True)):
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        member = members.get(ref)
        if ref in labels:
            sites = resolver.label_sites(at, labels[ref], names[columns.names[ref]])
            if sites:
                yield Link(ref, tuple(sorted(set(sites))), resolver.tier(at, sites))
                continue
        # A file that has nothing to tell has no scopes in its sketch.
        scope = columns.scopes[ref] if at.sketch.scopes else 0
        of_object = usage in _OF_OBJECTS and role != Role.IMPORT
        if of_object or (resolver.paths_are_members and member is not None and not bound):
            if member is None and ref in paths:
                sites = resolver.bare_sites(at, scope, usage, at.texts[paths[ref]], -1)
                if sites:
                    yield Link(ref, tuple(sorted(set(sites))), resolver.tier(at, sites))
            elif member is not None:
                name = at.texts[member[2]]
                sites, _ = evaluator.reached(at, member[1], name)
                if not sites and usage == Usage.LABEL:
                    sites = resolver.key_sites(at, evaluator.value(at.path, member[1]), name)
                if role != Role.IMPORT:
                    sites = resolver.fitting(sites, None, usage)
                if sites:
                    yield Link(ref, tuple(sorted(set(sites))), resolver.tier(at, sites))
            continue
        if tier != Tier.PROVEN and scope and at.sketch.scopes[scope][1] in _OPAQUE:
            continue
        if bound and not (tier != Tier.PROVEN and resolver.is_loose(at, at.binds[bound - 1])):
            bind = at.binds[bound - 1]
            if bind.target_kind == Target.DEF and tier == Tier.PROVEN:
                continue
            if role == Role.DEFINITION and bind.target_kind == Target.UNKNOWN:
                continue
            if bound not in bound_to:
                bound_to[bound] = bind_sites(evaluator, at, bound - 1)
            sites = bound_to[bound]
            if role != Role.IMPORT:
                sites = resolver.fitting(sites, bind.namespace, usage)
            elif resolver.paths_are_members and member is not None:
                # Another import may bind the same name, under another condition.
                sites = sorted(set(evaluator.reached(at, member[1], at.texts[member[2]])[0]))
            if sites:
                yield Link(ref, tuple(sites), resolver.tier(at, sites))
        elif role == Role.IMPORT:
            name = names[columns.names[ref]]
            sites = _before_alias(evaluator, at, columns, ref) or resolver.head_sites(at, name, scope)
            if sites:
                yield Link(ref, tuple(sites), resolver.tier(at, sites))
        elif role != Role.DEFINITION:
            sites = resolver.bare_sites(at, scope, usage, names[columns.names[ref]], bound - 1)
            if sites:
                yield Link(ref, tuple(sites), resolver.tier(at, sites))


def _labels(at: FileScope) -> dict[int, int]:
    """Reference of a label -> node of what it is passed to, of the type that it is an argument of, or of the type that
    a pattern takes apart.

    A variable may stand for its label too.
    """
    found: dict[int, int] = {}
    for kind, of, parts, _ in at.nodes:
        if kind in (ExprKind.NEW, ExprKind.PATTERN, ExprKind.INDEX):
            for part in at.lists[parts]:
                what, _, _, ref = at.nodes[part]
                if ref >= 0 and (what == ExprKind.LABELLED or (what == ExprKind.NAME and kind != ExprKind.INDEX)):
                    found[ref] = of
    return found


def _link_bare(evaluator: Evaluator, at: FileScope, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    """Where members are named without their object: a name may mean an inherited one, and a call chooses one of
    several methods by its arguments. What makes an object is meant beside its type."""
    resolver = evaluator.resolver(at)
    calls = {
        row[3]: node for node, row in enumerate(at.nodes) if row[0] in (ExprKind.CALL, ExprKind.NEW) and row[3] >= 0
    }
    members = {
        row[3]: node for node, row in enumerate(at.nodes) if row[0] in (ExprKind.MEMBER, ExprKind.CASE) and row[3] >= 0
    }
    for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True)):
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        if role == Role.DEFINITION:
            continue
        own: Site | None = None
        if tier == Tier.PROVEN and bound and role != Role.IMPORT:
            row = at.binds[bound - 1]
            if row.target_kind != Target.IMPORT:
                if ref not in calls or row.target is None:
                    continue
                own = (at.path, "d", row.target)
        groups: list[tuple[Site, ...]]
        if ref in calls:
            groups = [sites for _, sites in resolver.calls_of(at, calls[ref]) if sites]
        elif ref in members:
            groups = resolver.named_sites(at, members[ref])
        elif usage in (Usage.MEMBER, Usage.MEMBER_CALL, Usage.LABEL):
            continue
        elif role == Role.IMPORT:
            sites = bind_sites(evaluator, at, bound - 1) if bound else _before_alias(evaluator, at, columns, ref)
            groups = [tuple(sites)]
        else:
            name = resolver.written_name(at, ref, names[columns.names[ref]])
            groups = [tuple(resolver.bare_sites(at, columns.scopes[ref], usage, name, bound - 1))]
        # Objects of several types: which of them declares it, their common base perhaps, is not followed.
        found = {tuple(sorted(set(sites))) for sites in groups if sites}
        if len(found) == 1:
            yield from _tiered(evaluator, ref, found.pop(), own, role)


def _tiered(evaluator: Evaluator, ref: int, sites: tuple[Site, ...], own: Site | None, role: int) -> Iterator[Link]:
    """A call that several methods fit means one of them."""
    kinds = [evaluator.at(path).defs[number].kind if what == "d" else "" for path, what, number in sites]
    methods = tuple(site for site, kind in zip(sites, kinds, strict=True) if kind in CALLABLES)
    if len(methods) < 2 or role == Role.IMPORT:
        methods = ()
    clear = tuple(site for site in sites if site not in methods and site != own)
    if clear:
        yield Link(ref, clear, Tier.STRONG)
    if methods:
        yield Link(ref, methods, Tier.ANCHORED)


def _before_alias(evaluator: Evaluator, at: FileScope, columns: Columns, ref: int) -> list[Site]:
    """`A` in `import A as B`: the name that follows is bound to the import."""
    if ref + 1 >= len(columns.binds) or not columns.binds[ref + 1] or columns.flags[ref + 1] & 3 != Role.IMPORT:
        return []
    bind = at.binds[columns.binds[ref + 1] - 1]
    found: list[Site] = []
    resolver = evaluator.resolver(at)
    for number in at.imports_in(bind.scope, bind.name, resolver.local_name):
        if at.imports[number].alias == bind.name:
            found += resolver.import_sites(at, number)
    return sorted(set(found))


def bind_sites(evaluator: Evaluator, at: FileScope, bind: int) -> list[Site]:
    """What a binding stands for, wherever that is."""
    row = at.binds[bind]
    found: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((row.scope, row.name), ())]
    resolver = evaluator.resolver(at)
    for number in at.imports_in(row.scope, row.name, resolver.local_name):
        found += resolver.import_sites(at, number)
    return sorted(set(found))


def call_edges(evaluator: Evaluator, at: FileScope, columns: Columns) -> list[CallEdge]:
    """Every call of a file with what it can go to. What functions are passed within the file is followed."""
    found, flowing = _edges_and_passed(evaluator, at, columns)
    for _ in range(_MAX_ROUNDS):
        if flowing == evaluator.flowing or not _is_worth_it(at, found, {key[1:] for key in flowing}):
            break
        evaluator = evaluator.within(at.path, flowing)
        found, flowing = _edges_and_passed(evaluator, at, columns)
    return [edge._replace(targets=tuple(value for value in edge.targets if value[0] != "p")) for edge in found]


def _edges_and_passed(
    evaluator: Evaluator, at: FileScope, columns: Columns
) -> tuple[list[CallEdge], dict[tuple[str, int, int], Values]]:
    passed: dict[tuple[str, int, int], set[Value]] = {}

    def note(callee: Value, given: Mapping[int, Values]) -> None:
        """What is passed to a function of the file; the object of a method is known without."""
        of = given.get(RECEIVER)
        for number, values in given.items() if callee[1] == at.path else ():
            concrete = {value for value in values if value[0] not in ("p", "x", "k")}
            if concrete and values is not of:
                passed.setdefault((at.path, callee[2], number), set()).update(concrete)

    found = list(_edges(evaluator, at, columns, note))
    return found, {key: frozenset(values) for key, values in passed.items()}


def _is_worth_it(at: FileScope, found: Iterable[CallEdge], passed: Set[tuple[int, int]]) -> bool:
    """Whether what a call goes to hangs on a parameter that is passed something."""
    return any(
        all(value[0] == "p" for value in edge.targets)
        and edge.node >= 0
        and _hangs_on(at, at.nodes[edge.node][1], passed)
        for edge in found
    )


def _hangs_on(at: FileScope, node: int, passed: Set[tuple[int, int]]) -> bool:
    kind, a, _, _ = at.nodes[node]
    while kind in (ExprKind.MEMBER, ExprKind.CALL, ExprKind.INDEX, ExprKind.PAREN, ExprKind.AWAIT):
        kind, a, _, _ = at.nodes[a]
    return kind == ExprKind.NAME and a > 0 and at.param_of_bind.get(a - 1) in passed


def _edges(
    evaluator: Evaluator, at: FileScope, columns: Columns, note: Callable[[Value, Mapping[int, Values]], None]
) -> Iterator[CallEdge]:
    resolver = evaluator.resolver(at)
    own = resolver.calls(at)
    if own is not None:
        for node, scope, line, col in at.sketch.flow.calls:
            kind, callee, _, ref = at.nodes[node]
            targets = set(own[node])
            made = {value for value in resolver.held(at, callee) if value[0] == "c"} if kind == ExprKind.NEW else set()
            yield CallEdge(scope, line, col, ref, _ordered(targets), node, _ordered(made))
        return
    for node, scope, line, col in at.sketch.flow.calls:
        kind, callee, arguments, ref = at.nodes[node]
        if resolver.bare_members:
            calls = resolver.calls_of(at, node)
            yield CallEdge(scope, line, col, ref, _targets(evaluator, calls), -1, _constructed(evaluator, calls))
            continue
        values = evaluator.value(at.path, callee) if kind == ExprKind.CALL else evaluator.type_of(at, callee)
        targets = set()
        made = set()
        for value in values:
            if kind == ExprKind.NEW and value[0] == "i":
                value = ("c", *value[1:])
            targets |= set(called(evaluator, at, value))
            made |= {value} if value[0] == "c" else set()
            for function in callables(evaluator, value):
                if function[1] == at.path:
                    note(function, evaluator.given(function, at, at.lists[arguments]))
            if value[0] == "x" and value[1] in _CALLING:
                for part in at.lists[arguments]:
                    for passed in evaluator.value(at.path, part):
                        targets |= set(called(evaluator, at, passed)) if passed[0] in ("f", "m") else set()
        yield CallEdge(scope, line, col, ref, _ordered(targets), node, _ordered(made))
    for kind, a, node in at.sketch.flow.into:
        if kind == FlowKind.RAISE:
            raised = [value for value in evaluator.value(at.path, node) if value[0] == "c"]
            run = [value for of in raised for value in called(evaluator, at, of)]
            yield from _implied(at, columns, node, run, a, raised)
        elif kind == FlowKind.DECORATOR:
            definition = at.defs[a]
            decorators = evaluator.value(at.path, node)
            for function in [of for decorator in decorators for of in callables(evaluator, decorator)]:
                note(function, evaluator.given_values(function, [evaluator.decorated(at, a, node)]))
            applied = [value for decorator in decorators for value in called(evaluator, at, decorator)]
            yield from _implied(at, columns, node, applied, definition.scope)
        elif kind in _IMPLIED:
            methods = [
                method
                for of in evaluator.value(at.path, node)
                if of[0] == "i"
                for name in _IMPLIED[kind]
                for value in evaluator.member(of, name)[1]
                for method in called(evaluator, at, value)
            ]
            yield from _implied(at, columns, node, methods, None)


def _implied(
    at: FileScope,
    columns: Columns,
    node: int,
    targets: Sequence[Value],
    scope: int | None,
    constructed: Sequence[Value] = (),
) -> Iterator[CallEdge]:
    """A call that is not written as one, at the identifier that it begins with."""
    kind, a, _, ref = at.nodes[node]
    while kind in (ExprKind.CALL, ExprKind.PAREN, ExprKind.INDEX) and a:
        kind, a, _, ref = at.nodes[a]
    known = [value for value in targets if value[0] in ("f", "c")]
    if known and kind in (ExprKind.NAME, ExprKind.MEMBER) and ref >= 0:
        where = columns.scopes[ref] if scope is None else scope
        place = (columns.lines[ref], columns.columns[ref])
        yield CallEdge(where, *place, ref, _ordered(known), constructed=_ordered(constructed))


def _ordered(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(sorted(set(values), key=repr))


def _targets(evaluator: Evaluator, calls: tuple[tuple[Value | None, tuple[Site, ...]], ...]) -> tuple[Value, ...]:
    found: set[Value] = set()
    for _, sites in calls:
        methods: list[Value] = []
        for path, _, number in sites:
            at = evaluator.at(path)
            if at.defs[number].kind in CALLABLES and number in at.body:
                methods.append(("f", path, at.body[number]))
        found |= set(methods or [("c", path, number) for path, _, number in sites])
    return tuple(sorted(found, key=repr))


def _constructed(evaluator: Evaluator, calls: tuple[tuple[Value | None, tuple[Site, ...]], ...]) -> tuple[Value, ...]:
    classes = [
        ("c", path, number)
        for _, sites in calls
        for path, kind, number in sites
        if kind == "d" and evaluator.at(path).defs[number].kind in evaluator.resolver(evaluator.at(path)).classes
    ]
    return _ordered(classes)


def callables(evaluator: Evaluator, callee: Value) -> Sequence[Value]:
    """Functions that run when a value is called."""
    if callee[0] in ("f", "m"):
        return [callee]
    if callee[0] == "c":
        return evaluator.constructors(callee)
    if callee[0] == "i":
        return [value for value in evaluator.invoked(callee) if value[0] in ("f", "m")]
    return []


def called(evaluator: Evaluator, at: FileScope, callee: Value) -> Iterator[Value]:
    functions = callables(evaluator, callee)
    for value in functions:
        yield ("f", value[1], value[2])
    if callee[0] == "c" and not functions:
        yield ("c", callee[1], callee[2])
    elif callee[0] in ("x", "p"):
        yield callee
    elif callee[0] == "e":
        of = evaluator.resolver(at).containers.get(callee[1][0])
        if of is not None:
            yield ("x", f"{of}.{callee[2]}")
