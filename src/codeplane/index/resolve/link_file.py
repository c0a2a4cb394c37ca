"""The links of one file, as they are stored: who uses what, what is called, and what could not be resolved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.facts.blocks import Columns, Unpacked
from codeplane.facts.ir import ExprKind, FlowKind
from codeplane.facts.links import CALLS, NAMES, RENAMES, Links, Use, pack_uses
from codeplane.facts.model import Target, Tier, Usage
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.references import Link, call_edges, link_references
from codeplane.index.resolve.store_library import StoreLibrary
from codeplane.index.resolve.value import Site, Value

Uid = Callable[[Site], int | None]


class Linked(NamedTuple):
    links: Links
    """Without what it depends on."""
    uses: dict[int, bytes]
    anchored: dict[str, bytes]


def link_file(
    evaluator: Evaluator | None, at: FileScope | None, path: str, held: Unpacked, library: StoreLibrary
) -> Linked:
    """`evaluator` and `at` are None for a language whose names are not resolved beyond their file."""
    uid = library.uid
    columns = held.refs.columns
    found: dict[int, dict[tuple[int, int], Use]] = {}
    refs: list[tuple[int, int, int]] = []
    linked: set[int] = set()

    def add(target: int, ref: int, tier: int, how: int, line: int, column: int) -> None:
        flags = columns.flags[ref] if ref >= 0 else 0
        places = found.setdefault(target, {})
        before = places.get((line, column))
        if before is not None:
            places[line, column] = before._replace(tier=max(tier, before.tier), how=how | before.how)
        else:
            places[line, column] = Use(line, column, tier, flags & 3, flags >> 2 & 7, how)

    links = _proven(path, held, columns)
    if evaluator is not None and at is not None:
        links = [*links, *link_references(evaluator, at, held.names, columns)]
    for link in links:
        linked.add(link.ref)
        for site in link.sites:
            target = uid(site) if site[1] != "M" else None
            if target is not None:
                refs.append((link.ref, target, link.tier))
                own = at is None or _name_of(evaluator, site) == held.names[columns.names[link.ref]]
                how = NAMES if own else RENAMES
                add(target, link.ref, link.tier, how, columns.lines[link.ref], columns.columns[link.ref])
    calls: list[tuple[int, int, int, int, int]] = []
    unknown: Counter[int] = Counter()
    foreign: Counter[int] = Counter()
    outside: set[tuple[int, str]] = set()
    anchored: dict[str, list[Use]] = {}
    if evaluator is not None and at is not None:
        for edge in call_edges(evaluator, at, columns):
            line, column = edge.line, edge.col
            if edge.ref >= 0:
                line, column = columns.lines[edge.ref], columns.columns[edge.ref]
            targets = [target for value in edge.targets if (target := _called(evaluator, value, uid)) is not None]
            for target in targets:
                before = found.get(target, {}).get((line, column))
                tier = before.tier if before is not None else int(Tier.STRONG)
                add(target, edge.ref, tier, CALLS, line, column)
                calls.append((edge.scope, line, column, target, tier))
            for _, home, number, *_ in edge.constructed:
                made = uid((home, "d", number)) if number >= 0 else None
                if made is not None and made not in targets:
                    # Who asks for constructions asks for the class, whatever constructor runs.
                    named = found.get(made, {})
                    place = _name_before(named, line, column)
                    before = named.get(place)
                    add(made, edge.ref, before.tier if before is not None else int(Tier.STRONG), CALLS, *place)
            outside |= {(edge.scope, value[1]) for value in edge.targets if value[0] == "x"}
            is_declared = evaluator.resolver(at).declarations_construct and _is_new(at, edge.node) and not edge.targets
            if not targets and not is_declared:
                counted = foreign if any(value[0] == "x" for value in edge.targets) else unknown
                counted[edge.scope] += 1
        for token, use in _anchored(evaluator, at, held.names, columns, linked):
            anchored.setdefault(token, []).append(use)
    targets = sorted(found)
    places = {target: at_ for at_, target in enumerate(targets)}
    refs.sort()
    return Linked(
        Links(
            targets,
            [ref for ref, _, _ in refs],
            [places[target] for _, target, _ in refs],
            [tier for _, _, tier in refs],
            [(*where, places[target], tier) for *where, target, tier in sorted(calls)],
            [(scope, unknown[scope], foreign[scope]) for scope in sorted({*unknown, *foreign})],
            sorted(outside),
            sorted(anchored),
            _bases(evaluator, at, uid) if evaluator is not None and at is not None else (),
            _imports(evaluator, at, library) if evaluator is not None and at is not None else (),
        ),
        {target: pack_uses(sorted(found[target].values())) for target in targets},
        {token: pack_uses(sorted(uses)) for token, uses in sorted(anchored.items())},
    )


def _name_of(evaluator: Evaluator | None, site: Site) -> str | None:
    path, kind, number = site
    at = evaluator.library.tables(path) if evaluator is not None else None
    if at is None:
        return None
    return at.defs[number].name if kind == "d" else at.sketch.attributes[number][1]


def _proven(path: str, held: Unpacked, columns: Columns) -> list[Link]:
    """Names that stand for a definition of their own file."""
    targets = [
        bind.target if bind.target_kind == Target.DEF and bind.target is not None else None for bind in held.binds
    ]
    return [
        Link(ref, ((path, "d", target),), Tier.PROVEN)
        for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True))
        if bound and flags >> 5 & 3 == Tier.PROVEN and (target := targets[bound - 1]) is not None
    ]


def _bases(evaluator: Evaluator, at: FileScope, uid: Uid) -> list[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for definition in sorted(
        {a for kind, a, _ in at.sketch.flow.into if kind in (FlowKind.BASE, FlowKind.MIXIN) and a >= 0}
    ):
        own = uid((at.path, "d", definition))
        sites, unknown = evaluator.resolver(at).base_sites(at, definition)
        bases = {base for site in sites if (base := uid(site)) is not None} | ({0} if unknown else set())
        found |= {(own, base) for base in bases if own is not None}
    for definition in range(len(at.defs)):
        overridden = evaluator.resolver(at).overridden(at, definition)
        own = uid((at.path, "d", definition)) if overridden is not None else None
        if overridden is not None and own is not None:
            sites, unknown = overridden
            bases = {base for site in sites if (base := uid(site)) is not None} | ({0} if unknown else set())
            found |= {(own, base) for base in bases}
    return sorted(found)


def _imports(evaluator: Evaluator, at: FileScope, library: StoreLibrary) -> list[int]:
    """Files of the repository that the imports of a file name."""
    resolver = evaluator.resolver(at)
    paths = {path for number in range(len(at.imports)) for path in resolver.import_files(at, number)} - {at.path}
    return sorted({known for path in paths if (known := library.file_id(path)) is not None})


def _name_before(places: Mapping[tuple[int, int], Use], line: int, column: int) -> tuple[int, int]:
    """Place of the class name in a construction: the call itself, or before it as in `Cart.new`."""
    named = [place for place in places if place[0] == line and place[1] <= column]
    return max(named, default=(line, column))


def _is_new(at: FileScope, node: int) -> bool:
    return node >= 0 and at.nodes[node][0] == ExprKind.NEW


def _called(evaluator: Evaluator, value: Value, uid: Uid) -> int | None:
    if value[0] == "c":
        return uid((value[1], "d", value[2]))
    if value[0] == "f":
        definition = evaluator.at(value[1]).owner.get(value[2])
        return uid((value[1], "d", definition)) if definition is not None else None
    return None


def _anchored(
    evaluator: Evaluator, at: FileScope, names: Sequence[str], columns: Columns, linked: set[int]
) -> Iterator[tuple[str, Use]]:
    """Members that stand for something that is not known; those of other libraries are none of ours."""
    resolver = evaluator.resolver(at)
    for kind, of, _, ref in at.nodes:
        if kind != ExprKind.MEMBER or ref < 0 or ref in linked:
            continue
        flags = columns.flags[ref]
        if flags >> 2 & 7 not in (Usage.MEMBER, Usage.MEMBER_CALL):
            continue
        values = resolver.held(at, of)
        if values and all(value[0] in ("x", "k", "l", "t", "d", "N") for value in values):
            continue
        place = (columns.lines[ref], columns.columns[ref])
        yield names[columns.names[ref]], Use(*place, int(Tier.ANCHORED), flags & 3, flags >> 2 & 7, _shape(at, of))


def _shape(at: FileScope, node: int) -> int:
    kind, _, b, _ = at.nodes[node]
    if kind in (ExprKind.THIS, ExprKind.SUPER) or (kind == ExprKind.NAME and at.texts[b] in ("self", "cls")):
        return 1
    return {ExprKind.NAME: 2, ExprKind.MEMBER: 3, ExprKind.CALL: 4, ExprKind.NEW: 4, ExprKind.INDEX: 5}.get(
        ExprKind(kind), 6
    )
