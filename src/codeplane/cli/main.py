"""The commands and options of `cpl`, and nothing of what they do.

Plain click: typer brings pydantic along, which alone takes half of the time that a status may take.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from codeplane import __version__
from codeplane.cli.assemble import Invocation

SHELLS = click.Choice(["bash", "zsh", "fish"])

json_option = click.option("--json", "json", is_flag=True, help="Print one line of JSON for programs.")
directory = click.Path(path_type=Path)


class InOrder(click.Group):
    """Commands are listed as they are declared: what one does first comes first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def main() -> None:
    # Names on disk need not be valid text, and a pipe need not be UTF-8: printing must not fail.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = app.main(prog_name="cpl", standalone_mode=False)
    except click.UsageError as error:
        if "--json" in sys.argv:
            from codeplane.cli.answer import usage_failed

            usage_failed(error.format_message())
        else:
            error.show()
        code = 2
    except (click.Abort, KeyboardInterrupt):
        code = 130
    sys.exit(code)


def _then_exit(action: Callable[[Any], None]) -> Callable[[click.Context, click.Parameter, Any], None]:
    """An option that does something of its own instead of a command."""

    def callback(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value and not context.resilient_parsing:
            action(value)
            context.exit()

    return callback


def _show_completion(shell: str) -> None:
    from codeplane.cli.completion import script

    print(script(app, shell))


def _install_completion(shell: str) -> None:
    from codeplane.cli.completion import install

    print(install(app, shell))


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("-C", "--repo", type=directory, metavar="PATH", help="Work on the repository that holds PATH.")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting for this call; may be repeated."
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_then_exit(lambda _: print(f"cpl {__version__}")),
    help="Print the version and exit.",
)
@click.option(
    "--install-completion",
    type=SHELLS,
    metavar="SHELL",
    is_eager=True,
    expose_value=False,
    callback=_then_exit(_install_completion),
    help="Write completion for bash, zsh or fish to where that shell looks for it.",
)
@click.option(
    "--show-completion",
    type=SHELLS,
    metavar="SHELL",
    is_eager=True,
    expose_value=False,
    callback=_then_exit(_show_completion),
    help="Print completion for bash, zsh or fish.",
)
@click.pass_context
def app(context: click.Context, repo: Path | None, overrides: tuple[str, ...]) -> None:
    """CodePlane: index a repository, and look at what was found."""
    context.obj = Invocation(start=repo, overrides=overrides)


@app.command()
@click.argument("path", type=directory, required=False)
@click.option("--ignore-file", is_flag=True, help="Also write a .cplignore that shows the defaults as comments.")
@json_option
@click.pass_context
def init(context: click.Context, path: Path | None, ignore_file: bool, json: bool) -> None:
    """Index the repository that holds PATH, or bring its index up to date."""
    from codeplane.cli.commands import indexing

    context.exit(indexing.init(context.obj, path, ignore_file=ignore_file, json=json))


@app.command()
@json_option
@click.option("-v", "--verbose", is_flag=True, help="Also show settings, what was skipped, and the last log lines.")
@click.pass_context
def status(context: click.Context, json: bool, verbose: bool) -> None:
    """Show the state of the index."""
    from codeplane.cli.commands import state

    context.exit(state.status(context.obj, verbose=verbose, json=json))


@app.command()
@json_option
@click.option("--logs", is_flag=True, help="Add versions, settings and log lines, for a report.")
@click.pass_context
def doctor(context: click.Context, json: bool, logs: bool) -> None:
    """Check that everything works; each finding says how to mend it."""
    from codeplane.cli.commands import state

    context.exit(state.doctor(context.obj, logs=logs, json=json))


@app.command()
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Remove configuration, logs and ledger too: all of .codeplane.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def clear(context: click.Context, everything: bool, yes: bool, json: bool) -> None:
    """Remove the index. Sources are never touched."""
    from codeplane.cli.commands import clearing

    context.exit(clearing.clear(context.obj, everything=everything, yes=yes, json=json))


@app.command()
@click.argument("name")
@click.option("-k", "--kind", metavar="KIND", help="Only this kind: function, class, method ...")
@click.option("-p", "--path", metavar="PATH", help="Only beneath this path of the repository.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="COUNT",
    help="Show at most this many.",
)
@json_option
@click.pass_context
def defs(context: click.Context, name: str, kind: str | None, path: str | None, limit: int, json: bool) -> None:
    """Find where NAME is defined."""
    from codeplane.cli.commands import lookup

    context.exit(lookup.defs(context.obj, name, kind=kind, path=path, limit=limit, json=json))


@app.command()
@click.argument("file", type=click.Path())
@json_option
@click.pass_context
def outline(context: click.Context, file: str, json: bool) -> None:
    """Show the definitions of FILE, as they are nested."""
    from codeplane.cli.commands import lookup

    context.exit(lookup.outline(context.obj, file, json=json))


@app.command()
@json_option
@click.pass_context
def languages(context: click.Context, json: bool) -> None:
    """List the languages whose definitions are indexed."""
    from codeplane.cli.commands import lookup

    context.exit(lookup.languages(context.obj, json=json))
