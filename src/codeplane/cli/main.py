"""The commands and options of `cpl`, and nothing of what they do.

Plain click: typer brings pydantic along, which alone takes half of the time that a status may take.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

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
    _print_anything(sys.stderr)
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


def _print_anything(stream: TextIO | None) -> None:
    """Names on disk need not be valid text, and a pipe need not be UTF-8: printing must not fail. It may be closed."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


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
    """CodePlane: index a repository, serve it to agents, and look at what was found."""
    # To touch the stream would write out what others printed; of `mcp` it belongs to the protocol.
    if context.invoked_subcommand != "mcp":
        _print_anything(sys.stdout)
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


toolsets_option = click.option(
    "--toolsets", metavar="NAMES", help="Tools that agents see: core, admin, compat, all ...; several with commas."
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    help="Form of the answers: text, or the JSON envelope. Default: server.format, which is text.",
)
read_only_option = click.option("--read-only", is_flag=True, help="Refuse every call that would change something.")
no_prewarm_option = click.option("--no-prewarm", is_flag=True, help="Do not read the index ahead of the first call.")


@app.command()
@toolsets_option
@format_option
@read_only_option
@no_prewarm_option
@click.option("--no-engine", is_flag=True, hidden=True, help="Attach to an engine that runs, and start none.")
@click.pass_context
def mcp(
    context: click.Context,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    no_prewarm: bool,
    no_engine: bool,
) -> None:
    """Serve an MCP client on standard input and output. Clients start this."""
    from codeplane.cli.commands import serving

    code = serving.mcp(
        context.obj,
        toolsets=toolsets,
        form=form,
        read_only=read_only,
        prewarm=not no_prewarm,
        start=not no_engine,
    )
    context.exit(code)


@app.command()
@click.option("--port", type=click.IntRange(0, 65535), metavar="PORT", help="Listen here; by default where it is free.")
@toolsets_option
@format_option
@read_only_option
@no_prewarm_option
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="As before the command.")
@json_option
@click.pass_context
def up(
    context: click.Context,
    port: int | None,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    no_prewarm: bool,
    overrides: tuple[str, ...],
    json: bool,
) -> None:
    """Serve MCP over HTTP on this machine, in the foreground; Ctrl-C stops it."""
    from codeplane.cli.commands import serving

    invocation = replace(context.obj, overrides=(*context.obj.overrides, *overrides))
    code = serving.up(
        invocation,
        port=port,
        toolsets=toolsets,
        form=form,
        read_only=read_only,
        prewarm=not no_prewarm,
        json=json,
    )
    context.exit(code)


@app.command(hidden=True)
@no_prewarm_option
@click.pass_context
def host(context: click.Context, no_prewarm: bool) -> None:
    """Answer for the repository until standard input ends; started by the other commands."""
    from codeplane.cli.commands import serving

    context.exit(serving.host(context.obj, prewarm=not no_prewarm))


@app.command()
@click.option("-a", "--all", "everything", is_flag=True, help="Also tools that agents do not see by default.")
@json_option
@click.pass_context
def tools(context: click.Context, everything: bool, json: bool) -> None:
    """List the tools."""
    from codeplane.cli.commands import calling

    context.exit(calling.tools(context.obj, everything=everything, json=json))


@app.command()
@click.argument("tool")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "--json", "given", metavar="OBJECT", help="All arguments as one JSON object; - reads it from standard input."
)
@click.pass_context
def call(context: click.Context, tool: str, arguments: tuple[str, ...], given: str | None) -> None:
    """Call TOOL as an agent would, and print its answer as one line of JSON."""
    from codeplane.cli.commands import calling

    context.exit(calling.call(context.obj, tool, arguments, given))


@app.command()
@json_option
@click.option("-v", "--verbose", is_flag=True, help="Also show settings, what was skipped, and the last log lines.")
@click.option(
    "-f", "--follow", is_flag=True, help="Go on showing log lines as they come; Ctrl-C ends it, exit code 130."
)
@click.pass_context
def status(context: click.Context, json: bool, verbose: bool, follow: bool) -> None:
    """Show the state of the server and of the index."""
    from codeplane.cli.commands import state
    from codeplane.cli.reach import server_state

    context.exit(state.status(context.obj, verbose=verbose, follow=follow, json=json, ask_server=server_state))


