"""From the arguments of a search to what is asked, and how much of it is told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.search.model import EXHAUSTIVE, MODES, ResultMode, SearchRequest
from codeplane.operations.search.result_rows import Detail, RowOptions
from codeplane.tools.arguments import shown
from codeplane.tools.calls import Call
from codeplane.tools.catalog.search import SEARCH
from codeplane.tools.handlers.search_kinds import read_kinds
from codeplane.tools.handlers.search_page import DEFAULT_LIMIT
from codeplane.tools.spec import MAX_TEXT
from codeplane.tools.text.search import DEFAULT_RANKED

VIEW = frozenset(
    {"cursor", "limit", "detail_level", "enrichment", "compact", "include_snippets", "ranking_explain_level"}
)
"""What may differ from page to page: how much is told, never of what."""
MAX_ECHO = 300
"""Characters of a query that a hint or an example says again."""

_DEFAULTS = {param.name: param.default for param in SEARCH.params if param.default is not None}
_DETAIL: Mapping[str, Detail] = {
    "none": "location",
    "minimal": "location",
    "standard": "signature",
    "function": "context",
    "class": "context",
}


def check_search(args: Mapping[str, Any]) -> None:
    if "cursor" in args:
        return
    query, mode = args.get("query"), args["mode"]
    # Blanks are text like any other where text is taken as it is.
    if query is None or not (query if mode in ("lexical", "regex") else query.strip()):
        raise _refused("search needs a query" if query is None else "the query is empty", "text to find", query)
    if mode not in MODES:
        raise CodePlaneError(
            ErrorCode.MODE_UNSUPPORTED,
            "search has no vectors yet, so that it cannot search by meaning",
            expected=" | ".join(MODES),
            received=mode,
            example={"query": query[:MAX_ECHO]},
            remedy="Use mode 'auto', which takes a question in words.",
        )
    if mode != "auto" and len(query) > MAX_TEXT:
        raise _refused(
            f"the query has {len(query)} characters", f"at most {MAX_TEXT} characters; mode auto takes more", query
        )
    # Brackets are names of directories too, as in pages/[id]; where there is no such one, that is told soon enough.
    read_kinds(args.get("kinds", ()))
    if any(sign in args.get("path", "") for sign in "*?"):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "'path' is one directory; patterns go into 'paths'",
            expected="a directory",
            received=shown(args["path"]),
            example={"query": query[:MAX_ECHO], "paths": [args["path"]]},
            remedy="Use 'paths'.",
        )


def request_of(call: Call, args: Mapping[str, Any]) -> SearchRequest:
    return SearchRequest(
        query=args["query"],
        mode=args["mode"],
        scope=args.get("scope"),
        paths=args.get("paths", ()),
        languages=args.get("languages", ()),
        kinds=read_kinds(args.get("kinds", ())),
        result_mode=_result_mode(call, args),
        group_by=args.get("group_by", "symbol"),
        ranking_mode=args["ranking_mode"],
        case_sensitive=args.get("case_sensitive"),
        directory=directory_of(call, args),
        limit=args.get("limit", DEFAULT_RANKED if call.wants_text else DEFAULT_LIMIT),
        debug=args.get("debug", False),
        evidence=call.wants_text,
    )


def _result_mode(call: Call, args: Mapping[str, Any]) -> ResultMode:
    """Text shows every matching line, as grep does, unless it is asked to group them."""
    if "result_mode" in args:
        chosen: ResultMode = args["result_mode"]
        return chosen
    return "raw" if call.wants_text and args["mode"] in EXHAUSTIVE and "group_by" not in args else "grouped"


def directory_of(call: Call, args: Mapping[str, Any]) -> str:
    """The part of its repository that a path names; empty for all of it."""
    if "path" not in args:
        return ""
    place = os.path.realpath(call.roots.home.path / args["path"])
    return "" if place == str(call.root.path) else os.path.relpath(place, call.root.path)


def view_of(args: Mapping[str, Any], before: RowOptions) -> RowOptions:
    detail = args.get("detail_level") or _DETAIL.get(args.get("enrichment", ""), before.detail)
    return RowOptions(
        detail,
        args.get("compact", before.compact),
        args.get("include_snippets", before.snippets),
        args.get("ranking_explain_level", before.explain),
    )


def said(args: Mapping[str, Any]) -> dict[str, object]:
    """What a call says besides defaults."""
    return {name: value for name, value in args.items() if value != _DEFAULTS.get(name)}


def _refused(message: str, expected: str, query: str | None) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        message,
        expected=expected,
        received=shown(query) if query is not None else "no query",
        example=dict(SEARCH.examples[0].arguments),
    )
