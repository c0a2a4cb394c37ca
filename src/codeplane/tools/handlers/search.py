"""The search tool: arguments to a request, what was found to rows that fit, the rest behind a cursor."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError
from codeplane.base.symbols import symbol_ref
from codeplane.base.text_lines import TextLine, note, text
from codeplane.base.warnings import Notice, WarningCode
from codeplane.index.resolve.registry import RESOLVED
from codeplane.operations.map_repo.map_cache import Index
from codeplane.operations.read_meta import read_meta
from codeplane.operations.search.finder import SearchExtent
from codeplane.operations.search.hit_context import HitContext, read_contexts, read_lines
from codeplane.operations.search.model import Hit, SearchRequest, SearchResult
from codeplane.operations.search.packed_hits import PackedHits, pack_hits
from codeplane.operations.search.result_rows import RowOptions
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call
from codeplane.tools.catalog.call_graph import CALL_GRAPH
from codeplane.tools.catalog.outline import FILE_OUTLINE
from codeplane.tools.handlers.paging import FROM_DISK, index_of, look, page_meta, require_settled, take_rest
from codeplane.tools.handlers.search_disk import index_lines, search_disk
from codeplane.tools.handlers.search_empty import NAME_MODES, Nothing, about_nothing, measure
from codeplane.tools.handlers.search_page import DEFAULT_LIMIT, Page, fill_page, room_for, size_of
from codeplane.tools.handlers.search_request import MAX_ECHO, VIEW, directory_of, request_of, said, view_of
from codeplane.tools.handlers.search_text import (
    TextForm,
    call_lines,
    count_uses,
    debug_lines,
    definition_hits,
    exact_hits,
    exact_lines,
    hidden_lines,
    more_line,
    named_files,
    nothing_lines,
    of_tiers,
    outside_line,
    reference_lines,
    text_form,
)
from codeplane.tools.text.search import MAX_CHARS, TextPage, by_file, fill_paths, literal_lines
from codeplane.workspace.freshness import FRESH, FreshResult

_ADVICE = frozenset({"noise_mitigation"})
"""What a way of searching tells besides its hits and is a hint; everything else is a fact."""
_MAX_SKIPPED = 5
MAX_LIMIT = 100
_CALLABLE = frozenset({"function", "method", "constructor", "class"})


def search(call: Call, args: Mapping[str, Any]) -> Answer:
    if "cursor" in args:
        return _next_page(call, args)
    began = time.monotonic()
    request, view, limit = request_of(call, args), view_of(args, RowOptions()), args.get("limit")

    def ask(snapshot: Snapshot) -> _Asked:
        found = of_tiers(call.root.finder.find(snapshot, request, call.cancelled, call.shows), args.get("tiers"))
        exact = exact_hits(found, request) if call.wants_text else None
        first = (exact or found.hits)[: limit or DEFAULT_LIMIT]
        around = read_contexts(snapshot, call.root.path, first) if view.looks_around else ()
        extent = None if found.hits else measure(call.root.finder, snapshot, request)
        uses = count_uses(snapshot, exact[0]) if exact and len(exact) == 1 else None
        literal = [hit for hit in found.hits if hit.literal]
        text = read_lines(snapshot, call.root.path, literal[0].path) if len(literal) == 1 else ()
        definitions = definition_hits(snapshot, found, request) if call.wants_text else ()
        return _Asked(found, around, extent, index_of(snapshot), exact, uses, text, definitions)

    policy = args.get("freshness_policy")
    links = request.mode == "references"
    try:
        read = call.root.workspace.read(ask, policy, lexical=True, links=links, cancelled=call.cancelled)
    except CodePlaneError as error:
        disk = search_disk(call, request, error)
        extent = None if disk.found.hits else disk.extent
        read = FreshResult(_Asked(disk.found, (), extent, FROM_DISK, building=disk.index), 0, FRESH)
    asked, found = read.value, read.value.found
    if call.wants_text:
        answer = _text_answer(call, args, request, view, read)
        return replace(answer, lines=[*(answer.lines or ()), *index_lines(asked.building)])
    exhaustive = found.exhaustive
    room = (
        room_for(limit, view, person=call.surface.everything)
        - size_of(found.debug if request.debug else {})
        - size_of(found.hints)
    )
    page = fill_page(found.hits, asked.around, view, exhaustive, limit, room)
    call.readings.note_search(call.session, (hit.path for hit in found.hits[: page.shown]))
    rest = _Rest(
        PackedHits((), (), 0),
        0,
        _total(found),
        view,
        limit,
        exhaustive,
        _settled(args),
        call.root.path,
        asked.index,
        text_form(found, request, args),
    )
    if page.shown < len(found.hits) and not call.once:
        rest = replace(rest, frozen=pack_hits(found.hits[page.shown :]))
    pagination = _pagination(call, rest)
    result: dict[str, object] = {"results": page.rows, **_facts(found, exhaustive, asked.extent)}
    result |= _fallback(call, found, request, args) or _calls(call, found, request, args)
    result |= asked.facts
    meta = {**_source_meta(read), **_meta(page, found, exhaustive), "query_time_ms": _elapsed_ms(began)}
    nothing = about_nothing(call, found, request, asked.extent, args) if asked.extent is not None else Nothing()
    if found.not_found:
        # Near names are results of some modes; that none of them is the name that was asked for is still the answer.
        status = "not_found" if request.mode in NAME_MODES else nothing.status
        nothing = replace(nothing, status=status, message=found.not_found)
    hints = {**_hints(call, page, pagination, rest), **nothing.hints, **_wider(call, found, args)}
    return Answer(
        result | {"pagination": pagination},
        status=nothing.status,
        message=nothing.message,
        warnings=(*read.notices, *found.notices, *_incomplete(found), *nothing.warnings),
        hints={**hints, **_data_hints(found, request)},
        meta=meta,
    )


def _source_meta(read: FreshResult[_Asked]) -> dict[str, object]:
    """Epoch and freshness of the index; or that the disk was searched, where a ranking can only go by text."""
    if not read.value.building:
        return read_meta(read)
    meta: dict[str, object] = {"source": "disk"}
    return meta if read.value.found.exhaustive else {**meta, "completeness": "partial"}


@dataclass(frozen=True)
class _Asked:
    found: SearchResult
    around: tuple[HitContext, ...]
    extent: SearchExtent | None
    """Of a search that found nothing."""
    index: Index
    exact: tuple[Hit, ...] | None = None
    """Definitions of the very name, for the text form."""
    uses: int | None = None
    """Known uses of the only one of these."""
    literal: Sequence[str] = ()
    """Lines of the file of the only hit that contains the query word for word."""
    definitions: tuple[Hit, ...] = ()
    """What references are of, for the text form."""
    building: Mapping[str, object] = field(default_factory=dict)
    """How far the index is, if the answer is from the disk."""

    @property
    def facts(self) -> dict[str, object]:
        return {"index": self.building} if self.building else {}


@dataclass(frozen=True)
class _Rest:
    """What a cursor names: these very results, whatever happens to the index meanwhile."""

    frozen: PackedHits
    offset: int
    total: int
    view: RowOptions
    limit: int | None
    exhaustive: bool
    settled: Mapping[str, object]
    """The arguments that say what is searched for, and where."""
    root: Path
    index: Index
    form: TextForm


def _text_answer(
    call: Call, args: Mapping[str, Any], request: SearchRequest, view: RowOptions, read: FreshResult[_Asked]
) -> Answer:
    asked, limit = read.value, args.get("limit")
    found, form = asked.found, text_form(asked.found, request, args)
    notices = (*read.notices, *found.notices, *_incomplete(found))
    meta = _source_meta(read)
    if found.not_found and request.mode in NAME_MODES:
        lines = [text(found.not_found)]
        return Answer(status="not_found", message=found.not_found, warnings=notices, meta=meta, lines=lines)
    if asked.extent is not None:
        nothing = about_nothing(call, found, request, asked.extent, args)
        lines = nothing_lines(found, request, asked.extent, nothing.message)
        lines += [*reference_lines(found), *outside_line(found), *call_lines(nothing.hints)]
        warnings = (*notices, *nothing.warnings)
        return Answer(status=nothing.status, warnings=warnings, meta=meta, lines=lines)
    unbounded = call.surface.everything and limit is not None
    files = named_files(found, request)
    if files:
        hits, page = files, fill_paths(files, limit, MAX_CHARS)
        lines = page.lines
    elif asked.exact is not None:
        hits, page = asked.exact, exact_lines(asked.exact, asked.uses, asked.around, view, limit)
        lines = page.lines
    else:
        arranged = form.arrange(found.hits, args.get("tiers"))
        hits = (*asked.definitions, *arranged.hits)
        hits = tuple(by_file(hits)) if asked.definitions else hits
        if len(hits) == 1 and hits[0].literal and view == RowOptions() and asked.literal:
            page = TextPage(literal_lines(hits[0], asked.literal), 1)
        else:
            page = form.fill(hits, asked.around, view, limit, unbounded=unbounded)
        rest = _Rest(
            pack_hits(hits[page.shown :]) if page.shown < len(hits) and not call.once else pack_hits(()),
            0,
            len(hits),
            view,
            limit,
            found.exhaustive,
            _settled(args),
            call.root.path,
            asked.index,
            form,
        )
        lines = [*page.lines, *_more_lines(call, rest, found.total, found.files, len(hits) - page.shown)]
        lines += [*hidden_lines(arranged), *(outside_line(found) if not hits[0].literal else ())]
    missing = [note(found.not_found)] if found.not_found else []
    lines = [*missing, *lines, *reference_lines(found)]
    call.readings.note_search(call.session, (hit.path for hit in hits[: page.shown]))
    debug = debug_lines(found.debug) if request.debug else []
    return Answer(warnings=notices, meta=meta, lines=[*lines, *debug])


def _more_lines(call: Call, rest: _Rest, total: int, files: int, left: int) -> list[TextLine]:
    if left <= 0:
        return []
    if call.once or call.surface.everything:
        how = "--limit N shows more" if rest.limit is None or rest.limit < MAX_LIMIT else "narrow it with --path"
        return more_line(rest.form, left, total, files, how)
    if not rest.form.exhaustive and rest.limit is None:
        # A handle would cost more than it is worth: who wants more of a ranking asks another question, or for more.
        return more_line(rest.form, left, total, files, f"limit={MAX_LIMIT}")
    return more_line(rest.form, left, total, files, f"cursor={call.handles.mint('cursor', call.session.id, rest)}")


def _next_page(call: Call, args: Mapping[str, Any]) -> Answer:
    began = time.monotonic()
    rest = take_rest(call, args, _Rest, "search")
    _require_alone(call, args, rest)
    view, limit = view_of(args, rest.view), args.get("limit", rest.limit)
    hits = rest.frozen.hits(rest.offset, rest.offset + (limit or DEFAULT_LIMIT))

    def ask(snapshot: Snapshot) -> tuple[Index, tuple[HitContext, ...]]:
        index = index_of(snapshot)
        same = view.looks_around and index[0] == rest.index[0]
        return index, read_contexts(snapshot, rest.root, hits, rest.index[1]) if same else ()

    read = look(call, rest.root, ask)
    now, around = read.value if read is not None else (None, ())
    if call.wants_text:
        return _next_text_page(call, rest, view, limit, around, page_meta(read, now, rest.index))
    page = fill_page(hits, around, view, rest.exhaustive, limit, room_for(limit, view))
    following = replace(rest, offset=rest.offset + page.shown, view=view, limit=limit)
    pagination = _pagination(call, following)
    meta = {**page_meta(read, now, rest.index), **_cut(page), "query_time_ms": _elapsed_ms(began)}
    return Answer(
        {"results": page.rows, "pagination": pagination},
        warnings=read.notices if read is not None else (),
        hints=_hints(call, page, pagination, following),
        meta=meta,
    )


def _next_text_page(
    call: Call,
    rest: _Rest,
    view: RowOptions,
    limit: int | None,
    around: Sequence[HitContext],
    meta: Mapping[str, object],
) -> Answer:
    hits = rest.frozen.hits(rest.offset, rest.offset + (limit or rest.form.page_size))
    page = rest.form.fill(hits, around, view, limit)
    following = replace(rest, offset=rest.offset + page.shown, view=view, limit=limit)
    left = following.frozen.count - following.offset
    lines = [*page.lines, *_more_lines(call, following, rest.total, 0, left)]
    return Answer(meta=meta, lines=lines)


def _require_alone(call: Call, args: Mapping[str, Any], rest: _Rest) -> None:
    """Arguments that are said again as they were, or as they are by default, do no harm."""
    useless = [name for name, value in said(args).items() if name not in VIEW and value != rest.settled.get(name)]
    if useless == ["path"] and call.root.path == rest.root and not directory_of(call, args):
        useless = []
    require_settled(args, useless, "cursor, limit, detail_level, compact")


def _settled(args: Mapping[str, Any]) -> dict[str, object]:
    return {name: value for name, value in args.items() if name not in VIEW}


def _total(found: SearchResult) -> int:
    """How many results there are; where some were cut, how many matches."""
    kept = len(found.hits) + found.suppressed + sum(hit.collapsed for hit in found.hits)
    return len(found.hits) if kept >= found.total else found.total


def _pagination(call: Call, rest: _Rest) -> dict[str, object]:
    fields: dict[str, object] = {"total_estimate": rest.total}
    if rest.offset < rest.frozen.count:
        fields = {"next_cursor": call.handles.mint("cursor", call.session.id, rest), **fields}
    return fields


def _facts(found: SearchResult, exhaustive: bool, extent: SearchExtent | None) -> dict[str, object]:
    """What is true of the answer as a whole; nothing found is a fact about as many files as were searched."""
    facts: dict[str, object] = {}
    if exhaustive and found.hits:
        facts |= {"matches": found.total, "files": found.files}
    if extent is not None:
        facts["searched"] = {"files": max(0, extent.files - sum(_not_searched(found).values()))}
    facts |= {name: value for name, value in found.hints.items() if name not in _ADVICE and value}
    outside = {role: count for role, count in sorted(found.outside_scope.items()) if count}
    if outside:
        facts["outside_scope"] = outside
    if found.similar:
        facts["similar"] = list(found.similar)
    return facts


def _fallback(call: Call, found: SearchResult, request: SearchRequest, args: Mapping[str, Any]) -> dict[str, object]:
    """Where the first result is no symbol, the call that shows what stands around it."""
    if not found.hits or request.result_mode != "grouped":
        return {}
    hit = found.hits[0]
    if hit.lexical_path or not hit.language or not call.surface.shows(FILE_OUTLINE):
        return {}
    elsewhere = {"path": args["path"]} if call.root.path != call.roots.home.path else {}
    window = {"file": hit.path, "start_line": hit.line_start, "end_line": hit.line_end}
    return {"navigation_fallback": {"tool": "file_outline", "args": window | elsewhere}}


def _meta(page: Page, found: SearchResult, exhaustive: bool) -> dict[str, object]:
    meta = _cut(page)
    if not meta and found.skipped:
        meta["completeness"] = "partial"
    if exhaustive and _total(found) > len(found.hits):
        meta["completeness"] = "truncated"
    if found.suppressed:
        meta["suppressed"] = found.suppressed
    return meta


def _cut(page: Page) -> dict[str, object]:
    """Less than was asked for, so that the answer stays small; that there is a next page is told by its cursor."""
    return {"completeness": "truncated"} if page.cut else {}


def _not_searched(found: SearchResult) -> Mapping[str, int]:
    reasons = found.hints.get("not_searched")
    return reasons if isinstance(reasons, Mapping) else {}


def _incomplete(found: SearchResult) -> tuple[Notice, ...]:
    reasons = _not_searched(found)
    if not reasons:
        return ()
    about = {
        "count": sum(reasons.values()),
        "reasons": dict(sorted(reasons.items())),
        "paths": [skipped.path for skipped in found.skipped[:_MAX_SKIPPED]],
    }
    return (Notice(WarningCode.SEARCH_INCOMPLETE, about),)


def _hints(call: Call, page: Page, pagination: Mapping[str, object], rest: _Rest) -> dict[str, object]:
    """Where the answer was cut to its size: go on, or go on with less of each."""
    cursor = pagination.get("next_cursor")
    if not page.cut or cursor is None or call.surface.everything:
        return {}
    hints: dict[str, object] = {"next_page": {"tool": "search", "args": {"cursor": cursor}}}
    if not rest.view.compact:
        hints["shorter"] = {"tool": "search", "args": {"cursor": cursor, "compact": True}}
    return hints


def _wider(call: Call, found: SearchResult, args: Mapping[str, Any]) -> dict[str, object]:
    if not any(found.outside_scope.values()) or len(args["query"]) > MAX_ECHO:
        return {}
    mode = f" --mode {args['mode']}" if args["mode"] != "auto" else ""
    command = f"cpl search {quote(args['query'])}{mode} --scope mixed"
    return {"wider": call.next_call("search", {**said(args), "scope": "mixed"}, command)}


def _calls(call: Call, found: SearchResult, request: SearchRequest, args: Mapping[str, Any]) -> dict[str, object]:
    """Where the first result can be called, the call that shows who does."""
    if request.mode not in ("auto", "symbol", "definitions") or not found.hits or call.surface.everything:
        return {}
    hit = found.hits[0]
    if hit.kind not in _CALLABLE or hit.language not in RESOLVED or not call.surface.shows(CALL_GRAPH):
        return {}
    ref = symbol_ref(hit.path, hit.lexical_path, hit.def_line or hit.line_start)
    elsewhere = {"path": args["path"]} if call.root.path != call.roots.home.path else {}
    return {"call_graph_hint": {"tool": "call_graph", "args": {"symbol": ref, **elsewhere}}}


def _data_hints(found: SearchResult, request: SearchRequest) -> dict[str, object]:
    hints = {name: value for name, value in found.hints.items() if name in _ADVICE}
    return {**hints, "debug_search": found.debug} if request.debug else hints


def _elapsed_ms(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)
