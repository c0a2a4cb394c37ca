"""What it means that a search found nothing: where it looked, what kept matches out, and what to ask instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from shlex import quote
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.warnings import Notice, WarningCode
from codeplane.operations.search import operators
from codeplane.operations.search.finder import Finder, SearchExtent
from codeplane.operations.search.model import SearchRequest, SearchResult
from codeplane.operations.search.operators import ParsedQuery
from codeplane.query.files import get_file, list_files
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call
from codeplane.tools.handlers.search_request import MAX_ECHO, said

NAME_MODES = frozenset({"symbol", "definitions", "references"})
"""Modes whose query names a symbol: that no symbol has the name is an answer of its own."""
_LITERAL = frozenset({"lexical", "regex"})
"""Modes that take operators for text."""


@dataclass(frozen=True)
class Nothing:
    status: str = "ok"
    message: str | None = None
    warnings: tuple[Notice, ...] = ()
    hints: Mapping[str, object] = field(default_factory=dict)


def measure(finder: Finder, snapshot: Snapshot, request: SearchRequest) -> SearchExtent:
    """A place of which nothing is indexed is a mistake in the call, not an answer."""
    place = request.directory
    if place and not list_files(snapshot, 1, place).total and get_file(snapshot, place) is None:
        raise nothing_indexed_in(place)
    return finder.measure(snapshot, request)


def nothing_indexed_in(place: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.FILE_NOT_FOUND,
        "nothing beneath this path is indexed",
        expected="a directory or file of the repository that is indexed",
        received=display(place),
        remedy="Leave 'path' out to search all of the repository.",
    )


def about_nothing(
    call: Call, found: SearchResult, request: SearchRequest, extent: SearchExtent, args: Mapping[str, Any]
) -> Nothing:
    # A symbol without uses is an answer.
    defined = bool(found.hints.get("definitions") or found.hints.get("symbols"))
    hints = _without_operators(call, request, args) if request.mode in _LITERAL else {}
    return Nothing(
        "not_found" if request.mode in NAME_MODES and not defined else "ok",
        _message(found, request, extent, defined),
        _warnings(extent),
        hints,
    )


def _message(found: SearchResult, request: SearchRequest, extent: SearchExtent, defined: bool) -> str | None:
    if found.not_found:
        return found.not_found
    if any(found.outside_scope.values()):
        return "Nothing in this scope; there are matches outside of it."
    if request.mode in _LITERAL and _begins_like_operator(request.query):
        return "What looks like operators at the head of the query was taken as text: this mode reads none."
    if request.mode not in NAME_MODES:
        return next((message for name, message in _LOST.items() if found.hints.get(name)), None)
    parsed = operators.parse_query(request.query)
    words = parsed.must or parsed.exclude
    if request.kinds or request.directory or extent.paths or extent.languages or words:
        return f"{'It is defined; no' if defined else 'No'} {_SOUGHT[request.mode]} is left by the filters."
    return "It is defined, and no use of it is known." if defined else None


_LOST = {
    "removed_by_exclude": "All that was found holds a word that exclude: forbids.",
    "removed_by_kind": "Nothing that was found is of the kinds that were asked for.",
}
_SOUGHT = {"symbol": "symbol like this", "definitions": "definition of this name", "references": "use of this name"}


def _warnings(extent: SearchExtent) -> tuple[Notice, ...]:
    about = {"paths": [display(path) for path in extent.paths], "languages": list(extent.languages)}
    named = {name: value for name, value in about.items() if value}
    return (Notice(WarningCode.SEARCH_MATCHES_NO_FILE, named),) if named and not extent.anywhere else ()


def _begins_like_operator(query: str) -> bool:
    try:
        return _has_operators(operators.parse_query(query))
    except CodePlaneError:
        # Nothing is refused but what begins like an operator and cannot be one.
        return True


def _has_operators(parsed: ParsedQuery) -> bool:
    return bool(parsed.summary["prefix_chars"])


def _without_operators(call: Call, request: SearchRequest, args: Mapping[str, Any]) -> dict[str, object]:
    """The same asked with parameters, or where there is none for an operator, in a mode that reads them."""
    try:
        parsed = operators.parse_query(request.query)
    except CodePlaneError:
        return {}
    if not _has_operators(parsed) or len(request.query) > MAX_ECHO:
        return {}
    asked = said(args)
    if parsed.must or parsed.exclude:
        asked = {name: value for name, value in asked.items() if name not in ("mode", "case_sensitive")}
        return {"with_operators": call.next_call("search", asked, f"cpl search {quote(request.query)}")}
    paths = [*request.paths, *parsed.paths, *(f"!{path}" for path in parsed.excluded_paths)]
    languages = [*request.languages, *parsed.languages]
    command = f"cpl search {quote(parsed.text)} --mode {request.mode}"
    command += "".join(f" --path {quote(path)}" for path in paths)
    command += "".join(f" --lang {quote(language)}" for language in languages)
    narrow: dict[str, object] = {"paths": paths, "languages": languages}
    asked |= {"query": parsed.text, **{name: value for name, value in narrow.items() if value}}
    return {"with_parameters": call.next_call("search", asked, command)}
