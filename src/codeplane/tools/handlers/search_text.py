"""Text form of search: which hits are shown in which order, and one line for everything that is left out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from codeplane.base.paths import basename
from codeplane.base.symbols import parse_symbol_ref
from codeplane.base.text_lines import TextLine, note, text
from codeplane.facts.links import uid_number
from codeplane.operations.search import operators
from codeplane.operations.search.finder import SearchExtent
from codeplane.operations.search.hit_context import HitContext
from codeplane.operations.search.model import Hit, SearchRequest, SearchResult
from codeplane.operations.search.query_features import QueryShape, analyze_query
from codeplane.operations.search.result_rows import RowOptions
from codeplane.operations.symbols.presenter import did_you_mean
from codeplane.query.refs import rank_uses
from codeplane.query.relations import find_symbols, find_symbols_in_file
from codeplane.query.routes import find_routes, list_routed_uses
from codeplane.query.rows import has_unresolved
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import storable
from codeplane.tools.handlers.search_fields import count_searched
from codeplane.tools.handlers.search_request import SearchArguments
from codeplane.tools.text.common import call_text
from codeplane.tools.text.search import (
    DEFAULT_MATCHES,
    DEFAULT_MATCHES_CHARS,
    DEFAULT_RANKED,
    DEFAULT_RANKED_CHARS,
    MAX_CHARS,
    TextPage,
    by_file,
    fill_literal,
    fill_matches,
    fill_paths,
    fill_ranked,
)

_UNKNOWN = "unknown"
_BY_NAME = frozenset({"auto", "symbol", "definitions"})
_MAX_EXACT = 8
"""Maximum definitions of a name that are shown; more are counted."""
_FEW_DEFINITIONS = 3
_FEW_UNKNOWN = 10
"""Unresolved references up to which they are shown by default."""


class Arranged(NamedTuple):
    hits: tuple[Hit, ...]
    unknown: int = 0
    """Number of unresolved references that are not shown."""
    imports: int = 0
    """Number of imports that are not shown."""


@dataclass(frozen=True)
class TextForm:
    """Layout of the text form of one search; all its pages share it."""

    mode: str
    exhaustive: bool
    grouped: bool
    hides_imports: bool = False
    """True if imports in files with other uses are counted, not shown."""

    def arrange(self, hits: Sequence[Hit], tiers: Sequence[str] | None) -> Arranged:
        """Return the hits in the order of the text form, over all pages.

        Unresolved references are shown if they are few, if there are no others, or if requested.
        """
        if not self.exhaustive:
            # Lines that contain the query literally are the answer.
            return Arranged(tuple([hit for hit in hits if hit.literal] or hits))
        unknown = [hit for hit in hits if hit.tier == _UNKNOWN]
        if tiers or len(unknown) <= _FEW_UNKNOWN or len(unknown) == len(hits):
            unknown = []
        else:
            hits = [hit for hit in hits if hit.tier != _UNKNOWN]
        using = {hit.path for hit in hits if not hit.is_import} if self.hides_imports else set()
        # Two uses on one line share a row.
        hits = list({(hit.path, hit.match_line or hit.line_start): hit for hit in reversed(hits)}.values())[::-1]
        shown = [hit for hit in hits if not (hit.is_import and hit.path in using)]
        return Arranged(tuple(by_file(shown)), len(unknown), len(hits) - len(shown))

    def fill(
        self,
        hits: Sequence[Hit],
        around: Sequence[HitContext],
        view: RowOptions,
        limit: int | None,
        *,
        unbounded: bool = False,
    ) -> TextPage:
        room = MAX_CHARS if limit is not None or view.needs_context else None
        room = 1 << 40 if unbounded else room
        if self.mode == "files":
            return fill_paths(hits, limit, room or DEFAULT_MATCHES_CHARS)
        if hits and hits[0].literal:
            return fill_literal(hits, limit, room or DEFAULT_RANKED_CHARS)
        if self.exhaustive:
            return fill_matches(hits, limit, room or DEFAULT_MATCHES_CHARS, grouped=self.grouped)
        return fill_ranked(hits, around, view, limit, room or DEFAULT_RANKED_CHARS)

    @property
    def page_size(self) -> int:
        return DEFAULT_MATCHES if self.exhaustive else DEFAULT_RANKED


def text_form(found: SearchResult, request: SearchRequest, args: SearchArguments) -> TextForm:
    grouped = found.exhaustive and request.result_mode == "grouped"
    return TextForm(request.mode, found.exhaustive, grouped, request.mode == "references" and args.result_mode is None)


def definition_hits(snapshot: Snapshot, found: SearchResult, request: SearchRequest) -> tuple[Hit, ...]:
    """Return the definitions that the references refer to, if they are few; they are shown first."""
    symbols = found.hints.get("symbols") if request.mode == "references" else None
    if not isinstance(symbols, list) or len(symbols) > _FEW_DEFINITIONS:
        return ()
    hits: list[Hit] = []
    for written in symbols:
        named = parse_symbol_ref(str(written))
        for each in find_symbols_in_file(snapshot, named.path, storable(named.lexical_path or "")):
            if each.start_line == named.line:
                about = (each.path, each.start_line, each.end_line, each.kind, each.name)
                hits.append(Hit(*about, signature=each.signature, lexical_path=each.lexical_path))
    return tuple(hits)


def exact_hits(found: SearchResult, request: SearchRequest) -> tuple[Hit, ...] | None:
    """Return the definitions of exactly the name in the query; None if it is not a name, or has no definition.

    A plain word may be a topic as well as a name, so other results matter too.
    """
    if request.mode not in _BY_NAME or found.exhaustive:
        return None
    question = analyze_query(operators.parse_query(request.query).text)
    if question.shape is not QueryShape.NAME:
        return None
    exact = [hit for hit in found.hits if hit.match_type == "exact" and hit.name == question.last]
    exact = [hit for hit in exact if hit.factors.qualified_name_boost] or exact
    is_topic = question.last.islower() and question.last.isalpha() and not question.qualifiers
    return tuple(exact) if exact and (request.mode == "definitions" or not is_topic) else None


def named_files(found: SearchResult, request: SearchRequest) -> tuple[Hit, ...]:
    """Return the files whose name or path is the query of a ranked search."""
    text = operators.parse_query(request.query).text.strip() if request.mode == "auto" else ""
    if found.exhaustive or not text or not analyze_query(text).only_path:
        return ()
    name = "/" + text.removeprefix("./").lower()
    paths = dict.fromkeys(hit.path for hit in found.hits if f"/{hit.path}".lower().endswith(name))
    return tuple(Hit(path, 1, 1, "file", basename(path)) for path in paths)


def count_uses(snapshot: Snapshot, hit: Hit) -> int | None:
    """Return the number of known uses of a definition; None while references are being resolved."""
    if not hit.def_uid or has_unresolved(snapshot):
        return None
    defined = find_symbols(snapshot, [uid_number(hit.def_uid)]).get(uid_number(hit.def_uid))
    if defined is None:
        return None
    uses = list_routed_uses(snapshot, find_routes(snapshot, defined))
    return rank_uses(uses, (defined.path, defined.line, defined.column), 1).page.total


def filter_tiers(found: SearchResult, tiers: Sequence[str] | None) -> SearchResult:
    """Keep only the references of the requested tiers."""
    return found if tiers is None else replace(found, hits=tuple(hit for hit in found.hits if hit.tier in tiers))


def hidden_lines(arranged: Arranged) -> list[TextLine]:
    """Count what is not shown, with the arguments that show it."""
    lines = [note(f"imports: {arranged.imports:,} more (result_mode=raw)")] if arranged.imports else []
    unknown = f"unresolved: {arranged.unknown:,} more of this name (tiers=unknown)"
    return [*lines, *([note(unknown)] if arranged.unknown else [])]


def exact_lines(
    hits: Sequence[Hit], uses: int | None, around: Sequence[HitContext], view: RowOptions, limit: int | None
) -> TextPage:
    page = fill_ranked(hits, around, view, limit or _MAX_EXACT, MAX_CHARS)
    lines = list(page.lines)
    if page.shown < len(hits):
        lines.append(
            note(f"{len(hits) - page.shown:,} more definitions (mode=definitions limit={min(100, len(hits))})")
        )
    if uses is not None:
        words = f"{uses:,} {'use' if uses == 1 else 'uses'}" if uses else "no known uses"
        lines.append(note(f"{words} (mode=references)"))
    return TextPage(lines, page.shown)


def empty_lines(
    found: SearchResult, request: SearchRequest, extent: SearchExtent, message: str | None
) -> list[TextLine]:
    """Say that nothing was found, and in how many files."""
    searched = count_searched(found, extent)
    if message and request.mode in ("symbol", "definitions", "references"):
        first = message.removesuffix(".")
    else:
        first = f"no matches in {searched:,} {'file' if searched == 1 else 'files'}"
        first += f"; {message[:1].lower()}{message[1:].removesuffix('.')}" if message else did_you_mean(found.similar)
    return [text(first)]


def outside_line(found: SearchResult) -> list[TextLine]:
    """Count matches outside the scope, with the argument that shows them."""
    count = sum(found.outside_scope.values())
    roles = sorted({_ROLES.get(role, role) for role, number in found.outside_scope.items() if number})
    return [note(f"{' and '.join(roles)}: {count:,} more (scope=mixed)")] if count else []


def more_line(form: TextForm, left: int, total: int, files: int, how: str) -> list[TextLine]:
    """Count the remaining results and say how to see them. `files` is 0 if not known."""
    if form.mode == "files":
        return [note(f"{left:,} more files ({how})")]
    if form.exhaustive and files:
        return [note(f"{left:,} more of {total:,} matches in {files:,} files ({how})")]
    return [note(f"{left:,} more ({how})")]


def reference_lines(found: SearchResult) -> list[TextLine]:
    """Notes about references besides their rows."""
    lines: list[TextLine] = []
    elsewhere = found.hints.get("elsewhere")
    if elsewhere and not found.hits:
        lines.append(note(f"{elsewhere:,} uses of this name resolve to other definitions"))
    renamed = found.hints.get("under_another_name")
    if renamed:
        lines.append(note(f"constructed under another name: {renamed:,} (call_graph)"))
    as_text = found.hints.get("found_as_text")
    if as_text:
        lines.append(note(f"{as_text:,} of these were found as text, in files without facts"))
    return lines


def call_lines(hints: object) -> list[TextLine]:
    """Render the suggested calls of an answer."""
    calls = hints.values() if isinstance(hints, Mapping) else ()
    return [note(f"hint: {call_text(hint)}") for hint in calls if isinstance(hint, Mapping) and "tool" in hint]


def debug_lines(debug: Mapping[str, object]) -> list[TextLine]:
    return [note("debug: " + json.dumps(debug, separators=(",", ":"), default=str))]


_ROLES = {"test": "tests", "fixture": "fixtures", "example": "examples"}
