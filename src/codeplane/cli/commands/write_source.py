"""`cpl apply`: apply a patch or JSON edits."""

from __future__ import annotations

import json as json_format
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer
from codeplane.cli.options import json_option
from codeplane.cli.terminal import Style
from codeplane.cli.tool_call import call_reply

_MAX_INPUT = 16 * 1024 * 1024


@click.command()
@click.argument("source", metavar="FILE", default="-")
@click.option("--dry-run", is_flag=True, help="Only show the diff.")
@click.option("--allow-sensitive", is_flag=True, help="Allow changes to CI, hooks, and agent or editor settings.")
@json_option
@click.pass_context
def apply(context: click.Context, source: str, dry_run: bool, allow_sensitive: bool, json: bool) -> None:
    """Apply a patch or JSON edits to the working tree, all or nothing.

    FILE is a unified diff or a JSON list of edits; - reads standard input.
    """

    def work() -> Reply:
        given = _arguments(_read(source))
        given |= {"dry_run": True} if dry_run else {}
        given |= {"allow_sensitive": True} if allow_sensitive else {}
        reply = call_reply(context.obj, "write_source", lambda root: given, as_json=json)
        if given.get("dry_run") and reply.text and not json:
            return replace(reply, text="\n".join(map(_diff_line, reply.text.split("\n"))))
        return reply

    context.exit(answer("apply", work, json=False))


def _diff_line(line: str) -> str:
    """Return a line of a diff, coloured on a terminal."""
    style = Style.of(sys.stdout)
    if line.startswith(("+++", "---", "diff ")):
        return style.bold(line)
    return style.green(line) if line.startswith("+") else style.red(line) if line.startswith("-") else line


def _read(source: str) -> str:
    try:
        if source == "-":
            data = sys.stdin.buffer.read(_MAX_INPUT + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(_MAX_INPUT + 1)
    except OSError as error:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{display(source)}' cannot be read: {error.strerror}",
            example="cpl apply fix.patch",
        ) from error
    if len(data) > _MAX_INPUT:
        raise CodePlaneError(ErrorCode.FILE_TOO_LARGE, f"the input has more than {_MAX_INPUT:,} bytes")
    return data.decode("utf-8", "surrogateescape")


def _arguments(text: str) -> dict[str, Any]:
    """Parse a JSON object or list of edits, or else a patch."""
    from codeplane.operations.write_source.patches import parse_patch

    if text.lstrip()[:1] not in ("{", "["):
        return {"edits": parse_patch(text)}
    try:
        found = json_format.loads(text)
    except (ValueError, RecursionError):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID, "the edits are not JSON", expected='a patch, or {"edits": [...]}'
        ) from None
    return found if isinstance(found, dict) else {"edits": found}
