"""Handler of call_graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any, NamedTuple

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.symbols import short_name
from codeplane.base.text_lines import TextLine, note
from codeplane.disk.safe_open import Root
from codeplane.index.resolve.registry import resolved_languages
from codeplane.languages.registry import is_programming
from codeplane.operations.call_graph import CallGraph, NoCallers
from codeplane.operations.call_graph import call_graph as make_graph
from codeplane.operations.read_meta import read_meta
from codeplane.operations.refs import MAX_SYMBOLS
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.result_rows import cut_line
from codeplane.operations.symbols.forms import looks_like_path
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.operations.symbols.presenter import not_found_lines, not_found_message
from codeplane.operations.symbols.resolve import resolve_symbols
from codeplane.query.calling_scopes import top_level
from codeplane.query.files import FileInfo, get_file
from codeplane.query.relations import FILE, LAMBDA, Symbol
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handler import Handler
from codeplane.tools.text.call_graph import GraphView, render_call_graph
from codeplane.tools.text.common import call_text
from codeplane.workspace.freshness import FreshResult

MAX_LINES = 5
"""Lines listed for the calls of one edge."""
MAX_IMPLEMENTATIONS = 5
MAX_EXTERNALS = 20
MAX_EDGES = 1000
TEXT_DIRECTION, TEXT_EDGES = "callers", 40
JSON_DIRECTION, JSON_EDGES = "both", 20
"""Defaults. Agents that read text ask for callers; JSON has always contained both directions."""


@dataclass(frozen=True, kw_only=True)
class CallGraphArguments(Arguments):
    symbol: str
    direction: str | None = None
    depth: int = 1
    limit: int | None = None
    path: str | None = None
    freshness_policy: str | None = None


class _Query(NamedTuple):
    """Arguments with the defaults of the answer's format."""

    symbol: str
    direction: str | None
    """None for the default of the root"""
    depth: int
    limit: int
    path: str | None


class _GraphFacts(NamedTuple):
    graph: CallGraph
    direction: str
    unresolved_language: str = ""
    """The language, if its names are resolved only within a file."""
    tests: frozenset[str] = frozenset()
    """Paths of test files among the edges."""
    names: Mapping[str, str] = {}
    """Shortest unambiguous name of each root, by its symbol reference."""


def call_graph(call: Call, args: CallGraphArguments) -> Answer:
    query = _Query(
        args.symbol,
        args.direction,
        args.depth,
        args.limit or (TEXT_EDGES if call.wants_text else JSON_EDGES),
        args.path,
    )
    read = call.root.workspace.read(
        lambda snapshot: _find_graph(snapshot, query, with_text=call.wants_text),
        args.freshness_policy,
        references=True,
        cancelled=call.cancelled,
    )
    if isinstance(read.value, SymbolNotFound):
        return _not_found(call, query, read, read.value)
    facts = read.value
    language = facts.unresolved_language
    message = f"Calls of {language} are known within a file only." if language else None
    hints = _hints(call, query, facts)
    lines = _text(call, query, facts, hints) if call.wants_text else None
    meta = read_meta(read)
    return Answer(_fields(facts.graph), message=message, warnings=read.notices, hints=hints, meta=meta, lines=lines)


def _find_graph(snapshot: Snapshot, query: _Query, *, with_text: bool) -> _GraphFacts | SymbolNotFound:
    require_links(snapshot)
    file = _named_file(snapshot, query.symbol)
    if file is not None:
        roots = [top_level(file.path, file.file_id)]
    else:
        found = resolve_symbols(IndexedSymbols(snapshot), query.symbol)
        if isinstance(found, SymbolNotFound):
            return found
        roots = list(found.symbols[:MAX_SYMBOLS])
    default = "callees" if file is not None else TEXT_DIRECTION if with_text else JSON_DIRECTION
    direction = query.direction or default
    graph = make_graph(snapshot, roots, direction, query.depth, query.limit)
    files = [get_file(snapshot, root.path) for root in roots]
    languages = {file.language or "" for file in files if file is not None}
    if not any(map(is_programming, languages)):
        raise CodePlaneError(
            ErrorCode.LANGUAGE_UNSUPPORTED,
            "the language of this file has no calls",
            details={"language": min(languages, default="")},
            remedy="Use search with mode 'references' to find where a name occurs.",
        )
    language = "" if languages & resolved_languages() else min(languages, default="")
    if not with_text:
        return _GraphFacts(graph, direction, language)
    paths = {edge.path for edge in graph.edges}
    tests = {path for path in paths if (file := get_file(snapshot, path)) is not None and file.role == "test"}
    names = {root.reference: _shortest_name(snapshot, root) for root in roots if root.kind != FILE}
    return _GraphFacts(graph, direction, language, frozenset(tests), names)


def _named_file(snapshot: Snapshot, written: str) -> FileInfo | None:
    """Return the indexed file whose path is written in place of a symbol."""
    text = written.strip()
    return get_file(snapshot, RepoPath(text)) if looks_like_path(text) else None


def _not_found(call: Call, query: _Query, read: FreshResult[Any], missing: SymbolNotFound) -> Answer:
    symbol = query.symbol[:200]
    arguments = {"query": symbol, "mode": "symbol", **path_argument(query.path)}
    return Answer(
        {"similar": list(missing.suggestions)} if missing.suggestions else {},
        "not_found",
        message=not_found_message(missing),
        warnings=read.notices,
        hints={"search": call.next_call("search", arguments, f"cpl search {quote(symbol)} --mode symbol")},
        meta=read_meta(read),
        lines=not_found_lines(missing),
    )


