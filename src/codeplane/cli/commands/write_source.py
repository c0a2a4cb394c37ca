"""`cpl apply`, `cpl undo` and `cpl mutations`: change files, undo a change, list changes."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.terminal import Style

_MAX_INPUT = 16 * 1024 * 1024


def apply(invocation: Invocation, source: str, *, dry_run: bool, allow_sensitive: bool, json: bool) -> int:
    def work() -> Reply:
        arguments = _arguments(_read(source))
        if dry_run:
            arguments["dry_run"] = True
        if allow_sensitive:
            arguments["allow_sensitive"] = True
        return call_reply(invocation, "write_source", arguments, json)

    return answer("apply", work, json=False)


def call_reply(invocation: Invocation, tool: str, arguments: Mapping[str, Any], json: bool) -> Reply:
    from codeplane.cli.connect import call_lines, call_tool
    from codeplane.cli.lines import lines_reply

    context = assemble(invocation).context
    if json:
        return tool_reply(call_tool(context, invocation, tool, arguments)[0])
    status, lines = call_lines(context, invocation, tool, arguments)
    reply = lines_reply(status, lines)
    if arguments.get("dry_run") and reply.text:
        return replace(reply, text="\n".join(map(_diff_line, reply.text.split("\n"))))
    return reply


def _diff_line(line: str) -> str:
    """A line of a diff in colour, where a terminal wants it."""
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
    """A JSON object or list of edits, or else a patch."""
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
