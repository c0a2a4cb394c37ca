"""Names in a directory: list_files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from codeplane.base.envelope import Answer
from codeplane.base.paths import RepoPath
from codeplane.operations.list_files import BOTTOMLESS, FileListing, add_left_out, check_place, page_files
from codeplane.operations.list_files import list_files as files_of
from codeplane.operations.map_repo.map_cache import Index
from codeplane.operations.read_meta import read_meta
from codeplane.query.overview import ListedFile
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call
from codeplane.tools.handlers.paging import index_of, look, page_meta, require_settled, take_rest
from codeplane.tools.handlers.search_request import directory_of

DEFAULT_LIMIT = 200
DEFAULT_CHARS = 7_000
MAX_CHARS = 22_000
"""Of the names of one page, roughly; the first where no limit was named."""


class _Asked(NamedTuple):
    known: list[ListedFile]
    files: FileListing
    made_of: Index


@dataclass(frozen=True)
class _Rest:
    """What a cursor names: these very rows, whatever happens to the index meanwhile."""

    files: FileListing
    offset: int
    root: Path
    place: str
    index: Index


def list_files(call: Call, args: Mapping[str, Any]) -> Answer:
    place = RepoPath(directory_of(call, args))
    if "cursor" in args:
        return _next_page(call, args, place)
    check_place(place)
    pattern, everything = args.get("pattern"), args.get("include_ignored", False)
    depth = args.get("depth", 1 if pattern is None else BOTTOMLESS)

    def ask(snapshot: Snapshot) -> _Asked:
        known, files = files_of(snapshot, place, depth, pattern)
        return _Asked(known, files, index_of(snapshot))

    read = call.root.workspace.read(ask, args.get("freshness_policy"), cancelled=call.cancelled)
    known, files, made_of = read.value
    if everything:
        files = add_left_out(call.root.context, place, depth, pattern, known, files)
    fields, rest = _page(call, args, _Rest(files, 0, call.root.path, place, made_of))
    answer = Answer(fields | rest, warnings=read.notices, meta=read_meta(read))
    return answer if known or everything else replace(answer, **_nothing(call, args, place))


def _next_page(call: Call, args: Mapping[str, Any], place: str) -> Answer:
    rest = take_rest(call, args, _Rest, "list_files")
    useless = [name for name in ("depth", "pattern", "include_ignored", "freshness_policy") if name in args]
    # A path may only name the same directory again.
    useless += ["path"] if "path" in args and (call.root.path, place) != (rest.root, rest.place) else []
    require_settled(args, useless, "cursor, and limit")
    fields, following = _page(call, args, rest)
    read = look(call, rest.root, index_of)
    meta = page_meta(read, read.value if read is not None else None, rest.index)
    return Answer(fields | following, warnings=read.notices if read else (), meta=meta)


def _page(call: Call, args: Mapping[str, Any], rest: _Rest) -> tuple[dict[str, object], dict[str, object]]:
    """One page, and the cursor of the next."""
    max_chars = MAX_CHARS if "limit" in args else DEFAULT_CHARS
    fields, taken = page_files(rest.files, args.get("limit", DEFAULT_LIMIT), max_chars, rest.offset)
    rest = replace(rest, offset=rest.offset + taken)
    if rest.offset >= len(rest.files.rows) or call.once or (call.wants_text and call.surface.everything):
        return fields, {}
    cursor = call.handles.mint("cursor", call.session.id, rest)
    return fields, {"pagination": {"next_cursor": cursor, "total_estimate": len(rest.files.rows)}}


def _nothing(call: Call, args: Mapping[str, Any], place: str) -> dict[str, Any]:
    more = {**{name: args[name] for name in ("path", "depth", "pattern") if name in args}, "include_ignored": True}
    command = f"cpl ls --all {quote(place or '.')}"
    return {"message": "Nothing here is indexed.", "hints": {"ignored": call.next_call("list_files", more, command)}}
