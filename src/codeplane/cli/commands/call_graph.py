"""`cpl calls`: callers and callees."""

from __future__ import annotations

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import typed_symbol
from codeplane.cli.tool_call import run_tool
from codeplane.tools.catalog.call_graph import CALL_GRAPH


@click.command("calls")
@click.argument("symbol", metavar="NAME|PATH:LINE")
@tool_option(
    CALL_GRAPH,
    "direction",
    "-d",
    "--direction",
    help="Which side of the call to show. Default: callers (--json: both)",
)
@tool_option(CALL_GRAPH, "depth", "--depth", help="Levels of calls to follow", metavar="N")
@tool_option(
    CALL_GRAPH,
    "limit",
    "-n",
    "--limit",
    help="Maximum number of callers and callees. Default: 40 (--json: 20)",
    metavar="COUNT",
)
@json_option
@click.pass_context
def call_graph(
    context: click.Context, symbol: str, direction: str | None, depth: int, limit: int | None, json: bool
) -> None:
    """Find the callers of a symbol, or what it calls, each with its source line.

    Write the symbol as name, Class.member, path:line, path:line:column or path#name. A path alone is the top level of
    that file.
    """
    options = {"depth": depth, "direction": direction, "limit": limit}
    start = context.obj.start
    context.exit(
        run_tool(
            "calls",
            context.obj,
            "call_graph",
            lambda root: {"symbol": typed_symbol(root, start, symbol), **options},
            json=json,
        )
    )
