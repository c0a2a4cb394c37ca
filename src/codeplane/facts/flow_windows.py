"""Order of values: the assignments that a read of a local name can see.

An assignment that is a statement of the body of its function or file has run whenever a later statement of that body
runs (reaching definitions, for straight-line code). A read sees the last such assignment before it, and what is
assigned between it and the next one. Names that inner functions assign are left out: these may run at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.facts.flow_captures import FlowMatch
from codeplane.facts.flow_exprs import ExprBuilder, Identifiers, Span
from codeplane.facts.ir import VALUE_FLOWS, ExprKind
from codeplane.facts.model import ReferenceRole
from codeplane.facts.scopes import ScopeTree, locate

_PATTERNS = frozenset({ExprKind.TUPLE, ExprKind.LIST})
_WRAPPERS = frozenset({ExprKind.PAREN, ExprKind.SPLAT})
_MAX_SETTLED = 16
"""Assignments of one name; the value of each may depend on the one before."""


class _Settled(NamedTuple):
    ordinal: int
    """Identifier of the name"""
    end: int
    """Offset of the end of the statement"""
    is_item: bool


class _Target(NamedTuple):
    ordinal: int
    node: int
    is_item: bool


def find_windows(
    matches: Sequence[FlowMatch],
    exprs: ExprBuilder,
    identifiers: Identifiers,
    flows: Sequence[Sequence[int]],
    tree: ScopeTree,
) -> list[tuple[int, int, int]]:
    """Return the windows of `PackedFlow`; their lists are added to those of the expressions."""
    settled = _settled(matches, exprs, identifiers)
    if not settled:
        return []
    ordinals = [ordinal for ordinal, bind in enumerate(identifiers.binds) if bind in settled]
    innermost, _ = locate(tree, [identifiers.offsets[ordinal] for ordinal in ordinals])
    scopes = dict(zip(ordinals, innermost, strict=True))
    for ordinal, scope in scopes.items():
        known = settled.get(identifiers.binds[ordinal])
        is_definition = identifiers.flags[ordinal] & 3 == ReferenceRole.DEFINITION
        if known is not None and is_definition and scope != scopes[known[0].ordinal]:
            del settled[identifiers.binds[ordinal]]
    targets = _targets(exprs, flows, settled)
    found: list[tuple[int, int, int]] = []
    for node, (kind, bind, _, ordinal) in enumerate(list(exprs.nodes)):
        known = settled.get(bind) if kind == ExprKind.NAME and ordinal >= 0 else None
        if known is None or identifiers.flags[ordinal] & 3 != ReferenceRole.REFERENCE:
            continue
        own = [each for each in known if scopes[each.ordinal] == scopes[ordinal]]
        if not own:
            continue
        visible, items = _visible(targets[bind], own, identifiers.offsets[ordinal])
        everything = {0, *(target.node for target in targets[bind])}
        if items or set(visible) != everything:
            found.append((node, _add_list(exprs, visible), _add_list(exprs, items)))
    return found


def _settled(matches: Sequence[FlowMatch], exprs: ExprBuilder, identifiers: Identifiers) -> dict[int, list[_Settled]]:
    """Return such assignments by binding, in source order."""
    found: dict[int, list[_Settled]] = {}
    for match in matches:
        if match.capture in ("settled", "settled.item"):
            name: Span = match.parts["name"][0]
            ordinal = exprs.ordinals.get(name[0])
            bind = identifiers.binds[ordinal] if ordinal is not None else 0
            if ordinal is not None and bind:
                found.setdefault(bind, []).append(_Settled(ordinal, match.span[1], match.capture == "settled.item"))
    return {bind: sorted(known) for bind, known in found.items() if len(known) <= _MAX_SETTLED}


def _targets(
    exprs: ExprBuilder, flows: Sequence[Sequence[int]], settled: Mapping[int, object]
) -> Mapping[int, Sequence[_Target]]:
    found: dict[int, list[_Target]] = {bind: [] for bind in settled}
    for kind, to, _ in flows:
        for node, is_item in _names_in(exprs, to) if kind in VALUE_FLOWS else ():
            _, bind, _, ordinal = exprs.nodes[node]
            if bind in found:
                found[bind].append(_Target(ordinal, node, is_item))
    return {bind: sorted(set(targets)) for bind, targets in found.items()}


def _names_in(exprs: ExprBuilder, node: int) -> Iterator[tuple[int, bool]]:
    """Yield the names that a target assigns to, and whether to an item of their container."""
    kind, a, _, _ = exprs.nodes[node]
    if kind == ExprKind.NAME:
        yield node, False
    elif kind in _PATTERNS:
        for part in exprs.lists[a]:
            yield from _names_in(exprs, part)
    elif kind in _WRAPPERS:
        yield from _names_in(exprs, a)
    elif kind == ExprKind.INDEX:
        for inner, _ in _names_in(exprs, a):
            yield inner, True


def _visible(targets: Sequence[_Target], settled: Sequence[_Settled], offset: int) -> tuple[list[int], list[int]]:
    """Return the targets that a read at an offset can see, and those items among them that are certain."""
    whole = [each for each in settled if not each.is_item]
    first = max((each.ordinal for each in whole if each.end <= offset), default=-1)
    last = min((each.ordinal for each in whole if each.end > offset), default=None)
    put = {each.ordinal: each.end for each in settled if each.is_item}
    visible = [0] if first < 0 else []
    items: list[int] = []
    for ordinal, node, is_item in targets:
        is_inside = first <= ordinal and (last is None or ordinal < last)
        if not is_item or ordinal not in put:
            visible += [node] if is_inside or is_item else []
        elif is_inside and put[ordinal] <= offset:
            items.append(node)
    return visible, items


def _add_list(exprs: ExprBuilder, nodes: list[int]) -> int:
    exprs.lists.append(nodes)
    return len(exprs.lists) - 1
