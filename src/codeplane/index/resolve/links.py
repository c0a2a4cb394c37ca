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

_OPAQUE = frozenset({"macro", "attribute"})
"""Scopes whose names mean what somebody else makes of them."""


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
    rules = evaluator.rules(at)
    members = {row[3]: node for node, row in enumerate(at.nodes) if row[0] == Of.MEMBER and row[3] >= 0}
    labels = _labels(at)
    known: dict[int, list[Site]] = {}
    for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True)):
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        member = members.get(ref)
        if usage in (Usage.MEMBER, Usage.MEMBER_CALL) or (member is not None and not bound):
            sites = evaluator.member_at(at, member)[0] if member is not None else []
            if role != Role.IMPORT:
                sites = list(rules.fitting(sites, None, usage))
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)
            continue
        labelled = rules.label_sites(at, labels[ref], names[columns.names[ref]]) if ref in labels else ()
        if labelled or usage == Usage.LABEL:
            if labelled:
                yield Link(ref, tuple(sorted(set(labelled))), Tier.STRONG)
            continue
        # A file that has nothing to tell has no scopes in its sketch.
        scope = columns.scopes[ref] if at.sketch.scopes else 0
        if tier != Tier.PROVEN and scope and at.sketch.scopes[scope][1] in _OPAQUE:
            continue
        if bound:
            bind = at.binds[bound - 1]
            if bind.target_kind == Target.DEF and tier == Tier.PROVEN:
                continue
            if role == Role.DEFINITION and bind.target_kind == Target.UNKNOWN:
                continue
            if bound not in known:
                known[bound] = bind_sites(evaluator, at, bound - 1)
            sites = known[bound]
            if role != Role.IMPORT:
                if role == Role.REFERENCE and bind.target_kind == Target.DEF:
                    sites = rules.doubted(at, bind.name, scope, sites)
                sites = list(rules.fitting(sites, bind.namespace, usage))
            elif member is not None:
                # Another import may bind the same name, under another condition.
                sites = evaluator.member_at(at, member)[0]
            elif len(imports := rules.imports_named(at, bind.scope, bind.name)) > 1:
                told = [rules.import_sites(at, number) for number in imports]
                sites = sites if all(told) or not any(told) else []
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)
        elif role == Role.IMPORT:
            sites = _before_alias(evaluator, at, columns, ref) or rules.head_sites(at, names[columns.names[ref]], scope)
            if sites:
                yield Link(ref, tuple(sites), Tier.STRONG)
        else:
            sites = rules.free_sites(at, names[columns.names[ref]], scope)
            if sites:
                yield Link(ref, tuple(rules.fitting(sites, None, usage)), Tier.STRONG)


def _labels(at: Tables) -> dict[int, int]:
    """Reference of a label -> node of what it is passed to, or of the type that a pattern takes apart.

    A variable may stand for its label too.
    """
    found: dict[int, int] = {}
    for kind, of, parts, _ in at.nodes:
        if kind in (Of.CALL, Of.NEW, Of.PATTERN):
            for part in at.lists[parts]:
                what, _, _, ref = at.nodes[part]
                if what == Of.LABELLED or (what == Of.NAME and kind != Of.CALL):
                    found[ref] = of
    return found


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
    rules = evaluator.rules(at)
    for number in rules.imports_named(at, row.scope, row.name):
        found += rules.import_sites(at, number)
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
        for value in evaluator.member(callee, "__call__")[1]:
            if value[0] in "fm":
                yield ("f", value[1], value[2])
    elif callee[0] == "x":
        yield callee
