"""`cpl refs`: references of a symbol, and how many are unresolved."""

from __future__ import annotations

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import typed_symbol
from codeplane.cli.tool_call import STRICT, run_tool
from codeplane.tools.catalog.navigation import REFS


@click.command()
@click.argument("what", metavar="NAME|PATH:LINE")
@tool_option(REFS, "limit", "-n", "--limit", metavar="COUNT")
@json_option
@click.pass_context
def refs(context: click.Context, what: str, limit: int, json: bool) -> None:
    """Find the uses of a symbol.

    Write the symbol as name, Class.member, path:line, path:line:column or path#name.
    """
    start = context.obj.start
    context.exit(
        run_tool(
            "refs",
            context.obj,
            "refs",
            lambda root: {"symbol": typed_symbol(root, start, what), "limit": limit, **STRICT},
            json=json,
        )
    )
