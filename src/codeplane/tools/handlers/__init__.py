"""What each tool does, bound to its name. A handler translates, asks an operation, and translates back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.tools.calls import Call
from codeplane.tools.handlers.call_graph import call_graph
from codeplane.tools.handlers.codebases import list_codebases
from codeplane.tools.handlers.describe import describe
from codeplane.tools.handlers.health import health_check
from codeplane.tools.handlers.list_files import list_files
from codeplane.tools.handlers.manage_index import check_manage_index, manage_index
from codeplane.tools.handlers.map_repo import map_repo
from codeplane.tools.handlers.outline import file_outline
from codeplane.tools.handlers.read import read
from codeplane.tools.handlers.read_compat import (
    read_file_arguments,
    read_file_result,
    read_source_result,
)
from codeplane.tools.handlers.read_full import read_file_full, reset_budget
from codeplane.tools.handlers.read_request import check_read
from codeplane.tools.handlers.search import search
from codeplane.tools.handlers.search_request import check_search
from codeplane.tools.handlers.task import check_task, task
from codeplane.tools.handlers.write_source import check_write_source, rollback, write_source

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
