"""What the references and calls of one file stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from codeplane.facts.blocks import Columns
from codeplane.facts.model import Role, Target, Tier, Usage
from codeplane.facts.values import Into, Of
from codeplane.index.resolve.evaluate import Evaluator
from codeplane.index.resolve.tables import Tables
from codeplane.index.resolve.value import Site, Value

_MAX_ROUNDS = 3
"""How often functions may be passed on within a file."""
_IMPLIED: Mapping[int, tuple[str, ...]] = {
    Into.FOR: ("__iter__", "__next__", "__aiter__", "__anext__"),
    Into.WITH: ("__enter__", "__exit__"),
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


def link_references(evaluator: Evaluator, at: Tables, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    members = {row[3]: row for row in at.nodes if row[0] == Of.MEMBER and row[3] >= 0}
    paths = {row[3]: row[2] for row in at.nodes if row[0] == Of.NAME and not row[1]}
    bound_to: dict[int, list[Site]] = {}
    rules = evaluator.rules(at)
    for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True)):
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        if usage in (Usage.MEMBER, Usage.MEMBER_CALL, Usage.LABEL) and role != Role.IMPORT:
            row = members.get(ref)
            if row is None and ref in paths:
                sites = rules.placed_sites(at, at.texts[paths[ref]], columns.scopes[ref], usage)
                if sites:
                    yield Link(ref, tuple(sorted(set(sites))), rules.tier(at, sites))
            elif row is not None:
                name = at.texts[row[2]]
                sites, _ = evaluator.reached(at, row[1], name)
                if not sites and usage == Usage.LABEL:
                    sites = rules.key_sites(at, evaluator.value(at.path, row[1]), name)
                if sites:
                    yield Link(ref, tuple(sorted(set(sites))), rules.tier(at, sites))
            continue
        if bound and not (tier != Tier.PROVEN and rules.is_placed(at, at.binds[bound - 1])):
            bind = at.binds[bound - 1]
            if bind.target_kind == Target.DEF and tier == Tier.PROVEN:
                continue
            if role == Role.DEFINITION and bind.target_kind == Target.UNKNOWN:
                continue
            if bound not in bound_to:
                bound_to[bound] = bind_sites(evaluator, at, bound - 1)
            sites = bound_to[bound]
            if sites:
                yield Link(ref, tuple(sites), rules.tier(at, sites))
        elif role == Role.IMPORT:
            sites = _before_alias(evaluator, at, columns, ref)
            if sites:
                yield Link(ref, tuple(sites), rules.tier(at, sites))
        elif role != Role.DEFINITION:
            sites = rules.placed_sites(at, names[columns.names[ref]], columns.scopes[ref], usage)
            if sites:
                yield Link(ref, tuple(sites), rules.tier(at, sites))


def _before_alias(evaluator: Evaluator, at: Tables, columns: Columns, ref: int) -> list[Site]:
    """`A` in `import A as B`: the name that follows is bound to the import."""
    if ref + 1 >= len(columns.binds) or not columns.binds[ref + 1] or columns.flags[ref + 1] & 3 != Role.IMPORT:
        return []
    bind = at.binds[columns.binds[ref + 1] - 1]
    found: list[Site] = []
    rules = evaluator.rules(at)
    for number in at.imports_in(bind.scope, bind.name, rules.local_name):
        if at.imports[number].alias == bind.name:
            found += rules.import_sites(at, number)
    return sorted(set(found))


def bind_sites(evaluator: Evaluator, at: Tables, bind: int) -> list[Site]:
    """What a binding stands for, wherever that is."""
    row = at.binds[bind]
    found: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((row.scope, row.name), ())]
    rules = evaluator.rules(at)
    for number in at.imports_in(row.scope, row.name, rules.local_name):
        found += rules.import_sites(at, number)
    return sorted(set(found))


def call_edges(evaluator: Evaluator, at: Tables, columns: Columns) -> list[CallEdge]:
    """Every call of a file with what it can go to. What functions are passed within the file is followed."""
    evaluator.passed.clear()
    found = list(_edges(evaluator, at, columns))
    for _ in range(_MAX_ROUNDS):
        flowing = {key: frozenset(values) for key, values in evaluator.passed.items() if key[0] == at.path}
        if flowing == evaluator.flowing or not _is_worth_it(at, found, {scope for _, scope, _ in flowing}):
            break
        evaluator = evaluator.within(at.path, flowing)
        found = list(_edges(evaluator, at, columns))
    return [edge._replace(targets=tuple(value for value in edge.targets if value[0] != "p")) for edge in found]


def _is_worth_it(at: Tables, found: Iterable[CallEdge], passed: Set[int]) -> bool:
    """Whether a call that goes nowhere so far stands in a function that is passed something."""
    for edge in found:
        scope: int | None = edge.scope
        while scope is not None and all(value[0] == "p" for value in edge.targets):
            if scope in passed:
                return True
            scope = at.sketch.scopes[scope][0]
    return False


def _edges(evaluator: Evaluator, at: Tables, columns: Columns) -> Iterator[CallEdge]:
    for node, scope, line, col in at.sketch.flow.calls:
        kind, callee, arguments, ref = at.nodes[node]
        values = evaluator.value(at.path, callee) if kind == Of.CALL else evaluator.type_of(at, callee)
        targets: set[Value] = set()
        for value in values:
            targets |= set(called(evaluator, ("c", *value[1:]) if kind == Of.NEW and value[0] == "i" else value))
            evaluator.call(value, at, node)
            if value[0] == "x" and value[1] in _CALLING:
                for part in at.lists[arguments]:
                    for passed in evaluator.value(at.path, part):
                        targets |= set(called(evaluator, passed)) if passed[0] in ("f", "m") else set()
        yield CallEdge(scope, line, col, ref, tuple(sorted(targets, key=repr)))
    for kind, a, node in at.sketch.flow.into:
        if kind == Into.RAISE:
            made = [value for value in evaluator.value(at.path, node) if value[0] == "c"]
            yield from _implied(at, columns, node, [value for of in made for value in called(evaluator, of)], a)
        elif kind == Into.DECORATOR:
            definition = at.defs[a]
            decorators = evaluator.value(at.path, node)
            for decorator in decorators:
                evaluator.call_with(decorator, [evaluator.decorated(at, a, node)])
            applied = [value for decorator in decorators for value in called(evaluator, decorator)]
            yield from _implied(at, columns, node, applied, definition.scope)
        elif kind in _IMPLIED:
            methods = [
                method
                for of in evaluator.value(at.path, node)
                if of[0] == "i"
                for name in _IMPLIED[kind]
                for value in evaluator.member(of, name)[1]
                for method in called(evaluator, value)
            ]
            yield from _implied(at, columns, node, methods, None)


def _implied(
    at: Tables, columns: Columns, node: int, targets: Sequence[Value], scope: int | None
) -> Iterator[CallEdge]:
    """A call that is not written as one, at the identifier that it begins with."""
    kind, a, _, ref = at.nodes[node]
    while kind in (Of.CALL, Of.SAME, Of.ITEM) and a:
        kind, a, _, ref = at.nodes[a]
    known = [value for value in targets if value[0] in ("f", "c")]
    if known and kind in (Of.NAME, Of.MEMBER) and ref >= 0:
        where = columns.scopes[ref] if scope is None else scope
        place = (columns.lines[ref], columns.columns[ref])
        yield CallEdge(where, *place, ref, tuple(sorted(set(known), key=repr)))


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
    elif callee[0] in ("x", "p"):
        yield callee