def _text(call: Call, query: _Query, facts: _GraphFacts, hints: Mapping[str, Any]) -> list[TextLine]:
    def references_call(root: str) -> str:
        name = facts.names.get(root, root)
        arguments = {"mode": "references", "query": name, **path_argument(query.path)}
        return call_text(call.next_call("search", arguments, f"cpl refs {quote(name)}"))

    with Root.open(call.root.path) as root:
        texts = FileLines(root)

        def source_line(path: str, number: int) -> str:
            lines = texts.of(path)
            return cut_line(lines[number - 1], 1) if number <= len(lines) else ""

        view = GraphView(
            facts.graph,
            facts.direction,
            query.depth,
            source_line,
            facts.tests.__contains__,
            references_call,
            _more_text(hints.get("more")),
        )
        lines = render_call_graph(view)
    language = facts.unresolved_language
    return [*lines, *([note(f"calls of {language} are known within a file only")] if language else [])]


def _more_text(hint: Mapping[str, Any] | None) -> str:
    """Argument to change for more edges; people get the command."""
    if hint is None:
        return ""
    return f"limit={hint['args']['limit']}" if "args" in hint else call_text(hint)


def _shortest_name(snapshot: Snapshot, root: Symbol) -> str:
    short = short_name(root.lexical_path)
    found = resolve_symbols(IndexedSymbols(snapshot), short)
    is_unique = not isinstance(found, SymbolNotFound) and list(found.symbols) == [root]
    return short if is_unique else root.reference


def _fields(graph: CallGraph) -> dict[str, object]:
    fields: dict[str, object] = {
        "roots": list(graph.roots),
        "nodes": [_node(graph, name, symbol) for name, symbol in graph.nodes.items()],
        "edges": [
            {
                "caller": edge.caller,
                "callee": edge.callee,
                "lines": list(edge.lines[:MAX_LINES]),
                **({"more_lines": len(edge.lines) - MAX_LINES} if len(edge.lines) > MAX_LINES else {}),
                "tier": edge.tier.name.lower(),
                **({"via": edge.via.reference} if edge.via is not None else {}),
            }
            for edge in graph.edges
        ],
    }
    if graph.no_callers:
        fields["no_callers"] = {name: _reasons(reasons) for name, reasons in graph.no_callers.items()}
    if graph.maybe:
        fields["unresolved_members_of_the_name"] = dict(graph.maybe)
    return fields | ({"left_out": graph.left_out} if graph.left_out else {})


def _reasons(reasons: NoCallers) -> dict[str, object]:
    """Reasons why a symbol may have callers that are not known. Zero counts are included: they are information."""
    fields: dict[str, object] = {
        "unresolved": reasons.unresolved,
        "elsewhere": reasons.elsewhere,
        "references": reasons.references,
    }
    if reasons.skipped_files:
        fields["skipped_files"] = reasons.skipped_files
    if reasons.implements_outside:
        fields["implements_outside"] = True
    return fields | ({"open_base": True} if reasons.open_base else {})


def _node(graph: CallGraph, name: str, symbol: Symbol) -> dict[str, object]:
    """A symbol with its external and unknown callees. The top level of a file has no kind."""
    fields: dict[str, object] = {"symbol_ref": name}
    if symbol.kind == FILE:
        fields = {"file": symbol.path, "symbol_ref": name}
    elif symbol.kind == LAMBDA:
        fields |= {"kind": symbol.kind, "name": symbol.lexical_path, "line_end": symbol.end_line}
    else:
        fields |= {"kind": symbol.kind, "line_end": symbol.end_line}
        if symbol.signature:
            fields["signature"] = symbol.signature
    overriding = graph.implementations.get(name, ())
    if overriding:
        fields["implemented_by"] = list(overriding[:MAX_IMPLEMENTATIONS])
        if len(overriding) > MAX_IMPLEMENTATIONS:
            fields["more_implementations"] = len(overriding) - MAX_IMPLEMENTATIONS
    counts = {"unresolved_calls": graph.unresolved.get(name), "calls_outside": graph.outside.get(name)}
    fields |= {key: count for key, count in counts.items() if count}
    externals = graph.externals.get(name, ())
    if externals:
        fields["outside"] = list(externals[:MAX_EXTERNALS])
        if len(externals) > MAX_EXTERNALS:
            fields["more_outside"] = len(externals) - MAX_EXTERNALS
    return fields


def _hints(call: Call, query: _Query, facts: _GraphFacts) -> dict[str, object]:
    if not facts.graph.left_out or query.limit >= MAX_EDGES:
        return {}
    more = {"symbol": query.symbol, "direction": facts.direction, "depth": query.depth}
    more |= {"limit": min(MAX_EDGES, query.limit * 5), **path_argument(query.path)}
    options = f"--direction {facts.direction} --depth {query.depth} --limit {MAX_EDGES}"
    return {"more": call.next_call("call_graph", more, f"cpl calls {quote(query.symbol)} {options}")}


HANDLERS = {"call_graph": Handler(CallGraphArguments, call_graph)}
