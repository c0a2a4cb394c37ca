"""Finding one's way: file_outline, map_repo."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from shlex import quote
from typing import Any, TypeVar

from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.text_lines import TextLine
from codeplane.base.warnings import Notice, WarningCode
from codeplane.operations import outline
from codeplane.operations.missing_paths import explain_missing
from codeplane.operations.outline import FileOutlineRows, Outline
from codeplane.operations.read_meta import read_meta
from codeplane.operations.symbols.presenter import unresolved_lines, unresolved_message
from codeplane.tools.arguments import shown
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.outline_size import fitted
from codeplane.tools.text.outline import DEFAULT_TOKENS as OUTLINE_DEFAULT
from codeplane.tools.text.outline import MAX_TOKENS as OUTLINE_MAX
from codeplane.tools.text.outline import (
    NAMED_TOKENS,
    UNLIMITED,
    outline_lines,
    symbol_lines,
    version_words,
)
from codeplane.workspace.freshness import FreshResult

T = TypeVar("T")

_BYTES_PER_TOKEN = 4


def file_outline(call: Call, args: Mapping[str, Any]) -> Answer:
    file = _file(call, args["file"])
    named = any(name in args for name in ("symbol", "symbol_id", "symbol_label"))
    exact = args["resolve_mode"] == "exact" or named
    if exact and not named:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "an exact outline needs the symbol",
            expected="symbol",
            received="none",
            example={"file": file, "symbol": "Server.start"},
        )
    window = _window(args.get("start_line"), args.get("end_line"))
    if exact and window is not None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "lines have no effect where one symbol is named",
            expected="a symbol, or lines",
            received="both",
            example={"file": file, "symbol": "Server.start"},
        )
    told = _looked_up(call, args, file)
    if call.wants_text:
        found, reduced = _text_outline(told.outlined, args, exact, window), False
    else:
        found, reduced = _shown(told.outlined, args, exact, window)
    wanted = args.get("language")
    if wanted is not None and wanted.lower() != found.language:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the file is of another language",
            expected=found.language,
            received=shown(wanted),
            example={"file": file, "language": found.language},
        )
    hints = {} if exact or call.wants_text else _outline_hints(call, args, found, reduced)
    return Answer(
        {**told.version, **found.as_dict()},
        status=found.status,
        message=unresolved_message(found.unresolved) if found.unresolved is not None else None,
        warnings=(*told.notices, *_outline_notices(found)),
        hints=hints,
        meta=told.meta,
        record=CallRecord((file,), told.outlined.size // _BYTES_PER_TOKEN),
        lines=_outline_lines(call, found, told, args, exact) if call.wants_text else None,
    )


def _text_outline(
    outlined: FileOutlineRows, args: Mapping[str, Any], exact: bool, window: tuple[int, int] | None
) -> Outline:
    """All that was asked for; the text form shortens it to its own size."""
    return outline.show_outline(
        outlined,
        depth=args["depth"],
        limit=args.get("limit_symbols", MAX_LIMIT),
        resolve="exact" if exact else "outline",
        symbol_id=_written_symbol(args),
        window=window,
        max_chars=_ALL,
        full_signatures=True,
    )


def _outline_lines(call: Call, found: Outline, told: _Told, args: Mapping[str, Any], exact: bool) -> list[TextLine]:
    version = version_words(told.outlined.digest, str(told.version.get("commit", "")), str(told.version.get("ref", "")))
    # What a person asks for goes to a terminal, not into the context of a model.
    room = UNLIMITED if call.surface.everything else OUTLINE_MAX if "limit_symbols" in args else OUTLINE_DEFAULT
    if found.unresolved is not None and not found.symbols:
        return unresolved_lines(found.unresolved)
    if exact:
        return symbol_lines(found, version, max(room, NAMED_TOKENS))
    return outline_lines(found, version, room)


def _outline_hints(call: Call, args: Mapping[str, Any], found: Outline, reduced: bool) -> dict[str, object]:
    """Calls that tell more of the same version: of the same lines, or of those that follow."""
    calls: dict[str, dict[str, object]] = {}
    if args["depth"] == "all" and reduced:
        calls["whole"] = {"start_line": args.get("start_line"), "limit_symbols": MAX_LIMIT}
    if found.next_line > args.get("start_line", 1):
        depth = args["depth"] if args["depth"] != "all" else None
        calls["next"] = {"start_line": found.next_line, "depth": depth, "limit_symbols": args.get("limit_symbols")}
    hints: dict[str, object] = {}
    for name, given in calls.items():
        arguments = {"file": found.file, "ref": args.get("ref"), **given, "end_line": args.get("end_line")}
        arguments = {key: value for key, value in arguments.items() if value is not None}
        words = " ".join(quote(f"{key}={value}") for key, value in arguments.items())
        hints[name] = call.next_call(
            "file_outline", {**arguments, **path_argument(args)}, f"cpl call file_outline {words}"
        )
    return hints


@dataclass(frozen=True)
class _Told:
    """What is known of a file, of which version of it, and how fresh that is."""

    outlined: FileOutlineRows
    version: Mapping[str, object]
    notices: tuple[Notice, ...]
    meta: Mapping[str, object]


def _looked_up(call: Call, args: Mapping[str, Any], file: RepoPath) -> _Told:
    ref = args.get("ref", _WORKTREE)
    if ref != _WORKTREE:
        past = call.root.past.find(ref, file)
        return _Told(past.outlined, {"commit": past.commit} if past.commit else {"ref": ref}, (), {})
    symbol = _written_symbol(args)
    try:
        read = _explained(
            call,
            file,
            lambda: call.root.workspace.read(
                lambda snapshot: outline.find_outlined(snapshot, file, symbol),
                args.get("freshness_policy"),
                file=file,
                cancelled=call.cancelled,
            ),
        )
    except CodePlaneError as error:
        if error.code is not ErrorCode.NOT_READY:
            raise
        return _Told(call.root.parse(file), {}, (), {"source": "disk"})
    return _Told(read.value, {}, read.notices, read_meta(read))


_WORKTREE = "WORKTREE"
_ALL = 1 << 40


def _shown(
    outlined: FileOutlineRows, args: Mapping[str, Any], exact: bool, window: tuple[int, int] | None
) -> tuple[Outline, bool]:
    """The outline, and whether it says less than was asked for so that it has the size of a default answer."""
    show = partial(
        outline.show_outline,
        outlined,
        resolve="exact" if exact else "outline",
        symbol_id=_written_symbol(args),
        window=window,
        limit=args.get("limit_symbols", MAX_LIMIT),
    )
    if "limit_symbols" in args or exact:
        return show(depth=args["depth"]), False
    found = show(depth=args["depth"], max_chars=_ALL)
    smaller = fitted(found, lambda: show(depth="top", max_chars=_ALL))
    return smaller, smaller is not found


def _written_symbol(args: Mapping[str, Any]) -> str | None:
    names = ("symbol_id", "symbol", "symbol_label")
    return next((args[name] for name in names if args.get(name)), None)


def _explained(call: Call, file: RepoPath, read: Callable[[], FreshResult[T]]) -> FreshResult[T]:
    """Read; that a file is missing is told with the reason."""
    try:
        return read()
    except CodePlaneError as error:
        # The symbol may name another file that is missing.
        if error.code is not ErrorCode.FILE_NOT_FOUND or error.received != display(file):
            raise
        raise explain_missing(call.root.context, file, error) from None


def _window(start: int | None, end: int | None) -> tuple[int, int] | None:
    if start is None and end is None:
        return None
    first, last = start or 1, end or 2**31
    if last < first:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "end_line lies before start_line",
            expected=f"end_line of at least {first}",
            received=str(last),
        )
    return first, last


def _file(call: Call, given: str) -> RepoPath:
    """A path of the repository; one that is absolute and lies in it is taken too."""
    root = str(call.root.path)
    if given.startswith(root + "/"):
        given = os.path.relpath(given, root)
    return normalize(given.removeprefix("./"))


def _outline_notices(found: Outline) -> tuple[Notice, ...]:
    notices = []
    if found.missing_metadata:
        notices.append(Notice(WarningCode.OUTLINE_MISSING_SYMBOL_METADATA, {"count": found.missing_metadata}))
    if found.syntax_errors:
        about = {"errors": found.syntax_errors, "first_line": found.first_error_line}
        notices.append(Notice(WarningCode.FILE_NOT_PARSED_WHOLE, about))
    return tuple(notices)
