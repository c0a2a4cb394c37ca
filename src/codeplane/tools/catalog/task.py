"""Catalog entry of task."""

from __future__ import annotations

from codeplane.tools.spec import Example, Param, ToolSpec

TASK = ToolSpec(
    "task",
    ("tasks",),
    "Open, inspect or close a task: limits on what calls may do, enforced by the server, and a receipt.",
    (
        Param(
            "action",
            "string",
            required=True,
            choices=("open", "status", "close"),
            aliases=("command", "operation"),
            synonyms={"start": "open", "begin": "open", "show": "status", "end": "close", "finish": "close"},
        ),
        Param(
            "task_id", "string", "status, close: id of the task. Default: the one opened last", aliases=("task", "id")
        ),
        Param(
            "max_mutations",
            "integer",
            "open: maximum calls that change files or the index",
            minimum=0,
            maximum=1_000_000,
        ),
        Param("max_test_runs", "integer", "open: maximum test runs", minimum=0, maximum=1_000_000),
        Param(
            "max_duration_sec",
            "integer",
            "open: maximum seconds",
            minimum=1,
            maximum=31_536_000,
            aliases=("max_seconds",),
        ),
        Param(
            "max_tokens", "integer", "open: maximum tokens of all answers together", minimum=1, maximum=1_000_000_000
        ),
        Param(
            "paths",
            "array",
            "open: only files that match these .gitignore-style patterns may be changed",
            aliases=("working_set", "allow", "allow_list", "scope"),
        ),
        Param(
            "outcome",
            "string",
            "close: result of the task. Default: success",
            choices=("success", "failed"),
            aliases=("result",),
        ),
    ),
    idempotent=False,
    immediate=True,
    when=("before work that must end, or must stay within some files",),
    when_not=("to read or search: no task is needed",),
    examples=(
        Example("open one with limits", {"action": "open", "max_mutations": 20, "paths": ["src/**"]}),
        Example("state and counters", {"action": "status"}),
        Example("done", {"action": "close", "outcome": "success"}),
    ),
)
