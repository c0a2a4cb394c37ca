"""Our own call edges of a tree, in the names of PyCG's micro-benchmark.

A caller and a callee are dotted names from the root of the tree: `main`, `main.Class.method`,
`package.module.function`; a constructor is `main.Class.__init__`, the first lambda of a module or function
`<lambda1>`, a builtin `<builtin>.map`. The one place that knows how we are asked. Calls of a lambda are listed; calls
of a lambda are not in the index, since it has no name.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.references.codeplane_references import Ours

from codeplane.facts.links import uid_text
from codeplane.query.defs import get_def, list_defs_in_file
from codeplane.query.files import list_files
from codeplane.query.rows import FileBlock, find_block, find_links
from codeplane.query.snapshot import Snapshot

_BUILTINS = "builtins."


def edges(tree: Path) -> dict[str, list[str]]:
    """For each caller its callees, from the call graph of an index of the tree, which must be a copy."""
    ours = Ours(tree.parent / "user")
    try:
        ours.turn_to(tree)
        snapshot = ours.snapshot
        found: dict[str, set[str]] = {}
        for file in list_files(snapshot, 1000).rows:
            block = find_block(snapshot, file.file_id)
            if block is None or not file.path.endswith(".py"):
                continue
            names = _scope_names(snapshot, block)
            links = find_links(snapshot, file.file_id)
            for scope, _, _, which, _ in links.calls:
                callee = get_def(snapshot, uid_text(links.targets[which]))
                if callee is not None and callee.kind != "class":
                    found.setdefault(names[scope], set()).add(f"{_module(callee.path)}.{callee.lexical_path}")
            for scope, name in links.outside:
                found.setdefault(names[scope], set()).add(_outside(name))
        return {caller: sorted(callees) for caller, callees in sorted(found.items())}
    finally:
        ours.close()


def _outside(name: str) -> str:
    """Something of another library; methods of what is built in go by its type."""
    plain = name.replace("()", "")
    if not plain.startswith(_BUILTINS):
        return plain
    inner = plain[len(_BUILTINS) :]
    kind, dot, method = inner.partition(".")
    return f"<**Py{kind.title()}**>.{method}" if dot else f"<builtin>.{inner}"


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _scope_names(snapshot: Snapshot, block: FileBlock) -> list[str]:
    """Return the PyCG name of each scope: its function or class, or a lambda number."""
    defined = list_defs_in_file(snapshot, block.path, 1000).rows
    names: list[str] = []
    lambdas: dict[str, int] = {}
    for scope in block.facts.scopes:
        around = names[scope.parent] if scope.parent is not None else _module(block.path)
        if scope.kind == "lambda":
            lambdas[around] = lambdas.get(around, 0) + 1
            names.append(f"{around}.<lambda{lambdas[around]}>")
        elif scope.kind in ("function", "class"):
            here = [row for row in defined if row.name_line == scope.start_line and row.name_col > scope.start_col]
            names.append(f"{around}.{min(here, key=lambda row: row.name_col).name}")
        else:
            names.append(around)
    return names
