"""Errors on a terminal: the problem, the expected value, and a command line that works.

Examples of errors are written for agents, as arguments of a tool. A person gets the equivalent `cpl` command, or the
typed command with the misspelled word corrected. An example about a file that does not exist here is left out.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from codeplane.base.errors import CodePlaneError, ErrorCode, ErrorKind
from codeplane.base.paths import display
from codeplane.cli.terminal import Style, columns

TOOLS = {
    "search": "search",
    "read": "read",
    "outline": "file_outline",
    "map": "map_repo",
    "ls": "list_files",
    "calls": "call_graph",
    "refs": "refs",
    "defs": "defs",
    "imports": "imports",
    "unused": "unused",
    "units": "units",
    "roles": "roles",
    "rename": "refactor_rename",
    "apply": "write_source",
    "undo": "rollback",
    "clear": "manage_index",
    "init": "manage_index",
}
"""The tool that each command calls."""

_LABEL_WIDTH = 10
_LEAST_WIDTH = 40
_OPTIONS = {
    "search": {"mode": "-m", "scope": "--scope", "paths": "-p", "languages": "-l", "kinds": "-k", "limit": "-n"},
    "read": {"against": "-d"},
    "file_outline": {"ref": "-r"},
    "map_repo": {"include": "-i", "depth": "--depth", "max_tokens": "--tokens"},
    "list_files": {"max_depth": "-d", "pattern": "-p", "limit": "-n"},
    "call_graph": {"direction": "-d", "depth": "--depth", "limit": "-n"},
    "refs": {"limit": "-n"},
    "defs": {"kind": "-k", "path": "-p", "limit": "-n"},
    "imports": {},
    "unused": {"limit": "-n"},
    "units": {"family": "-f"},
    "roles": {},
    "rollback": {},
    "refactor_rename": {"include": "-i"},
}
"""Option of the command for each argument of its tool. An argument without one needs `cpl call`."""
_OPERANDS = {
    "search": "query",
    "read": "target",
    "file_outline": "file",
    "map_repo": "",
    "list_files": "path",
    "call_graph": "symbol",
    "refs": "symbol",
    "defs": "name",
    "imports": "file",
    "unused": "path",
    "units": "path",
    "roles": "path",
    "rollback": "mutation_id",
    "refactor_rename": "symbol",
}
_COMMANDS = {tool: command for command, tool in TOOLS.items() if tool in _OPTIONS}
_FILE_COMMANDS = ("read", "outline", "imports")
_PATH_ARGUMENTS = ("target", "targets", "file", "path", "symbol")


@dataclass(frozen=True)
class Typed:
    """The command that failed, as the user typed it."""

    command: str = ""
    words: tuple[str, ...] = ()
    directory: str = ""
    """Argument of `-C`, if it was given."""
    root: Path | None = None
    """Repository that paths in an example must exist in."""

    @classmethod
    def current(cls) -> Typed:
        from codeplane.cli.assemble import Invocation, find_root

        context = click.get_current_context(silent=True)
        if context is None or context.parent is None:
            return cls()
        start = context.obj.start if isinstance(context.obj, Invocation) else None
        try:
            root = find_root(start, any_directory=True)
        except (CodePlaneError, OSError):
            root = None
        return cls(context.info_name or "", tuple(sys.argv[1:]), str(start) if start else "", root)


def error_text(error: CodePlaneError, style: Style, typed: Typed | None = None) -> str:
    """Format an error for a person, wrapped to the width of the terminal."""
    typed = typed or Typed()
    rows: list[tuple[str, str | None]] = []
    shown = error.details.get("excerpt")
    if isinstance(shown, list | tuple):
        # Lines of a file that the error is about, such as the nearest match of an edit.
        rows.append(("lines", "\n".join(str(line).replace("\t", "    ") for line in shown)))
    suggestion = _corrected(error, typed) or _nearest(error, typed)
    if suggestion:
        rows.append(("try", suggestion))
    else:
        rows.append(("expected", error.expected))
        # Most messages already quote the value.
        rows.append(("received", error.received if error.received and error.received not in error.message else None))
        example = _example(error.example, typed)
        rows += [("example", example), ("try", error.remedy)]
        if example is None and error.code.kind is ErrorKind.CALLER and "cpl " not in (error.remedy or ""):
            rows.append(("help", f"cpl {typed.command} --help" if typed.command else None))
    return _render(error.message, rows, style)


def usage_text(error: click.UsageError, style: Style) -> str:
    """Format a usage error of click like other errors."""
    message = error.format_message().removesuffix(".")
    message = message.replace(". Did you mean", "; did you mean")
    rows: list[tuple[str, str | None]] = []
    if error.ctx is not None:
        usage = error.ctx.command.collect_usage_pieces(error.ctx)
        rows.append(("usage", " ".join((error.ctx.command_path, *usage))))
        rows.append(("help", f"{error.ctx.command_path} --help"))
    return _render(message[:1].lower() + message[1:], rows, style)


def command_line(tool: str, arguments: Mapping[str, object]) -> str:
    """Return the `cpl` command that is equivalent to a call of a tool."""
    words = _command_words(tool, arguments) or _call_words(tool, arguments)
    return " ".join(("cpl", *map(_quoted, words)))


def _command_words(tool: str, arguments: Mapping[str, object]) -> list[str] | None:
    """Return the words of the command that wraps the tool; None if it lacks an option for an argument."""
    if tool not in _OPTIONS:
        return None
    left = dict(arguments)
    operand = left.pop(_OPERANDS[tool], None)
    if tool == "read" and isinstance(operand, str) and "start_line" in left and "end_line" in left:
        operand = f"{operand}:{left.pop('start_line')}-{left.pop('end_line')}"
    if (operand is not None and not isinstance(operand, str)) or not left.keys() <= _OPTIONS[tool].keys():
        return None
    words = [_COMMANDS[tool], *([operand] if operand else [])]
    for name, value in left.items():
        for item in value if isinstance(value, list | tuple) else (value,):
            words += [_OPTIONS[tool][name], str(item)]
    return words


def _call_words(tool: str, arguments: Mapping[str, object]) -> list[str]:
    simple = all(isinstance(value, str | int | float) for value in arguments.values())
    if not simple:
        return ["call", tool, "--json", json.dumps(arguments)]
    return ["call", tool, *(f"{name}={_word(value)}" for name, value in arguments.items())]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _corrected(error: CodePlaneError, typed: Typed) -> str | None:
    """Return the typed command with the unknown word replaced by the nearest known one."""
    wrong, right = error.received, error.expected
    if not wrong or not right or not (error.remedy or "").startswith(f"Use '{right}'"):
        return None
    places = [index for index, word in enumerate(typed.words) if word == wrong or word.startswith(f"{wrong}=")]
    if len(places) != 1:
        return None
    words = list(typed.words)
    words[places[0]] = right + words[places[0]][len(wrong) :]
    return " ".join(("cpl", *map(_quoted, words)))


def _nearest(error: CodePlaneError, typed: Typed) -> str | None:
    """Return the same command with the most similar file, or a listing of the directory."""
    if typed.command not in _FILE_COMMANDS or error.code not in (ErrorCode.FILE_NOT_FOUND, ErrorCode.NOT_REGULAR):
        return None
    if error.received and typed.root is not None and (typed.root / error.received).is_dir():
        return _cpl(typed, "ls", error.received)
    nearest = error.details.get("nearest")
    return _cpl(typed, typed.command, str(nearest[0])) if isinstance(nearest, list) and nearest else None


def _cpl(typed: Typed, *words: str) -> str:
    """Return a command line for the repository of the failed command."""
    place = ("-C", typed.directory) if typed.directory else ()
    return " ".join(("cpl", *map(_quoted, (*place, *words))))


def _example(example: object, typed: Typed) -> str | None:
    if isinstance(example, str) and example.startswith("cpl "):
        return _cpl(typed) + example.removeprefix("cpl")
    tool = TOOLS.get(typed.command)
    if isinstance(example, str) and tool in ("read", "file_outline", "list_files"):
        example = {_OPERANDS[tool]: example}
    if tool is None or not isinstance(example, Mapping) or not _works(example, typed.root):
        return None
    return _cpl(typed) + command_line(tool, example).removeprefix("cpl")


def _works(arguments: Mapping[str, object], root: Path | None) -> bool:
    """True if the files that a call names exist: examples of the catalog name files of an imaginary project."""
    named = [arguments[name] for name in _PATH_ARGUMENTS if name in arguments]
    edits = arguments.get("edits")
    named += [edit.get("path") for edit in edits if isinstance(edit, Mapping)] if isinstance(edits, list) else []
    words = [word for value in named for word in (value if isinstance(value, list) else [value])]
    if not words:
        return True
    return root is not None and all(isinstance(word, str) and _exists(root, word) for word in words)


def _exists(root: Path, target: str) -> bool:
    path = target.partition("#")[0]
    head, colon, lines = path.rpartition(":")
    if colon and lines.replace("-", "").isdigit():
        path = head
    return bool(path) and os.path.lexists(root / path)


def _quoted(word: str) -> str:
    return shlex.quote(display(word))


def _render(message: str, rows: Sequence[tuple[str, str | None]], style: Style) -> str:
    width = max(_LEAST_WIDTH, columns(sys.stderr))
    first, *rest = _wrapped(message, width, "error: ", "  ")
    lines = [style.red("error:") + first.removeprefix("error:"), *rest]
    for label, value in rows:
        if value:
            start = f"  {label:<{_LABEL_WIDTH}}"
            first, *rest = _wrapped(
                value, width, start, " " * len(start), whole=label == "lines" or value.startswith("cpl ")
            )
            lines += [f"  {style.dim(label)}{first[2 + len(label) :]}", *rest]
    return "\n".join(lines)


def _wrapped(text: str, width: int, first: str, other: str, *, whole: bool = False) -> Iterator[str]:
    """Yield lines of at most `width` columns; a command line stays whole, so that it can be copied."""
    indent = first
    for line in text.splitlines() or [""]:
        shown = display(line)
        if whole or len(indent) + len(shown) <= width:
            yield indent + shown
        else:
            yield from textwrap.wrap(
                shown,
                width,
                initial_indent=indent,
                subsequent_indent=other,
                break_long_words=False,
                break_on_hyphens=False,
            )
        indent = other
