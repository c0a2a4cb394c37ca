"""Search while there is no index to read: which requests the disk can answer, and what the answer says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.text_lines import TextLine, note
from codeplane.operations.search.finder import SearchExtent
from codeplane.operations.search.model import SearchRequest, SearchResult
from codeplane.operations.search.query_features import analyze_query
from codeplane.tools.calls import Call
from codeplane.tools.handlers.search_empty import nothing_indexed_in
from codeplane.tools.handlers.search_request import MAX_ECHO
from codeplane.workspace.waiting import copy_error

_FROM_TEXT = frozenset({"auto", "lexical", "regex", "files"})
"""Modes that need no facts."""


@dataclass(frozen=True)
class DiskAnswer:
    found: SearchResult
    extent: SearchExtent
    index: Mapping[str, object]
    """`result.index`: `state` (building or opening), and `files_done` of `files_total` if that is known."""


def search_disk(call: Call, request: SearchRequest, error: CodePlaneError) -> DiskAnswer:
    """Search the working tree, since the index answered `error`.

    Raises the error if it says anything else than that the index is not ready, or if the request needs facts.
    """
    if error.code is not ErrorCode.NOT_READY:
        raise error
    if request.mode not in _FROM_TEXT or (request.kinds and request.mode != "files"):
        raise _needs_index(request, error)
    found, extent = call.root.finder.find_on_disk(call.root.workspace.tree, request, call.cancelled)
    if not found.hits and request.directory and not extent.anywhere:
        raise nothing_indexed_in(request.directory)
    return DiskAnswer(found, extent, index_state(error))


def index_state(error: CodePlaneError) -> dict[str, object]:
    """How far the index is, by the error that says it cannot be read yet."""
    state = "opening" if error.details.get("phase") == "opening" else "building"
    return {"state": state, **{name: error.details[name] for name in _PROGRESS if name in error.details}}


def index_lines(index: Mapping[str, object]) -> list[TextLine]:
    """The line that ends a text answer from the disk; none if the index was read."""
    if not index:
        return []
    known = "files_total" in index
    progress = f", {index['files_done']:,} of {index['files_total']:,} files" if known else ""
    return [note(f"index: {index['state']}{progress}; text only")]


_PROGRESS = ("files_done", "files_total")


def _needs_index(request: SearchRequest, error: CodePlaneError) -> CodePlaneError:
    """The same error, with the search for the text of a name, which works already."""
    told = copy_error(error)
    if len(request.query) <= MAX_ECHO:
        text = analyze_query(request.query).last if request.mode not in _FROM_TEXT else request.query
        mode = request.mode if request.mode in _FROM_TEXT else "lexical"
        told.example = {"query": text, "mode": mode}
    what = "'kinds'" if request.mode in _FROM_TEXT else f"mode '{request.mode}'"
    told.remedy = f"{what[0].upper()}{what[1:]} needs the index: search for text meanwhile, or ask again in a moment."
    return told
