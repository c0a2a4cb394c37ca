"""Links of one file as the store keeps them: uses by definition, call edges, and unresolved members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from codeplane.facts.blocks import Columns, Unpacked
from codeplane.facts.ir import (
    CallExpr,
    IndexExpr,
    MemberExpr,
    NameExpr,
    NewExpr,
    SuperExpr,
    ThisExpr,
)
from codeplane.facts.links import CALLS, NAMES, RENAMES, Links, Use, pack_uses
from codeplane.facts.model import Target, Tier, Usage
from codeplane.index.resolve.call_edges import CallEdge, call_edges
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import Link
from codeplane.index.resolve.references import link_references
from codeplane.index.resolve.store_library import StoreLibrary
from codeplane.index.resolve.types import (
    ClassType,
    DictType,
    External,
    Function,
    ListType,
    LiteralType,
    NamespaceType,
    Site,
    SiteKind,
    TupleType,
    Type,
    definition_site,
)

_SHAPES: Mapping[type, int] = {NameExpr: 2, MemberExpr: 3, CallExpr: 4, NewExpr: 4, IndexExpr: 5}
"""Index into `facts.links.SHAPES`, by the kind of the receiver."""
_THIS_SHAPE, _OTHER_SHAPE = 1, 6
_FOREIGN = (External, LiteralType, ListType, TupleType, DictType, NamespaceType)
"""Types whose members are certainly not defined in the repository."""


class Linked(NamedTuple):
    links: Links
    """Without its dependencies."""
    uses: dict[int, bytes]
    anchored: dict[str, bytes]


def link_file(
    evaluator: Evaluator | None, file: FileScope | None, path: str, unpacked: Unpacked, library: StoreLibrary
) -> Linked:
    """Link a file. `evaluator` and `file` are None for a language that is not resolved across files."""
    linker = _FileLinker(unpacked, library)
    linker.add_links(evaluator, _proven(path, unpacked))
    if evaluator is not None and file is not None:
        linker.add_links(evaluator, link_references(evaluator, file, unpacked.names, linker.columns))
        for edge in call_edges(evaluator, file, linker.columns):
            linker.add_call(evaluator, file, edge)
        linker.add_anchored(evaluator, file)
        imports = _imports(evaluator, file, library, linker.used_files)
        return linker.finish(_bases(evaluator, file, library), imports)
    return linker.finish((), ())


class _FileLinker:
    def __init__(self, unpacked: Unpacked, library: StoreLibrary) -> None:
        self.columns = unpacked.refs.columns
        self._names = unpacked.names
        self._library = library
        self._uses: dict[int, dict[tuple[int, int], Use]] = {}
        self._refs: list[tuple[int, int, int]] = []
        self._linked: set[int] = set()
        self._calls: list[tuple[int, int, int, int, int]] = []
        self._lambdas: set[tuple[int, int, int, int]] = set()
        self._unknown: Counter[int] = Counter()
        self._external: Counter[int] = Counter()
        self._outside: set[tuple[int, str]] = set()
        self._anchored: dict[str, list[Use]] = {}
        self.used_files: set[str] = set()
        """Files whose definitions the file refers to."""

    def _add_use(self, target: int, ref: int, tier: int, how: int, place: tuple[int, int]) -> None:
        flags = self.columns.flags[ref] if ref >= 0 else 0
        uses = self._uses.setdefault(target, {})
        before = uses.get(place)
        if before is not None:
            uses[place] = before._replace(tier=max(tier, before.tier), how=how | before.how)
        else:
            uses[place] = Use(*place, tier, flags & 3, flags >> 2 & 7, how)

    def _tier(self, target: int, place: tuple[int, int]) -> int:
        before = self._uses.get(target, {}).get(place)
        return before.tier if before is not None else int(Tier.STRONG)

    def add_links(self, evaluator: Evaluator | None, links: Iterable[Link]) -> None:
        columns = self.columns
        for link in links:
            self._linked.add(link.ref)
            for site in link.sites:
                self.used_files.add(site.path)
                target = self._library.uid(site) if site.kind is not SiteKind.MODULE else None
                if target is not None:
                    self._refs.append((link.ref, target, link.tier))
                    name = self._names[columns.names[link.ref]]
                    how = NAMES if evaluator is None or _name_of(evaluator, site) == name else RENAMES
                    place = (columns.lines[link.ref], columns.columns[link.ref])
                    self._add_use(target, link.ref, link.tier, how, place)

    def add_call(self, evaluator: Evaluator, file: FileScope, edge: CallEdge) -> None:
        place, scope = (edge.line, edge.col), edge.scope
        if edge.ref >= 0:
            place = (self.columns.lines[edge.ref], self.columns.columns[edge.ref])
            # A default value is evaluated outside of the function that it belongs to.
            scope = self.columns.scopes[edge.ref]
        targets = [target for value in edge.targets if (target := self._called(evaluator, value)) is not None]
        for target in targets:
            tier = self._tier(target, place)
            self._add_use(target, edge.ref, tier, CALLS, place)
            self._calls.append((scope, *place, target, tier))
        self._add_constructed(edge, place, targets)
        lambdas = {value.scope for value in edge.targets if isinstance(value, Function) and _is_lambda(file, value)}
        self._lambdas |= {(scope, *place, each) for each in lambdas}
        external = {value.name for value in edge.targets if isinstance(value, External)}
        self._outside |= {(scope, name) for name in external}
        is_declaration = evaluator.resolver(file).traits.declarations_construct and _is_new(file, edge.node)
        if not targets and not lambdas and not (is_declaration and not edge.targets):
            (self._external if external else self._unknown)[scope] += 1

    def _add_constructed(self, edge: CallEdge, place: tuple[int, int], targets: Sequence[int]) -> None:
        """Record a use of each class: a query for constructions asks for it, whichever constructor runs."""
        for class_ in edge.constructed:
            site = definition_site(class_.path, class_.definition)
            made = self._library.uid(site) if class_.definition >= 0 else None
            if made is not None and made not in targets:
                name_place = _place_of_name(self._uses.get(made, {}), place)
                self._add_use(made, edge.ref, self._tier(made, name_place), CALLS, name_place)

    def _called(self, evaluator: Evaluator, value: Type) -> int | None:
        if isinstance(value, ClassType):
            return self._library.uid(definition_site(value.path, value.definition))
        if isinstance(value, Function):
            definition = evaluator.file(value.path).owner.get(value.scope)
            return self._library.uid(definition_site(value.path, definition)) if definition is not None else None
        return None

    def add_anchored(self, evaluator: Evaluator, file: FileScope) -> None:
        """Record members whose receiver is unknown; members of external types are left out."""
        for expr in file.exprs:
            if not isinstance(expr, MemberExpr) or expr.reference < 0 or expr.reference in self._linked:
                continue
            ref = expr.reference
            flags = self.columns.flags[ref]
            if flags >> 2 & 7 not in (Usage.MEMBER, Usage.MEMBER_CALL):
                continue
            types = evaluator.receiver_types(file, expr.receiver)
            if types and all(isinstance(value, _FOREIGN) for value in types):
                continue
            place = (self.columns.lines[ref], self.columns.columns[ref])
            use = Use(*place, int(Tier.ANCHORED), flags & 3, flags >> 2 & 7, _shape(file, expr.receiver))
            self._anchored.setdefault(self._names[self.columns.names[ref]], []).append(use)

    def finish(self, bases: Sequence[tuple[int, int]], imports: Sequence[int]) -> Linked:
        targets = sorted(self._uses)
        places = {target: place for place, target in enumerate(targets)}
        self._refs.sort()
        links = Links(
            targets,
            [ref for ref, _, _ in self._refs],
            [places[target] for _, target, _ in self._refs],
            [tier for _, _, tier in self._refs],
            [(*where, places[target], tier) for *where, target, tier in sorted(self._calls)],
            sorted(self._lambdas),
            [
                (scope, self._unknown[scope], self._external[scope])
                for scope in sorted({*self._unknown, *self._external})
            ],
            sorted(self._outside),
            sorted(self._anchored),
            bases,
            imports,
        )
        return Linked(
            links,
            {target: pack_uses(sorted(self._uses[target].values())) for target in targets},
            {name: pack_uses(sorted(uses)) for name, uses in sorted(self._anchored.items())},
        )


def _name_of(evaluator: Evaluator, site: Site) -> str | None:
    file = evaluator.library.file(site.path)
    if file is None:
        return None
    if site.kind is SiteKind.DEFINITION:
        return file.defs[site.number].name
    return file.summary.attributes[site.number][1]


def _proven(path: str, unpacked: Unpacked) -> list[Link]:
    """References to definitions of their own file."""
    columns: Columns = unpacked.refs.columns
    targets = [
        bind.target if bind.target_kind == Target.DEF and bind.target is not None else None for bind in unpacked.binds
    ]
    return [
        Link(ref, (definition_site(path, target),), Tier.PROVEN)
        for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True))
        if bound and flags >> 5 & 3 == Tier.PROVEN and (target := targets[bound - 1]) is not None
    ]


def _bases(evaluator: Evaluator, file: FileScope, library: StoreLibrary) -> list[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for definition, (sites, unknown) in _inherited(evaluator, file):
        own = library.uid(definition_site(file.path, definition))
        if own is not None:
            bases = {base for site in sites if (base := library.uid(site)) is not None} | ({0} if unknown else set())
            found |= {(own, base) for base in bases}
    return sorted(found)


def _inherited(evaluator: Evaluator, file: FileScope) -> Iterator[tuple[int, tuple[list[Site], bool]]]:
    resolver = evaluator.resolver(file)
    for definition in range(len(file.defs)):
        overridden = resolver.overridden_sites(file, definition)
        if overridden is not None:
            yield definition, overridden


def _imports(evaluator: Evaluator, file: FileScope, library: StoreLibrary, used: Set[str]) -> list[int]:
    """Files of the repository that the imports of a file name."""
    paths = set(evaluator.resolver(file).imported_files(file, used)) - {file.path}
    return sorted({known for path in paths if (known := library.stored_id(path)) is not None})


def _place_of_name(uses: Mapping[tuple[int, int], Use], place: tuple[int, int]) -> tuple[int, int]:
    """Position of the class name in a construction: the call itself, or before it as in `Cart.new`."""
    return max((found for found in uses if found[0] == place[0] and found[1] <= place[1]), default=place)


def _is_lambda(file: FileScope, value: Function) -> bool:
    return value.path == file.path and value.scope not in file.owner and file.scope_kind(value.scope) == "lambda"


def _is_new(file: FileScope, node: int) -> bool:
    return node >= 0 and isinstance(file.exprs[node], NewExpr)


def _shape(file: FileScope, node: int) -> int:
    expr = file.exprs[node]
    if isinstance(expr, ThisExpr | SuperExpr) or (isinstance(expr, NameExpr) and expr.name in ("self", "cls")):
        return _THIS_SHAPE
    return _SHAPES.get(type(expr), _OTHER_SHAPE)
