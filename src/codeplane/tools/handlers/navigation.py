"""Finding one's way: file_outline, map_repo."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import RepoPath, normalize
from codeplane.base.record import Record
from codeplane.base.warnings import Notice, WarningCode
from codeplane.operations import outline
from codeplane.operations.map_repo import DEFAULT_DEPTH, DEFAULT_TOKENS, page_structure
from codeplane.operations.map_repo import map_repo as map_of
from codeplane.operations.map_repo.kept import Index, Made
from codeplane.operations.map_repo.structure import TreeRow
from codeplane.operations.missing import explain_missing
from codeplane.operations.outline import Outline, Outlined
from codeplane.operations.reads import read_meta
from codeplane.query.rows import has_unresolved
from codeplane.query.snapshot import Snapshot
from codeplane.tools.arguments import shown
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.fitting import fitted
from codeplane.tools.handlers.paging import index_of, look, page_meta, require_settled, take_rest
from codeplane.workspace.freshness import Read

T = TypeVar("T")

_BYTES_PER_TOKEN = 4
_MESSAGES = {"ambiguous": "Several symbols have this name.", "not_found": "No symbol has this name."}


def file_outline(call: Call, args: Mapping[str, Any]) -> Answer:
    file = _file(call, args["file"])
    named = "symbol_id" in args or "symbol_label" in args
    exact = args["resolve_mode"] == "exact" or named
    if exact and not named:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "an exact outline needs the symbol",
            expected="symbol_id or symbol_label",
            received="neither",
            example={"file": file, "resolve_mode": "exact", "symbol_label": "Server.start"},
        )
    window = _window(args.get("start_line"), args.get("end_line"))
    if exact and window is not None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "lines have no effect where one symbol is named",
            expected="a symbol, or lines",
            received="both",
            example={"file": file, "symbol_label": "Server.start"},
        )
    told = _looked_up(call, args, file)
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
    hints = {} if exact else _outline_hints(call, args, found, reduced)
    return Answer(
        {**told.version, **found.as_dict()},
        status=found.status,
        message=_MESSAGES.get(found.status),
        warnings=(*told.notices, *_outline_notices(found)),
        hints=hints,
        meta=told.meta,
        record=Record((file,), told.outlined.size // _BYTES_PER_TOKEN),
    )


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

    outlined: Outlined
    version: Mapping[str, object]
    notices: tuple[Notice, ...]
    meta: Mapping[str, object]


def _looked_up(call: Call, args: Mapping[str, Any], file: RepoPath) -> _Told:
    ref = args.get("ref", _WORKTREE)
    if ref != _WORKTREE:
        past = call.root.past.find(ref, file)
        return _Told(past.outlined, {"commit": past.commit} if past.commit else {"ref": ref}, (), {})
    try:
        read = _explained(
            call,
            file,
            lambda: call.root.workspace.read(
                lambda snapshot: outline.find_outlined(snapshot, file),
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
    outlined: Outlined, args: Mapping[str, Any], exact: bool, window: tuple[int, int] | None
) -> tuple[Outline, bool]:
    """The outline, and whether it says less than was asked for so that it has the size of a default answer."""
    symbol_id, label = _symbol(args)
    show = partial(
        outline.show_outline,
        outlined,
        resolve="exact" if exact else "outline",
        symbol_id=symbol_id,
        symbol_label=label,
        window=window,
        limit=args.get("limit_symbols", MAX_LIMIT),
    )
    if "limit_symbols" in args or exact:
        return show(depth=args["depth"]), False
    found = show(depth=args["depth"], max_chars=_ALL)
    smaller = fitted(found, lambda: show(depth="top", max_chars=_ALL))
    return smaller, smaller is not found


def _symbol(args: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """A name in place of an identity is taken as the name that it is."""
    symbol_id, label = args.get("symbol_id"), args.get("symbol_label")
    if symbol_id is not None and label is None and not _IDENTITY.search(symbol_id):
        return None, symbol_id
    return symbol_id, label


_IDENTITY = re.compile(r"#|:\d+$|^[0-9a-f]{16,}$")


def map_repo(call: Call, args: Mapping[str, Any]) -> Answer:
    if "cursor" in args:
        return _next_page(call, args)
    include, depth, limit, tokens = args.get("include"), args["depth"], args["limit"], args["max_tokens"]

    def ask(snapshot: Snapshot) -> Made:
        made = map_of(snapshot, include, depth, limit, call.root.path.name, tokens)
        return Made(made.fields, tuple(made.rows), index_of(snapshot), settled=not has_unresolved(snapshot))

    def make() -> Made:
        return call.root.workspace.read(ask, "best_effort", cancelled=call.cancelled).value

    # A map costs more than a look: the look comes first, and the map is of what it led to, or newer. What rests on a
    # file is known once references are resolved.
    seen = call.root.workspace.read(index_of, args.get("freshness_policy"), links=True, cancelled=call.cancelled)
    made = call.root.maps.get((include, depth, limit, tokens), seen.value, make)
    read, fields = replace(seen, epoch=made.index[1]), made.fields
    structure = fields.get("structure")
    if structure is not None:
        rest = _Rest(made.rows, structure["file_count"], len(structure["tree"]), call.root.path, made.index)
        fields = fields | _pagination(call, rest)
    return Answer(fields, warnings=read.notices, meta=read_meta(read))


@dataclass(frozen=True)
class _Rest:
    """What a cursor names: these very rows, whatever happens to the index meanwhile."""

    rows: tuple[TreeRow, ...]
    file_count: int
    offset: int
    root: Path
    index: Index


def _next_page(call: Call, args: Mapping[str, Any]) -> Answer:
    rest = take_rest(call, args, _Rest, "map_repo")
    _require_alone(call, args, rest)
    structure = page_structure(rest.rows, rest.file_count, args["limit"], rest.offset)
    shown = structure["tree"]
    assert isinstance(shown, dict)
    following = _pagination(call, replace(rest, offset=rest.offset + len(shown)))
    read = look(call, rest.root, index_of)
    meta = page_meta(read, read.value if read is not None else None, rest.index)
    return Answer({"structure": structure, **following}, warnings=read.notices if read else (), meta=meta)


def _require_alone(call: Call, args: Mapping[str, Any], rest: _Rest) -> None:
    """A path may only name the same repository again."""
    useless = [name for name in ("include", "freshness_policy") if name in args]
    useless += ["depth"] if args["depth"] != DEFAULT_DEPTH else []
    useless += ["max_tokens"] if args["max_tokens"] != DEFAULT_TOKENS else []
    useless += ["path"] if "path" in args and call.root.path != rest.root else []
    require_settled(args, useless, "cursor, and limit")


def _pagination(call: Call, rest: _Rest) -> dict[str, object]:
    if rest.offset >= len(rest.rows) or call.once:
        return {}
    cursor = call.handles.mint("cursor", call.session.id, rest)
    return {"pagination": {"next_cursor": cursor, "total_estimate": len(rest.rows)}}


def _explained(call: Call, file: RepoPath, read: Callable[[], Read[T]]) -> Read[T]:
    """Read; that a file is missing is told with the reason."""
    try:
        return read()
    except CodePlaneError as error:
        if error.code is not ErrorCode.FILE_NOT_FOUND:
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
