"""Our own call edges of a tree, as the tool `call_graph` gives them, in the names of PyCG's micro-benchmark.

A caller and a callee are dotted names from the root of the tree: `main`, `main.Class.method`,
`package.module.function`; a constructor is `main.Class.__init__`, the first lambda of a function
`main.function.<lambda1>`. The one place that knows how we are asked: for every definition, in both directions, and for
every file, with the largest limit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.references.codeplane_references import Ours

from codeplane.query.defs import list_defs_in_file
from codeplane.query.files import list_files
from codeplane.query.snapshot import Snapshot

_MAX_EDGES = 1000


def edges(tree: Path) -> dict[str, list[str]]:
    """For each caller its callees. The tree gets an index: give it a copy."""
    ours = Ours(tree.parent / "user")
    found: set[tuple[str, str]] = set()
    nodes: dict[str, dict[str, Any]] = {}
    try:
        ours.turn_to(tree)
        for symbol in ours.workspace.read(_symbols).value:
            reply = ours.send({"symbol": symbol, "limit": _MAX_EDGES}, "call_graph")
            graph = json.loads(reply)["result"]
            # Only a root and what is inside of it come with their externals.
            nodes |= {
                node["symbol_ref"]: node
                for node in graph["nodes"]
                if "outside" in node or node["symbol_ref"] not in nodes
            }
            found |= {(edge["caller"], edge["callee"]) for edge in graph["edges"]}
    finally:
        ours.close()
    classes = {name for name, node in nodes.items() if node.get("kind") == "class"}
    numbers = _lambda_numbers(nodes)
    named = {(_dotted(caller, numbers), _dotted(callee, numbers)) for caller, callee in found if callee not in classes}
    named |= {
        (_dotted(name, numbers), _external(text)) for name, node in nodes.items() for text in node.get("outside", ())
    }
    return {caller: sorted(callee for other, callee in named if other == caller) for caller, _ in sorted(named)}


def _symbols(snapshot: Snapshot) -> list[str]:
    paths = [file.path for file in list_files(snapshot, 1000).rows if file.path.endswith(".py")]
    rows = [row for path in paths for row in list_defs_in_file(snapshot, path, 1000).rows]
    return [*paths, *(f"{row.path}#{row.lexical_path}@{row.start_line}" for row in rows)]


def _lambda_numbers(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Number the lambdas of each function in source order."""
    lambdas = [(name.rsplit(":", 2), node["name"]) for name, node in nodes.items() if node.get("kind") == "lambda"]
    found: dict[str, str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for (path, line, column), name in sorted(lambdas, key=lambda item: (item[0][0], *map(int, item[0][1:]))):
        counts[path, name] += 1
        found[f"{path}:{line}:{column}"] = f"{_module(path)}.{name.removesuffix('>')}{counts[path, name]}>"
    return found


def _dotted(reference: str, lambdas: Mapping[str, str]) -> str:
    """Return the dotted name of a symbol reference; `PATH:1` is the top level of a file."""
    if reference in lambdas:
        return lambdas[reference]
    path, _, inner = reference.partition("#")
    return f"{_module(path)}.{inner.rpartition('@')[0]}" if inner else _module(path.rpartition(":")[0])


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _external(name: str) -> str:
    """Return the name that PyCG gives to something outside: built-in types have names of its own."""
    first, _, rest = name.partition(".")
    kind, _, method = rest.partition(".")
    if first != "builtins":
        return name
    return f"<**Py{kind.removesuffix('()').title()}**>.{method}" if method else f"<builtin>.{rest}"
