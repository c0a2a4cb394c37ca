"""`cpl units`: build units of a repository, and the unit that owns a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option
from codeplane.cli.paths import repository_path
from codeplane.cli.terminal import Style, columns, fit, number, plural, table, wrapped

if TYPE_CHECKING:
    from codeplane.operations.units import ListedUnit, UnitOwner, UnitsAnswer
    from codeplane.store.unit_table import UnitRow

_NAME_WIDTH = 40
_ROOT_WIDTH = 60
_MAX_NOTES = 20


@click.command()
@click.argument("path", required=False, type=click.Path())
@click.option("-f", "--family", metavar="FAMILY", help="Only this language family, such as python or jvm.")
@click.option("-a", "--all", "everything", is_flag=True, help="Include units without files.")
@json_option
@click.pass_context
def units(context: click.Context, path: str | None, family: str | None, everything: bool, json: bool) -> None:
    """List build units (packages, crates, modules), or show which one owns a file."""
    context.exit(answer("units", lambda: _units(context.obj, path, family, everything), json=json))


def _units(invocation: Invocation, path: str | None, family: str | None, everything: bool) -> Reply:
    from codeplane.cli.connect import reading
    from codeplane.operations.units import find_units

    assembly = assemble(invocation)
    inside = repository_path(assembly.context.root, invocation.start, path) if path else None
    with reading(assembly.context, invocation) as reads:
        found = find_units(reads, inside, family, with_empty=everything, limit=MAX_LIMIT)
    style = Style.of(sys.stdout)
    if found.owner is not None:
        result, lines, message = _owner_result(found.owner), _owner_lines(found.owner, style), found.owner.why
    else:
        shown = [_row(listed) for listed in found.units]
        result = {"units": shown, "total": found.total}
        lines, message = _table(found, style, everything), plural(found.total, "unit")
    notes = [f"{display(note.path)}: {display(note.text)}" for note in found.notes]
    left_out = [f"and {len(notes) - _MAX_NOTES} more"] if len(notes) > _MAX_NOTES else []
    return Reply(
        result=result | {"notes": [{"path": note.path, "text": note.text} for note in found.notes]},
        text="\n".join(lines),
        message=message,
        warnings=(*assembly.warnings, *notes[:_MAX_NOTES], *left_out),
        meta={"epoch": found.epoch, "freshness": found.freshness.as_dict()},
    )


def _table(found: UnitsAnswer, style: Style, everything: bool) -> list[str]:
    if not found.units:
        return ["No units."]
    rows = [("unit", "root", "family", "files", "state", "")]
    for listed in found.units:
        unit = listed.info.unit
        place = fit(display(unit.root), _ROOT_WIDTH) or "."
        why = unit.marker if unit.state == "valid" and unit.marker else listed.why
        rows.append(
            (
                fit(display(unit.name), _NAME_WIDTH),
                place,
                unit.family,
                number(listed.info.files),
                unit.state,
                display(why),
            )
        )
    lines = [fit(line, columns()) for line in table(rows, right=frozenset({3}), indent="")]
    lines[0] = style.dim(lines[0])
    left_out = found.total - len(found.units)
    if left_out > 0:
        lines.append(style.dim(f"and {number(left_out)} more; a PATH or --family narrows it down"))
    elif not everything:
        lines.append(style.dim("Units without files are not listed; --all shows them."))
    return lines


def _owner_lines(owner: UnitOwner, style: Style) -> list[str]:
    if owner.unit is None:
        return [f"{display(owner.path)}: {style.yellow('no unit')}", *wrapped(owner.why, "  ")]
    place = display(owner.unit.root) or "."
    name = style.bold(display(owner.unit.name))
    return [f"{display(owner.path)}: {name} ({owner.unit.family}, {place})", *wrapped(owner.why, "  ")]


def _owner_result(owner: UnitOwner) -> dict[str, object]:
    unit = _unit(owner.unit) if owner.unit is not None else None
    result: dict[str, object] = {"path": owner.path, "family": owner.family, "unit": unit, "why": owner.why}
    return result | ({"closest": _unit(owner.closest)} if owner.closest is not None else {})


def _row(listed: ListedUnit) -> dict[str, object]:
    return _unit(listed.info.unit) | {
        "why": listed.why,
        "files": listed.info.files,
        "include": list(listed.include),
        "exclude": list(listed.exclude),
    }


def _unit(unit: UnitRow) -> dict[str, object]:
    return {
        "unit_id": unit.unit_id,
        "name": unit.name,
        "family": unit.family,
        "root": unit.root,
        "tier": unit.tier,
        "marker": unit.marker or None,
        "state": unit.state,
    }
