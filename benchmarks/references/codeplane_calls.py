"""Our own call edges of a tree, as the tool `call_graph` gives them, in the names of PyCG's micro-benchmark.

A caller and a callee are dotted names from the root of the tree: `main`, `main.Class.method`,
`package.module.function`; a constructor is `main.Class.__init__`. The one place that knows how we are asked: for every
definition, in both directions, with the largest limit.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.references.codeplane_references import Ours

from codeplane.query.defs import list_defs_in_file
from codeplane.query.files import list_files
from codeplane.query.snapshot import Snapshot

_MAX_EDGES = 1000


def edges(tree: Path) -> dict[str, list[str]]:
    """For each caller its callees. The tree gets an index: give it a copy."""
    ours = Ours(tree.parent / "user")
    found: dict[str, set[str]] = {}
    try:
        ours.turn_to(tree)
        for symbol in ours.workspace.read(_symbols).value:
            reply = ours.send({"symbol": symbol, "limit": _MAX_EDGES}, "call_graph")
            graph = json.loads(reply)["result"]
            classes = {node["symbol_ref"] for node in graph["nodes"] if node.get("kind") == "class"}
            for edge in graph["edges"]:
                if edge["callee"] not in classes:
                    found.setdefault(_dotted(edge["caller"]), set()).add(_dotted(edge["callee"]))
    finally:
        ours.close()
    return {caller: sorted(callees) for caller, callees in sorted(found.items())}


def _symbols(snapshot: Snapshot) -> list[str]:
    paths = [file.path for file in list_files(snapshot, 1000).rows if file.path.endswith(".py")]
    rows = [row for path in paths for row in list_defs_in_file(snapshot, path, 1000).rows]
    return [f"{row.path}#{row.lexical_path}@{row.start_line}" for row in rows]


def _dotted(reference: str) -> str:
    """Return the dotted name of a symbol reference; `PATH:1` is the top level of a file."""
    path, _, inner = reference.partition("#")
    module = path.rpartition(":")[0] if not inner else path
    module = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"{module}.{inner.rpartition('@')[0]}" if inner else module
