"""Catalog entries of manage_index and its deprecated names."""

from __future__ import annotations

from codeplane.tools.catalog.shared import PATH
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

MANAGE_INDEX = ToolSpec(
    "manage_index",
    ("admin",),
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
    read_only_when={"action": ("status",)},
    immediate_when={"action": ("status",)},
    unlisted_in=("core",),
    when=("when an answer says requires_reindex", "after ignore files changed, if the next call must not wait: sync"),
    when_not=("to update answers: every call does that",),
    examples=(
        Example("state of the index", {"action": "status"}),
        Example("index the latest changes now", {"action": "sync"}),
        Example("rebuild the index", {"action": "reindex"}),
    ),
)


INDEX_STATUS = ToolSpec(
    "index_status",
    ("compat",),
    "Deprecated name of manage_index with action status.",
    (PATH,),
    immediate=True,
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
