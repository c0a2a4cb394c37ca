"""Tools to find one's way: outlines, calls, the map."""

from __future__ import annotations

from codeplane.tools.catalog.shared import CURSOR, PATH, POLICY
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

SECTIONS = ("structure", "languages", "entry_points", "key_files", "dependencies", "test_layout", "public_api")

REF = Param(
    "ref",
    "string",
    "Branch, tag, commit, HEAD~2 or INDEX; default: the files as they are.",
    aliases=("revision", "rev", "commit", "branch"),
)

FILE_OUTLINE = ToolSpec(
    "file_outline",
    ("core",),
    "Symbols of one file as a nested tree with signatures and lines. Use before reading a file.",
    (
        Param("file", "string", "Path of the file.", required=True, aliases=("file_path", "filename", "filepath")),
        PATH,
        Param(
            "symbol",
            "string",
            "One symbol by name, Class.method or path:line, with its members.",
            aliases=("symbol_ref", "name", "label"),
        ),
        Param("depth", "string", "top: only outermost symbols.", choices=("all", "top"), default="all"),
        Param(
            "resolve_mode",
            "string",
            "exact: find one symbol by symbol_id or symbol_label.",
            choices=("outline", "exact"),
            default="outline",
            aliases=("resolve",),
            advertised=False,
        ),
        Param("symbol_id", "string", "symbol_ref to find.", aliases=("symbol_id_exact",), advertised=False),
        Param("symbol_label", "string", "Name, or Class.method.", aliases=("symbol_label_exact",), advertised=False),
        Param("start_line", "integer", "Only symbols that touch these lines.", minimum=1, aliases=("line_start",)),
        Param("end_line", "integer", minimum=1, aliases=("line_end",)),
        REF,
        Param(
            "limit_symbols",
            "integer",
            "Default: all, with less detail in a large file.",
            minimum=1,
            maximum=1000,
            aliases=("limit", "max_symbols"),
        ),
        Param("language", "string", "Fail unless the file is of this language.", advertised=False),
        POLICY,
    ),
    stand_ins={"file": "path"},
    when=("to see what a file defines before reading any of it", "to list the members of a class"),
    when_not=("to find a symbol whose file is not known: search", "to read code: it shows signatures, no bodies"),
    examples=(
        Example("the whole file", {"file": "src/app.py"}),
        Example("one class with its members", {"file": "src/app.py", "symbol": "Server"}),
        Example("as the last commit has it", {"file": "src/app.py", "ref": "HEAD"}),
    ),
)

GET_FILE_OUTLINE = ToolSpec(
    "get_file_outline",
    ("compat",),
    "Older name of file_outline.",
    (
        Param("path", "string", "Path of the file.", required=True, aliases=("file",)),
        REF,
        Param("depth", "string", choices=("all", "top"), default="all"),
        Param("language", "string", "Fail unless the file is of this language."),
    ),
    examples=(Example("the whole file", {"path": "src/app.py"}),),
    deprecated=Deprecated("file_outline", renames={"path": "file"}),
)

CALL_GRAPH = ToolSpec(
    "call_graph",
    ("core",),
    "Who calls a symbol and what it calls, each edge with how well it is known; calls not resolved are counted.",
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
            choices=("callers", "callees", "both"),
            default="both",
            synonyms={"bidirectional": "both", "incoming": "callers", "outgoing": "callees"},
        ),
        Param("depth", "integer", "Calls away from it.", default=1, minimum=1, maximum=10),
        Param("limit", "integer", "Edges.", default=20, minimum=1, maximum=1000, aliases=("max_results",)),
        PATH,
        POLICY,
    ),
    when=("before changing what a function does or takes", "to follow how something is reached"),
    when_not=("for every use of a name, calls or not: search with mode references",),
    examples=(
        Example("both ways", {"symbol": "src/app.py#Server.start@10"}),
        Example("who reaches it", {"symbol": "Server.start", "direction": "callers", "depth": 3}),
    ),
)

MAP_REPO = ToolSpec(
    "map_repo",
    ("core",),
    "The repository at a glance: directories, languages, entry points, key files, dependencies, tests, public API.",
    (
        Param("include", "array", "Sections to show; default all.", choices=SECTIONS, aliases=("sections",)),
        Param("depth", "integer", "Directory depth.", default=3, minimum=1, maximum=20),
        Param(
            "max_tokens",
            "integer",
            "Default: 800; in JSON 1500.",
            minimum=200,
            maximum=5000,
            aliases=("budget", "token_budget", "tokens", "map_tokens"),
        ),
        Param("limit", "integer", "Rows of the structure.", default=60, minimum=1, maximum=100),
        CURSOR,
        PATH,
        POLICY,
    ),
    when=("first, in a repository that is new to you", "to find where a kind of code lives"),
    when_not=("to list the symbols of one file: file_outline",),
    examples=(
        Example("everything, briefly", {}),
        Example("a deeper tree", {"include": ["structure"], "depth": 5}),
    ),
)

LIST_FILES = ToolSpec(
    "list_files",
    ("files",),
    "Names in a directory, in place of ls and find: lines of each file, files beneath each sub-directory.",
    (
        Param(
            "path",
            "string",
            "Directory; default: the root.",
            aliases=("directory", "dir", "folder", "root", "repo", "codebase", "cwd"),
        ),
        Param(
            "depth",
            "integer",
            "Levels to open; default 1, with a pattern all.",
            minimum=1,
            maximum=20,
            aliases=("max_depth", "levels"),
        ),
        Param(
            "pattern",
            "string",
            "As in a .gitignore of that directory: *.py, **/test_*.",
            aliases=("glob", "file_pattern", "include", "name", "query"),
        ),
        Param(
            "include_ignored",
            "boolean",
            "Also what is not indexed, each with the reason.",
            aliases=("all", "include_hidden", "show_hidden", "hidden", "no_ignore"),
        ),
        Param("limit", "integer", "Names; default 200.", minimum=1, maximum=1000, aliases=("max_results",)),
        CURSOR,
        POLICY,
    ),
    when=("to see what lies in a directory", "to find files by name"),
    when_not=("to get to know a repository: map_repo", "to find files by what they hold: search"),
    examples=(
        Example("a directory", {"path": "src"}),
        Example("files by name, at any depth", {"pattern": "test_*.py"}),
        Example("two levels", {"depth": 2}),
    ),
)
