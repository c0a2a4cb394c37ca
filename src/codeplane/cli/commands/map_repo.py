"""`cpl map`: an overview of the repository."""

from __future__ import annotations

import click

from codeplane.cli.options import json_option, tool_option
from codeplane.cli.tool_call import run_tool
from codeplane.tools.catalog.map_repo import MAP_REPO


@click.command("map")
@tool_option(MAP_REPO, "include", "-i", "--include", help="Only this section; repeatable", metavar="SECTION")
@tool_option(MAP_REPO, "depth", "--depth", help="Levels of directories", metavar="N")
@tool_option(
    MAP_REPO, "max_tokens", "--tokens", help="Maximum size in tokens. Default: 800 (--json: 1500)", metavar="N"
)
@json_option
@click.pass_context
def map_repo(context: click.Context, include: tuple[str, ...], depth: int, max_tokens: int | None, json: bool) -> None:
    """Give an overview of the repository: directories, key files, entry points, tests.

    SECTION is structure, languages, entry_points, key_files, dependencies, test_layout or public_api.
    """
    arguments = {"include": include, "depth": depth, "max_tokens": max_tokens}
    context.exit(run_tool("map", context.obj, "map_repo", lambda root: arguments, json=json))
