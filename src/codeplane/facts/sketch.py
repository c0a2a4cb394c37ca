"""All that others need to know of a file to resolve what they use of it, as one packed block: what it defines, binds
and imports, and where its values come from. Positions and identities are not part of it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from codeplane.facts.ir import NO_FLOW, PackedFlow
from codeplane.facts.model import Facts

SKETCH_VERSION = "2"

_LEVEL = 1


class SketchDef(NamedTuple):
    parent: int | None
    scope: int
    kind: str
    name: str
    lexical_path: str
    visibility: str = ""


class SketchBind(NamedTuple):
    scope: int
    name: str
    namespace: int
    target_kind: int
    target: int | None
    certainty: int


class SketchImport(NamedTuple):
    scope: int
    imported_name: str
    alias: str | None
    source: str | None
    kind: str


class Sketch(NamedTuple):
    defs: Sequence[SketchDef]
    binds: Sequence[SketchBind]
    imports: Sequence[SketchImport]
    exports: Sequence[tuple[str, int | None, str, str]]
    """Name, definition, evidence, name in the file."""
    reexports: Sequence[Sequence[Any]]
    attributes: Sequence[tuple[int, str]]
    """Class, name."""
    scopes: Sequence[tuple[int | None, str]]
    """Parent, kind."""
    flow: PackedFlow


def pack_sketch(facts: Facts) -> bytes:
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


def unpack_sketch(data: bytes) -> Sketch:
    if not data:
        return Sketch((), (), (), (), (), (), (), NO_FLOW)
    defs, binds, imports, exports, reexports, attributes, scopes, flow = orjson.loads(zlib.decompress(data))
    return Sketch(
        [SketchDef(*row) for row in defs],
        [SketchBind(*row) for row in binds],
        [SketchImport(*row) for row in imports],
        exports,
        reexports,
        attributes,
        scopes,
        PackedFlow(*flow),
    )
