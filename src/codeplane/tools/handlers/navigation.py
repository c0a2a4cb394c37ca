"""Finding one's way: file_outline, map_repo."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.record import Record
from codeplane.base.text_lines import TextLine, text
from codeplane.base.warnings import Notice, WarningCode
from codeplane.operations import outline
from codeplane.operations.map_repo import DEFAULT_DEPTH, DEFAULT_TOKENS, MAX_TOKENS, PAGE_CHARS, page_structure
from codeplane.operations.map_repo import map_repo as map_of
from codeplane.operations.map_repo.kept import Index, Made
from codeplane.operations.map_repo.structure import TreeRow
from codeplane.operations.missing import explain_missing
from codeplane.operations.outline import Outline, Outlined
from codeplane.operations.reads import read_meta
from codeplane.operations.symbols.presenter import unresolved_lines, unresolved_message
from codeplane.operations.units import unit_markers
from codeplane.query.files import list_files
from codeplane.query.rows import has_unresolved
from codeplane.query.snapshot import Snapshot
from codeplane.tools.arguments import shown
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.fitting import fitted
from codeplane.tools.handlers.paging import index_of, look, page_meta, require_settled, take_rest
from codeplane.tools.handlers.search_nothing import nothing_indexed_in
from codeplane.tools.handlers.search_request import directory_of
from codeplane.tools.text.common import call_text
from codeplane.tools.text.file_outline import DEFAULT_TOKENS as OUTLINE_DEFAULT
from codeplane.tools.text.file_outline import MAX_TOKENS as OUTLINE_MAX
from codeplane.tools.text.file_outline import (
    NAMED_TOKENS,
    UNLIMITED,
    outline_lines,
    symbol_lines,
    version_words,
)
from codeplane.tools.text.map_repo import DEFAULT_TOKENS as TEXT_TOKENS
from codeplane.tools.text.map_repo import left_out_line, map_lines, tree_lines
from codeplane.workspace.freshness import Read

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
        record=Record((file,), told.outlined.size // _BYTES_PER_TOKEN),
        lines=_outline_lines(call, found, told, args, exact) if call.wants_text else None,
    )


def _text_outline(outlined: Outlined, args: Mapping[str, Any], exact: bool, window: tuple[int, int] | None) -> Outline:
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

    outlined: Outlined
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
    outlined: Outlined, args: Mapping[str, Any], exact: bool, window: tuple[int, int] | None
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


def map_repo(call: Call, args: Mapping[str, Any]) -> Answer:
    if "cursor" in args:
        return _next_page(call, args)
    include, depth, limit = args.get("include"), args["depth"], args["limit"]
    # The text form chooses from all that the largest map has, so that one map serves every number of tokens.
    tokens = MAX_TOKENS if call.wants_text else args.get("max_tokens", DEFAULT_TOKENS)

    place = directory_of(call, args)

    def ask(snapshot: Snapshot) -> Made:
        if place and not list_files(snapshot, 1, place).total:
            raise nothing_indexed_in(place)
        made = map_of(snapshot, include, depth, limit, call.root.path.name, tokens, place)
        fields = made.fields | ({"units": unit_markers(snapshot, place)} if call.wants_text and include is None else {})
        return Made(fields, tuple(made.rows), index_of(snapshot), settled=not has_unresolved(snapshot))

    def make() -> Made:
        return call.root.workspace.read(ask, "best_effort", cancelled=call.cancelled).value

    # A map costs more than a look: the look comes first, and the map is of what it led to, or newer. What rests on a
    # file is known once references are resolved.
    seen = call.root.workspace.read(index_of, args.get("freshness_policy"), links=True, cancelled=call.cancelled)
    made = call.root.maps.get((include, depth, limit, tokens, place, call.wants_text), seen.value, make)
    read, fields = replace(seen, epoch=made.index[1]), made.fields
    if call.wants_text:
        return Answer(fields, warnings=read.notices, meta=read_meta(read), lines=_map_lines(call, args, made))
    structure = fields.get("structure")
    if structure is not None:
        rest = _Rest(made.rows, structure["file_count"], len(structure["tree"]), call.root.path, made.index)
        fields = fields | _pagination(call, rest)
    return Answer(fields, warnings=read.notices, meta=read_meta(read))


def _map_lines(call: Call, args: Mapping[str, Any], made: Made) -> list[TextLine]:
    """The map as text. The tree has files only where it is asked for alone: key files stand for them otherwise."""
    alone = args.get("include") is not None and set(args["include"]) == {"structure"}
    rows = made.rows if alone else tuple(row for row in made.rows if row.path.endswith("/"))
    tokens = args.get("max_tokens", TEXT_TOKENS)
    found = map_lines(made.fields, rows, tokens, args["limit"])
    if not found.lines:
        return [text("nothing found for these sections")]
    following: dict[str, object] = {"max_tokens": min(MAX_TOKENS, tokens * 3)}
    if alone and found.rows < len(rows) and not call.once:
        rest = _Rest(rows, made.fields["structure"]["file_count"], found.rows, call.root.path, made.index)
        following = {"cursor": call.handles.mint("cursor", call.session.id, rest)}
    elif tokens >= MAX_TOKENS:
        return found.lines
    command = f"cpl map --tokens {following.get('max_tokens', MAX_TOKENS)}"
    hint = call.next_call("map_repo", {**following, **path_argument(args)}, command)
    return [*found.lines, *left_out_line(found.left_out, call_text(hint))]


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
    if call.wants_text:
        return _next_text_page(call, args, rest)
    structure = page_structure(rest.rows, rest.file_count, args["limit"], rest.offset)
    shown = structure["tree"]
    assert isinstance(shown, dict)
    following = _pagination(call, replace(rest, offset=rest.offset + len(shown)))
    read = look(call, rest.root, index_of)
    meta = page_meta(read, read.value if read is not None else None, rest.index)
    return Answer({"structure": structure, **following}, warnings=read.notices if read else (), meta=meta)


def _next_text_page(call: Call, args: Mapping[str, Any], rest: _Rest) -> Answer:
    lines, taken = tree_lines(rest.rows, rest.offset, args["limit"], PAGE_CHARS)
    following = replace(rest, offset=rest.offset + taken)
    left = len(rest.rows) - following.offset
    if left:
        cursor = call.handles.mint("cursor", call.session.id, following)
        lines += left_out_line({"structure": left}, f"map_repo cursor={cursor}")
    read = look(call, rest.root, index_of)
    meta = page_meta(read, read.value if read is not None else None, rest.index)
    return Answer(warnings=read.notices if read else (), meta=meta, lines=lines)


def _require_alone(call: Call, args: Mapping[str, Any], rest: _Rest) -> None:
    """A path may only name the same repository again."""
    useless = [name for name in ("include", "freshness_policy", "max_tokens") if name in args]
    useless += ["depth"] if args["depth"] != DEFAULT_DEPTH else []
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
