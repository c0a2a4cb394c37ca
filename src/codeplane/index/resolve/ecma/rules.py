"""JavaScript, TypeScript and TSX, as the resolver of all languages asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

from codeplane.facts.blocks import Columns
from codeplane.index.resolve.ecma.calls import called
from codeplane.index.resolve.ecma.context import context_of
from codeplane.index.resolve.ecma.links import overridden, references
from codeplane.index.resolve.ecma.members import member_of_class
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
from codeplane.index.resolve.evaluate import Evaluator
from codeplane.index.resolve.rules import Rules
from codeplane.index.resolve.tables import Tables
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
        "o": bases_of,
        "k": called,
        "m": member_of_class,
    }
)


class EcmaRules(Rules):
    def __init__(self, ev: Evaluator) -> None:
        super().__init__(ev)
        self._world = World(ev, _COMPUTE)

    def computed(self, key: tuple[Any, ...]) -> Values:
        return self._world.computed(key)

    def import_sites(self, at: Tables, number: int) -> list[Site]:
        return self._world.names.imported(at, number)

    def references(self, at: Tables, names: Sequence[str], columns: Columns) -> Iterator[tuple[int, list[Site]]]:
        return references(self._world, at, names, columns)

    def calls(self, at: Tables, node: int) -> Iterator[Value]:
        for callee in self._world.called(at.path, node):
            if callee[0] == "f":
                yield callee[:3]
            elif callee[0] == "c":
                yield callee

    def overridden(self, at: Tables) -> Iterator[tuple[Site, list[Site]]]:
        return overridden(self._world, at)


_MADE: WeakKeyDictionary[Evaluator, EcmaRules] = WeakKeyDictionary()


def ecma_rules(ev: Evaluator) -> EcmaRules:
    """The same for all of these languages, since their files see each other."""
    made = _MADE.get(ev)
    if made is None:
        made = _MADE[ev] = EcmaRules(ev)
    return made