@app.command()
@json_option
@click.option("--logs", is_flag=True, help="Add versions, settings and log lines, for a report.")
@click.pass_context
def doctor(context: click.Context, json: bool, logs: bool) -> None:
    """Check that everything works; each finding says how to mend it."""
    from codeplane.cli.commands import doctor as command
    from codeplane.cli.commands.handshake import handshake

    context.exit(command.doctor(context.obj, logs=logs, json=json, further=(handshake(context.obj),)))


@app.command()
@click.argument("words", metavar="[list|show ID|follow|tasks]", nargs=-1)
@click.option("-t", "--task", metavar="TASK", help="Only calls of this task; the beginning of its id is enough.")
@click.option("--tool", metavar="TOOL", help="Only calls of this tool.")
@click.option("--since", metavar="WHEN", help="Only calls since then: 30m, 2h, 7d, or a date or time.")
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
def ledger(
    context: click.Context,
    words: tuple[str, ...],
    task: str | None,
    tool: str | None,
    since: str | None,
    limit: int,
    json: bool,
) -> None:
    """Show what was called, newest first; one call; calls as they come; or the tasks they belong to."""
    from codeplane.cli.commands import ledger as command

    context.exit(command.ledger(context.obj, command.Wish(words, task, tool, since, limit, json)))


@app.command()
@click.argument("task", required=False)
@click.option("--last", is_flag=True, help="The newest task in which anything was asked; so without TASK.")
@click.option("-a", "--all", "everything", is_flag=True, help="List every file.")
@json_option
@click.pass_context
def receipt(context: click.Context, task: str | None, last: bool, everything: bool, json: bool) -> None:
    """Show what a task searched, read, changed and ran, and what its answers cost."""
    from codeplane.cli.commands import receipts

    context.exit(receipts.receipt(context.obj, task, last=last, everything=everything, json=json))


@app.command()
@click.option("--show", is_flag=True, help="Only show what the repository's own file asks for.")
@click.option("--revoke", is_flag=True, help="Take the trust back.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def trust(context: click.Context, show: bool, revoke: bool, yes: bool, json: bool) -> None:
    """Let settings of the repository's own file take effect that reach out of it, until that file changes."""
    from codeplane.cli.commands import trust as command

    context.exit(command.trust(context.obj, show=show, revoke=revoke, yes=yes, json=json))


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
@click.argument("query")
@click.option(
    "-m",
    "--mode",
    type=click.Choice(["auto", "lexical", "regex", "symbol", "definitions", "references", "files"]),
    default="auto",
    show_default=True,
    help="Ranked by what is meant (auto, symbol), or every match.",
)
@click.option(
    "--scope",
    type=click.Choice(["runtime", "mixed", "docs"]),
    help="runtime: neither docs nor tests; docs: only those. Default: mixed, of auto runtime.",
)
@click.option("-p", "--path", "paths", multiple=True, metavar="PATTERN", help="Only these, as in .gitignore.")
@click.option("-l", "--lang", "languages", multiple=True, metavar="LANGUAGE", help="Only this language.")
@click.option("-k", "--kind", "kinds", multiple=True, metavar="KIND", help="Only this kind: function, class ...")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100),
    metavar="COUNT",
    help="Show at most this many. Default: 20, of every match 100.",
)
@click.option(
    "-i/-s",
    "--ignore-case/--case-sensitive",
    default=None,
    help="Of lexical and regex. Default: case counts if the query has a capital.",
)
@json_option
@click.pass_context
def search(
    context: click.Context,
    query: str,
    mode: str,
    scope: str | None,
    paths: tuple[str, ...],
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    limit: int | None,
    ignore_case: bool | None,
    json: bool,
) -> None:
    """Find code by words, a name, a fragment, an error text, or a regular expression (-m regex)."""
    from codeplane.cli.commands import searching

    case_sensitive = None if ignore_case is None else not ignore_case
    wish = searching.Wish(query, mode, scope, paths, languages, kinds, limit, case_sensitive)
    context.exit(searching.search(context.obj, wish, json=json))


