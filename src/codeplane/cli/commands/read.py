"""`cpl read`: a symbol, some lines, a file or a diff, with syntax colours on a terminal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from codeplane.base.text_lines import LineKind
from codeplane.cli.answer import Reply, answer
from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path
from codeplane.cli.tool_call import call_reply
from codeplane.tools.catalog.read import READ

if TYPE_CHECKING:
    from codeplane.base.text_lines import TextLine


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[:A-B]|SYMBOL...")
@tool_option(READ, "against", "-d", "--against", help="Show the diff against this version instead of the text")
@tool_option(READ, "show_secrets", "--show-secrets", help="Show keys and tokens, which are redacted otherwise")
@json_option
@click.pass_context
def read(context: click.Context, targets: tuple[str, ...], against: str | None, show_secrets: bool, json: bool) -> None:
    """Print a file, a range of lines or a symbol.

    \b
    Examples:
      cpl read src/cart.py
      cpl read src/cart.py:10-20
      cpl read src/cart.py#Cart
      cpl read Cart.total
    """

    def arguments(root: Path) -> dict[str, object]:
        found = [_target(root, context.obj.start, target) for target in targets]
        chosen: dict[str, object] = {"target": found[0]} if len(found) == 1 else {"targets": found}
        chosen |= {"mode": "diff_preview", "against": against} if against else {}
        return chosen | ({"show_secrets": True} if show_secrets else {})

    def work() -> Reply:
        return call_reply(context.obj, "read", arguments, as_json=json, status_of=_status)

    context.exit(answer("read", work, json=False))


def _status(status: str, lines: list[TextLine]) -> str:
    """As with cat, one target that cannot be shown makes the command fail."""
    return "not_found" if any(line.kind is LineKind.NOTE and line.path for line in lines) else status


def _target(root: Path, start: Path | None, typed: str) -> str:
    """Return a target whose path may be relative to the working directory."""
    if os.path.lexists((start or Path()) / typed):
        return repository_path(root, start, typed)
    for mark in ("#", ":"):
        head, found, tail = typed.partition(mark)
        if found and os.path.lexists((start or Path()) / head):
            return f"{repository_path(root, start, head)}{mark}{tail}"
    return typed
