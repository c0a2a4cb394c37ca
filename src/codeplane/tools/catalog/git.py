"""Catalog entries of the git tools that read: state, differences, history, authors."""

from __future__ import annotations

from codeplane.tools.catalog.shared import CURSOR, LIMIT
from codeplane.tools.spec import Example, Param, ToolSpec

_TOOLSETS = ("git",)
_PATHS = Param("paths", "array", "Only these files and directories.", aliases=("path", "files", "file"))
_CONTEXT = Param(
    "context_lines",
    "integer",
    "Unchanged lines around each change. Default: 1",
    minimum=0,
    maximum=50,
    aliases=("context", "unified"),
)
_MAX_LINES = Param(
    "max_lines",
    "integer",
    "Lines of changes shown; files beyond them are listed without. Default: 400",
    minimum=1,
    maximum=5000,
)
_REVISION = "branch, tag or commit, optionally with ~2 or ^1"

GIT_STATUS = ToolSpec(
    "git_status",
    _TOOLSETS,
    "Branch, upstream, operation in progress, staged, modified, untracked and conflicted files, with the symbols that "
    "modified files change.",
    (_PATHS,),
    path_names_file=True,
    feature="git",
    when=("before a commit, and to see what is in progress",),
    when_not=("for the changed lines: git_diff",),
    examples=(Example("everything", {}), Example("one directory", {"paths": ["src"]})),
)

GIT_DIFF = ToolSpec(
    "git_diff",
    _TOOLSETS,
    "Changed lines with the enclosing symbol of each change: working tree against the index, against base, the index "
    "against HEAD (staged), or base against target.",
    (
        Param("base", "string", f"Older side: {_REVISION}.", aliases=("ref", "from", "commit1")),
        Param("target", "string", "Newer side. Default: the working tree", aliases=("to", "commit2")),
        Param("staged", "boolean", "What a commit would contain.", aliases=("cached",)),
        _PATHS,
        _CONTEXT,
        _MAX_LINES,
    ),
    path_names_file=True,
    feature="git",
    when=("to review changes before a commit, or those of a branch",),
    when_not=("for the changes of one commit: git_inspect",),
    examples=(
        Example("not staged", {}),
        Example("since a commit", {"base": "HEAD", "context_lines": 3}),
        Example("of the current branch", {"base": "main", "target": "HEAD", "paths": ["src"]}),
    ),
)

GIT_LOG = ToolSpec(
    "git_log",
    _TOOLSETS,
    "Commits, newest first: id, date, subject, branches and tags.",
    (
        Param("ref", "string", f"Start: {_REVISION}. Default: HEAD", aliases=("branch", "revision", "rev")),
        LIMIT,
        Param(
            "since", "string", "Only commits from this date on (2026-01-31, or ISO 8601 with time).", aliases=("after",)
        ),
        Param("until", "string", "Only commits up to this date.", aliases=("before",)),
        _PATHS,
        CURSOR,
    ),
    path_names_file=True,
    feature="git",
    when=("for the latest commits, or those that changed some files",),
    when_not=("to follow a file through renames, or for a symbol: git_history",),
    examples=(
        Example("latest", {"limit": 10}),
        Example("of a directory", {"paths": ["src/http"], "since": "2026-01-01"}),
    ),
)

GIT_INSPECT = ToolSpec(
    "git_inspect",
    _TOOLSETS,
    "show: one commit with its changes. blame: the commit that last changed each line. tags: all tags.",
    (
        Param("action", "string", "Default: show", choices=("show", "blame", "tags")),
        Param(
            "ref", "string", f"{_REVISION.capitalize()}. Default: HEAD", aliases=("commit", "revision", "oid", "rev")
        ),
        Param(
            "path",
            "string",
            "File, needed for blame; with show, only this file or directory.",
            aliases=("file", "paths"),
        ),
        Param("start_line", "integer", "First line for blame.", minimum=1, aliases=("line_start",)),
        Param("end_line", "integer", "Last line for blame.", minimum=1, aliases=("line_end",)),
        _CONTEXT,
        _MAX_LINES,
    ),
    path_names_file=True,
    feature="git",
    when=("to learn why a line is as it is",),
    when_not=("for all commits of a file: git_history",),
    examples=(
        Example("a commit", {"ref": "HEAD"}),
        Example("lines", {"action": "blame", "path": "src/app.py", "start_line": 10, "end_line": 20}),
    ),
)

GIT_HISTORY = ToolSpec(
    "git_history",
    _TOOLSETS,
    "Commits that changed a file, a range of its lines, or a symbol, also under earlier names.",
    (
        Param("path", "string", "File.", aliases=("file",)),
        Param("symbol", "string", "Name, Class.member or path#name.", aliases=("symbol_ref", "name")),
        Param("start_line", "integer", "First line.", minimum=1, aliases=("line_start",)),
        Param("end_line", "integer", "Last line.", minimum=1, aliases=("line_end",)),
        LIMIT,
        CURSOR,
    ),
    path_names_file=True,
    feature="git",
    when=("for how a function came to be as it is",),
    when_not=("for the last change of each line: git_inspect with action blame",),
    examples=(
        Example("a symbol", {"symbol": "Server.start"}),
        Example("lines", {"path": "src/app.py", "start_line": 10, "end_line": 20}),
    ),
)
