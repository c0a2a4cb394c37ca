"""What each tool does, bound to its name. A handler translates, asks an operation, and translates back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.tools.calls import Call
from codeplane.tools.handlers.admin import check_manage_index, describe, health_check, list_codebases, manage_index
from codeplane.tools.handlers.editing import check_write_source, rollback, write_source
from codeplane.tools.handlers.graphs import call_graph
from codeplane.tools.handlers.listing import list_files
from codeplane.tools.handlers.navigation import file_outline, map_repo
from codeplane.tools.handlers.older_reads import (
    read_file_arguments,
    read_file_result,
    read_source_result,
)
from codeplane.tools.handlers.reading import read
from codeplane.tools.handlers.reading_request import check_read
from codeplane.tools.handlers.reading_whole import read_file_full, reset_budget
from codeplane.tools.handlers.search import search
from codeplane.tools.handlers.search_request import check_search
from codeplane.tools.handlers.tasks import check_task, task

Check = Callable[[Mapping[str, Any]], None]
Handler = Callable[[Call, Mapping[str, Any]], Answer]

HANDLERS: Mapping[str, Handler] = {
    "call_graph": call_graph,
    "describe": describe,
    "file_outline": file_outline,
    "health_check": health_check,
    "list_codebases": list_codebases,
    "list_files": list_files,
    "manage_index": manage_index,
    "map_repo": map_repo,
    "read": read,
    "read_file_full": read_file_full,
    "reset_budget": reset_budget,
    "rollback": rollback,
    "search": search,
    "task": task,
    "write_source": write_source,
}

CHECKS: Mapping[str, Check] = {
    "manage_index": check_manage_index,
    "read": check_read,
    "search": check_search,
    "task": check_task,
    "write_source": check_write_source,
}
"""What can be refused by the arguments alone, before anything is noted or done."""

ARGUMENTS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {"read_file": read_file_arguments}
"""Of older names whose parameters mean something else than those of their tools."""

RESULTS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]]] = {
    "read_file": read_file_result,
    "read_source": read_source_result,
}
"""Of older names whose answers have another shape: what was sent, and the answer of their tool."""
