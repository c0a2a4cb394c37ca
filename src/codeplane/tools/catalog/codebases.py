"""Catalog entry of list_codebases."""

from __future__ import annotations

from codeplane.tools.spec import Example, ToolSpec

LIST_CODEBASES = ToolSpec(
    "list_codebases",
    ("admin",),
    "List the repositories that this server knows, with the state of their index.",
    immediate=True,
    feature="codebases",
    when=("to learn which values path may have",),
    when_not=("in a server with one repository",),
    examples=(Example("all", {}),),
)
