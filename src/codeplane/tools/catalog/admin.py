"""Tools that manage the index and the server."""

from __future__ import annotations

from codeplane.tools.catalog.shared import PATH
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

MANAGE_INDEX = ToolSpec(
    "manage_index",
    ("core", "admin"),
    "Create, rebuild, sync, inspect or clear the index. Rarely needed: every call updates the index.",
    (
        Param(
            "action",
            "string",
            required=True,
            choices=("create", "reindex", "sync", "status", "clear"),
            aliases=("command", "operation"),
        ),
        PATH,
        Param("force", "boolean", "create: rebuild an existing index."),
        Param(
            "custom_extensions",
            "array",
            'create, reindex: languages of more extensions, e.g. ".pyx=python"',
            aliases=("extensions",),
            advertised=False,
        ),
        Param(
            "ignore_patterns",
            "array",
            "create, reindex: more .gitignore-style patterns to leave out",
            aliases=("ignore",),
            advertised=False,
        ),
        Param("allow_unnecessary_reindex", "boolean", "reindex: even if a sync is enough", advertised=False),
        Param("confirm", "boolean", "clear: required to remove the index"),
        Param("wait", "boolean", "create, reindex: answer when done"),
    ),
    read_only=False,
    destructive=True,
    harmless={"action": ("status",)},
    at_once_with={"action": ("status",)},
    when=("when an answer says requires_reindex", "after ignore files changed, if the next call must not wait: sync"),
    when_not=("to update answers: every call does that",),
    examples=(
        Example("state of the index", {"action": "status"}),
        Example("index the latest changes now", {"action": "sync"}),
        Example("rebuild the index", {"action": "reindex"}),
    ),
)

HEALTH_CHECK = ToolSpec(
    "health_check",
    ("core", "admin"),
    "State of the server: warming, ready, indexing or error, and why.",
    (PATH,),
    at_once=True,
    when=("when calls answer not_ready", "to see the progress of the first build"),
    when_not=("before every call: each answer says if it is stale",),
    examples=(Example("this repository", {}),),
)

LIST_CODEBASES = ToolSpec(
    "list_codebases",
    ("admin",),
    "List the repositories that this server knows, with the state of their index.",
    at_once=True,
    when=("to learn which values path may have",),
    when_not=("in a server with one repository",),
    examples=(Example("all", {}),),
)

DESCRIBE = ToolSpec(
    "describe",
    ("admin",),
    "Describe the repository (branch, languages, index), or one tool with all parameters and examples.",
    (
        Param("action", "string", choices=("repo", "tool"), default="repo"),
        Param("name", "string", "Name of the tool", aliases=("tool", "tool_name")),
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
    "Deprecated name of manage_index with action status.",
    (PATH,),
    at_once=True,
    examples=(Example("this repository", {}),),
    deprecated=Deprecated("manage_index", fixed={"action": "status"}),
)

SYNC_REPO = ToolSpec(
    "sync_repo",
    ("compat",),
    "Deprecated name of manage_index with action sync.",
    (PATH,),
    read_only=False,
    examples=(Example("this repository", {}),),
    deprecated=Deprecated("manage_index", fixed={"action": "sync"}),
)
