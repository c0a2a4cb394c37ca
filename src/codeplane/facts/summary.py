"""Packed summary of a file for name resolution in other files: definitions, bindings, imports, exports and flow.

Positions and ids are not part of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from sys import intern
from typing import NamedTuple

import orjson

from codeplane.facts.ir import NO_FLOW, PackedFlow
from codeplane.facts.model import Facts, Reexport

SUMMARY_VERSION = "3"

_LEVEL = 1


class SummaryDefinition(NamedTuple):
    parent: int | None
    scope: int
    kind: str
    name: str
    lexical_path: str
    visibility: str = ""


class SummaryBinding(NamedTuple):
    scope: int
    name: str
    namespace: int
    target_kind: int
    target: int | None
    certainty: int


class SummaryImport(NamedTuple):
    scope: int
    imported_name: str
    alias: str | None
    source: str | None
    kind: str


class FileSummary(NamedTuple):
    defs: Sequence[SummaryDefinition]
    binds: Sequence[SummaryBinding]
    imports: Sequence[SummaryImport]
    exports: Sequence[tuple[str, int | None, str, str]]
    """(exported name, definition, evidence, local name)"""
    reexports: Sequence[Reexport]
    attributes: Sequence[tuple[int, str]]
    """(class, name)"""
    scopes: Sequence[tuple[int | None, str]]
    """(parent, kind)"""


def pack_summary(facts: Facts) -> bytes:
    if not (facts.defs or facts.imports or facts.binds or facts.exports or facts.reexports or facts.flow.calls):
        return b""
    parts = (
        [(row.parent, row.scope, row.kind, row.name, row.lexical_path, row.visibility) for row in facts.defs],
        [tuple(bind)[:6] for bind in facts.binds],
        [(row.scope, row.imported_name, row.alias, row.source_literal, row.import_kind) for row in facts.imports],
        [
            (row.exported_name, row.definition, row.evidence_kind, row.local_name or row.exported_name)
            for row in facts.exports
        ],
        facts.reexports,
        [(row.parent, row.name) for row in facts.attributes],
        [tuple(scope)[:2] for scope in facts.scopes],
        facts.flow,
    )
    return zlib.compress(orjson.dumps(parts, default=tuple), _LEVEL)


def unpack_summary(data: bytes) -> tuple[FileSummary, PackedFlow]:
    if not data:
        return FileSummary((), (), (), (), (), (), ()), NO_FLOW
    defs, binds, imports, exports, reexports, attributes, scopes, flow = orjson.loads(zlib.decompress(data))
    # The parser makes a string of each occurrence of a name; many files stay in memory at once.
    summary = FileSummary(
        [
            SummaryDefinition(parent, scope, intern(kind), intern(name), intern(path), intern(visibility))
            for parent, scope, kind, name, path, visibility in defs
        ],
        [SummaryBinding(scope, intern(name), *row) for scope, name, *row in binds],
        [SummaryImport(*row) for row in imports],
        exports,
        [Reexport(*row) for row in reexports],
        attributes,
        [(parent, intern(kind)) for parent, kind in scopes],
    )
    nodes, lists, texts, *rest = flow
    return summary, PackedFlow(nodes, lists, [intern(text) for text in texts], *rest)
