"""Tools that describe the repository and its files: outlines, call graphs, maps, listings."""

from __future__ import annotations

from dataclasses import replace

from codeplane.tools.catalog.shared import CURSOR, PATH, POLICY
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

SECTIONS = ("structure", "languages", "entry_points", "key_files", "dependencies", "test_layout", "public_api")

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
    stand_ins={"file": "path"},
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

CALL_GRAPH = ToolSpec(
    "call_graph",
    ("core",),
    "Who calls a function, method or class (its constructions), or what it calls, with source lines. Calls through a "
    "base or interface are included; unresolved calls are counted.",
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

MAP_REPO = ToolSpec(
    "map_repo",
    ("core",),
    "Overview of the repository: languages, entry points, tests, dependencies, key files and directories.",
    (
        Param("include", "array", "Sections to print. Default: all", choices=SECTIONS, aliases=("sections",)),
        Param(
            "max_tokens",
            "integer",
            "Size of the answer. Default: 800 (json: 1500)",
            minimum=200,
            maximum=5000,
            aliases=("budget", "token_budget", "tokens", "map_tokens"),
        ),
        Param("depth", "integer", "Directory depth.", default=3, minimum=1, maximum=20),
        Param("limit", "integer", "Maximum rows of the tree.", default=60, minimum=1, maximum=100, advertised=False),
        CURSOR,
        replace(PATH, doc="Only this directory.", advertised=True),
        POLICY,
    ),
    when=("first, in a repository that is new to you", "to find where a kind of code is"),
    when_not=("to list the symbols of one file: file_outline",),
    examples=(
        Example("overview", {}),
        Example("a deeper tree with files", {"include": ["structure"], "depth": 5}),
    ),
)

LIST_FILES = ToolSpec(
    "list_files",
    ("files",),
    "List a directory, like ls and find: files with their number of lines, directories with their number of files.",
    (
        Param(
            "path",
            "string",
            "Directory. Default: the repository root",
            aliases=("directory", "dir", "folder", "root", "repo", "codebase", "cwd"),
        ),
        Param(
            "depth",
            "integer",
            "Levels of directories to list. Default: 1, or all with a pattern",
            minimum=1,
            maximum=20,
            aliases=("max_depth", "levels"),
        ),
        Param(
            "pattern",
            "string",
            "Only files that match this .gitignore-style pattern: *.py, **/test_*",
            aliases=("glob", "file_pattern", "include", "name", "query"),
        ),
        Param(
            "include_ignored",
            "boolean",
            "Also files that are not indexed, with the reason.",
            aliases=("all", "include_hidden", "show_hidden", "hidden", "no_ignore"),
        ),
        Param("limit", "integer", "Maximum entries. Default: 200", minimum=1, maximum=1000, aliases=("max_results",)),
        CURSOR,
        POLICY,
    ),
    when=("to see what a directory contains", "to find files by name"),
    when_not=("for an overview of the repository: map_repo", "to find files by content: search"),
    examples=(
        Example("a directory", {"path": "src"}),
        Example("files by name, at any depth", {"pattern": "test_*.py"}),
        Example("two levels", {"depth": 2}),
    ),
)
