"""Who calls whom: call_graph."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Any, NamedTuple

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.resolve.languages import RESOLVED
from codeplane.languages.registry import is_programming
from codeplane.operations.reads import read_meta
from codeplane.operations.relations import Graph, symbols_called
from codeplane.operations.relations import call_graph as graph_of
from codeplane.query.files import get_file
from codeplane.query.relations import Symbol
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.tools.calls import Call, path_argument

MAX_LINES = 5
"""Of the calls of one edge."""


class _Asked(NamedTuple):
    graph: Graph | None
    similar: list[str]
    unresolved_in: str = ""
    """The language, if names of it are not resolved beyond their file."""


def call_graph(call: Call, args: Mapping[str, Any]) -> Answer:
    def ask(snapshot: Snapshot) -> _Asked:
        require_links(snapshot)
        roots, similar = symbols_called(snapshot, args["symbol"])
        if not roots:
            return _Asked(None, similar)
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
        return _Asked(graph, [], "" if languages & RESOLVED else min(languages, default=""))

    policy = args.get("freshness_policy")
    read = call.root.workspace.read(ask, policy, links=True, cancelled=call.cancelled)
    graph, similar, unresolved_in = read.value
    meta = read_meta(read)
    if graph is None:
        hints = {
            "search": call.next_call(
                "search",
                {"query": args["symbol"][:200], "mode": "symbol", **path_argument(args)},
                f"cpl search {quote(args['symbol'][:200])} --mode symbol",
            )
        }
        result = {"similar": similar} if similar else {}
        message = "No symbol has this name."
        return Answer(result, "not_found", message=message, warnings=read.notices, hints=hints, meta=meta)
    said = f"Calls of {unresolved_in} are known within a file only." if unresolved_in else None
    return Answer(_fields(graph), message=said, warnings=read.notices, hints=_hints(call, args, graph), meta=meta)


def _fields(graph: Graph) -> dict[str, object]:
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
            }
            for edge in graph.edges
        ],
    }
    if graph.maybe:
        fields["unresolved_members_of_the_name"] = dict(graph.maybe)
    return fields | ({"left_out": graph.left_out} if graph.left_out else {})


def _node(graph: Graph, name: str, symbol: Symbol | None) -> dict[str, object]:
    """A symbol with what it calls that is not known; the top of a file has no symbol."""
    fields: dict[str, object] = {"symbol_ref": name}
    if symbol is None:
        fields = {"file": name.rpartition(":")[0], "symbol_ref": name}
    else:
        fields |= {"kind": symbol.kind, "line_end": symbol.end_line}
        if symbol.signature:
            fields["signature"] = symbol.signature
    counts = {"unresolved_calls": graph.unresolved.get(name), "calls_outside": graph.outside.get(name)}
    return fields | {key: count for key, count in counts.items() if count}


def _hints(call: Call, args: Mapping[str, Any], graph: Graph) -> dict[str, object]:
    if not graph.left_out or args["limit"] >= 1000:
        return {}
    more = {**{name: args[name] for name in ("symbol", "direction", "depth")}, "limit": min(1000, args["limit"] * 5)}
    command = f"cpl calls {quote(args['symbol'])} --direction {args['direction']} --depth {args['depth']} --limit 1000"
    return {"more": call.next_call("call_graph", more | path_argument(args), command)}
