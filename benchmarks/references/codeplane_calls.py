"""Our own call edges of a tree, as the tool `call_graph` gives them, in the names of PyCG's micro-benchmark.

A caller and a callee are dotted names from the root of the tree: `main`, `main.Class.method`,
`package.module.function`; a constructor is `main.Class.__init__`, the first lambda of a function
`main.function.<lambda1>`. The one place that knows how we are asked: for every file, and for every function and class
that Python's own parser finds in it, with default arguments.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.references.codeplane_references import Ours

_SURE = ("proven", "strong")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def edges(tree: Path) -> dict[str, list[str]]:
    """For each caller its callees. The tree gets an index: give it a copy."""
    ours = Ours(tree.parent / "user")
    found: set[tuple[str, str]] = set()
    nodes: dict[str, dict[str, Any]] = {}
    try:
        ours.turn_to(tree)
        for symbol in _symbols(tree):
            graph = json.loads(ours.send({"symbol": symbol}, "call_graph"))["result"]
            # Only a root and what is inside of it come with their externals.
            nodes |= {
                node["symbol_ref"]: node
                for node in graph["nodes"]
                if "outside" in node or node["symbol_ref"] not in nodes
            }
            found |= {(edge["caller"], edge["callee"]) for edge in graph["edges"] if edge["tier"] in _SURE}
    finally:
        ours.close()
    classes = {name for name, node in nodes.items() if node.get("kind") == "class"}
    numbers = _lambda_numbers(nodes)
    named = {(_dotted(caller, numbers), _dotted(callee, numbers)) for caller, callee in found if callee not in classes}
    named |= {
        (_dotted(name, numbers), _external(text)) for name, node in nodes.items() for text in node.get("outside", ())
    }
    return {caller: sorted(callee for other, callee in named if other == caller) for caller, _ in sorted(named)}


def _symbols(tree: Path) -> Iterator[str]:
    """Files, and the lines of their functions and classes."""
    for file in sorted(tree.rglob("*.py")):
        path = file.relative_to(tree).as_posix()
        yield path
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, _DEFINITIONS):
                yield f"{path}:{node.lineno}"


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
    """Return the name that PyCG gives to something outside: a member of a result is one of what was called, and
    built-in types have names of its own."""
    first, _, rest = name.partition(".")
    kind, _, method = rest.partition(".")
    if first != "builtins":
        return name.replace("()", "")
    return f"<**Py{kind.removesuffix('()').title()}**>.{method}" if method else f"<builtin>.{rest}"
