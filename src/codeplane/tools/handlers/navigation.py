"""Handlers of refs, defs, imports, unused, units and roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from shlex import quote
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import RepoPath, display
from codeplane.base.text_lines import TextLine, note, plural
from codeplane.disk.safe_open import Root
from codeplane.facts.model import ReferenceRole
from codeplane.operations.definitions import Definition, find_definitions
from codeplane.operations.imports import find_import_cycles, find_imports
from codeplane.operations.read_meta import read_meta
from codeplane.operations.refs import Reads, SymbolUses, find_uses
from codeplane.operations.roles import find_roles
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.operations.symbols.presenter import not_found_lines, not_found_message, symbol_rows
from codeplane.operations.units import ListedUnit, UnitOwner, find_units
from codeplane.operations.unused import find_unused
from codeplane.query.refs import UseRow
from codeplane.query.relations import Symbol
from codeplane.query.unused import REASONS
from codeplane.store.unit_table import UnitRow
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.text.common import call_text
from codeplane.tools.text.navigation import (
    cycle_lines,
    family_line,
    import_lines,
    render_roles,
    render_units,
    render_unused,
    uses_lines,
)
from codeplane.workspace.freshness import FreshResult


@dataclass(frozen=True, kw_only=True)
class RefsArguments(Arguments):
    symbol: str
    limit: int = 100
    freshness_policy: str | None = None


@dataclass(frozen=True, kw_only=True)
class DefsArguments(Arguments):
    name: str
    kind: str | None = None
    path: str | None = None
    limit: int = 20
    freshness_policy: str | None = None


@dataclass(frozen=True, kw_only=True)
class ImportsArguments(Arguments):
    file: str = ""
    circles: bool = False
    freshness_policy: str | None = None


@dataclass(frozen=True, kw_only=True)
class UnusedArguments(Arguments):
    path: str | None = None
    limit: int = 50
    freshness_policy: str | None = None


@dataclass(frozen=True, kw_only=True)
class UnitsArguments(Arguments):
    path: str | None = None
    family: str | None = None
    include_empty: bool = False
    freshness_policy: str | None = None


@dataclass(frozen=True, kw_only=True)
class RolesArguments(Arguments):
    path: str | None = None
    freshness_policy: str | None = None


def refs(call: Call, args: RefsArguments) -> Answer:
    read = find_uses(_reads(call, args.freshness_policy), args.symbol, args.limit)
    if isinstance(read.value, SymbolNotFound):
        return _not_found(read, read.value, {"symbols": []})
    found = read.value
    return Answer(
        {"symbols": [_uses_fields(uses) for uses in found]},
        message=plural(sum(uses.total for uses in found), "reference"),
        warnings=read.notices,
        meta=read_meta(read),
        lines=_uses_text(call, found) if call.wants_text else None,
    )


def defs(call: Call, args: DefsArguments) -> Answer:
    path = call.file(args.path) if args.path else None
    read = find_definitions(_reads(call, args.freshness_policy), args.name, args.kind, path, args.limit)
    if isinstance(read.value, SymbolNotFound):
        return _not_found(read, read.value, {"results": [], "total": 0})
    definitions, total = read.value
    lines = symbol_rows([each.symbol for each in definitions])
    if total > len(definitions):
        how = _more(call, total) if total <= MAX_LIMIT else "narrow it down with kind or path"
        lines.append(note(f"more: {total - len(definitions):,} ({how})"))
    return Answer(
        {"results": [_definition_fields(each) for each in definitions], "total": total},
        message=plural(total, "definition"),
        warnings=read.notices,
        meta=read_meta(read),
        lines=lines,
    )


def imports(call: Call, args: ImportsArguments) -> Answer:
    reads = _reads(call, args.freshness_policy)
    if args.circles:
        cycles = find_import_cycles(reads)
        result: dict[str, object] = {"circles": [list(group) for group in cycles.value]}
        return Answer(result, warnings=cycles.notices, meta=read_meta(cycles), lines=cycle_lines(cycles.value))
    read = find_imports(reads, RepoPath(call.file(args.file)))
    found = read.value
    return Answer(
        {"path": found.path, "imports": list(found.imports), "imported_by": list(found.imported_by)},
        warnings=read.notices,
        meta=read_meta(read),
        lines=import_lines(found),
    )


def unused(call: Call, args: UnusedArguments) -> Answer:
    under = RepoPath(call.file(args.path)) if args.path else None
    read = find_unused(_reads(call, args.freshness_policy), args.limit, under)
    rows = [
        {
            "symbol_ref": row.symbol.reference,
            "path": row.symbol.path,
            "line_start": row.symbol.start_line,
            "kind": row.symbol.kind,
            "reasons": list(row.reasons),
        }
        for row in read.value.rows
    ]
    result = {"candidates": rows, "total": read.value.total, "reasons": REASONS}
    return Answer(result, message=plural(read.value.total, "candidate"), warnings=read.notices, meta=read_meta(read))


def units(call: Call, args: UnitsArguments) -> Answer:
    path = call.file(args.path) if args.path else None
    read = find_units(
        _reads(call, args.freshness_policy), path, args.family, with_empty=args.include_empty, limit=MAX_LIMIT
    )
    found = read.value
    message: str | None
    if found.owner is not None:
        result, message = _owner_fields(found.owner), None
    else:
        result = {"units": [_listed_fields(listed) for listed in found.units], "total": found.total}
        message = plural(found.total, "unit")
    if found.notes:
        result["notes"] = [{"path": each.path, "text": each.text} for each in found.notes]
    return Answer(result, message=message, warnings=read.notices, meta=read_meta(read))


def roles(call: Call, args: RolesArguments) -> Answer:
    read = find_roles(_reads(call, args.freshness_policy), call.file(args.path) if args.path else None)
    file, counts = read.value.file, read.value.counts
    result: dict[str, object] = {"roles": dict(counts), "total": sum(counts.values())}
    if file is not None:
        result = {"path": file.path, "role": file.role, **({"evidence": file.evidence} if file.evidence else {})}
    return Answer(result, warnings=read.notices, meta=read_meta(read))


def _reads(call: Call, policy: str | None) -> Reads:
    return partial(call.root.workspace.read, policy=policy, cancelled=call.cancelled)


def _not_found(read: FreshResult[Any], missing: SymbolNotFound, result: dict[str, object]) -> Answer:
    similar = {"similar": list(missing.suggestions)} if missing.suggestions else {}
    return Answer(
        result | similar,
        "not_found",
        message=not_found_message(missing),
        warnings=read.notices,
        meta=read_meta(read),
        lines=not_found_lines(missing),
    )


def _more(call: Call, limit: int) -> str:
    """Return how this client asks for more results."""
    return f"--limit {limit}" if call.surface.everything else f"limit={limit}"


def _uses_text(call: Call, found: Sequence[SymbolUses]) -> list[TextLine]:
    with Root.open(call.root.path) as root:
        texts = FileLines(root)

        def source_line(path: str, number: int) -> str:
            lines = texts.of(path)
            return lines[number - 1] if number <= len(lines) else ""

        lines: list[TextLine] = []
        shown = _without_overload_signatures(found)
        for uses in shown:
            lines += uses_lines(uses, source_line, several=len(shown) > 1)
            lines += map(note, _uses_notes(call, uses))
    return lines


def _without_overload_signatures(found: Sequence[SymbolUses]) -> list[SymbolUses]:
    """Keep the last of definitions of one name in one file whose references are the same."""

    def key(uses: SymbolUses) -> tuple[str, str, tuple[UseRow, ...]]:
        references = tuple(row for row in uses.rows if row.role is ReferenceRole.REFERENCE)
        return uses.symbol.path, uses.symbol.lexical_path if references else uses.symbol.reference, references

    last = {key(uses): uses for uses in found}
    return [uses for uses in found if last[key(uses)] is uses]


def _uses_notes(call: Call, uses: SymbolUses) -> Iterator[str]:
    left = uses.total - len(uses.rows)
    if left:
        yield f"more: {left:,} ({_more(call, min(uses.total, MAX_LIMIT))})"
    if uses.renamed:
        shown = ", ".join(f"{display(use.path)}:{use.start_line}" for use in uses.renamed[:3])
        yield f"under another name: {len(uses.renamed):,} ({shown}{', ...' if len(uses.renamed) > 3 else ''})"
    if uses.unresolved:
        name = uses.symbol.name
        command = f"cpl search {quote(name)} --mode references"
        hint = call.next_call("search", {"query": name, "mode": "references"}, command)
        yield f"unresolved: {uses.unresolved:,} possible ({call_text(hint)})"
    family = family_line(uses.family)
    if family:
        yield family


def _symbol_fields(symbol: Symbol) -> dict[str, object]:
    fields: dict[str, object] = {
        "symbol_ref": symbol.reference,
        "path": symbol.path,
        "line_start": symbol.start_line,
        "line_end": symbol.end_line,
        "kind": symbol.kind,
        "name": symbol.name,
    }
    return fields | ({"signature": symbol.signature} if symbol.signature else {})


def _use_fields(use: UseRow) -> dict[str, object]:
    fields: dict[str, object] = {"path": use.path, "line": use.start_line, "column": use.start_col + 1}
    fields |= {"tier": use.tier.name.lower()} | ({"calls": True} if use.calls else {})
    return fields | ({"via": use.via.reference} if use.via is not None else {})


def _uses_fields(uses: SymbolUses) -> dict[str, object]:
    fields: dict[str, object] = {
        **_symbol_fields(uses.symbol),
        "references": [_use_fields(use) for use in uses.rows],
        "total": uses.total,
        "tiers": dict(uses.tiers),
        "unresolved": uses.unresolved,
    }
    if uses.renamed:
        fields["under_another_name"] = [_use_fields(use) for use in uses.renamed]
    if uses.groups:
        fields["unresolved_groups"] = [
            {
                "receiver": group.receiver_shape,
                "count": group.total_count,
                "exemplars": [f"{place.path}:{place.line}" for place in group.exemplars],
            }
            for group in uses.groups
        ]
    if uses.family is not None:
        fields["family"] = {
            "overrides": [_symbol_fields(member) for member in uses.family.overrides],
            "overridden_by": [_symbol_fields(member) for member in uses.family.overridden_by],
            "base_outside": uses.family.open,
        }
    return fields


def _definition_fields(definition: Definition) -> dict[str, object]:
    symbol, row = definition.symbol, definition.row
    fields: dict[str, object] = {
        "path": symbol.path,
        "line_start": symbol.start_line,
        "line_end": symbol.end_line,
        "kind": symbol.kind,
        "name": symbol.name,
    }
    if row is not None:
        fields |= {
            "qualified_name": row.qualified_name,
            "signature": row.signature,
            "language": row.language,
            "visibility": row.visibility,
            "doc": row.doc,
            "decorators": list(row.decorators),
        }
    fields |= {"symbol_ref": symbol.reference, "def_uid": symbol.def_uid}
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def _owner_fields(owner: UnitOwner) -> dict[str, object]:
    fields: dict[str, object] = {"path": owner.path, **({"family": owner.family} if owner.family else {})}
    if owner.unit is not None:
        fields["unit"] = _unit_fields(owner.unit)
    fields["why"] = owner.why
    return fields | ({"closest": _unit_fields(owner.closest)} if owner.closest is not None else {})


def _listed_fields(listed: ListedUnit) -> dict[str, object]:
    return _unit_fields(listed.info.unit) | {
        "why": listed.why,
        "files": listed.info.files,
        "include": list(listed.include),
        "exclude": list(listed.exclude),
    }


def _unit_fields(unit: UnitRow) -> dict[str, object]:
    fields: dict[str, object] = {
        "unit_id": unit.unit_id,
        "name": unit.name,
        "family": unit.family,
        "root": unit.root,
        "tier": unit.tier,
    }
    return fields | ({"marker": unit.marker} if unit.marker else {}) | {"state": unit.state}


HANDLERS: dict[str, Handler[Any]] = {
    "refs": Handler(RefsArguments, refs),
    "defs": Handler(DefsArguments, defs),
    "imports": Handler(ImportsArguments, imports),
    "unused": Handler(UnusedArguments, unused, render=render_unused),
    "units": Handler(UnitsArguments, units, render=render_units),
    "roles": Handler(RolesArguments, roles, render=render_roles),
}
