"""JavaScript, TypeScript and TSX, as the resolver of all languages asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

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
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import Site, Value, Values

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
    @cached_property
    def _world(self) -> World:
        """The same for all of these languages, since their files see each other."""
        return self.evaluator.memo_tracked("ecma", lambda: World(self.evaluator, _COMPUTE))

    def compute(self, key: tuple[Any, ...]) -> Values:
        return self._world.compute(*key)

    def bounded(self, values: Values) -> Values:
        return bounded(values)

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        return self._world.names.imported(at, number)

    def references(self, at: FileScope, names: Sequence[str], columns: Columns) -> Iterator[tuple[int, list[Site]]]:
        return references(self._world, at, names, columns)

    def calls(self, at: FileScope) -> Mapping[int, Sequence[Value]]:
        return {node: runs(self._world, at, node) for node, *_ in at.sketch.flow.calls}

    def held(self, at: FileScope, node: int) -> Values:
        return self._world.value(at.path, node)

    def base_sites(self, at: FileScope, definition: int) -> tuple[list[Site], bool]:
        bases = self._world.bases(at.path, definition)
        found: set[Site] = {(base[1], "d", base[2]) for base in bases if base[0] == "o"}
        return sorted(found), len(found) < len(at.bases(definition))
