"""Layout of `cpl --help`: commands grouped by purpose, and summaries that are never cut off."""

from __future__ import annotations

from collections.abc import Iterator

import click

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Find and read", ("search", "read", "defs", "outline", "map", "ls")),
    ("Follow references", ("refs", "calls", "imports", "unused")),
    ("Change files", ("apply", "undo", "mutations")),
    ("Agents and servers", ("install", "uninstall", "mcp", "up", "token", "tools", "call")),
    ("Index", ("init", "status", "clear", "units", "roles", "languages")),
    ("Maintenance", ("doctor", "trust", "ledger", "receipt")),
)


class CommandGroup(click.Group):
    """The `cpl` command: lists its commands by section, in the order of `SECTIONS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        listed = [name for _, names in SECTIONS for name in names]
        return listed + [name for name in self.commands if name not in listed]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands first: they are what most readers look for."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = list(self._sections(ctx))
        width = max((len(name) for _, rows in sections for name, _ in rows), default=0)
        for title, rows in sections:
            with formatter.section(title):
                # Names padded to one width put the summaries of all sections into one column.
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])

    def _sections(self, ctx: click.Context) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        listed = {name for _, names in SECTIONS for name in names}
        others = tuple(name for name in self.commands if name not in listed)
        for title, names in (*SECTIONS, ("Other commands", others)):
            found = ((name, self.get_command(ctx, name)) for name in names)
            rows = [(name, summary(command)) for name, command in found if command is not None and not command.hidden]
            if rows:
                yield title, rows


def summary(command: click.Command) -> str:
    """First sentence of a command's help, whole: click's own short help ends in an ellipsis."""
    paragraph = " ".join((command.help or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].removesuffix(".")
