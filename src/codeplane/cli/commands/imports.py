"""`cpl imports`: imports between files, and import cycles."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.options import json_option
from codeplane.cli.paths import repository_path
from codeplane.cli.terminal import Style, plural

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("path", required=False)
@click.option("--circles", is_flag=True, help="Show import cycles instead.")
@json_option
@click.pass_context
def imports(context: click.Context, path: str | None, circles: bool, json: bool) -> None:
    """Show the files that a file imports, and the files that import it."""
    context.exit(answer("imports", lambda: _cycles(context.obj) if circles else _imports(context.obj, path), json=json))


def _imports(invocation: Invocation, path: str | None) -> Reply:
    from codeplane.cli.connect import reading
    from codeplane.operations.imports import find_imports

    if path is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "'cpl imports' needs a file",
            expected="a file, or --circles",
            example="cpl imports --circles",
        )
    assembly = assemble(invocation)
    with reading(assembly.context, invocation) as reads:
        read = find_imports(reads, RepoPath(repository_path(assembly.context.root, invocation.start, path)))
    found, style = read.value, Style.of(sys.stdout)
    lines = [
        *_paths(f"{display(found.path)} imports", found.imports, style),
        *_paths("imported by", found.imported_by, style),
    ]
    return Reply(
        result={"path": found.path, "imports": list(found.imports), "imported_by": list(found.imported_by)},
        text="\n".join(lines),
        message=plural(len(found.imports) + len(found.imported_by), "file"),
        meta={"epoch": read.epoch},
        warnings=(*assembly.warnings, *(notice.as_line() for notice in read.notices)),
    )


def _cycles(invocation: Invocation) -> Reply:
    from codeplane.cli.connect import reading
    from codeplane.operations.imports import find_import_cycles

    assembly = assemble(invocation)
    with reading(assembly.context, invocation) as reads:
        read = find_import_cycles(reads)
    style = Style.of(sys.stdout)
    lines: list[str] = []
    for group in read.value:
        lines += _paths(f"cycle of {plural(len(group), 'file')}", group, style)
    return Reply(
        result={"circles": [list(group) for group in read.value]},
        text="\n".join(lines) or style.dim("no import cycles"),
        message=plural(len(read.value), "circle"),
        meta={"epoch": read.epoch},
        warnings=(*assembly.warnings, *(notice.as_line() for notice in read.notices)),
    )


def _paths(title: str, paths: Sequence[RepoPath], style: Style) -> Iterator[str]:
    yield f"{style.bold(title)}{'' if paths else style.dim('  none')}"
    yield from (f"  {display(path)}" for path in paths)
