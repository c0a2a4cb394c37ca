"""Catalog entries of read, read_file_full, reset_budget and their deprecated names."""

from __future__ import annotations

from dataclasses import replace

from codeplane.tools.catalog.shared import CURSOR, PATH, POLICY
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

MAX_TARGETS = 20
MAX_LINES = 1_000
MAX_PREVIEW_CHARS = 20_000
MAX_PROPOSED = 5 * 1024 * 1024

_MODE = Param(
    "mode",
    "string",
    "Default: inferred from the target",
    choices=("file", "symbol", "snippet", "diff_preview"),
    synonyms={
        "full": "file",
        "plain": "file",
        "whole": "file",
        "function": "symbol",
        "class": "symbol",
        "definition": "symbol",
        "lines": "snippet",
        "range": "snippet",
        "diff": "diff_preview",
        "diffpreview": "diff_preview",
    },
)
_START = Param("start_line", "integer", minimum=1, aliases=("line_start", "from_line", "first_line", "line"))
_END = Param("end_line", "integer", minimum=1, aliases=("line_end", "to_line", "last_line"))
_LINES = Param("lines", "string", "Range such as 10-20.", aliases=("range", "line_range"), advertised=False)
_SYMBOL = Param("symbol", "string", aliases=("symbol_name", "symbol_id", "symbol_label"), advertised=False)
_FILE = ("file", "file_path", "filepath", "filename", "symbol_ref", "name", "query")
_AGAINST = Param(
    "against",
    "string",
    "diff_preview: what to compare with. Default: HEAD",
    choices=("HEAD", "WORKTREE", "INDEX"),
    aliases=("base", "baseline"),
    synonyms={"staged": "INDEX", "cached": "INDEX", "workingtree": "WORKTREE", "disk": "WORKTREE"},
)
_CONTENT = Param(
    "content",
    "string",
    "diff_preview: proposed text to compare instead of the file.",
    aliases=("new_content", "proposed"),
    max_chars=MAX_PROPOSED,
    advertised=False,
)

READ = ToolSpec(
    "read",
    ("core",),
    "Read a symbol, a range of lines or a file, or several of them in one call. Prints path:first-last, the digest and "
    "the exact text; a line like @@ 96 @@ is the number of the next line, not text.",
    (
        Param(
            "target",
            "string",
            "path#Name, Class.method, path:10-20, path:12 (the symbol there), or path.",
            unless="targets",
            aliases=_FILE,
        ),
        Param(
            "targets",
            "array",
            f"Up to {MAX_TARGETS} targets.",
            aliases=("files", "paths", "symbols"),
            fields=(
                Param("target", "string", aliases=("path", *_FILE)),
                _SYMBOL,
                _START,
                _END,
                _LINES,
                _MODE,
            ),
        ),
        _MODE,
        replace(_START, advertised=False, doc="First line of a snippet."),
        replace(_END, advertised=False, doc="Last line of a snippet."),
        Param("context_lines", "integer", "More lines before and after a range.", minimum=0, maximum=100),
        Param("include_context", "boolean", "Symbol: also its doc comment, parents and imports."),
        _AGAINST,
        Param("offset", "integer", "Lines to skip.", minimum=0, aliases=("skip",), advertised=False),
        Param("limit", "integer", "Lines. Default: 300", minimum=1, maximum=MAX_LINES, aliases=("max_lines",)),
        Param(
            "max_preview_chars",
            "integer",
            "Characters. Default: 12000",
            minimum=200,
            maximum=MAX_PREVIEW_CHARS,
            aliases=("max_chars",),
            advertised=False,
        ),
        Param(
            "preview_mode",
            "string",
            "none: only the place and the size.",
            choices=("none", "snippet"),
            advertised=False,
        ),
        Param(
            "annotated",
            "boolean",
            "Also the outline of the file.",
            aliases=("outline", "with_outline"),
            advertised=False,
        ),
        Param("fresh", "boolean", "Print lines again that this session has read before.", aliases=("force", "reread")),
        Param("show_secrets", "boolean", "Show keys and tokens, if the user asked for it.", advertised=False),
        CURSOR,
        Param(
            "path",
            "string",
            "File or directory to look for the symbol in. May lie in another indexed repository.",
            aliases=("root", "repo", "codebase"),
            advertised=False,
        ),
        _LINES,
        _SYMBOL,
        _CONTENT,
        replace(POLICY, advertised=False),
    ),
    substitutes={"target": "path"},
    when=("to read code that search or file_outline found", "to see what changed in a file: mode diff_preview"),
    when_not=("to find code: search", "for the structure of a file: file_outline"),
    examples=(
        Example("one symbol", {"target": "src/app.py#Server.start"}),
        Example("some lines", {"target": "src/app.py:1-12"}),
        Example("several at once", {"targets": ["src/app.py#Server", "src/app.py:1-3"]}),
        Example("what changed since the last commit", {"target": "src/app.py", "mode": "diff_preview"}),
    ),
)

