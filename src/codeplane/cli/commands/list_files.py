"""`cpl ls`: files and directories."""

from __future__ import annotations

import click

from codeplane.cli.options import tool_option
from codeplane.cli.tool_command import tool_command
from codeplane.tools.catalog.list_files import LIST_FILES

MAX_ENTRIES = 1000

list_files = tool_command(
    "ls",
    LIST_FILES,
    # Without a path, the working directory is listed.
    click.argument("path", default=".", type=click.Path()),
    tool_option(
        LIST_FILES,
        "depth",
        "-d",
        "--depth",
        help="Levels of directories. Default: 1, or all with --pattern",
        metavar="N",
    ),
    tool_option(LIST_FILES, "pattern", "-p", "--pattern", metavar="PATTERN"),
    tool_option(LIST_FILES, "include_ignored", "-a", "--all"),
    tool_option(LIST_FILES, "limit", "-n", "--limit", help="Maximum entries. Default: 1000", metavar="COUNT"),
    fixed={"limit": MAX_ENTRIES},
)
