"""Catalog entry of map_repo."""

from __future__ import annotations

from dataclasses import replace

from codeplane.tools.catalog.shared import CURSOR, PATH, POLICY
from codeplane.tools.spec import Example, Param, ToolSpec

SECTIONS = ("structure", "languages", "entry_points", "key_files", "dependencies", "test_layout", "public_api")


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