READ_FILE_FULL = ToolSpec(
    "read_file_full",
    ("files",),
    "Read a whole file in pages. Without confirm, returns only its size and token count.",
    (
        Param("file", "string", "Path of the file.", aliases=("target", *_FILE[1:5])),
        Param("confirm", "boolean", "true: return the text."),
        CURSOR,
        PATH,
    ),
    substitutes={"file": "path"},
    feature="read",
    when=("when the text of a whole file is needed, not just some symbols",),
    when_not=("to read a symbol or some lines: read", "for the structure of a file: file_outline"),
    examples=(
        Example("size only", {"file": "src/app.py"}),
        Example("the text", {"file": "src/app.py", "confirm": True}),
    ),
)

RESET_BUDGET = ToolSpec(
    "reset_budget",
    ("files",),
    "Reset the read budget of this session, and forget which lines it has read.",
    feature="read",
    when=("after a change of topic, if the read budget shortens answers",),
    when_not=("to continue reading: a truncated answer names the next call",),
    examples=(Example("now", {}),),
)

READ_FILE = ToolSpec(
    "read_file",
    ("compat",),
    "Deprecated name of read.",
    (
        Param("path", "string", "Path of the file.", required=True, aliases=("file", "file_path")),
        Param("start_line", "integer", minimum=1),
        Param("end_line", "integer", minimum=1),
        Param("mode", "string", "annotated: with its outline.", choices=("plain", "annotated"), default="plain"),
        Param(
            "open_symbol",
            "string",
            "Name or id; or an object with symbolId, symbolLabel, start_line, end_line.",
            expands_to=("symbolId", "symbolLabel", "start_line", "end_line"),
        ),
        Param("symbolId", "string", aliases=("symbolIdExact",), advertised=False),
        Param("symbolLabel", "string", aliases=("symbolLabelExact",), advertised=False),
    ),
    examples=(Example("the whole file", {"path": "src/app.py"}),),
    deprecated=Deprecated(
        "read",
        renames={"path": "target"},
        fixed={"limit": MAX_LINES, "max_preview_chars": MAX_PREVIEW_CHARS, "fresh": True},
        camel_case=True,
    ),
)

READ_SOURCE = ToolSpec(
    "read_source",
    ("compat",),
    "Deprecated name of read.",
    (
        Param(
            "targets",
            "array",
            "Paths, or objects with path, start_line, end_line.",
            required=True,
            unless="cursor",
            fields=(Param("target", "string", aliases=("path", "file")), _START, _END),
        ),
        CURSOR,
    ),
    examples=(Example("two files", {"targets": ["src/app.py:1-3", "src/app.py:6-7"]}),),
    deprecated=Deprecated("read", fixed={"fresh": True}),
)

READ_SYMBOL = ToolSpec(
    "read_symbol",
    ("compat",),
    "Deprecated name of read with mode symbol.",
    (
        Param("symbol", "string", "Name, Class.method or symbol_ref.", required=True, aliases=("name", "target")),
        Param("path", "string", "File or directory to look in."),
        Param("include_context", "boolean"),
    ),
    examples=(Example("a method", {"symbol": "Server.start"}),),
    deprecated=Deprecated("read", renames={"symbol": "target"}, fixed={"mode": "symbol", "fresh": True}),
)

GET_SNIPPET = ToolSpec(
    "get_snippet",
    ("compat",),
    "Deprecated name of read with mode snippet.",
    (
        Param("path", "string", "Path of the file.", required=True, aliases=("file", "target")),
        Param("start_line", "integer", minimum=1, aliases=("line_start", "line")),
        Param("end_line", "integer", minimum=1, aliases=("line_end",)),
        Param("context_lines", "integer", minimum=0, maximum=100),
    ),
    examples=(Example("some lines", {"path": "src/app.py", "start_line": 1, "end_line": 4}),),
    deprecated=Deprecated("read", renames={"path": "target"}, fixed={"mode": "snippet", "fresh": True}),
)

DRY_RUN_DIFF = ToolSpec(
    "dry_run_diff",
    ("compat",),
    "Deprecated name of read with mode diff_preview.",
    (
        Param("path", "string", "Path of the file.", required=True, aliases=("file", "target")),
        _AGAINST,
        replace(_CONTENT, advertised=True),
    ),
    examples=(Example("since the last commit", {"path": "src/app.py"}),),
    deprecated=Deprecated("read", renames={"path": "target"}, fixed={"mode": "diff_preview", "fresh": True}),
)
