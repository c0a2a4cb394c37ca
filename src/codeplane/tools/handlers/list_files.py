"""Handler of list_files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from codeplane.base.envelope import Answer
from codeplane.base.paths import RepoPath
from codeplane.disk.policy import refuse_restricted
from codeplane.operations.list_files import UNLIMITED_DEPTH, FileListing, add_left_out, page_files
from codeplane.operations.list_files import list_files as find_files
from codeplane.operations.map_repo.map_cache import Index
from codeplane.operations.read_meta import read_meta
from codeplane.query.overview import ListedFile
from codeplane.query.snapshot import Snapshot
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.paging import index_version, page_meta, read_if_ready, reject_with_cursor, take_rest
from codeplane.tools.text.list_files import render_list_files

DEFAULT_LIMIT = 200
DEFAULT_CHARS = 7_000
"""Approximate characters of the names on a page, if the caller sets no limit."""
MAX_CHARS = 22_000


@dataclass(frozen=True, kw_only=True)
class ListFilesArguments(Arguments):
    path: str | None = None
    depth: int | None = None
    pattern: str | None = None
    include_ignored: bool = False
    limit: int | None = None
    cursor: str | None = None
    freshness_policy: str | None = None


class _Listing(NamedTuple):
    indexed: list[ListedFile]
    files: FileListing
    version: Index


@dataclass(frozen=True)
class _FileRows:
    """Rows behind a cursor: fixed by the first call, whatever happens to the index meanwhile."""

    files: FileListing
    offset: int
    root: Path
    directory: str
    index: Index


def list_files(call: Call, args: ListFilesArguments) -> Answer:
    directory = RepoPath(call.directory(args.path))
    if args.cursor is not None:
        return _next_page(call, args, args.cursor, directory)
    refuse_restricted(call.root.path, directory)
    depth = args.depth or (1 if args.pattern is None else UNLIMITED_DEPTH)

    def ask(snapshot: Snapshot) -> _Listing:
        indexed, files = find_files(snapshot, directory, depth, args.pattern)
        return _Listing(indexed, files, index_version(snapshot))

    read = call.root.workspace.read(ask, args.freshness_policy, cancelled=call.cancelled)
    indexed, files, index = read.value
    if args.include_ignored:
        files = add_left_out(call.root.context, directory, depth, args.pattern, indexed, files)
    fields = _page(call, args, _FileRows(files, 0, call.root.path, directory, index))
    answer = Answer(fields, warnings=read.notices, meta=read_meta(read))
    return answer if indexed or args.include_ignored else replace(answer, **_empty(call, args, directory))


def _next_page(call: Call, args: ListFilesArguments, cursor: str, directory: str) -> Answer:
    rest = take_rest(call, cursor, _FileRows, "list_files")
    unused: list[str] = [
        name for name in ("depth", "pattern", "include_ignored", "freshness_policy") if name in args.given
    ]
    # A path may only repeat the directory of the first call.
    unused += ["path"] if "path" in args.given and (call.root.path, directory) != (rest.root, rest.directory) else []
    reject_with_cursor(cursor, unused, "cursor, and limit")
    fields = _page(call, args, rest)
    read = read_if_ready(call, rest.root, index_version)
    meta = page_meta(read, read.value if read is not None else None, rest.index)
    return Answer(fields, warnings=read.notices if read else (), meta=meta)


def _page(call: Call, args: ListFilesArguments, rest: _FileRows) -> dict[str, object]:
    """Return one page, with the cursor of the next."""
    max_chars = MAX_CHARS if args.limit is not None else DEFAULT_CHARS
    fields, shown = page_files(rest.files, args.limit or DEFAULT_LIMIT, max_chars, rest.offset)
    rest = replace(rest, offset=rest.offset + shown)
    if rest.offset >= len(rest.files.rows) or call.once or (call.wants_text and call.surface.everything):
        return fields
    return fields | {"pagination": {"next_cursor": call.mint_cursor(rest), "total_estimate": len(rest.files.rows)}}


def _empty(call: Call, args: ListFilesArguments, directory: str) -> dict[str, Any]:
    given = args.as_dict()
    more: dict[str, object] = {name: given[name] for name in ("path", "depth", "pattern") if name in given}
    more["include_ignored"] = True
    command = f"cpl ls --all {quote(directory or '.')}"
    return {"message": "No indexed files here.", "hints": {"ignored": call.next_call("list_files", more, command)}}


HANDLERS = {"list_files": Handler(ListFilesArguments, list_files, render=render_list_files)}
