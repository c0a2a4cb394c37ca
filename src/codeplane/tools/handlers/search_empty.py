"""Answers without the usual result: an empty one with its reasons, and one from disk while the index is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from shlex import quote

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, note
from codeplane.base.warnings import Notice, WarningCode
from codeplane.operations.search import operators
from codeplane.operations.search.finder import Finder, SearchExtent
from codeplane.operations.search.model import SearchRequest, SearchResult
from codeplane.operations.search.operators import ParsedQuery
from codeplane.operations.search.query_features import analyze_query
from codeplane.query.files import get_file, list_files
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call
from codeplane.tools.handlers.search_request import MAX_ECHO, SearchArguments
from codeplane.workspace.errors import copy_error

NAME_MODES = frozenset({"symbol", "definitions", "references"})
"""Modes whose query is a symbol; an unknown symbol has the status not_found."""
_LITERAL = frozenset({"lexical", "regex"})
"""Modes that take operators literally."""


@dataclass(frozen=True)
class EmptyResult:
    status: str = "ok"
    message: str | None = None
    warnings: tuple[Notice, ...] = ()
    hints: Mapping[str, object] = field(default_factory=dict)


def measure(finder: Finder, snapshot: Snapshot, request: SearchRequest) -> SearchExtent:
    """Return the extent of an empty search. A directory without indexed files is an error in the call."""
    place = request.directory
    if place and not list_files(snapshot, 1, place).total and get_file(snapshot, place) is None:
        raise nothing_indexed_in(place)
    return finder.measure(snapshot, request)


def nothing_indexed_in(place: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.FILE_NOT_FOUND,
        f"no indexed files under '{display(place)}'",
        expected="an indexed directory or file of the repository",
        received=display(place),
        remedy="Omit 'path' to search the whole repository.",
    )


def explain_empty(
    call: Call, found: SearchResult, request: SearchRequest, extent: SearchExtent, args: SearchArguments
) -> EmptyResult:
    # A symbol without uses is an answer.
    defined = bool(found.hints.get("definitions") or found.hints.get("symbols"))
    hints = _without_operators(call, request, args) if request.mode in _LITERAL else {}
    return EmptyResult(
        "not_found" if request.mode in NAME_MODES and not defined else "ok",
        _message(found, request, extent, defined),
        _warnings(extent),
        hints,
    )


def _message(found: SearchResult, request: SearchRequest, extent: SearchExtent, defined: bool) -> str | None:
    if found.not_found:
        return found.not_found
    if any(found.outside_scope.values()):
        return "No matches in this scope; there are matches outside it."
    if request.mode in _LITERAL and _starts_with_operator(request.query):
        return "Filters at the start of the query were taken as text: this mode does not support them."
    if request.mode not in NAME_MODES:
        return next((message for name, message in _REMOVED.items() if found.hints.get(name)), None)
    parsed = operators.parse_query(request.query)
    words = parsed.must or parsed.exclude
    if request.kinds or request.directory or extent.paths or extent.languages or words:
        return f"{'The symbol is defined, but no' if defined else 'No'} {_TARGETS[request.mode]} passes the filters."
    return "The symbol is defined and has no known uses." if defined else None


_REMOVED = {
    "removed_by_exclude": "All results contain an `exclude:` word.",
    "removed_by_kind": "No result is of the requested kinds.",
}
_TARGETS = {"symbol": "symbol like this", "definitions": "definition of this name", "references": "use of this name"}


def _warnings(extent: SearchExtent) -> tuple[Notice, ...]:
    about = {"paths": [display(path) for path in extent.paths], "languages": list(extent.languages)}
    named = {name: value for name, value in about.items() if value}
    return (Notice(WarningCode.SEARCH_MATCHES_NO_FILE, named),) if named and not extent.anywhere else ()


def _starts_with_operator(query: str) -> bool:
    try:
        return _has_operators(operators.parse_query(query))
    except CodePlaneError:
        # Only a malformed operator is rejected.
        return True


def _has_operators(parsed: ParsedQuery) -> bool:
    return bool(parsed.summary["prefix_chars"])


def _without_operators(call: Call, request: SearchRequest, args: SearchArguments) -> dict[str, object]:
    """Hint: the same search with parameters, or in a mode that supports operators without a parameter."""
    try:
        parsed = operators.parse_query(request.query)
    except CodePlaneError:
        return {}
    if not _has_operators(parsed) or len(request.query) > MAX_ECHO:
        return {}
    arguments = args.non_defaults()
    if parsed.must or parsed.exclude:
        arguments = {name: value for name, value in arguments.items() if name not in ("mode", "case_sensitive")}
        return {"with_operators": call.next_call("search", arguments, f"cpl search {quote(request.query)}")}
    paths = [*request.paths, *parsed.paths, *(f"!{path}" for path in parsed.excluded_paths)]
    languages = [*request.languages, *parsed.languages]
    command = f"cpl search {quote(parsed.text)} --mode {request.mode}"
    command += "".join(f" --path {quote(path)}" for path in paths)
    command += "".join(f" --lang {quote(language)}" for language in languages)
    narrow: dict[str, object] = {"paths": paths, "languages": languages}
    arguments |= {"query": parsed.text, **{name: value for name, value in narrow.items() if value}}
    return {"with_parameters": call.next_call("search", arguments, command)}


_TEXT_MODES = frozenset({"auto", "lexical", "regex", "files"})
"""Modes that need no index."""


@dataclass(frozen=True)
class DiskAnswer:
    found: SearchResult
    extent: SearchExtent
    index: Mapping[str, object]
    """`result.index`: `state` (building or opening), and `files_done` of `files_total` if that is known."""


def search_disk(call: Call, request: SearchRequest, error: CodePlaneError) -> DiskAnswer:
    """Search the working tree after the index raised `error`.

    Raises the error unless it is NOT_READY, and if the request needs the index.
    """
    if error.code is not ErrorCode.NOT_READY:
        raise error
    if request.mode not in _TEXT_MODES or (request.kinds and request.mode != "files"):
        raise _needs_index(request, error)
    found, extent = call.root.finder.find_on_disk(call.root.workspace.tree, request, call.cancelled)
    if not found.hits and request.directory and not extent.anywhere:
        raise nothing_indexed_in(request.directory)
    return DiskAnswer(found, extent, index_state(error))


def index_state(error: CodePlaneError) -> dict[str, object]:
    """Return the progress of the index from a NOT_READY error."""
    state = "opening" if error.details.get("phase") == "opening" else "building"
    return {"state": state, **{name: error.details[name] for name in _PROGRESS if name in error.details}}


def index_lines(index: Mapping[str, object]) -> list[TextLine]:
    """Return the last line of a text answer from disk; nothing if the index was read."""
    if not index:
        return []
    known = "files_total" in index
    progress = f", {index['files_done']:,} of {index['files_total']:,} files" if known else ""
    return [note(f"index: {index['state']}{progress}; text only")]


_PROGRESS = ("files_done", "files_total")


def _needs_index(request: SearchRequest, error: CodePlaneError) -> CodePlaneError:
    """Return the error with an example that works without an index: the name as text."""
    changed = copy_error(error)
    if len(request.query) <= MAX_ECHO:
        text = analyze_query(request.query).last if request.mode not in _TEXT_MODES else request.query
        mode = request.mode if request.mode in _TEXT_MODES else "lexical"
        changed.example = {"query": text, "mode": mode}
    what = "'kinds'" if request.mode in _TEXT_MODES else f"mode '{request.mode}'"
    changed.remedy = f"{what[0].upper()}{what[1:]} needs the index: search for text meanwhile, or retry in a moment."
    return changed
