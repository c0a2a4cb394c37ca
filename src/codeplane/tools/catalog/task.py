"""Tools about tasks."""

from __future__ import annotations

from codeplane.tools.spec import Example, Param, ToolSpec

TASK = ToolSpec(
    "task",
    ("tasks",),
    "Open a task, see how it stands, or close it: limits on what calls may do, kept by the server, and a receipt.",
    (
        Param(
            "action",
            "string",
            required=True,
            choices=("open", "status", "close"),
            aliases=("command", "operation"),
            synonyms={"start": "open", "begin": "open", "show": "status", "end": "close", "finish": "close"},
        ),
        Param("task_id", "string", "status, close: default the one opened last.", aliases=("task", "id")),
        Param("max_mutations", "integer", "open: calls that may change something.", minimum=0, maximum=1_000_000),
        Param("max_test_runs", "integer", "open.", minimum=0, maximum=1_000_000),
        Param("max_duration_sec", "integer", "open.", minimum=1, maximum=31_536_000, aliases=("max_seconds",)),
        Param("max_tokens", "integer", "open: of all answers together.", minimum=1, maximum=1_000_000_000),
        Param(
            "paths",
            "array",
            "open: only files like these may be changed; patterns as in .gitignore.",
            aliases=("working_set", "allow", "allow_list", "scope"),
        ),
        Param("outcome", "string", "close. Default success.", choices=("success", "failed"), aliases=("result",)),
    ),
    idempotent=False,
    immediate=True,
    when=("before a job that must not go on for ever, or must stay within some files",),
    when_not=("to read or search: no task is needed",),
    examples=(
        Example("open one with limits", {"action": "open", "max_mutations": 20, "paths": ["src/**"]}),
        Example("how it stands", {"action": "status"}),
        Example("done", {"action": "close", "outcome": "success"}),
    ),
)
