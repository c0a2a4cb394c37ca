"""Arguments of search, the kinds that they name, and the request and view that they make."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.search.model import (
    EXHAUSTIVE,
    MODES,
    GroupBy,
    Mode,
    RankingMode,
    ResultMode,
    Scope,
    SearchRequest,
)
from codeplane.operations.search.result_rows import Detail, Explain, RowOptions
from codeplane.tools.arguments import Arguments, shown
from codeplane.tools.calls import Call
from codeplane.tools.catalog.search import SEARCH
from codeplane.tools.spec import MAX_TEXT
from codeplane.tools.text.search import DEFAULT_RANKED

DEFAULT_LIMIT = 20
"""Results of a JSON page, if the caller sets no limit."""
VIEW = frozenset(
    {"cursor", "limit", "detail_level", "enrichment", "compact", "include_snippets", "ranking_explain_level"}
)
"""Parameters that may differ from page to page: they change how results are shown, not which."""
MAX_ECHO = 300
"""Maximum characters of a query that a hint or an example repeats."""

_DEFAULTS = {param.name: param.default for param in SEARCH.params if param.default is not None}
_DETAIL: Mapping[str, Detail] = {
    "none": "location",
    "minimal": "location",
    "standard": "signature",
    "function": "context",
    "class": "context",
}


@dataclass(frozen=True, kw_only=True)
class SearchArguments(Arguments):
    query: str = ""
    mode: Mode = "auto"
    scope: Scope | None = None
    paths: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    case_sensitive: bool | None = None
    result_mode: ResultMode | None = None
    group_by: GroupBy | None = None
    tiers: tuple[str, ...] | None = None
    ranking_mode: RankingMode = "auto_changed_first"
    detail_level: Detail | None = None
    enrichment: str | None = None
    include_snippets: bool | None = None
    compact: bool | None = None
    ranking_explain_level: Explain | None = None
    limit: int | None = None
    cursor: str | None = None
    debug: bool = False
    path: str | None = None
    freshness_policy: str | None = None

    def non_defaults(self) -> dict[str, object]:
        """Return the given arguments that differ from their defaults."""
        return {name: value for name, value in self.as_dict().items() if value != _DEFAULTS.get(name)}

    def criteria(self) -> dict[str, object]:
        """Return the arguments that select results; pages share them."""
        return {name: value for name, value in self.as_dict().items() if name not in VIEW}


def check_search(args: SearchArguments) -> None:
    if args.cursor is not None:
        return
    query, mode = args.query, args.mode
    if "query" not in args.given:
        raise _invalid("search needs a query", "text to find", "no query")
    # In text modes, blanks are text like any other.
    if not (query if mode in ("lexical", "regex") else query.strip()):
        raise _invalid("the query is empty", "text to find", shown(query))
    if mode not in MODES:
        raise CodePlaneError(
            ErrorCode.MODE_UNSUPPORTED,
            "semantic search is not available",
            expected=" | ".join(MODES),
            received=mode,
            example={"query": query[:MAX_ECHO]},
            remedy="Use mode 'auto', which takes a question in words.",
        )
    if mode != "auto" and len(query) > MAX_TEXT:
        expected = f"at most {MAX_TEXT} characters; mode auto takes more"
        raise _invalid(f"the query has {len(query)} characters", expected, shown(query))
    read_kinds(args.kinds or ())
    # Brackets occur in directory names, as in pages/[id]; a missing directory is reported by the search.
    if args.path is not None and any(sign in args.path for sign in "*?"):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "'path' is one directory; patterns go into 'paths'",
            expected="a directory",
            received=shown(args.path),
            example={"query": query[:MAX_ECHO], "paths": [args.path]},
            remedy="Use 'paths'.",
        )


def make_request(call: Call, args: SearchArguments) -> SearchRequest:
    return SearchRequest(
        query=args.query,
        mode=args.mode,
        scope=args.scope,
        paths=args.paths or (),
        languages=args.languages or (),
        kinds=read_kinds(args.kinds or ()),
        result_mode=_result_mode(call, args),
        group_by=args.group_by or "symbol",
        ranking_mode=args.ranking_mode,
        case_sensitive=args.case_sensitive,
        directory=call.directory(args.path),
        limit=args.limit or (DEFAULT_RANKED if call.wants_text else DEFAULT_LIMIT),
        debug=args.debug,
        evidence=call.wants_text,
    )


def _result_mode(call: Call, args: SearchArguments) -> ResultMode:
    """Text lists every matching line, as grep does, unless grouping is requested."""
    if args.result_mode is not None:
        return args.result_mode
    return "raw" if call.wants_text and args.mode in EXHAUSTIVE and args.group_by is None else "grouped"


def make_view(args: SearchArguments, previous: RowOptions) -> RowOptions:
    """Return how results are shown; what a call does not say stays as on the previous page."""
    return RowOptions(
        args.detail_level or _DETAIL.get(args.enrichment or "", previous.detail),
        previous.compact if args.compact is None else args.compact,
        previous.snippets if args.include_snippets is None else args.include_snippets,
        args.ranking_explain_level or previous.explain,
    )


def _invalid(message: str, expected: str, received: str) -> CodePlaneError:
    example = dict(SEARCH.examples[0].arguments)
    return CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, expected=expected, received=received, example=example)


KINDS = (
    "annotation",
    "block",
    "cell",
    "class",
    "column",
    "component",
    "constant",
    "constructor",
    "element",
    "enum",
    "enum_member",
    "field",
    "function",
    "heading",
    "index",
    "interface",
    "key",
    "macro",
    "message",
    "method",
    "module",
    "object",
    "property",
    "record",
    "rpc",
    "selector",
    "stage",
    "struct",
    "table",
    "trait",
    "trigger",
    "type",
    "variable",
    "view",
    "file",
    "text",
)
"""Kinds of definitions, and of results that are not definitions."""

_SYNONYMS: dict[str, tuple[str, ...]] = {
    "class": ("cls", "klass"),
    "constant": ("const",),
    "constructor": ("ctor", "initializer"),
    "enum": ("enumeration",),
    "enum_member": ("enum_constant", "enum_value", "enum_variant", "variant", "enumerator"),
    "field": ("attr", "attribute", "member_variable", "instance_variable"),
    "function": ("func", "fn", "fun", "def", "procedure", "proc", "subroutine"),
    "interface": ("iface", "protocol"),
    "method": ("meth", "member_function"),
    "module": ("mod", "namespace", "package"),
    "property": ("prop", "getter", "setter", "accessor", "attr", "attribute"),
    "struct": ("structure",),
    "type": ("typedef", "type_alias", "alias"),
    "variable": ("var",),
}


def read_kinds(names: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds that names refer to, each once. An unknown name is rejected with the nearest kind."""
    return tuple(dict.fromkeys(kind for name in names for kind in _kinds_named(name)))


def _kinds_named(name: str) -> tuple[str, ...]:
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    for form in (plain, plain.removesuffix("s"), plain.removesuffix("es"), plain.removesuffix("ies") + "y"):
        for spelling in (form, form.replace("_", "")):
            if spelling in _BY_NAME:
                return _BY_NAME[spelling]
    close = difflib.get_close_matches(plain, sorted(_BY_NAME), 1, 0.6)
    nearest = _BY_NAME[close[0]][0] if close else None
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"no kind of symbol named '{shown(name)}'",
        expected=nearest or ", ".join(KINDS),
        received=shown(name),
        example={"query": "checkout", "kinds": [nearest or "function"]},
        remedy=f"Use '{nearest}'." if nearest else None,
    )


def _by_name() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for kind in KINDS:
        for name in (kind, *_SYNONYMS.get(kind, ())):
            for spelling in {name, name.replace("_", "")}:
                found[spelling] = (*found.get(spelling, ()), kind)
    return found


_BY_NAME = _by_name()
