"""Fields of a search answer as JSON: a page of rows, facts about the whole result, completeness, hints."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from shlex import quote

from codeplane.base.limits import MAX_ANSWER_CHARS
from codeplane.base.symbols import symbol_ref
from codeplane.base.warnings import Notice, WarningCode
from codeplane.index.resolve.registry import resolved_languages
from codeplane.operations.search.finder import SearchExtent
from codeplane.operations.search.hit_context import NO_CONTEXT, HitContext
from codeplane.operations.search.model import Hit, SearchRequest, SearchResult
from codeplane.operations.search.result_rows import Row, RowOptions, row_of
from codeplane.tools.calls import Call
from codeplane.tools.catalog.call_graph import CALL_GRAPH
from codeplane.tools.catalog.outline import FILE_OUTLINE
from codeplane.tools.handlers.search_request import DEFAULT_LIMIT, MAX_ECHO, SearchArguments

_ADVICE = frozenset({"noise_mitigation"})
"""Details of a search that are hints; all others are facts."""
_MAX_SKIPPED = 5
_CALLABLE = frozenset({"function", "method", "constructor", "class"})


def total(found: SearchResult) -> int:
    """Return the number of results; if some were cut, the number of matches."""
    known = len(found.hits) + found.suppressed + sum(hit.collapsed for hit in found.hits)
    return len(found.hits) if known >= found.total else found.total


def facts(found: SearchResult, extent: SearchExtent | None) -> dict[str, object]:
    """Facts about the whole result. If nothing was found, the number of files that were searched."""
    fields: dict[str, object] = {}
    if found.exhaustive and found.hits:
        fields |= {"matches": found.total, "files": found.files}
    if extent is not None:
        fields["searched"] = {"files": count_searched(found, extent)}
    fields |= {name: value for name, value in found.hints.items() if name not in _ADVICE and value}
    outside = {role: count for role, count in sorted(found.outside_scope.items()) if count}
    if outside:
        fields["outside_scope"] = outside
    if found.similar:
        fields["similar"] = list(found.similar)
    return fields


def count_searched(found: SearchResult, extent: SearchExtent) -> int:
    return max(0, extent.files - sum(_not_searched(found).values()))


def follow_up(call: Call, found: SearchResult, request: SearchRequest, path: str | None) -> dict[str, object]:
    """Call that shows the surroundings of the first result, or its callers."""
    if not found.hits:
        return {}
    hit = found.hits[0]
    elsewhere = {"path": path} if call.root.path != call.roots.home.path else {}
    if request.result_mode == "grouped" and not hit.lexical_path and hit.language and call.surface.shows(FILE_OUTLINE):
        window = {"file": hit.path, "start_line": hit.line_start, "end_line": hit.line_end}
        return {"navigation_fallback": {"tool": "file_outline", "args": window | elsewhere}}
    if request.mode not in ("auto", "symbol", "definitions") or call.surface.everything:
        return {}
    if hit.kind not in _CALLABLE or hit.language not in resolved_languages() or not call.surface.shows(CALL_GRAPH):
        return {}
    symbol = symbol_ref(hit.path, hit.lexical_path, hit.def_line or hit.line_start)
    return {"call_graph_hint": {"tool": "call_graph", "args": {"symbol": symbol, **elsewhere}}}


def completeness(page: ResultPage, found: SearchResult) -> dict[str, object]:
    meta = truncation(page)
    if not meta and found.skipped:
        meta["completeness"] = "partial"
    if found.exhaustive and total(found) > len(found.hits):
        meta["completeness"] = "truncated"
    if found.suppressed:
        meta["suppressed"] = found.suppressed
    return meta


def truncation(page: ResultPage) -> dict[str, object]:
    """Mark a page with fewer rows than requested, because of its size."""
    return {"completeness": "truncated"} if page.cut else {}


def incomplete(found: SearchResult) -> tuple[Notice, ...]:
    """Warn about files that were not searched."""
    reasons = _not_searched(found)
    if not reasons:
        return ()
    about = {
        "count": sum(reasons.values()),
        "reasons": dict(sorted(reasons.items())),
        "paths": [skipped.path for skipped in found.skipped[:_MAX_SKIPPED]],
    }
    return (Notice(WarningCode.SEARCH_INCOMPLETE, about),)


def wider_scope(call: Call, found: SearchResult, args: SearchArguments) -> dict[str, object]:
    """Hint: the same search in all files, if there are matches outside the scope."""
    if not any(found.outside_scope.values()) or len(args.query) > MAX_ECHO:
        return {}
    mode = f" --mode {args.mode}" if args.mode != "auto" else ""
    command = f"cpl search {quote(args.query)}{mode} --scope mixed"
    return {"wider": call.next_call("search", {**args.non_defaults(), "scope": "mixed"}, command)}


def advice(found: SearchResult, request: SearchRequest) -> dict[str, object]:
    hints = {name: value for name, value in found.hints.items() if name in _ADVICE}
    return {**hints, "debug_search": found.debug} if request.debug else hints


def _not_searched(found: SearchResult) -> Mapping[str, int]:
    reasons = found.hints.get("not_searched")
    return reasons if isinstance(reasons, Mapping) else {}


DEFAULT_CHARS = 7_300
"""Characters of the rows of a default page; with the rest of the answer about 2,000 tokens."""
MAX_CHARS = MAX_ANSWER_CHARS - 3_000
"""Maximum characters of the rows of a page."""


@dataclass(frozen=True)
class ResultPage:
    rows: list[Row]
    cut: bool
    """True if requested rows are left for the next page."""

    @property
    def shown(self) -> int:
        return len(self.rows)


def page_chars(limit: int | None, view: RowOptions, *, person: bool = False) -> int:
    """Return the maximum characters of a page: more if the caller sets a limit or asks for bodies. A person, who has no
    use for a cursor, gets all results up to the limit."""
    if person and limit is not None:
        return sys.maxsize
    return MAX_CHARS if limit is not None or view.needs_context else DEFAULT_CHARS


def fill_page(
    hits: Sequence[Hit], around: Sequence[HitContext], view: RowOptions, exhaustive: bool, limit: int | None, room: int
) -> ResultPage:
    """Return the first rows that fit into `room` characters, at least one: empty pages would never end."""
    wanted = hits[: limit or DEFAULT_LIMIT]
    rows: list[Row] = []
    for hit, beside in zip_longest(wanted, around[: len(wanted)], fillvalue=NO_CONTEXT):
        assert isinstance(hit, Hit) and isinstance(beside, HitContext)
        row = row_of(hit, view, exhaustive=exhaustive, context=beside)
        room -= json_chars(row) + 1
        if rows and room < 0:
            return ResultPage(rows, cut=True)
        rows.append(row)
    return ResultPage(rows, cut=False)


def json_chars(value: object) -> int:
    """Return the characters of a value as JSON; undecodable names count as they are displayed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return len(text.encode("utf-8", "backslashreplace").decode("utf-8"))
