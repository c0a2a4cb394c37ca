"""Catalog entries of file_outline and its deprecated name."""

from __future__ import annotations

from dataclasses import replace

from codeplane.tools.catalog.shared import PATH, POLICY
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

REF = Param(
    "ref",
    "string",
    "Branch, tag, commit, HEAD~2, or INDEX. Default: the working tree",
    aliases=("revision", "rev", "commit", "branch"),
)

FILE_OUTLINE = ToolSpec(
    "file_outline",
    ("core",),
    "List the symbols of a file, nested, with line numbers and signatures. Use it before reading a long file.",
    (
        Param(
            "file",
            "string",
            "Path of the file, if path names another repository.",
            required=True,
            aliases=("file_path", "filename", "filepath"),
            advertised=False,
        ),
        replace(PATH, doc="Path of the file.", advertised=True),
        Param(
            "symbol",
            "string",
            "Only this symbol, with its members: Name or Class.method.",
            aliases=("symbol_ref", "name", "label"),
        ),
        Param("depth", "string", "top: only the outermost symbols.", choices=("all", "top"), default="all"),
        Param(
            "resolve_mode",
            "string",
            "exact: only the symbol that symbol_id or symbol_label names.",
            choices=("outline", "exact"),
            default="outline",
            aliases=("resolve",),
            advertised=False,
        ),
        Param("symbol_id", "string", "Reference of a symbol.", aliases=("symbol_id_exact",), advertised=False),
        Param("symbol_label", "string", "Name of a symbol.", aliases=("symbol_label_exact",), advertised=False),
        Param("start_line", "integer", "Only symbols from this line on.", minimum=1, aliases=("line_start",)),
        Param(
            "end_line",
            "integer",
            "Only symbols up to this line.",
            minimum=1,
            aliases=("line_end",),
            advertised=False,
        ),
        REF,
        Param(
            "limit_symbols",
            "integer",
            "Maximum number of symbols, all with signatures. Default: all, in less detail if the file is large",
            minimum=1,
            maximum=1000,
            aliases=("limit", "max_symbols"),
            advertised=False,
        ),
        Param("language", "string", "Fail if the file is not in this language.", advertised=False),
        POLICY,
    ),
    substitutes={"file": "path"},
    feature="outline",
    when=("to see what a file defines before reading it", "to list the members of a class"),
    when_not=("to find a symbol in an unknown file: search", "to read code: read"),
    examples=(
        Example("the whole file", {"path": "src/app.py"}),
        Example("one class with its members", {"path": "src/app.py", "symbol": "Server"}),
        Example("a file of the last commit", {"path": "src/app.py", "ref": "HEAD"}),
    ),
)

GET_FILE_OUTLINE = ToolSpec(
    "get_file_outline",
    ("compat",),
    "Deprecated name of file_outline.",
    (
        Param("path", "string", "Path of the file.", required=True, aliases=("file",)),
        REF,
        Param("depth", "string", choices=("all", "top"), default="all"),
        Param("language", "string", "Fail if the file is not in this language."),
    ),
    examples=(Example("the whole file", {"path": "src/app.py"}),),
    deprecated=Deprecated("file_outline", renames={"path": "file"}),
)
