"""`cpl map`: an overview of the repository."""

from __future__ import annotations

from codeplane.cli.options import tool_option
from codeplane.cli.tool_command import tool_command
from codeplane.tools.catalog.map_repo import MAP_REPO, SECTIONS

map_repo = tool_command(
    "map",
    MAP_REPO,
    tool_option(MAP_REPO, "include", "-i", "--include", help="Only this section; repeatable", metavar="SECTION"),
    tool_option(MAP_REPO, "depth", "--depth", metavar="N"),
    tool_option(
        MAP_REPO, "max_tokens", "--tokens", help="Maximum size in tokens. Default: 800 (--json: 1500)", metavar="N"
    ),
    text=f"SECTION is {', '.join(SECTIONS[:-1])} or {SECTIONS[-1]}.",
)
