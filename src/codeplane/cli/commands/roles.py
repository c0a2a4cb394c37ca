"""`cpl roles`: roles of files, and the evidence for the role of one file."""

from __future__ import annotations

import click

from codeplane.cli.options import json_option
from codeplane.cli.paths import repository_path
from codeplane.cli.tool_call import STRICT, run_tool


@click.command()
@click.argument("path", required=False, type=click.Path())
@json_option
@click.pass_context
def roles(context: click.Context, path: str | None, json: bool) -> None:
    """Count files by role, such as source or test; or explain the role of one file."""
    start = context.obj.start
    context.exit(
        run_tool(
            "roles",
            context.obj,
            "roles",
            lambda root: {"path": repository_path(root, start, path) if path else None, **STRICT},
            json=json,
        )
    )
