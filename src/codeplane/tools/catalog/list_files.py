"""Catalog entry of list_files."""

from __future__ import annotations

from codeplane.tools.catalog.shared import CURSOR, POLICY
from codeplane.tools.spec import Example, Param, ToolSpec

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
            "Also list files that are not indexed, with the reason.",
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