@app.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[:A-B]|SYMBOL...")
@click.option(
    "-d",
    "--against",
    type=click.Choice(["HEAD", "INDEX", "WORKTREE"], case_sensitive=False),
    help="Show what changed against this instead of the text.",
)
@json_option
@click.pass_context
def read(context: click.Context, targets: tuple[str, ...], against: str | None, json: bool) -> None:
    """Show a file, some of its lines, or a symbol: shop/cart.py:10-20, shop/cart.py#Cart, Cart.total."""
    from codeplane.cli.commands import reading

    context.exit(reading.read(context.obj, targets, against=against, json=json))


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
@click.argument("what", metavar="NAME|PATH:LINE")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=100, show_default=True, metavar="N")
@json_option
@click.pass_context
def refs(context: click.Context, what: str, limit: int, json: bool) -> None:
    """Show who uses a symbol: what is proven, and how much is not known.

    It is named by its name, Class.member, path:line, path:line:column or path#name.
    """
    from codeplane.cli.commands import relations

    context.exit(relations.refs(context.obj, what, limit=limit, json=json))


@app.command()
@click.argument("what", metavar="NAME|PATH:LINE")
@click.option("-d", "--direction", type=click.Choice(["callers", "callees", "both"]), default="both", show_default=True)
@click.option("--depth", type=click.IntRange(1, 10), default=1, show_default=True, help="How many calls away.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, metavar="N")
@json_option
@click.pass_context
def calls(context: click.Context, what: str, direction: str, depth: int, limit: int, json: bool) -> None:
    """Show who calls a symbol and what it calls."""
    from codeplane.cli.commands import relations

    context.exit(relations.calls(context.obj, what, direction=direction, depth=depth, limit=limit, json=json))


@app.command()
@click.argument("path", required=False)
@click.option("--circles", is_flag=True, help="Show files that import each other instead.")
@json_option
@click.pass_context
def imports(context: click.Context, path: str | None, circles: bool, json: bool) -> None:
    """Show which files a file imports and which import it."""
    from codeplane.cli.commands import graphs

    context.exit(graphs.imports(context.obj, path, circles=circles, json=json))


@app.command()
@click.argument("path", required=False)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, metavar="N")
@json_option
@click.pass_context
def unused(context: click.Context, path: str | None, limit: int, json: bool) -> None:
    """Show definitions that nothing is known to use, and why each may be used all the same."""
    from codeplane.cli.commands import graphs

    context.exit(graphs.unused(context.obj, path, limit=limit, json=json))


SECTIONS = click.Choice(
    ["structure", "languages", "entry_points", "key_files", "dependencies", "test_layout", "public_api"]
)


@app.command("map")
@click.option("-i", "--include", multiple=True, type=SECTIONS, metavar="SECTION", help="Only this; may be repeated.")
@click.option("--depth", type=click.IntRange(1, 20), metavar="N", help="Levels of directories. Default: 3.")
@click.option("--tokens", type=click.IntRange(200, 5000), metavar="N", help="How much is told. Default: 1500.")
@json_option
@click.pass_context
def map_(context: click.Context, include: tuple[str, ...], depth: int | None, tokens: int | None, json: bool) -> None:
    """Show the repository at a glance: where things are, and what the rest of it rests on."""
    from codeplane.cli.commands import navigation

    context.exit(navigation.map_repo(context.obj, include=include, depth=depth, tokens=tokens, json=json))


