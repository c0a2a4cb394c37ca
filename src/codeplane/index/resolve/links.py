"""What the references and calls of one file stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from codeplane.facts.blocks import Columns
from codeplane.facts.model import Role, Target, Tier, Usage
from codeplane.facts.values import Of
from codeplane.index.resolve.evaluate import Evaluator
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
    members = {row[3]: row for row in at.nodes if row[0] == Of.MEMBER and row[3] >= 0}
    paths = {row[3]: row[2] for row in at.nodes if row[0] == Of.NAME and not row[1]}
    rules = evaluator.rules(at)
    known: dict[int, list[Site]] = {}
    for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True)):
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        if usage in (Usage.MEMBER, Usage.MEMBER_CALL) and role != Role.IMPORT:
            row = members.get(ref)
            if row is None and ref in paths:
                sites = rules.placed_sites(at, at.texts[paths[ref]], columns.scopes[ref], usage)
                if sites:
                    yield Link(ref, tuple(sorted(set(sites))), Tier.STRONG)
            elif row is not None:
                name = at.texts[row[2]]
                sites, _ = evaluator.reached(at, row[1], name)
                if sites:
                    yield Link(ref, tuple(sorted(set(sites))), Tier.STRONG)
            continue
        if usage == Usage.LABEL:
            continue
        if bound and not (tier != Tier.PROVEN and rules.is_placed(at, at.binds[bound - 1])):
            bind = at.binds[bound - 1]
            if bind.target_kind == Target.DEF and tier == Tier.PROVEN:
                continue
            if role == Role.DEFINITION and bind.target_kind == Target.UNKNOWN:
                continue
            if bound not in known:
                known[bound] = bind_sites(evaluator, at, bound - 1)
            sites = known[bound]
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)
        elif role == Role.IMPORT:
            sites = _before_alias(evaluator, at, columns, ref)
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)
        elif role != Role.DEFINITION:
            sites = rules.placed_sites(at, names[columns.names[ref]], columns.scopes[ref], usage)
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)


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
    for node, scope, line, col in at.sketch.flow.calls:
        targets: set[Value] = set()
        for callee in evaluator.value(at.path, at.nodes[node][1]):
            targets |= set(called(evaluator, callee))
            evaluator.call(callee, at, node)
        yield CallEdge(scope, line, col, tuple(sorted(targets, key=repr)))


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
        for value in evaluator.called(callee):
            if value[0] in "fm":
                yield ("f", value[1], value[2])
    elif callee[0] == "x":
        yield callee
