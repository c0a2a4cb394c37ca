"""`cpl units`: build units of a repository, and the unit that owns a file."""

from __future__ import annotations

from pathlib import Path

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path
from codeplane.cli.tool_call import STRICT, Arguments, run_tool
from codeplane.tools.catalog.navigation import UNITS


@click.command()
@click.argument("path", required=False, type=click.Path())
@tool_option(UNITS, "family", "-f", "--family", metavar="FAMILY")
@tool_option(UNITS, "include_empty", "-a", "--all")
@json_option
@click.pass_context
def units(context: click.Context, path: str | None, family: str | None, include_empty: bool, json: bool) -> None:
    """List build units (packages, crates, modules), or show which one owns a file."""
    start = context.obj.start

    def arguments(root: Path) -> Arguments:
        inside = repository_path(root, start, path) if path else None
        return {"path": inside, "family": family, "include_empty": include_empty or None, **STRICT}

    context.exit(run_tool("units", context.obj, "units", arguments, json=json))
