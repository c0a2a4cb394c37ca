"""Catalog entries of refs, defs, imports, unused, units and roles: the tools behind the commands of the same names."""

from __future__ import annotations

from codeplane.tools.catalog.shared import POLICY
from codeplane.tools.spec import Example, Param, ToolSpec

_TOOLSETS = ("navigation",)
_SYMBOL_FORMS = "name, Class.member, path:line, path:line:column or path#name."


def _limit(default: int) -> Param:
    return Param(
        "limit",
        "integer",
        "Maximum number of results.",
        default=default,
        minimum=1,
        maximum=1000,
        aliases=("max_results", "top_k", "count", "head_limit"),
    )


def _path(doc: str) -> Param:
    return Param("path", "string", doc, aliases=("file", "directory"))


REFS = ToolSpec(
    "refs",
    _TOOLSETS,
    "List the uses of a symbol with their tiers, uses under another name, its overrides, and the number of unresolved "
    "members of the same name.",
    (
        Param("symbol", "string", _SYMBOL_FORMS, required=True, aliases=("symbol_ref", "name", "query")),
        _limit(100),
        POLICY,
    ),
    feature="navigation",
    when=("for the overrides and tiers of uses",),
    when_not=("for the enclosing symbol of each use: search with mode references",),
    examples=(Example("uses of a method", {"symbol": "Server.start"}),),
)

DEFS = ToolSpec(
    "defs",
    _TOOLSETS,
    "List the definitions of a name with signature, documentation and decorators.",
    (
        Param("name", "string", _SYMBOL_FORMS, required=True, aliases=("symbol", "symbol_ref", "query")),
        Param("kind", "string", "Only this kind, such as function, class or method."),
        _path("Only files at or under this path."),
        _limit(20),
        POLICY,
    ),
    path_names_file=True,
    feature="navigation",
    when=("for exact names, by kind and directory",),
    when_not=("for parts of names: search with mode symbol",),
    examples=(
        Example("a class", {"name": "Server"}),
        Example("functions of a directory", {"name": "main", "kind": "function", "path": "src"}),
    ),
)

IMPORTS = ToolSpec(
    "imports",
    _TOOLSETS,
    "List the files that a file imports and the files that import it, or all import cycles.",
    (
        Param(
            "file", "string", "Path of an indexed file.", required=True, unless="circles", aliases=("path", "target")
        ),
        Param("circles", "boolean", "List import cycles instead.", aliases=("cycles",)),
        POLICY,
    ),
    feature="navigation",
    when=("to see what a change of a file can affect", "to find import cycles"),
    when_not=("for uses of one name: search with mode references",),
    examples=(Example("around a file", {"file": "src/app.py"}), Example("cycles", {"circles": True})),
)

UNUSED = ToolSpec(
    "unused",
    _TOOLSETS,
    "List definitions without a known use, each with the reasons why it may be used all the same.",
    (_path("Only definitions at or under this path."), _limit(50), POLICY),
    path_names_file=True,
    feature="navigation",
    when=("to find code that can be removed",),
    when_not=("to prove that one symbol is unused: call_graph and search with mode references",),
    examples=(Example("of a directory", {"path": "src", "limit": 10}),),
)

UNITS = ToolSpec(
    "units",
    _TOOLSETS,
    "List build units (packages, crates, modules), or name the one that owns a file, with the reason.",
    (
        _path("A file, whose owner is named, or a directory."),
        Param("family", "string", "Only this language family, such as python or jvm."),
        Param("include_empty", "boolean", "Include units without files.", aliases=("all",)),
        POLICY,
    ),
    path_names_file=True,
    feature="navigation",
    when=("to learn how a repository is divided into packages",),
    when_not=("for an overview of the repository: map_repo",),
    examples=(Example("all units", {}), Example("owner of a file", {"path": "src/app.py"})),
)

ROLES = ToolSpec(
    "roles",
    _TOOLSETS,
    "Count files by role, such as source, test or generated, or explain the role of one file.",
    (_path("A file, whose role is explained, or a directory."), POLICY),
    path_names_file=True,
    feature="navigation",
    when=("to learn why search leaves a file out or ranks it low",),
    when_not=("for an overview of the repository: map_repo",),
    examples=(Example("counts", {}), Example("one file", {"path": "src/app.py"})),
)
