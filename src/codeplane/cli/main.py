"""The commands and options of `cpl`, and nothing of what they do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from codeplane import __version__
from codeplane.cli.assemble import Invocation

app = typer.Typer(
    name="cpl",
    help="CodePlane: index a repository, and look at what was found.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON for programs.")]


def main() -> None:
    # Names on disk need not be valid text, and a pipe need not be UTF-8: printing must not fail.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app(prog_name="cpl")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"cpl {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    repo: Annotated[
        Path | None,
        typer.Option("-C", "--repo", metavar="PATH", help="Work on the repository that holds PATH."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a setting for this call; may be repeated."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    context.obj = Invocation(start=repo, overrides=tuple(overrides or ()))


@app.command()
def init(
    context: typer.Context,
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", help="A directory of the repository.")] = None,
    ignore_file: Annotated[
        bool, typer.Option("--ignore-file", help="Also write a .cplignore that shows the defaults as comments.")
    ] = False,
    json: Json = False,
) -> None:
    """Index the repository, or bring its index up to date."""
    from codeplane.cli.commands import indexing

    raise typer.Exit(indexing.init(context.obj, path, ignore_file=ignore_file, json=json))


@app.command()
def status(
    context: typer.Context,
    json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also show settings, what was skipped, and the last log lines.")
    ] = False,
) -> None:
    """Show the state of the index."""
    from codeplane.cli.commands import state

    raise typer.Exit(state.status(context.obj, verbose=verbose, json=json))


@app.command()
def doctor(
    context: typer.Context,
    json: Json = False,
    logs: Annotated[bool, typer.Option("--logs", help="Add versions, settings and log lines, for a report.")] = False,
) -> None:
    """Check that everything works; each finding says how to mend it."""
    from codeplane.cli.commands import state

    raise typer.Exit(state.doctor(context.obj, logs=logs, json=json))


@app.command()
def clear(
    context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="Remove configuration, logs and ledger too: the whole .codeplane directory.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Remove the index. Sources are never touched."""
    from codeplane.cli.commands import clearing

    raise typer.Exit(clearing.clear(context.obj, everything=everything, yes=yes, json=json))


@app.command()
def defs(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name, or a qualified name.")],
    kind: Annotated[str | None, typer.Option("--kind", "-k", help="Only this kind: function, class ...")] = None,
    path: Annotated[str | None, typer.Option("--path", "-p", help="Only beneath this path of the repository.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Show at most this many.")] = 20,
    json: Json = False,
) -> None:
    """Find where NAME is defined."""
    from codeplane.cli.commands import lookup

    raise typer.Exit(lookup.defs(context.obj, name, kind=kind, path=path, limit=limit, json=json))


@app.command()
def outline(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of the repository.")],
    json: Json = False,
) -> None:
    """Show the definitions of a file, as they are nested."""
    from codeplane.cli.commands import lookup

    raise typer.Exit(lookup.outline(context.obj, file, json=json))


@app.command()
def languages(json: Json = False) -> None:
    """List the languages whose definitions are indexed."""
    from codeplane.cli.commands import lookup

    raise typer.Exit(lookup.languages(json=json))
