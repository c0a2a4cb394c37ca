"""Catalog entry of describe."""

from __future__ import annotations

from codeplane.tools.catalog.shared import PATH
from codeplane.tools.spec import Example, Param, ToolSpec

DESCRIBE = ToolSpec(
    "describe",
    ("admin",),
    "Describe the repository (branch, languages, index), or one tool with all parameters and examples.",
    (
        Param("action", "string", choices=("repo", "tool"), default="repo"),
        Param("name", "string", "Name of the tool", aliases=("tool", "tool_name")),
        PATH,
    ),
    immediate_when={"action": ("tool",)},
    when=("to learn how a tool is called, with examples",),
    when_not=("for the layout of the code: map_repo",),
    examples=(Example("this repository", {}), Example("a tool", {"action": "tool", "name": "file_outline"})),
)
