"""The resolver of JavaScript, TypeScript and TSX, as the common evaluator calls it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from types import MappingProxyType

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import NewExpr
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import CallTargets, Link
from codeplane.index.resolve.resolver import LanguageResolver, LanguageTraits
from codeplane.index.resolve.types import (
    ClassType,
    Instance,
    Site,
    Types,
    definition_site,
)
from codeplane.languages.javascript.resolver.calls import callees_of
from codeplane.languages.javascript.resolver.context import expected_literal_types, expected_types
from codeplane.languages.javascript.resolver.members import compute_member, compute_spread_member
from codeplane.languages.javascript.resolver.queries import Compute, TsQueries, TsQuery
from codeplane.languages.javascript.resolver.references import callees, link_references
from codeplane.languages.javascript.resolver.type_exprs import instances_of, type_of_node
from codeplane.languages.javascript.resolver.types import bound
from codeplane.languages.javascript.resolver.values import (
    bases_of,
    types_of_bind,
    types_of_definition,
    types_of_node,
    types_of_parameter,
    types_returned,
)

_COMPUTE: MappingProxyType[TsQuery, Compute] = MappingProxyType(
    {
        TsQuery.EXPRESSION: types_of_node,
        TsQuery.TYPE: type_of_node,
        TsQuery.BINDING: types_of_bind,
        TsQuery.DEFINITION: types_of_definition,
        TsQuery.INSTANCES: instances_of,
        TsQuery.RETURN: types_returned,
        TsQuery.PARAMETER: types_of_parameter,
        TsQuery.EXPECTED: expected_types,
        TsQuery.EXPECTED_LITERAL: expected_literal_types,
        TsQuery.BASES: bases_of,
        TsQuery.CALLEES: callees_of,
        TsQuery.MEMBER: compute_member,
        TsQuery.SPREAD_MEMBER: compute_spread_member,
    }
)


class JavaScriptResolver(LanguageResolver):
    traits = LanguageTraits(bound=bound)  # type: ignore[arg-type]

    @cached_property
    def _ts(self) -> TsQueries:
        """Shared by all of these languages, since their files import each other."""
        return self.evaluator.memo_tracked("javascript", lambda: TsQueries(self.evaluator, _COMPUTE))

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        return self._ts.names.imported(self._ts.names.source_file(file), number)

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        sources = [row.source for row in file.imports]
        sources += [reexport.source_literal for reexport in file.summary.reexports]
        for source in sources:
            path = self._ts.names.imported_file(file.path, source)
            if path is not None:
                yield path

    def link_references(self, file: FileScope, names: Sequence[str], columns: Columns) -> Iterator[Link]:
        return link_references(self._ts, self._ts.names.source_file(file), names, columns)

    def call_targets(self, file: FileScope, node: int) -> CallTargets:
        run = callees(self._ts, self._ts.names.source_file(file), node)
        expr = file.exprs[node]
        types = self._ts.value(file.path, expr.callee) if isinstance(expr, NewExpr) else ()
        classes = [ClassType(value.path, value.definition) for value in types if isinstance(value, ClassType)]
        return CallTargets(run, classes)

    def receiver_types(self, file: FileScope, node: int) -> Types:
        return self._ts.value(file.path, node)

    def overridden_sites(self, file: FileScope, definition: int) -> tuple[list[Site], bool] | None:
        if not file.bases(definition):
            return super().overridden_sites(file, definition)
        bases = self._ts.bases(file.path, definition)
        found = {definition_site(base.path, base.definition) for base in bases if isinstance(base, Instance)}
        return sorted(found), len(found) < len(file.bases(definition))
