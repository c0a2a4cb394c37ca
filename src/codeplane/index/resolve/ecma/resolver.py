"""JavaScript, TypeScript and TSX, as the resolver of all languages asks for them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from codeplane.facts.blocks import Columns
from codeplane.index.resolve.ecma.calls import called
from codeplane.index.resolve.ecma.context import context_of, wanted_by
from codeplane.index.resolve.ecma.links import references, runs
from codeplane.index.resolve.ecma.members import member_of_class, member_spread
from codeplane.index.resolve.ecma.shapes import bounded
from codeplane.index.resolve.ecma.types import named_type, type_of_node
from codeplane.index.resolve.ecma.values import (
    bases_of,
    passed_as,
    returned_of,
    value_of_bind,
    value_of_definition,
    value_of_node,
)
from codeplane.index.resolve.ecma.world import Compute, World
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import LanguageQuery
from codeplane.index.resolve.resolver import LanguageResolver, LanguageTraits
from codeplane.index.resolve.types import (
    ClassType,
    External,
    Function,
    Site,
    SiteKind,
    Type,
    Types,
    definition_site,
)
from codeplane.index.resolve.value import Value

_COMPUTE: MappingProxyType[str, Compute] = MappingProxyType(
    {
        "n": value_of_node,
        "t": type_of_node,
        "b": value_of_bind,
        "d": value_of_definition,
        "y": named_type,
        "r": returned_of,
        "p": passed_as,
        "c": context_of,
        "w": wanted_by,
        "o": bases_of,
        "k": called,
        "m": member_of_class,
        "s": member_spread,
    }
)


class EcmaResolver(LanguageResolver):
    traits = LanguageTraits(bound=bounded)  # type: ignore[arg-type]

    @cached_property
    def _world(self) -> World:
        """The same for all of these languages, since their files see each other."""
        return self.evaluator.memo_tracked("ecma", lambda: World(self.evaluator, _COMPUTE))

    def compute_query(self, query: LanguageQuery) -> frozenset[Hashable]:
        return self._world.compute(query.name, *query.arguments)  # type: ignore[arg-type]

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        return _sites(self._world.names.imported(file, number))

    def link_references(
        self, file: FileScope, names: Sequence[str], columns: Columns
    ) -> Iterator[tuple[int, list[Site]]]:
        return ((ref, _sites(sites)) for ref, sites in references(self._world, file, names, columns))

    def call_targets(self, file: FileScope) -> Mapping[int, Sequence[Type]]:
        calls = file.summary.flow.calls
        return {node: [_target(value) for value in runs(self._world, file, node)] for node, *_ in calls}

    def constructed_classes(self, file: FileScope, callee: int) -> Types:
        values = self._world.value(file.path, callee)
        return frozenset(ClassType(value[1], value[2]) for value in values if value[0] == "c")

    def is_foreign_receiver(self, file: FileScope, node: int) -> bool:
        values = self._world.value(file.path, node)
        return bool(values) and all(value[0] in ("x", "k", "l", "t", "d", "N") for value in values)

    def base_sites(self, file: FileScope, definition: int) -> tuple[list[Site], bool]:
        bases = self._world.bases(file.path, definition)
        found = {definition_site(base[1], base[2]) for base in bases if base[0] == "o"}
        return sorted(found), len(found) < len(file.bases(definition))


_KINDS = {"d": SiteKind.DEFINITION, "a": SiteKind.ATTRIBUTE, "M": SiteKind.MODULE}


def _sites(found: Sequence[tuple[str, str, int]]) -> list[Site]:
    return [Site(path, _KINDS[kind], number) for path, kind, number in found]


def _target(value: Value) -> Type:
    if value[0] == "x":
        return External(value[1])
    return ClassType(value[1], value[2]) if value[0] == "c" else Function(value[1], value[2])
