"""`cpl roles`: roles of files, and the evidence for the role of one file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option
from codeplane.cli.paths import repository_path
from codeplane.cli.terminal import Style, number, plural, table

if TYPE_CHECKING:
    from codeplane.operations.roles import RolesAnswer

_NO_RULE = "no rule assigns another role"


@click.command()
@click.argument("path", required=False, type=click.Path())
@json_option
@click.pass_context
def roles(context: click.Context, path: str | None, json: bool) -> None:
    """Count files by role, such as source or test; or explain the role of one file."""
    context.exit(answer("roles", lambda: _roles(context.obj, path), json=json))


def _roles(invocation: Invocation, path: str | None) -> Reply:
    from codeplane.cli.connect import reading
    from codeplane.operations.roles import find_roles

    assembly = assemble(invocation)
    inside = repository_path(assembly.context.root, invocation.start, path) if path else None
    with reading(assembly.context, invocation) as reads:
        found = find_roles(reads, inside)
    result, lines, message = _shown(found, Style.of(sys.stdout))
    return Reply(
        result=result,
        text="\n".join(lines),
        message=message,
        warnings=assembly.warnings,
        meta={"epoch": found.epoch, "freshness": found.freshness.as_dict()},
    )


def _shown(found: RolesAnswer, style: Style) -> tuple[dict[str, object], list[str], str]:
    file = found.file
    if file is not None:
        why = display(file.evidence) or _NO_RULE
        lines = [f"{display(file.path)}: {style.bold(file.role)}", f"  {why}"]
        return {"path": file.path, "role": file.role, "evidence": file.evidence or None}, lines, why
    total = sum(found.counts.values())
    rows = [("role", "files"), *((role, number(count)) for role, count in found.counts.items())]
    lines = table(rows, right=frozenset({1}), indent="")
    lines[0] = style.dim(lines[0])
    result: dict[str, object] = {"roles": dict(found.counts), "total": total}
    return result, lines if total else ["No files."], plural(total, "file")