@app.command()
@click.argument("path", required=False, type=click.Path())
@click.option("-d", "--depth", type=click.IntRange(1, 20), metavar="N", help="Levels to open. Default: 1, or all.")
@click.option("-p", "--pattern", metavar="PATTERN", help="Only these, at any depth; as in a .gitignore of PATH.")
@click.option("-a", "--all", "everything", is_flag=True, help="Also what is not indexed, and why.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), metavar="COUNT", help="Show at most this many.")
@json_option
@click.pass_context
def ls(
    context: click.Context,
    path: str | None,
    depth: int | None,
    pattern: str | None,
    everything: bool,
    limit: int | None,
    json: bool,
) -> None:
    """List what lies in PATH, or here: the lines of each file, the files beneath each directory."""
    from codeplane.cli.commands import navigation

    wish = navigation.Wish(path, depth, pattern, everything, limit)
    context.exit(navigation.list_files(context.obj, wish, json=json))


@app.command()
@click.argument("file", type=click.Path())
@click.option("-r", "--ref", metavar="REF", help="As this branch, tag or commit has it.")
@json_option
@click.pass_context
def outline(context: click.Context, file: str, ref: str | None, json: bool) -> None:
    """Show the definitions of FILE, as they are nested."""
    from codeplane.cli.commands import lookup

    context.exit(lookup.outline(context.obj, file, ref=ref, json=json))


@app.command()
@click.argument("source", metavar="FILE", default="-")
@click.option("--dry-run", is_flag=True, help="Only show the diff.")
@click.option("--allow-sensitive", is_flag=True, help="Also change CI, hooks, and settings of agents and editors.")
@json_option
@click.pass_context
def apply(context: click.Context, source: str, dry_run: bool, allow_sensitive: bool, json: bool) -> None:
    """Apply a patch, or edits as JSON, to the working tree: all of it or nothing. - reads standard input."""
    from codeplane.cli.commands import editing

    code = editing.apply(context.obj, source, dry_run=dry_run, allow_sensitive=allow_sensitive, json=json)
    context.exit(code)


@app.command()
@click.argument("mutation_id", metavar="[CHANGE]", required=False)
@json_option
@click.pass_context
def undo(context: click.Context, mutation_id: str | None, json: bool) -> None:
    """Undo a change that an agent or 'cpl apply' made: the last one, or the one that is named."""
    from codeplane.cli.commands import editing

    context.exit(editing.undo(context.obj, mutation_id, json=json))


@app.command()
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, metavar="COUNT")
@json_option
@click.pass_context
def mutations(context: click.Context, limit: int, json: bool) -> None:
    """List changes that agents or 'cpl apply' made, the newest first."""
    from codeplane.cli.commands import editing

    context.exit(editing.mutations(context.obj, limit=limit, json=json))


@app.command()
@click.argument("path", required=False, type=click.Path())
@click.option("-f", "--family", metavar="FAMILY", help="Only this family of languages: python, javascript, jvm ...")
@click.option("-a", "--all", "everything", is_flag=True, help="Also those without files.")
@json_option
@click.pass_context
def units(context: click.Context, path: str | None, family: str | None, everything: bool, json: bool) -> None:
    """List the build roots, at or beneath PATH; for a file, say which one owns it and why."""
    from codeplane.cli.commands import units as command

    context.exit(command.units(context.obj, path, family=family, everything=everything, json=json))


@app.command()
@click.argument("path", required=False, type=click.Path())
@json_option
@click.pass_context
def roles(context: click.Context, path: str | None, json: bool) -> None:
    """Count files by what they are there for, at or beneath PATH; for a file, say what that follows from."""
    from codeplane.cli.commands import roles as command

    context.exit(command.roles(context.obj, path, json=json))


@app.command()
@json_option
@click.pass_context
def languages(context: click.Context, json: bool) -> None:
    """List the languages whose definitions are indexed."""
    from codeplane.cli.commands import lookup

    context.exit(lookup.languages(context.obj, json=json))


scope_option = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="Your own configuration, or the one that is shared with the repository.",
)


@app.command()
@click.argument("clients", metavar="[CLIENT]...", nargs=-1)
@scope_option
@toolsets_option
@read_only_option
@click.option("--print-config", is_flag=True, help="Only print what belongs into each configuration.")
@click.option("--dry-run", is_flag=True, help="Only show what would be changed.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def install(
    context: click.Context,
    clients: tuple[str, ...],
    scope: str,
    toolsets: str | None,
    read_only: bool,
    print_config: bool,
    dry_run: bool,
    yes: bool,
    json: bool,
) -> None:
    """Add CodePlane to MCP clients: those named, or those found.

    CLIENT is claude-code, cursor, vscode, codex, zed, windsurf, gemini or opencode. Nothing but the entry of
    CodePlane is changed, and the file from before is kept beside it.
    """
    from codeplane.cli.commands.clients import Wish
    from codeplane.cli.commands.clients import install as run

    wish = Wish(clients, scope, dry_run, yes, print_config, toolsets, read_only)
    context.exit(run(context.obj, wish, json=json))


@app.command()
@click.argument("clients", metavar="[CLIENT]...", nargs=-1)
@scope_option
@click.option("--dry-run", is_flag=True, help="Only show what would be changed.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def uninstall(
    context: click.Context, clients: tuple[str, ...], scope: str, dry_run: bool, yes: bool, json: bool
) -> None:
    """Remove CodePlane from MCP clients: those named, or all that have it."""
    from codeplane.cli.commands.clients import Wish
    from codeplane.cli.commands.clients import uninstall as run

    context.exit(run(context.obj, Wish(clients, scope, dry_run, yes), json=json))
