"""Entry point of `cpl` and its global options. Each command has a module in `cli/commands`.

Plain click: typer imports pydantic, which alone takes half of the time budget of `cpl status`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import click

from codeplane import __version__
from codeplane.cli.assemble import Invocation
from codeplane.cli.help import CommandGroup

SHELLS = click.Choice(["bash", "zsh", "fish"])


def main() -> None:
    _print_anything(sys.stderr)
    try:
        code = app.main(prog_name="cpl", standalone_mode=False)
    except click.UsageError as error:
        if "--json" in sys.argv:
            from codeplane.cli.answer import usage_failed

            usage_failed(error.format_message())
        else:
            from codeplane.cli.errors import usage_text
            from codeplane.cli.terminal import Style

            print(usage_text(error, Style.of(sys.stderr)), file=sys.stderr)
        code = 2
    except (click.Abort, KeyboardInterrupt):
        code = 130
    sys.exit(code)


def _print_anything(stream: TextIO | None) -> None:
    """Escape what the stream cannot encode: file names may be invalid text. The stream is None if it is closed."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _then_exit(action: Callable[[Any], None]) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Callback of an option that runs `action` instead of a command."""

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


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Run 'cpl COMMAND --help' for the options of a command.",
)
@click.option(
    "-C", "--repo", type=click.Path(path_type=Path), metavar="PATH", help="Use the repository that contains PATH."
)
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting for this command; repeatable."
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
    help="Install completion for bash, zsh or fish.",
)
@click.option(
    "--show-completion",
    type=SHELLS,
    metavar="SHELL",
    is_eager=True,
    expose_value=False,
    callback=_then_exit(_show_completion),
    help="Print the completion script for bash, zsh or fish.",
)
@click.pass_context
def app(context: click.Context, repo: Path | None, overrides: tuple[str, ...]) -> None:
    """Index a repository, search and change it, and serve it to coding agents over MCP."""
    # Under `mcp`, standard output belongs to the protocol, and reconfiguring it would flush it.
    if context.invoked_subcommand != "mcp":
        _print_anything(sys.stdout)
    context.obj = Invocation(start=repo, overrides=overrides)
