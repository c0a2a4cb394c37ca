"""`cpl imports`: imports between files, and import cycles."""

from __future__ import annotations

from pathlib import Path

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path
from codeplane.cli.tool_call import STRICT, Arguments, run_tool
from codeplane.tools.catalog.navigation import IMPORTS


@click.command()
@click.argument("path", required=False)
@tool_option(IMPORTS, "circles", "--circles", help="Show import cycles instead")
@json_option
@click.pass_context
def imports(context: click.Context, path: str | None, circles: bool, json: bool) -> None:
    """Show the files that a file imports, and the files that import it."""
    start = context.obj.start

    def arguments(root: Path) -> Arguments:
        file = repository_path(root, start, path) if path and not circles else None
        return {"file": file, "circles": circles or None, **STRICT}

    context.exit(run_tool("imports", context.obj, "imports", arguments, json=json))
