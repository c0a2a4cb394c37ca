"""Who calls whom: call_graph."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Any, NamedTuple

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.symbols import short_name
from codeplane.base.text_lines import TextLine, note
from codeplane.disk.safe_open import Root
from codeplane.index.resolve.registry import RESOLVED
from codeplane.languages.registry import is_programming
from codeplane.operations.call_graph import CallGraph, NoCallers
from codeplane.operations.call_graph import call_graph as graph_of
from codeplane.operations.read_meta import read_meta
from codeplane.operations.refs import MAX_SYMBOLS
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.result_rows import cut_line
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.operations.symbols.presenter import not_found_lines, not_found_message
from codeplane.operations.symbols.resolve import resolve_symbols
from codeplane.query.files import get_file
from codeplane.query.relations import Symbol
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.text.call_graph import GraphView, render_call_graph
from codeplane.tools.text.common import call_text

MAX_LINES = 5
"""Of the calls of one edge."""
MAX_IMPLEMENTATIONS = 5
TEXT_DIRECTION, TEXT_EDGES = "callers", 40
JSON_DIRECTION, JSON_EDGES = "both", 20
"""Defaults. An agent that reads text asks who calls a symbol; JSON has always told both."""


class _Asked(NamedTuple):
    graph: CallGraph | SymbolNotFound
    unresolved_in: str = ""
    """The language, if names of it are not resolved beyond their file."""
    tests: frozenset[str] = frozenset()
    """Paths of edges that are tests."""
    names: Mapping[str, str] = {}
    """The shortest name that means a root and nothing else, by its written form."""


def call_graph(call: Call, args: Mapping[str, Any]) -> Answer:
    args = {
        **args,
        "direction": args.get("direction") or (TEXT_DIRECTION if call.wants_text else JSON_DIRECTION),
        "limit": args.get("limit") or (TEXT_EDGES if call.wants_text else JSON_EDGES),
    }

    def ask(snapshot: Snapshot) -> _Asked:
        require_links(snapshot)
        found = resolve_symbols(IndexedSymbols(snapshot), args["symbol"])
        if isinstance(found, SymbolNotFound):
            return _Asked(found)
        roots = list(found.symbols[:MAX_SYMBOLS])
        graph = graph_of(snapshot, roots, args["direction"], args["depth"], args["limit"])
        files = [get_file(snapshot, root.path) for root in roots]
        languages = {file.language or "" for file in files if file is not None}
        if not any(map(is_programming, languages)):
            raise CodePlaneError(
                ErrorCode.LANGUAGE_UNSUPPORTED,
                "nothing calls or is called in such a file",
                details={"language": min(languages, default="")},
                remedy="Use search with mode 'references' for where a name occurs.",
            )
        paths = sorted({edge.path for edge in graph.edges}) if call.wants_text else []
        roles = {path: file.role for path in paths if (file := get_file(snapshot, path)) is not None}
        tests = frozenset(path for path, role in roles.items() if role == "test")
        names = {root.reference: _shortest_name(snapshot, root) for root in roots} if call.wants_text else {}
        return _Asked(graph, "" if languages & RESOLVED else min(languages, default=""), tests, names)

    policy = args.get("freshness_policy")
    read = call.root.workspace.read(ask, policy, links=True, cancelled=call.cancelled)
    graph, unresolved_in, tests, names = read.value
    meta = read_meta(read)
    if isinstance(graph, SymbolNotFound):
        suggested: dict[str, object] = {
            "search": call.next_call(
                "search",
                {"query": args["symbol"][:200], "mode": "symbol", **path_argument(args)},
                f"cpl search {quote(args['symbol'][:200])} --mode symbol",
            )
        }
        return Answer(
            {"similar": list(graph.suggestions)} if graph.suggestions else {},
            "not_found",
            message=not_found_message(graph),
            warnings=read.notices,
            hints=suggested,
            meta=meta,
            lines=not_found_lines(graph),
        )
    said = f"Calls of {unresolved_in} are known within a file only." if unresolved_in else None
    hints = _hints(call, args, graph)
    lines = _text(call, args, graph, tests, names, hints, said) if call.wants_text else None
    return Answer(_fields(graph), message=said, warnings=read.notices, hints=hints, meta=meta, lines=lines)


def _text(
    call: Call,
    args: Mapping[str, Any],
    graph: CallGraph,
    tests: frozenset[str],
    names: Mapping[str, str],
    hints: Mapping[str, Any],
    said: str | None,
) -> list[TextLine]:
    def references_call(root: str) -> str:
        query = names.get(root, root)
        words = {"mode": "references", "query": query, **path_argument(args)}
        return call_text(call.next_call("search", words, f"cpl refs {quote(query)}"))

    with Root.open(call.root.path) as root:
        texts = FileLines(root)

        def source_line(path: str, number: int) -> str:
            held = texts.of(path)
            return cut_line(held[number - 1], 1) if number <= len(held) else ""

        view = GraphView(
            graph,
            args["direction"],
            args["depth"],
            source_line,
            tests.__contains__,
            references_call,
            _more_text(hints.get("more")),
        )
        return [*render_call_graph(view), *([note(said[:1].lower() + said[1:-1])] if said else [])]


def _more_text(hint: Mapping[str, Any] | None) -> str:
    """What to change in the call that was made; people are told the command."""
    if hint is None:
        return ""
    return f"limit={hint['args']['limit']}" if "args" in hint else call_text(hint)


def _shortest_name(snapshot: Snapshot, root: Symbol) -> str:
    short = short_name(root.lexical_path)
    found = resolve_symbols(IndexedSymbols(snapshot), short)
    is_alone = not isinstance(found, SymbolNotFound) and list(found.symbols) == [root]
    return short if is_alone else root.reference


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
    """What may call a symbol without a known caller; counts of nothing are told too, since they say so."""
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


def _node(graph: CallGraph, name: str, symbol: Symbol | None) -> dict[str, object]:
    """A symbol with what it calls that is not known; the top of a file has no symbol."""
    fields: dict[str, object] = {"symbol_ref": name}
    if symbol is None:
        fields = {"file": name.rpartition(":")[0], "symbol_ref": name}
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
    return fields | {key: count for key, count in counts.items() if count}


def _hints(call: Call, args: Mapping[str, Any], graph: CallGraph) -> dict[str, object]:
    if not graph.left_out or args["limit"] >= 1000:
        return {}
    more = {**{name: args[name] for name in ("symbol", "direction", "depth")}, "limit": min(1000, args["limit"] * 5)}
    command = f"cpl calls {quote(args['symbol'])} --direction {args['direction']} --depth {args['depth']} --limit 1000"
    return {"more": call.next_call("call_graph", more | path_argument(args), command)}
