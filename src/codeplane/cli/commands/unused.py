"""`cpl unused`: definitions without a known use."""

from __future__ import annotations

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path
from codeplane.cli.tool_call import STRICT, run_tool
from codeplane.tools.catalog.navigation import UNUSED


@click.command()
@click.argument("path", required=False)
@tool_option(UNUSED, "limit", "-n", "--limit", metavar="COUNT")
@json_option
@click.pass_context
def unused(context: click.Context, path: str | None, limit: int, json: bool) -> None:
    """List definitions without a known use, at or under PATH.

    Each comes with the reasons why it may be used all the same.
    """
    start = context.obj.start
    context.exit(
        run_tool(
            "unused",
            context.obj,
            "unused",
            lambda root: {"path": repository_path(root, start, path) if path else None, "limit": limit, **STRICT},
            json=json,
        )
    )
