"""`cpl ls`: files and directories."""

from __future__ import annotations

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path
from codeplane.cli.tool_call import run_tool
from codeplane.tools.catalog.list_files import LIST_FILES

MAX_ENTRIES = 1000


@click.command("ls")
@click.argument("path", required=False, type=click.Path())
@tool_option(
    LIST_FILES, "depth", "-d", "--depth", help="Levels of directories. Default: 1, or all with --pattern", metavar="N"
)
@tool_option(
    LIST_FILES,
    "pattern",
    "-p",
    "--pattern",
    help="Only matching files at any depth, in .gitignore syntax",
    metavar="PATTERN",
)
@tool_option(LIST_FILES, "include_ignored", "-a", "--all", help="Include files that are not indexed, with the reason")
@tool_option(LIST_FILES, "limit", "-n", "--limit", help="Maximum number of entries. Default: 1000", metavar="COUNT")
@json_option
@click.pass_context
def list_files(
    context: click.Context,
    path: str | None,
    depth: int | None,
    pattern: str | None,
    include_ignored: bool,
    limit: int | None,
    json: bool,
) -> None:
    """List the files and directories of PATH, with line and file counts."""
    options = {"depth": depth, "pattern": pattern, "include_ignored": include_ignored or None}
    options |= {"limit": limit or MAX_ENTRIES}
    # Without a path, the working directory is listed.
    start = context.obj.start
    context.exit(
        run_tool(
            "ls",
            context.obj,
            "list_files",
            lambda root: {"path": repository_path(root, start, path or "."), **options},
            json=json,
        )
    )
