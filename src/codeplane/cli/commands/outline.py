"""`cpl outline`: the definitions of a file."""

from __future__ import annotations

import click

from codeplane.base.limits import MAX_LIMIT
from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path
from codeplane.cli.tool_call import run_tool
from codeplane.tools.catalog.outline import FILE_OUTLINE


@click.command()
@click.argument("file", type=click.Path())
@click.argument("symbol", required=False)
@tool_option(FILE_OUTLINE, "ref", "-r", "--ref", help="The file at this branch, tag or commit", metavar="REF")
@json_option
@click.pass_context
def outline(context: click.Context, file: str, symbol: str | None, ref: str | None, json: bool) -> None:
    """Show the definitions of a file as a tree, or one symbol with its members."""
    options = {"limit_symbols": MAX_LIMIT, "ref": ref, "symbol": symbol}
    start = context.obj.start
    context.exit(
        run_tool(
            "outline",
            context.obj,
            "file_outline",
            lambda root: {"file": repository_path(root, start, file), **options},
            json=json,
        )
    )
