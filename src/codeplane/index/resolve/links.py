"""What the references and calls of one file stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from codeplane.facts.blocks import Columns
from codeplane.facts.model import Role, Target, Tier, Usage
from codeplane.facts.values import Of
from codeplane.index.resolve.evaluate import CALLABLES, Evaluator
from codeplane.index.resolve.tables import Tables
from codeplane.index.resolve.value import Site, Value


class Link(NamedTuple):
    ref: int
    sites: tuple[Site, ...]
    tier: int


class CallEdge(NamedTuple):
    scope: int
    """Where it is called."""
    line: int
    col: int
    targets: tuple[Value, ...]


def link_references(evaluator: Evaluator, at: Tables, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    if evaluator.rules(at).bare_members:
        yield from _link_bare(evaluator, at, names, columns)
        return
    members = {row[3]: row for row in at.nodes if row[0] == Of.MEMBER and row[3] >= 0}
    for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True)):
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        if usage in (Usage.MEMBER, Usage.MEMBER_CALL):
            row = members.get(ref)
            if row is not None:
                name = at.texts[row[2]]
                sites = [site for of in evaluator.value(at.path, row[1]) for site in evaluator.member(of, name)[0]]
                if sites:
                    yield Link(ref, tuple(sorted(set(sites))), Tier.STRONG)
            continue
        if usage == Usage.LABEL:
            continue
        if bound:
            bind = at.binds[bound - 1]
            if bind.target_kind == Target.DEF and tier == Tier.PROVEN:
                continue
            if role == Role.DEFINITION and bind.target_kind == Target.UNKNOWN:
                continue
            sites = bind_sites(evaluator, at, bound - 1)
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)
        elif role == Role.IMPORT:
            sites = _before_alias(evaluator, at, columns, ref)
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)
        else:
            sites = evaluator.rules(at).unbound_sites(at, names[columns.names[ref]])
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)


def _link_bare(evaluator: Evaluator, at: Tables, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    """Where members are named without their object: a name may mean an inherited one, and a call chooses one of
    several methods by its arguments. What makes an object is meant beside its type."""
    rules = evaluator.rules(at)
    calls = {row[3]: node for node, row in enumerate(at.nodes) if row[0] in (Of.CALL, Of.NEW) and row[3] >= 0}
    members = {row[3]: node for node, row in enumerate(at.nodes) if row[0] in (Of.MEMBER, Of.CASE) and row[3] >= 0}
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
            groups = [sites for _, sites in rules.calls_of(at, calls[ref]) if sites]
        elif ref in members:
            groups = rules.named_sites(at, members[ref])
        elif usage in (Usage.MEMBER, Usage.MEMBER_CALL, Usage.LABEL):
            continue
        elif role == Role.IMPORT:
            sites = bind_sites(evaluator, at, bound - 1) if bound else _before_alias(evaluator, at, columns, ref)
            groups = [tuple(sites)]
        else:
            name = rules.written_name(at, ref, names[columns.names[ref]])
            groups = [tuple(rules.bare_sites(at, columns.scopes[ref], usage, name, bound - 1))]
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


def _before_alias(evaluator: Evaluator, at: Tables, columns: Columns, ref: int) -> list[Site]:
    """`A` in `import A as B`: the name that follows is bound to the import."""
    if ref + 1 >= len(columns.binds) or not columns.binds[ref + 1] or columns.flags[ref + 1] & 3 != Role.IMPORT:
        return []
    bind = at.binds[columns.binds[ref + 1] - 1]
    found: list[Site] = []
    for number, imported in enumerate(at.imports):
        if imported.scope == bind.scope and imported.alias == bind.name:
            found += evaluator.rules(at).import_sites(at, number)
    return sorted(set(found))


def bind_sites(evaluator: Evaluator, at: Tables, bind: int) -> list[Site]:
    """What a binding stands for, wherever that is."""
    row = at.binds[bind]
    found: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((row.scope, row.name), ())]
    for number, imported in enumerate(at.imports):
        if imported.scope == row.scope and evaluator.rules(at).local_name(imported) == row.name:
            found += evaluator.rules(at).import_sites(at, number)
    return sorted(set(found))


def call_edges(evaluator: Evaluator, at: Tables) -> Iterator[CallEdge]:
    rules = evaluator.rules(at)
    for node, scope, line, col in at.sketch.flow.calls:
        if rules.bare_members:
            yield CallEdge(scope, line, col, _targets(evaluator, rules.calls_of(at, node)))
            continue
        targets: set[Value] = set()
        for callee in evaluator.value(at.path, at.nodes[node][1]):
            targets |= set(called(evaluator, callee))
            evaluator.call(callee, at, node)
        yield CallEdge(scope, line, col, tuple(sorted(targets, key=repr)))


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


def called(evaluator: Evaluator, callee: Value) -> Iterator[Value]:
    if callee[0] in ("f", "m"):
        yield ("f", callee[1], callee[2])
    elif callee[0] == "c":
        found = evaluator.constructors(callee)
        if found:
            for value in found:
                yield ("f", value[1], value[2])
        else:
            yield ("c", callee[1], callee[2])
    elif callee[0] == "i":
        for value in evaluator.member(callee, "__call__")[1]:
            if value[0] in "fm":
                yield ("f", value[1], value[2])
    elif callee[0] == "x":
        yield callee
