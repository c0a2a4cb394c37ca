"""`cpl refs`, `defs`, `imports`, `unused`, `units` and `roles`: symbols and files, and how they are related."""

from __future__ import annotations

import click

from codeplane.cli.options import tool_option
from codeplane.cli.tool_call import STRICT
from codeplane.cli.tool_command import tool_command
from codeplane.tools.catalog.navigation import DEFS, IMPORTS, REFS, ROLES, UNITS, UNUSED

SYMBOL_FORMS = "Write the symbol as name, Class.member, path:line, path:line:column or path#name."
_path = click.argument("path", required=False, type=click.Path())

refs = tool_command(
    "refs",
    REFS,
    click.argument("symbol", metavar="NAME|PATH:LINE"),
    tool_option(REFS, "limit", "-n", "--limit", metavar="COUNT"),
    text=SYMBOL_FORMS,
    fixed=STRICT,
)
defs = tool_command(
    "defs",
    DEFS,
    click.argument("name"),
    tool_option(DEFS, "kind", "-k", "--kind", metavar="KIND"),
    tool_option(DEFS, "path", "-p", "--path", metavar="PATH"),
    tool_option(DEFS, "limit", "-n", "--limit", metavar="COUNT"),
    fixed=STRICT,
)
imports = tool_command(
    "imports",
    IMPORTS,
    click.argument("file", metavar="[PATH]", required=False),
    tool_option(IMPORTS, "circles", "--circles"),
    fixed=STRICT,
    unless={"file": "circles"},
)
unused = tool_command(
    "unused",
    UNUSED,
    click.argument("path", required=False),
    tool_option(UNUSED, "limit", "-n", "--limit", metavar="COUNT"),
    text="Each comes with the reasons why it may be used all the same.",
    fixed=STRICT,
)
units = tool_command(
    "units",
    UNITS,
    _path,
    tool_option(UNITS, "family", "-f", "--family", metavar="FAMILY"),
    tool_option(UNITS, "include_empty", "-a", "--all"),
    fixed=STRICT,
)
roles = tool_command("roles", ROLES, _path, fixed=STRICT)
