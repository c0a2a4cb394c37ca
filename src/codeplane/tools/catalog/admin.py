"""Tools about the index and the server themselves."""

from __future__ import annotations

from codeplane.tools.catalog.shared import PATH
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

MANAGE_INDEX = ToolSpec(
    "manage_index",
    ("core", "admin"),
    "Create, rebuild, sync, inspect or clear the index. Seldom needed: it is kept up to date by itself.",
    (
        Param(
            "action",
            "string",
            required=True,
            choices=("create", "reindex", "sync", "status", "clear"),
            aliases=("command", "operation"),
        ),
        PATH,
        Param("force", "boolean", "create: build anew what is there."),
        Param(
            "custom_extensions",
            "array",
            'create, reindex: e.g. ".pyx=python".',
            aliases=("extensions",),
        ),
        Param("ignore_patterns", "array", "create, reindex: more patterns as in .gitignore.", aliases=("ignore",)),
        Param("allow_unnecessary_reindex", "boolean", "reindex although a sync is enough."),
        Param("confirm", "boolean", "clear: yes, remove the index."),
        Param("wait", "boolean", "create, reindex: answer when it is done."),
    ),
    read_only=False,
    destructive=True,
    harmless={"action": ("status",)},
    at_once_with={"action": ("status",)},
    when=("when an answer says requires_reindex", "after ignore files changed and the next call must not wait: sync"),
    when_not=("to make answers current: they are",),
    examples=(
        Example("how the index stands", {"action": "status"}),
        Example("see changes now", {"action": "sync"}),
        Example("build it anew", {"action": "reindex"}),
    ),
)

HEALTH_CHECK = ToolSpec(
    "health_check",
    ("core", "admin"),
    "Whether the server is warming, ready, indexing or in error, and why.",
    (PATH,),
    at_once=True,
    when=("when calls answer not_ready", "to see how far the first indexing is"),
    when_not=("before every call: each answer says itself whether it is fresh",),
    examples=(Example("this repository", {}),),
)

LIST_CODEBASES = ToolSpec(
    "list_codebases",
    ("admin",),
    "Repositories that this server can answer about, by state of their index.",
    at_once=True,
    when=("to learn which values path may have",),
    when_not=("in a server with one repository",),
    examples=(Example("all", {}),),
)

DESCRIBE = ToolSpec(
    "describe",
    ("admin",),
    "The repository (branch, language, index), or one tool with examples.",
    (
        Param("action", "string", choices=("repo", "tool"), default="repo"),
        Param("name", "string", "Tool, for action tool.", aliases=("tool", "tool_name")),
        PATH,
    ),
    at_once_with={"action": ("tool",)},
    when=("to learn how a tool is called, with examples",),
    when_not=("for the layout of the code: map_repo",),
    examples=(Example("this repository", {}), Example("a tool", {"action": "tool", "name": "file_outline"})),
)

INDEX_STATUS = ToolSpec(
    "index_status",
    ("compat",),
    "Older name of manage_index with action status.",
    (PATH,),
    at_once=True,
    examples=(Example("this repository", {}),),
    deprecated=Deprecated("manage_index", fixed={"action": "status"}),
)

SYNC_REPO = ToolSpec(
    "sync_repo",
    ("compat",),
    "Older name of manage_index with action sync.",
    (PATH,),
    read_only=False,
    examples=(Example("this repository", {}),),
    deprecated=Deprecated("manage_index", fixed={"action": "sync"}),
)
