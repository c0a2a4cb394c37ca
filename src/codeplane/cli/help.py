"""The commands of `cpl`: where each is implemented, and the layout of `cpl --help`.

A command is imported when it runs or its own help is shown, so that `cpl --help` loads none of them. A test compares
the summaries with the commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import NamedTuple

import click


class CommandEntry(NamedTuple):
    module: str
    """Module under `cli/commands`."""
    summary: str
    """First sentence of the help of the command."""


SECTIONS: Mapping[str, Mapping[str, CommandEntry]] = {
    "Find and read": {
        "search": CommandEntry("search", "Search code by words, name, text, regular expression or reference"),
        "read": CommandEntry("read", "Print a file, a range of lines or a symbol"),
        "defs": CommandEntry("navigation", "Find the definitions of a name"),
        "outline": CommandEntry("outline", "Show the definitions of a file as a tree, or one symbol with its members"),
        "map": CommandEntry(
            "map_repo", "Give an overview of the repository: directories, key files, entry points, tests"
        ),
        "ls": CommandEntry("list_files", "List the files and directories of PATH, with line and file counts"),
    },
    "Follow references": {
        "refs": CommandEntry("navigation", "Find the uses of a symbol"),
        "calls": CommandEntry(
            "call_graph", "Find the callers of a symbol, or what it calls, each with its source line"
        ),
        "imports": CommandEntry("navigation", "Show the files that a file imports, and the files that import it"),
        "unused": CommandEntry("navigation", "List definitions without a known use, at or under PATH"),
    },
    "Change files": {
        "rename": CommandEntry("rename", "Rename SYMBOL everywhere, with overrides, imports and keyword arguments"),
        "apply": CommandEntry("write_source", "Apply a patch or JSON edits to the working tree, all or nothing"),
        "undo": CommandEntry("rollback", "Undo a change made by an agent or by 'cpl apply'"),
        "mutations": CommandEntry("rollback", "List changes made by agents or by 'cpl apply', newest first"),
    },
    "Agents and servers": {
        "install": CommandEntry("install", "Add CodePlane to MCP clients: the named ones, or all that are installed"),
        "uninstall": CommandEntry("install", "Remove CodePlane from MCP clients: the named ones, or all that have it"),
        "mcp": CommandEntry("mcp", "Serve MCP on standard input and output; MCP clients run this command"),
        "up": CommandEntry("up", "Serve MCP over HTTP on this machine, until Ctrl-C"),
        "token": CommandEntry("up", "Print the token of the HTTP server that 'cpl up' started"),
        "tools": CommandEntry("call", "List the tools that agents can call"),
        "call": CommandEntry("call", "Call a tool as an agent would, and print the answer as JSON"),
    },
    "Index": {
        "init": CommandEntry("manage_index", "Create the index, or bring it up to date"),
        "status": CommandEntry("status", "Show the state of the index and of the server"),
        "clear": CommandEntry("clear", "Remove the index; source files are never touched"),
        "units": CommandEntry(
            "navigation", "List build units (packages, crates, modules), or show which one owns a file"
        ),
        "roles": CommandEntry(
            "navigation", "Count files by role, such as source or test; or explain the role of one file"
        ),
        "languages": CommandEntry("languages", "List the supported languages"),
    },
    "Maintenance": {
        "doctor": CommandEntry("doctor", "Check the installation, the index and the MCP clients; suggest fixes"),
        "trust": CommandEntry("trust", "Approve settings in .codeplane/config.yaml that need trust"),
        "ledger": CommandEntry("ledger", "Show recorded tool calls, newest first"),
        "receipt": CommandEntry("receipt", "Summarize one task: searches, files read and changed, tests, tokens"),
    },
}
HIDDEN = {"host": CommandEntry("mcp", "Run the engine of the repository until standard input ends")}
COMMANDS = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()} | HIDDEN


class CommandGroup(click.Group):
    """The `cpl` command: loads commands on demand, and lists them by section."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if name not in HIDDEN]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a command: click itself knows only commands that are loaded."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(name, self.list_commands(ctx), 1)
            ctx.fail(f"No such command '{name}'." + (f" Did you mean '{near[0]}'?" if near else ""))
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first: most readers look for them."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                # Names padded to one width put the summaries of all sections into one column.
                formatter.write_dl([(name.ljust(width), entry.summary) for name, entry in entries.items()])


def load_command(name: str) -> click.Command:
    return next(command for command in _commands_in(COMMANDS[name].module) if command.name == name)


def _commands_in(module: str) -> Iterator[click.Command]:
    values = vars(import_module(f"codeplane.cli.commands.{module}")).values()
    return (value for value in values if isinstance(value, click.Command))
