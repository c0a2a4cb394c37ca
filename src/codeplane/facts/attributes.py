"""Attributes that methods assign on their object (`self.x = ...`). Each name is recorded once, at its first
assignment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from codeplane.facts.blocks import Refs
from codeplane.facts.identity import ATTRIBUTE, Ids
from codeplane.facts.ir import ExprKind, FlowKind, PackedFlow
from codeplane.facts.model import Attribute, Def
from codeplane.facts.scopes import ScopeTree
from codeplane.languages.spec import Language

_GIVING = frozenset({FlowKind.ASSIGN, FlowKind.DECLARE, FlowKind.FOR, FlowKind.WITH})


def read_attributes(
    flow: PackedFlow, tree: ScopeTree, defs: Sequence[Def], refs: Refs, language: Language, ids: Ids
) -> list[Attribute]:
    if not language.attributes_through:
        return []
    owners: dict[int, int] = dict(flow.owners)  # type: ignore[arg-type]
    objects = _objects(flow, owners, defs, language) if language.attributes_through == "parameter" else {}

    def class_around(scope: int) -> int | None:
        """Return the class whose object `this` is in a scope."""
        while scope:
            owner = owners.get(scope)
            around = owner if owner is None or defs[owner].kind in language.type_kinds else defs[owner].parent
            if around is not None and defs[around].kind in language.type_kinds:
                return around
            if tree.kinds[scope] == "function" and language.attributes_through == "function":
                return owner
            scope = tree.parents[scope]
        return None

    members = {(row.parent, row.name) for row in defs if row.parent is not None}
    columns, texts = refs.columns, flow.texts
    found: dict[tuple[int, str], int] = {}
    for kind, to, _ in flow.into:
        for owner, name, ref in _given(flow, to, objects, class_around) if kind in _GIVING else ():
            key = (owner, texts[name])
            if ref >= 0 and key not in members:
                found[key] = min(ref, found.get(key, ref))
    return [
        Attribute(
            ids.of_definition(ATTRIBUTE, f"{defs[owner].lexical_path}.{name}", ""),
            owner,
            name,
            columns.lines[ref],
            columns.columns[ref],
        )
        for (owner, name), ref in sorted(found.items(), key=lambda item: (item[1], item[0]))
    ]


def _objects(flow: PackedFlow, owners: Mapping[int, int], defs: Sequence[Def], language: Language) -> dict[int, int]:
    """Return, by binding + 1, the class of each binding that is the first parameter of a method."""
    seen: set[int] = set()
    found: dict[int, int] = {}
    for scope, bind, *_ in flow.params:
        if scope in seen:
            continue
        seen.add(scope)
        owner = owners.get(scope)
        parent = defs[owner].parent if owner is not None else None
        if parent is None or owner is None or defs[parent].kind not in language.type_kinds or bind < 0:
            continue
        if "staticmethod" not in defs[owner].decorators and "@staticmethod" not in defs[owner].decorators:
            found[bind + 1] = parent
    return found


def _given(
    flow: PackedFlow, to: int, objects: Mapping[int, int], class_around: Callable[[int], int | None]
) -> Iterator[tuple[int, int, int]]:
    """Yield class, name and reference of each object member that an assignment targets."""
    kind, a, b, ref = flow.nodes[to]
    if kind == ExprKind.MEMBER:
        of, bind, _, _ = flow.nodes[a]
        if of == ExprKind.NAME and bind in objects:
            yield objects[bind], b, ref
        elif of == ExprKind.THIS and (owner := class_around(bind)) is not None:
            yield owner, b, ref
    elif kind in (ExprKind.TUPLE, ExprKind.LIST):
        for part in flow.lists[a]:
            yield from _given(flow, part, objects, class_around)
