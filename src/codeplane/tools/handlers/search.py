"""Handler of search: find, render one page as JSON or text, and keep the rest behind a cursor."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError
from codeplane.base.text_lines import TextLine, note, text
from codeplane.operations.map_repo.map_cache import Index
from codeplane.operations.read_meta import read_meta
from codeplane.operations.search.finder import SearchExtent
from codeplane.operations.search.hit_context import HitContext, read_contexts, read_lines
from codeplane.operations.search.key_lines import hide_key_bodies, hide_key_lines
from codeplane.operations.search.model import Hit, SearchRequest, SearchResult
from codeplane.operations.search.packed_hits import PackedHits, pack_hits
from codeplane.operations.search.result_rows import RowOptions
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.handlers import search_fields
from codeplane.tools.handlers.paging import (
    FROM_DISK,
    index_version,
    page_meta,
    read_if_ready,
    reject_with_cursor,
    take_rest,
)
from codeplane.tools.handlers.search_empty import (
    NAME_MODES,
    EmptyResult,
    explain_empty,
    index_lines,
    measure,
    search_disk,
)
from codeplane.tools.handlers.search_fields import ResultPage, fill_page, json_chars, page_chars
from codeplane.tools.handlers.search_request import (
    DEFAULT_LIMIT,
    VIEW,
    SearchArguments,
    check_search,
    make_request,
    make_view,
)
from codeplane.tools.handlers.search_text import (
    TextForm,
    call_lines,
    count_uses,
    debug_lines,
    definition_hits,
    empty_lines,
    exact_hits,
    exact_lines,
    filter_tiers,
    hidden_lines,
    more_line,
    named_files,
    outside_line,
    reference_lines,
    text_form,
)
from codeplane.tools.text.search import MAX_CHARS, TextPage, by_file, fill_paths, literal_lines
from codeplane.workspace.freshness import FRESH, FreshResult

MAX_LIMIT = 100


@dataclass(frozen=True)
class _SearchAnswer:
    """Result of a search, with what its presentation reads from the same snapshot."""

    found: SearchResult
    around: tuple[HitContext, ...]
    extent: SearchExtent | None
    """Files that were searched, if nothing was found."""
    index: Index
    exact: tuple[Hit, ...] | None = None
    """Text form: definitions of exactly the name in the query."""
    uses: int | None = None
    """Known uses of the only one of these."""
    literal: Sequence[str] = ()
    """Lines of the file of the only hit that contains the query literally."""
    definitions: tuple[Hit, ...] = ()
    """Text form: definitions that the references refer to."""
    building: Mapping[str, object] = field(default_factory=dict)
    """Progress of the index, if the answer is from disk."""


@dataclass(frozen=True)
class _SearchRows:
    """Results behind a cursor: fixed by the first call, whatever happens to the index meanwhile."""

    frozen: PackedHits
    offset: int
    total: int
    view: RowOptions
    limit: int | None
    exhaustive: bool
    criteria: Mapping[str, object]
    root: Path
    index: Index
    form: TextForm


def search(call: Call, args: SearchArguments) -> Answer:
    if args.cursor is not None:
        return _next_page(call, args, args.cursor)
    started = time.monotonic()
    request, view = make_request(call, args), make_view(args, RowOptions())
    read = _find(call, args, request, view)
    if call.wants_text:
        answer = _text_answer(call, args, request, view, read)
        return replace(answer, lines=[*(answer.lines or ()), *index_lines(read.value.building)])
    return _json_answer(call, args, request, view, read, started)


def _find(call: Call, args: SearchArguments, request: SearchRequest, view: RowOptions) -> FreshResult[_SearchAnswer]:
    """Search the index, or the disk while there is no index."""

    def ask(snapshot: Snapshot) -> _SearchAnswer:
        finder, root = call.root.finder, call.root.path
        found = _redacted(call, filter_tiers(finder.find(snapshot, request, call.cancelled, call.shows), args.tiers))
        exact = exact_hits(found, request) if call.wants_text else None
        first = (exact or found.hits)[: args.limit or DEFAULT_LIMIT]
        literal = [hit for hit in found.hits if hit.literal]
        return _SearchAnswer(
            found,
            _contexts(call, snapshot, root, first) if view.needs_context else (),
            None if found.hits else measure(finder, snapshot, request),
            index_version(snapshot),
            exact,
            count_uses(snapshot, exact[0]) if exact and len(exact) == 1 else None,
            read_lines(snapshot, root, literal[0].path) if len(literal) == 1 else (),
            definition_hits(snapshot, found, request) if call.wants_text else (),
        )

    links = request.mode == "references"
    try:
        return call.root.workspace.read(
            ask, args.freshness_policy, lexical=True, references=links, cancelled=call.cancelled
        )
    except CodePlaneError as error:
        disk = search_disk(call, request, error)
        extent = None if disk.found.hits else disk.extent
        return FreshResult(
            _SearchAnswer(_redacted(call, disk.found), (), extent, FROM_DISK, building=disk.index), 0, FRESH
        )


def _redacted(call: Call, found: SearchResult) -> SearchResult:
    """Hide lines of private keys, which the pipeline cannot recognise without the rest of the file."""
    redacts = call.root.context.config.secrets.redact
    return replace(found, hits=hide_key_lines(call.root.path, found.hits)) if redacts else found


def _contexts(
    call: Call, snapshot: Snapshot, root: Path, hits: Sequence[Hit], as_of: int | None = None
) -> tuple[HitContext, ...]:
    found = read_contexts(snapshot, root, hits, as_of)
    return hide_key_bodies(root, hits, found) if call.root.context.config.secrets.redact else found


def _source_meta(read: FreshResult[_SearchAnswer]) -> dict[str, object]:
    """Epoch and freshness of the index; or `source: disk`, where a ranking is by text only and so partial."""
    if not read.value.building:
        return read_meta(read)
    meta: dict[str, object] = {"source": "disk"}
    return meta if read.value.found.exhaustive else {**meta, "completeness": "partial"}


# JSON form


def _json_answer(
    call: Call,
    args: SearchArguments,
    request: SearchRequest,
    view: RowOptions,
    read: FreshResult[_SearchAnswer],
    started: float,
) -> Answer:
    result, found = read.value, read.value.found
    chars = page_chars(args.limit, view, person=call.surface.everything)
    chars -= json_chars(found.debug if request.debug else {}) + json_chars(found.hints)
    page = fill_page(found.hits, result.around, view, found.exhaustive, args.limit, chars)
    call.read_history.record_search(call.session, (hit.path for hit in found.hits[: page.shown]))
    left = found.hits[page.shown :] if not call.once else ()
    frozen = pack_hits(left) if left else PackedHits((), (), 0)
    form = text_form(found, request, args)
    rest = _rows(call, args, result, frozen, search_fields.total(found), view, form)
    pagination = _pagination(call, rest)
    fields: dict[str, object] = {"results": page.rows, **search_fields.facts(found, result.extent)}
    fields |= search_fields.follow_up(call, found, request, args.path)
    fields |= {"index": result.building} if result.building else {}
    empty = EmptyResult()
    if result.extent is not None:
        empty = explain_empty(call, found, request, result.extent, args)
    if found.not_found:
        # In name modes similar names are results, but the answer is still that the name itself was not found.
        status = "not_found" if request.mode in NAME_MODES else empty.status
        empty = replace(empty, status=status, message=found.not_found)
    hints = {**_page_hints(call, page, pagination, rest), **empty.hints, **search_fields.wider_scope(call, found, args)}
    meta = {**_source_meta(read), **search_fields.completeness(page, found), "query_time_ms": _elapsed_ms(started)}
    return Answer(
        fields | {"pagination": pagination},
        status=empty.status,
        message=empty.message,
        warnings=(*read.notices, *found.notices, *search_fields.incomplete(found), *empty.warnings),
        hints={**hints, **search_fields.advice(found, request)},
        meta=meta,
    )


def _rows(
    call: Call,
    args: SearchArguments,
    result: _SearchAnswer,
    frozen: PackedHits,
    total: int,
    view: RowOptions,
    form: TextForm,
) -> _SearchRows:
    exhaustive, criteria = result.found.exhaustive, args.criteria()
    return _SearchRows(frozen, 0, total, view, args.limit, exhaustive, criteria, call.root.path, result.index, form)


def _pagination(call: Call, rest: _SearchRows) -> dict[str, object]:
    fields: dict[str, object] = {"total_estimate": rest.total}
    if rest.offset < rest.frozen.count:
        fields = {"next_cursor": call.mint_cursor(rest), **fields}
    return fields


def _page_hints(call: Call, page: ResultPage, pagination: Mapping[str, object], rest: _SearchRows) -> dict[str, object]:
    """Calls that continue a page that was cut to its size, in full or in compact form."""
    cursor = pagination.get("next_cursor")
    if not page.cut or cursor is None or call.surface.everything:
        return {}
    hints: dict[str, object] = {"next_page": {"tool": "search", "args": {"cursor": cursor}}}
    if not rest.view.compact:
        hints["shorter"] = {"tool": "search", "args": {"cursor": cursor, "compact": True}}
    return hints


def _elapsed_ms(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 1)


# Text form


def _text_answer(
    call: Call, args: SearchArguments, request: SearchRequest, view: RowOptions, read: FreshResult[_SearchAnswer]
) -> Answer:
    result, found = read.value, read.value.found
    notices = (*read.notices, *found.notices, *search_fields.incomplete(found))
    meta = _source_meta(read)
    if found.not_found and request.mode in NAME_MODES:
        lines = [text(found.not_found)]
        return Answer(status="not_found", message=found.not_found, warnings=notices, meta=meta, lines=lines)
    if result.extent is not None:
        empty = explain_empty(call, found, request, result.extent, args)
        lines = empty_lines(found, request, result.extent, empty.message)
        lines += [*reference_lines(found), *outside_line(found), *call_lines(empty.hints)]
        return Answer(status=empty.status, warnings=(*notices, *empty.warnings), meta=meta, lines=lines)
    if files := named_files(found, request):
        hits, page = files, fill_paths(files, args.limit, MAX_CHARS)
    elif result.exact is not None:
        hits, page = result.exact, exact_lines(result.exact, result.uses, result.around, view, args.limit)
    else:
        hits, page = _arranged_page(call, args, request, view, result)
    lines = [note(found.not_found)] if found.not_found else []
    lines += [*page.lines, *reference_lines(found), *(debug_lines(found.debug) if request.debug else ())]
    call.read_history.record_search(call.session, (hit.path for hit in hits[: page.shown]))
    return Answer(warnings=notices, meta=meta, lines=lines)


def _arranged_page(
    call: Call, args: SearchArguments, request: SearchRequest, view: RowOptions, result: _SearchAnswer
) -> tuple[tuple[Hit, ...], TextPage]:
    """Return hits in the order of the text form, and the first page of them with the lines that count the rest."""
    found, form = result.found, text_form(result.found, request, args)
    arranged = form.arrange(found.hits, args.tiers)
    hits = (*result.definitions, *arranged.hits)
    hits = tuple(by_file(hits)) if result.definitions else hits
    if len(hits) == 1 and hits[0].literal and view == RowOptions() and result.literal:
        page = TextPage(literal_lines(hits[0], result.literal), 1)
    else:
        unbounded = call.surface.everything and args.limit is not None
        page = form.fill(hits, result.around, view, args.limit, unbounded=unbounded)
    left = hits[page.shown :]
    rest = _rows(call, args, result, pack_hits(left if not call.once else ()), len(hits), view, form)
    lines = [*page.lines, *_more_lines(call, rest, found.total, found.files, len(left))]
    lines += [*hidden_lines(arranged), *(outside_line(found) if not hits[0].literal else ())]
    return hits, TextPage(lines, page.shown)


def _more_lines(call: Call, rest: _SearchRows, total: int, files: int, left: int) -> list[TextLine]:
    if left <= 0:
        return []
    if call.once or call.surface.everything:
        how = "--limit N shows more" if rest.limit is None or rest.limit < MAX_LIMIT else "narrow it with --path"
    elif not rest.form.exhaustive and rest.limit is None:
        # More of a ranking is rarely wanted, and a cursor costs more tokens than this.
        how = f"limit={MAX_LIMIT}"
    else:
        how = f"cursor={call.mint_cursor(rest)}"
    return more_line(rest.form, left, total, files, how)


# Further pages


def _next_page(call: Call, args: SearchArguments, cursor: str) -> Answer:
    started = time.monotonic()
    rest = take_rest(call, cursor, _SearchRows, "search")
    _reject_other_criteria(call, args, cursor, rest)
    view, limit = make_view(args, rest.view), args.limit or rest.limit
    hits = rest.frozen.hits(rest.offset, rest.offset + (limit or DEFAULT_LIMIT))

    def ask(snapshot: Snapshot) -> tuple[Index, tuple[HitContext, ...]]:
        index = index_version(snapshot)
        is_same = view.needs_context and index[0] == rest.index[0]
        return index, _contexts(call, snapshot, rest.root, hits, rest.index[1]) if is_same else ()

    read = read_if_ready(call, rest.root, ask)
    current, around = read.value if read is not None else (None, ())
    meta = page_meta(read, current, rest.index)
    if call.wants_text:
        return _next_text_page(call, replace(rest, view=view, limit=limit), around, meta)
    page = fill_page(hits, around, view, rest.exhaustive, limit, page_chars(limit, view))
    following = replace(rest, offset=rest.offset + page.shown, view=view, limit=limit)
    pagination = _pagination(call, following)
    return Answer(
        {"results": page.rows, "pagination": pagination},
        warnings=read.notices if read is not None else (),
        hints=_page_hints(call, page, pagination, following),
        meta={**meta, **search_fields.truncation(page), "query_time_ms": _elapsed_ms(started)},
    )


def _next_text_page(call: Call, rest: _SearchRows, around: Sequence[HitContext], meta: Mapping[str, object]) -> Answer:
    hits = rest.frozen.hits(rest.offset, rest.offset + (rest.limit or rest.form.page_size))
    page = rest.form.fill(hits, around, rest.view, rest.limit)
    following = replace(rest, offset=rest.offset + page.shown)
    left = following.frozen.count - following.offset
    return Answer(meta=meta, lines=[*page.lines, *_more_lines(call, following, rest.total, 0, left)])


def _reject_other_criteria(call: Call, args: SearchArguments, cursor: str, rest: _SearchRows) -> None:
    """Reject arguments that contradict the first call; repeated and default values are harmless."""
    sent = args.non_defaults()
    unused = [name for name, value in sent.items() if name not in VIEW and value != rest.criteria.get(name)]
    if unused == ["path"] and call.root.path == rest.root and not call.directory(args.path):
        unused = []
    reject_with_cursor(cursor, unused, "cursor, limit, detail_level, compact")


HANDLERS = {"search": Handler(SearchArguments, search, check_search)}
