"""`cpl defs`: definitions of a name."""

from __future__ import annotations

from pathlib import Path

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path, typed_symbol
from codeplane.cli.tool_call import STRICT, Arguments, run_tool
from codeplane.tools.catalog.navigation import DEFS


@click.command()
@click.argument("name")
@tool_option(DEFS, "kind", "-k", "--kind", metavar="KIND")
@tool_option(DEFS, "path", "-p", "--path", help="Only files at or under PATH", metavar="PATH")
@tool_option(DEFS, "limit", "-n", "--limit", metavar="COUNT")
@json_option
@click.pass_context
def defs(context: click.Context, name: str, kind: str | None, path: str | None, limit: int, json: bool) -> None:
    """Find the definitions of a name."""
    start = context.obj.start

    def arguments(root: Path) -> Arguments:
        inside = repository_path(root, start, path) if path else None
        return {"name": typed_symbol(root, start, name), "kind": kind, "path": inside, "limit": limit, **STRICT}

    context.exit(run_tool("defs", context.obj, "defs", arguments, json=json))
