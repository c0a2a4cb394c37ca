"""Catalog entry of call_graph."""

from __future__ import annotations

from codeplane.tools.catalog.shared import PATH, POLICY
from codeplane.tools.spec import Example, Param, ToolSpec

CALL_GRAPH = ToolSpec(
    "call_graph",
    ("core",),
    "List callers of a function, method or class (constructor calls), or its callees, with source lines. Calls through "
    "a base or interface are included; unresolved calls are counted.",
    (
        Param(
            "symbol",
            "string",
            "symbol_ref, name, Class.method, path:line or path:line:column.",
            required=True,
            aliases=("symbol_ref", "symbolRef", "symbol_id", "name", "function", "query"),
        ),
        Param(
            "direction",
            "string",
            "Default: callers (format json: both).",
            choices=("callers", "callees", "both"),
            synonyms={"bidirectional": "both", "incoming": "callers", "outgoing": "callees"},
        ),
        Param("depth", "integer", "Levels of calls.", default=1, minimum=1, maximum=10),
        Param(
            "limit",
            "integer",
            "Callers and callees. Default: 40 (format json: 20).",
            minimum=1,
            maximum=1000,
            aliases=("max_results",),
        ),
        PATH,
        POLICY,
    ),
    when=("before changing what a function does or takes", "to follow how something is reached"),
    when_not=("for every use of a name, calls or not: search with mode references",),
    examples=(
        Example("who calls it", {"symbol": "src/app.py#Server.start@10"}),
        Example("what it calls", {"symbol": "Server.start", "direction": "callees"}),
        Example("who reaches it", {"symbol": "Server.start", "direction": "callers", "depth": 3}),
    ),
)
