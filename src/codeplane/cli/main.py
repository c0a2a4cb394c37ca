"""Commands and options of `cpl`. What they do is in `cli/commands`.

Plain click: typer imports pydantic, which alone takes half of the time budget of `cpl status`.
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
from codeplane.cli.help import CommandGroup

SHELLS = click.Choice(["bash", "zsh", "fish"])

json_option = click.option("--json", "json", is_flag=True, help="Print the answer as one line of JSON.")
directory = click.Path(path_type=Path)


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
@click.option("-C", "--repo", type=directory, metavar="PATH", help="Use the repository that contains PATH.")
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


@app.command()
@click.argument("path", type=directory, required=False)
@click.option("--ignore-file", is_flag=True, help="Also write a .cplignore that lists the default rules as comments.")
@json_option
@click.pass_context
def init(context: click.Context, path: Path | None, ignore_file: bool, json: bool) -> None:
    """Create the index, or bring it up to date.

    PATH is any directory of the repository. Default: the current directory. A directory without git can be indexed if
    it is named.
    """
    from codeplane.cli.commands import manage_index

    context.exit(manage_index.init(context.obj, path, ignore_file=ignore_file, json=json))


toolsets_option = click.option(
    "--toolsets",
    metavar="NAMES",
    help="Toolsets that agents see: core, files, tasks, admin, compat or all; comma-separated.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    help="Format of the answers. Default: the setting server.format, text unless changed.",
)
read_only_option = click.option("--read-only", is_flag=True, help="Refuse calls that change files or the index.")
no_prewarm_option = click.option("--no-prewarm", is_flag=True, help="Do not load the index before the first call.")


@app.command()
@toolsets_option
@format_option
@read_only_option
@no_prewarm_option
@click.option("--no-engine", is_flag=True, hidden=True, help="Only connect to a running engine; start none.")
@click.pass_context
def mcp(
    context: click.Context,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    no_prewarm: bool,
    no_engine: bool,
) -> None:
    """Serve MCP on standard input and output; MCP clients run this command.

    'cpl install' writes it into the configuration of a client.
    """
    from codeplane.cli.commands import serve

    code = serve.mcp(
        context.obj,
        toolsets=toolsets,
        form=form,
        read_only=read_only,
        prewarm=not no_prewarm,
        start=not no_engine,
    )
    context.exit(code)


@app.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT", help="Port to listen on. Default: any free port."
)
@click.option("--keep-token", is_flag=True, help="Use the same token at every start. Default: server.keep_token.")
@toolsets_option
@format_option
@read_only_option
@no_prewarm_option
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Same as 'cpl --set' before the command.")
@json_option
@click.pass_context
def up(
    context: click.Context,
    port: int | None,
    keep_token: bool,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    no_prewarm: bool,
    overrides: tuple[str, ...],
    json: bool,
) -> None:
    """Serve MCP over HTTP on this machine, until Ctrl-C.

    Clients send the token that 'cpl token' prints, as 'Authorization: Bearer TOKEN'.

    \b
    Example:
      cpl up --port 8741 --keep-token
    """
    from codeplane.cli.commands import serve

    invocation = replace(context.obj, overrides=(*context.obj.overrides, *overrides))
    code = serve.up(
        invocation,
        port=port,
        keep_token=keep_token,
        toolsets=toolsets,
        form=form,
        read_only=read_only,
        prewarm=not no_prewarm,
        json=json,
    )
    context.exit(code)


@app.command()
@json_option
@click.pass_context
def token(context: click.Context, json: bool) -> None:
    """Print the token of the HTTP server that 'cpl up' started."""
    from codeplane.cli.commands import serve

    context.exit(serve.token(context.obj, json=json))


@app.command(hidden=True)
@no_prewarm_option
@click.pass_context
def host(context: click.Context, no_prewarm: bool) -> None:
    """Run the engine of the repository until standard input ends; started by other commands."""
    from codeplane.cli.commands import serve

    context.exit(serve.host(context.obj, prewarm=not no_prewarm))


@app.command()
@click.option("-a", "--all", "everything", is_flag=True, help="Include tools that agents do not see by default.")
@json_option
@click.pass_context
def tools(context: click.Context, everything: bool, json: bool) -> None:
    """List the tools that agents can call."""
    from codeplane.cli.commands import call

    context.exit(call.tools(context.obj, everything=everything, json=json))


@app.command()
@click.argument("tool")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--json", "given", metavar="OBJECT", help="Arguments as one JSON object; - reads it from standard input.")
@click.pass_context
def call(context: click.Context, tool: str, arguments: tuple[str, ...], given: str | None) -> None:
    """Call a tool as an agent would, and print the answer as JSON.

    A key given more than once makes a list. 'cpl tools' lists the tools.

    \b
    Examples:
      cpl call search query="retry delay" limit=5
      cpl call read --json '{"targets": ["README.md:1-20"]}'
    """
    from codeplane.cli.commands import call

    context.exit(call.call(context.obj, tool, arguments, given))


@app.command()
@json_option
@click.option("-v", "--verbose", is_flag=True, help="Also show settings, skipped files and recent log lines.")
@click.option("-f", "--follow", is_flag=True, help="Keep printing log lines until Ctrl-C (exit code 130).")
@click.pass_context
def status(context: click.Context, json: bool, verbose: bool, follow: bool) -> None:
    """Show the state of the index and of the server."""
    from codeplane.cli.commands import status
    from codeplane.cli.connect import server_state

    context.exit(status.status(context.obj, verbose=verbose, follow=follow, json=json, ask_server=server_state))


@app.command()
@json_option
@click.option("--logs", is_flag=True, help="Add versions, settings and log lines for a bug report.")
@click.pass_context
def doctor(context: click.Context, json: bool, logs: bool) -> None:
    """Check the installation, the index and the MCP clients; suggest fixes."""
    from codeplane.cli.commands import doctor as command
    from codeplane.cli.commands.handshake import handshake

    context.exit(command.doctor(context.obj, logs=logs, json=json, further=(handshake(context.obj),)))


@app.command()
@click.argument("words", metavar="[list|show ID|follow|tasks]", nargs=-1)
@click.option("-t", "--task", metavar="TASK", help="Only calls of this task; a prefix of its id is enough.")
@click.option("--tool", metavar="TOOL", help="Only calls of this tool.")
@click.option("--since", metavar="WHEN", help="Only calls since WHEN: 30m, 2h, 7d, a date or a time.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="COUNT",
    help="Maximum number of results.",
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
    """Show recorded tool calls, newest first.

    \b
    cpl ledger           list calls
    cpl ledger show ID   show one call
    cpl ledger follow    print new calls until Ctrl-C
    cpl ledger tasks     list tasks
    """
    from codeplane.cli.commands import ledger as command

    context.exit(command.ledger(context.obj, command.LedgerOptions(words, task, tool, since, limit, json)))


@app.command()
@click.argument("task", required=False)
@click.option("--last", is_flag=True, help="The newest task that has calls. Default if TASK is not given.")
@click.option("-a", "--all", "everything", is_flag=True, help="List all files.")
@json_option
@click.pass_context
def receipt(context: click.Context, task: str | None, last: bool, everything: bool, json: bool) -> None:
    """Summarize one task: searches, files read and changed, tests, tokens."""
    from codeplane.cli.commands import receipt

    context.exit(receipt.receipt(context.obj, task, last=last, everything=everything, json=json))


@app.command()
@click.option("--show", is_flag=True, help="Only show what the repository's configuration asks for.")
@click.option("--revoke", is_flag=True, help="Withdraw the approval.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def trust(context: click.Context, show: bool, revoke: bool, yes: bool, json: bool) -> None:
    """Approve settings in .codeplane/config.yaml that need trust.

    The approval holds until that file changes.
    """
    from codeplane.cli.commands import trust as command

    context.exit(command.trust(context.obj, show=show, revoke=revoke, yes=yes, json=json))


@app.command()
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also remove configuration, logs and ledger: all of .codeplane.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def clear(context: click.Context, everything: bool, yes: bool, json: bool) -> None:
    """Remove the index; source files are never touched."""
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
    help="auto and symbol rank the results; the others list every match.",
)
@click.option(
    "--scope",
    type=click.Choice(["runtime", "mixed", "docs"]),
    help="runtime: code only. docs: docs and tests only. mixed: everything. Default: mixed (auto: runtime).",
)
@click.option(
    "-p",
    "--path",
    "paths",
    multiple=True,
    metavar="PATTERN",
    help="Only files that match PATTERN, in .gitignore syntax.",
)
@click.option("-l", "--lang", "languages", multiple=True, metavar="LANGUAGE", help="Only files of this language.")
@click.option(
    "-k", "--kind", "kinds", multiple=True, metavar="KIND", help="Only symbols of this kind, such as function or class."
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100),
    metavar="COUNT",
    help="Maximum number of results. Default: 20, or 100 for modes that list every match.",
)
@click.option(
    "-i/-s",
    "--ignore-case/--case-sensitive",
    default=None,
    help="For lexical and regex. Default: case-sensitive if QUERY has an upper-case letter.",
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
    """Search code by words, name, text, regular expression or reference.

    \b
    Examples:
      cpl search "where is the response cached"
      cpl search TimeoutError -m lexical
      cpl search 'retry_\\w+\\(' -m regex -l python
    """
    from codeplane.cli.commands import search

    case_sensitive = None if ignore_case is None else not ignore_case
    wish = search.Wish(query, mode, scope, paths, languages, kinds, limit, case_sensitive)
    context.exit(search.search(context.obj, wish, json=json))


@app.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[:A-B]|SYMBOL...")
@click.option(
    "-d",
    "--against",
    type=click.Choice(["HEAD", "INDEX", "WORKTREE"], case_sensitive=False),
    help="Show the diff against this version instead of the text.",
)
@json_option
@click.pass_context
def read(context: click.Context, targets: tuple[str, ...], against: str | None, json: bool) -> None:
    """Print a file, a range of lines or a symbol.

    \b
    Examples:
      cpl read src/cart.py
      cpl read src/cart.py:10-20
      cpl read src/cart.py#Cart
      cpl read Cart.total
    """
    from codeplane.cli.commands import read

    context.exit(read.read(context.obj, targets, against=against, json=json))


@app.command()
@click.argument("name")
@click.option("-k", "--kind", metavar="KIND", help="Only this kind, such as function, class or method.")
@click.option("-p", "--path", metavar="PATH", help="Only files at or under PATH.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="COUNT",
    help="Maximum number of results.",
)
@json_option
@click.pass_context
def defs(context: click.Context, name: str, kind: str | None, path: str | None, limit: int, json: bool) -> None:
    """Find the definitions of a name."""
    from codeplane.cli.commands import definitions

    context.exit(definitions.defs(context.obj, name, kind=kind, path=path, limit=limit, json=json))


@app.command()
@click.argument("what", metavar="NAME|PATH:LINE")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=100,
    show_default=True,
    metavar="COUNT",
    help="Maximum number of results.",
)
@json_option
@click.pass_context
def refs(context: click.Context, what: str, limit: int, json: bool) -> None:
    """Find the uses of a symbol.

    Write the symbol as name, Class.member, path:line, path:line:column or path#name.
    """
    from codeplane.cli.commands import refs

    context.exit(refs.refs(context.obj, what, limit=limit, json=json))


@app.command()
@click.argument("what", metavar="NAME|PATH:LINE")
@click.option(
    "-d",
    "--direction",
    type=click.Choice(["callers", "callees", "both"]),
    help="Which side of the call to show. Default: callers (--json: both).",
)
@click.option(
    "--depth", type=click.IntRange(1, 10), default=1, show_default=True, metavar="N", help="Levels of calls to follow."
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    metavar="COUNT",
    help="Maximum number of callers and callees. Default: 40 (--json: 20).",
)
@json_option
@click.pass_context
def calls(context: click.Context, what: str, direction: str | None, depth: int, limit: int | None, json: bool) -> None:
    """Find the callers of a symbol, or what it calls, each with its source line.

    Write the symbol as name, Class.member, path:line, path:line:column or path#name.
    """
    from codeplane.cli.commands import call_graph

    context.exit(call_graph.calls(context.obj, what, direction=direction, depth=depth, limit=limit, json=json))


@app.command()
@click.argument("path", required=False)
@click.option("--circles", is_flag=True, help="Show import cycles instead.")
@json_option
@click.pass_context
def imports(context: click.Context, path: str | None, circles: bool, json: bool) -> None:
    """Show the files that a file imports, and the files that import it."""
    from codeplane.cli.commands import imports

    context.exit(imports.imports(context.obj, path, circles=circles, json=json))


@app.command()
@click.argument("path", required=False)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=50,
    show_default=True,
    metavar="COUNT",
    help="Maximum number of results.",
)
@json_option
@click.pass_context
def unused(context: click.Context, path: str | None, limit: int, json: bool) -> None:
    """List definitions without a known use, at or under PATH.

    Each comes with the reasons why it may be used all the same.
    """
    from codeplane.cli.commands import unused as command

    context.exit(command.unused(context.obj, path, limit=limit, json=json))


SECTIONS = click.Choice(
    ["structure", "languages", "entry_points", "key_files", "dependencies", "test_layout", "public_api"]
)


@app.command("map")
@click.option("-i", "--include", multiple=True, type=SECTIONS, metavar="SECTION", help="Only this section; repeatable.")
@click.option("--depth", type=click.IntRange(1, 20), metavar="N", help="Levels of directories. Default: 3.")
@click.option("--tokens", type=click.IntRange(200, 5000), metavar="N", help="Maximum size in tokens. Default: 1500.")
@json_option
@click.pass_context
def map_(context: click.Context, include: tuple[str, ...], depth: int | None, tokens: int | None, json: bool) -> None:
    """Give an overview of the repository: directories, key files, entry points, tests.

    SECTION is structure, languages, entry_points, key_files, dependencies, test_layout or public_api.
    """
    from codeplane.cli.commands import map_repo

    context.exit(map_repo.map_repo(context.obj, include=include, depth=depth, tokens=tokens, json=json))


@app.command()
@click.argument("path", required=False, type=click.Path())
@click.option(
    "-d",
    "--depth",
    type=click.IntRange(1, 20),
    metavar="N",
    help="Levels of directories. Default: 1, or all with --pattern.",
)
@click.option("-p", "--pattern", metavar="PATTERN", help="Only matching files at any depth, in .gitignore syntax.")
@click.option("-a", "--all", "everything", is_flag=True, help="Include files that are not indexed, with the reason.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), metavar="COUNT", help="Maximum number of entries.")
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
    """List the files and directories of PATH, with line and file counts."""
    from codeplane.cli.commands import list_files

    options = list_files.ListOptions(path, depth, pattern, everything, limit)
    context.exit(list_files.list_files(context.obj, options, json=json))


@app.command()
@click.argument("file", type=click.Path())
@click.argument("symbol", required=False)
@click.option("-r", "--ref", metavar="REF", help="The file at this branch, tag or commit.")
@json_option
@click.pass_context
def outline(context: click.Context, file: str, symbol: str | None, ref: str | None, json: bool) -> None:
    """Show the definitions of a file as a tree, or one symbol with its members."""
    from codeplane.cli.commands import outline

    context.exit(outline.outline(context.obj, file, ref=ref, symbol=symbol, json=json))


@app.command()
@click.argument("source", metavar="FILE", default="-")
@click.option("--dry-run", is_flag=True, help="Only show the diff.")
@click.option("--allow-sensitive", is_flag=True, help="Allow changes to CI, hooks, and agent or editor settings.")
@json_option
@click.pass_context
def apply(context: click.Context, source: str, dry_run: bool, allow_sensitive: bool, json: bool) -> None:
    """Apply a patch or JSON edits to the working tree, all or nothing.

    FILE is a unified diff or a JSON list of edits; - reads standard input.
    """
    from codeplane.cli.commands import write_source

    code = write_source.apply(context.obj, source, dry_run=dry_run, allow_sensitive=allow_sensitive, json=json)
    context.exit(code)


@app.command()
@click.argument("mutation_id", metavar="[CHANGE]", required=False)
@json_option
@click.pass_context
def undo(context: click.Context, mutation_id: str | None, json: bool) -> None:
    """Undo a change made by an agent or by 'cpl apply'.

    CHANGE is an id that 'cpl mutations' lists. Default: the last change.
    """
    from codeplane.cli.commands import rollback

    context.exit(rollback.undo(context.obj, mutation_id, json=json))


@app.command()
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="COUNT",
    help="Maximum number of results.",
)
@json_option
@click.pass_context
def mutations(context: click.Context, limit: int, json: bool) -> None:
    """List changes made by agents or by 'cpl apply', newest first."""
    from codeplane.cli.commands import rollback

    context.exit(rollback.mutations(context.obj, limit=limit, json=json))


@app.command()
@click.argument("path", required=False, type=click.Path())
@click.option("-f", "--family", metavar="FAMILY", help="Only this language family, such as python or jvm.")
@click.option("-a", "--all", "everything", is_flag=True, help="Include units without files.")
@json_option
@click.pass_context
def units(context: click.Context, path: str | None, family: str | None, everything: bool, json: bool) -> None:
    """List build units (packages, crates, modules), or show which one owns a file."""
    from codeplane.cli.commands import units as command

    context.exit(command.units(context.obj, path, family=family, everything=everything, json=json))


@app.command()
@click.argument("path", required=False, type=click.Path())
@json_option
@click.pass_context
def roles(context: click.Context, path: str | None, json: bool) -> None:
    """Count files by role, such as source or test; or explain the role of one file."""
    from codeplane.cli.commands import roles as command

    context.exit(command.roles(context.obj, path, json=json))


@app.command()
@json_option
@click.pass_context
def languages(context: click.Context, json: bool) -> None:
    """List the supported languages."""
    from codeplane.cli.commands import languages as command

    context.exit(command.languages(context.obj, json=json))


scope_option = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="Write your own configuration, or the one shared in the repository.",
)


@app.command()
@click.argument("clients", metavar="[CLIENT]...", nargs=-1)
@scope_option
@toolsets_option
@read_only_option
@click.option("--print-config", is_flag=True, help="Print the entry for each client; change nothing.")
@click.option("--http", is_flag=True, help="With --print-config: entries for the HTTP server of 'cpl up'.")
@click.option("--dry-run", is_flag=True, help="Show the changes; make none.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def install(
    context: click.Context,
    clients: tuple[str, ...],
    scope: str,
    toolsets: str | None,
    read_only: bool,
    print_config: bool,
    http: bool,
    dry_run: bool,
    yes: bool,
    json: bool,
) -> None:
    """Add CodePlane to MCP clients: the named ones, or all that are installed.

    CLIENT is claude-code, cursor, vscode, codex, zed, windsurf, gemini or opencode. Only the entry of CodePlane is
    changed; the previous file is kept next to the new one until 'cpl uninstall'.
    """
    from codeplane.cli.commands.install import InstallOptions
    from codeplane.cli.commands.install import install as run

    options = InstallOptions(clients, scope, dry_run, yes, print_config, http, toolsets, read_only)
    context.exit(run(context.obj, options, json=json))


@app.command()
@click.argument("clients", metavar="[CLIENT]...", nargs=-1)
@scope_option
@click.option("--dry-run", is_flag=True, help="Show the changes; make none.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def uninstall(
    context: click.Context, clients: tuple[str, ...], scope: str, dry_run: bool, yes: bool, json: bool
) -> None:
    """Remove CodePlane from MCP clients: the named ones, or all that have it."""
    from codeplane.cli.commands.install import InstallOptions
    from codeplane.cli.commands.install import uninstall as run

    context.exit(run(context.obj, InstallOptions(clients, scope, dry_run, yes), json=json))
