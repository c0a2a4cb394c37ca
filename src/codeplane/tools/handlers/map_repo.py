"""Handler of map_repo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from codeplane.base.envelope import Answer
from codeplane.base.text_lines import TextLine, text
from codeplane.operations.map_repo import DEFAULT_DEPTH, DEFAULT_TOKENS, MAX_TOKENS, PAGE_CHARS, page_structure
from codeplane.operations.map_repo import map_repo as make_map
from codeplane.operations.map_repo.map_cache import CachedMap, Index
from codeplane.operations.map_repo.structure import TreeRow
from codeplane.operations.read_meta import read_meta
from codeplane.operations.units import unit_markers
from codeplane.query.files import list_files
from codeplane.query.rows import has_unresolved
from codeplane.query.snapshot import Snapshot
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.paging import index_version, page_meta, read_if_ready, reject_with_cursor, take_rest
from codeplane.tools.handlers.search_empty import nothing_indexed_in
from codeplane.tools.text.common import call_text
from codeplane.tools.text.map_repo import DEFAULT_TOKENS as TEXT_TOKENS
from codeplane.tools.text.map_repo import left_out_line, map_lines, tree_lines


@dataclass(frozen=True, kw_only=True)
class MapRepoArguments(Arguments):
    include: tuple[str, ...] | None = None
    max_tokens: int | None = None
    depth: int = 3
    limit: int = 60
    cursor: str | None = None
    path: str | None = None
    freshness_policy: str | None = None


def map_repo(call: Call, args: MapRepoArguments) -> Answer:
    if args.cursor is not None:
        return _next_page(call, args, args.cursor)
    # The text form selects from the largest map, so that one cached map serves every token budget.
    tokens = MAX_TOKENS if call.wants_text else args.max_tokens or DEFAULT_TOKENS
    directory = call.directory(args.path)

    def ask(snapshot: Snapshot) -> CachedMap:
        if directory and not list_files(snapshot, 1, directory).total:
            raise nothing_indexed_in(directory)
        made = make_map(snapshot, args.include, args.depth, args.limit, call.root.path.name, tokens, directory)
        with_units = call.wants_text and args.include is None
        fields = made.fields | ({"units": unit_markers(snapshot, directory)} if with_units else {})
        return CachedMap(fields, tuple(made.rows), index_version(snapshot), is_final=not has_unresolved(snapshot))

    def make() -> CachedMap:
        return call.root.workspace.read(ask, "best_effort", cancelled=call.cancelled).value

    # A map costs more than a sync: sync first, then use a map of that version or a newer one. Key files rank by
    # references, so those have to be resolved.
    synced = call.root.workspace.read(index_version, args.freshness_policy, references=True, cancelled=call.cancelled)
    key = (args.include, args.depth, args.limit, tokens, directory, call.wants_text)
    made = call.root.maps.get(key, synced.value, make)
    read, fields = replace(synced, epoch=made.index[1]), made.fields
    if call.wants_text:
        return Answer(fields, warnings=read.notices, meta=read_meta(read), lines=_map_lines(call, args, made))
    structure = fields.get("structure")
    if structure is not None:
        rest = _TreeRows(made.rows, structure["file_count"], len(structure["tree"]), call.root.path, made.index)
        fields = fields | _pagination(call, rest)
    return Answer(fields, warnings=read.notices, meta=read_meta(read))


def _map_lines(call: Call, args: MapRepoArguments, made: CachedMap) -> list[TextLine]:
    """Render a map. The tree has files only if it is the only section; otherwise key files show the important ones."""
    alone = args.include is not None and set(args.include) == {"structure"}
    rows = made.rows if alone else tuple(row for row in made.rows if row.path.endswith("/"))
    tokens = args.max_tokens or TEXT_TOKENS
    found = map_lines(made.fields, rows, tokens, args.limit)
    if not found.lines:
        return [text("nothing found for these sections")]
    following: dict[str, object] = {"max_tokens": min(MAX_TOKENS, tokens * 3)}
    if alone and found.rows < len(rows) and not call.once:
        rest = _TreeRows(rows, made.fields["structure"]["file_count"], found.rows, call.root.path, made.index)
        following = {"cursor": call.mint_cursor(rest)}
    elif tokens >= MAX_TOKENS:
        return found.lines
    command = f"cpl map --tokens {following.get('max_tokens', MAX_TOKENS)}"
    hint = call.next_call("map_repo", {**following, **path_argument(args.path)}, command)
    return [*found.lines, *left_out_line(found.left_out, call_text(hint))]


@dataclass(frozen=True)
class _TreeRows:
    """Rows behind a cursor: fixed by the first call, whatever happens to the index meanwhile."""

    rows: tuple[TreeRow, ...]
    file_count: int
    offset: int
    root: Path
    index: Index


def _next_page(call: Call, args: MapRepoArguments, cursor: str) -> Answer:
    rest = take_rest(call, cursor, _TreeRows, "map_repo")
    unused: list[str] = [name for name in ("include", "freshness_policy", "max_tokens") if name in args.given]
    unused += ["depth"] if args.depth != DEFAULT_DEPTH else []
    # A path may only repeat the repository of the first call.
    unused += ["path"] if args.path is not None and call.root.path != rest.root else []
    reject_with_cursor(cursor, unused, "cursor, and limit")
    read = read_if_ready(call, rest.root, index_version)
    meta = page_meta(read, read.value if read is not None else None, rest.index)
    notices = read.notices if read else ()
    if call.wants_text:
        return Answer(warnings=notices, meta=meta, lines=_page_lines(call, args, rest))
    structure = page_structure(rest.rows, rest.file_count, args.limit, rest.offset)
    tree = structure["tree"]
    assert isinstance(tree, dict)
    following = _pagination(call, replace(rest, offset=rest.offset + len(tree)))
    return Answer({"structure": structure, **following}, warnings=notices, meta=meta)


def _page_lines(call: Call, args: MapRepoArguments, rest: _TreeRows) -> list[TextLine]:
    lines, shown = tree_lines(rest.rows, rest.offset, args.limit, PAGE_CHARS)
    following = replace(rest, offset=rest.offset + shown)
    left = len(rest.rows) - following.offset
    if left:
        lines += left_out_line({"structure": left}, f"map_repo cursor={call.mint_cursor(following)}")
    return lines


def _pagination(call: Call, rest: _TreeRows) -> dict[str, object]:
    if rest.offset >= len(rest.rows) or call.once:
        return {}
    return {"pagination": {"next_cursor": call.mint_cursor(rest), "total_estimate": len(rest.rows)}}


HANDLERS = {"map_repo": Handler(MapRepoArguments, map_repo)}
