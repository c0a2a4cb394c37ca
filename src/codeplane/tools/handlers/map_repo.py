"""Handler of map_repo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.text_lines import TextLine, text
from codeplane.operations.map_repo import DEFAULT_DEPTH, DEFAULT_TOKENS, MAX_TOKENS, PAGE_CHARS, page_structure
from codeplane.operations.map_repo import map_repo as map_of
from codeplane.operations.map_repo.map_cache import CachedMap, Index
from codeplane.operations.map_repo.structure import TreeRow
from codeplane.operations.read_meta import read_meta
from codeplane.operations.units import unit_markers
from codeplane.query.files import list_files
from codeplane.query.rows import has_unresolved
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.paging import index_of, look, page_meta, require_settled, take_rest
from codeplane.tools.handlers.search_empty import nothing_indexed_in
from codeplane.tools.handlers.search_request import directory_of
from codeplane.tools.text.common import call_text
from codeplane.tools.text.map_repo import DEFAULT_TOKENS as TEXT_TOKENS
from codeplane.tools.text.map_repo import left_out_line, map_lines, tree_lines


def map_repo(call: Call, args: Mapping[str, Any]) -> Answer:
    if "cursor" in args:
        return _next_page(call, args)
    include, depth, limit = args.get("include"), args["depth"], args["limit"]
    # The text form chooses from all that the largest map has, so that one map serves every number of tokens.
    tokens = MAX_TOKENS if call.wants_text else args.get("max_tokens", DEFAULT_TOKENS)

    place = directory_of(call, args)

    def ask(snapshot: Snapshot) -> CachedMap:
        if place and not list_files(snapshot, 1, place).total:
            raise nothing_indexed_in(place)
        made = map_of(snapshot, include, depth, limit, call.root.path.name, tokens, place)
        fields = made.fields | ({"units": unit_markers(snapshot, place)} if call.wants_text and include is None else {})
        return CachedMap(fields, tuple(made.rows), index_of(snapshot), settled=not has_unresolved(snapshot))

    def make() -> CachedMap:
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


def _map_lines(call: Call, args: Mapping[str, Any], made: CachedMap) -> list[TextLine]:
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
