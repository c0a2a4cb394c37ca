"""Search of the working tree while the index is being built."""

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
from codeplane.workspace.errors import copy_error

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
