"""`cpl outline`: the definitions of a file."""

from __future__ import annotations

import click

from codeplane.base.limits import MAX_LIMIT
from codeplane.cli.options import tool_option
from codeplane.cli.tool_command import tool_command
from codeplane.tools.catalog.outline import FILE_OUTLINE

outline = tool_command(
    "outline",
    FILE_OUTLINE,
    click.argument("file", type=click.Path()),
    click.argument("symbol", required=False),
    tool_option(FILE_OUTLINE, "ref", "-r", "--ref", metavar="REF"),
    fixed={"limit_symbols": MAX_LIMIT},
)
