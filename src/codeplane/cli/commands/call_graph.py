"""`cpl calls`: callers and callees."""

from __future__ import annotations

import click

from codeplane.cli.commands.navigation import SYMBOL_FORMS
from codeplane.cli.options import tool_option
from codeplane.cli.tool_command import tool_command
from codeplane.tools.catalog.call_graph import CALL_GRAPH

call_graph = tool_command(
    "calls",
    CALL_GRAPH,
    click.argument("symbol", metavar="NAME|PATH:LINE"),
    tool_option(
        CALL_GRAPH,
        "direction",
        "-d",
        "--direction",
        help="Which side of the call to show. Default: callers (--json: both)",
    ),
    tool_option(CALL_GRAPH, "depth", "--depth", metavar="N"),
    tool_option(
        CALL_GRAPH,
        "limit",
        "-n",
        "--limit",
        help="Maximum number of callers and callees. Default: 40 (--json: 20)",
        metavar="COUNT",
    ),
    text=f"{SYMBOL_FORMS} A path alone is the top level of that file.",
)
