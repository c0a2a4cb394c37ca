"""What each tool does, bound to its name. A handler translates, asks an operation, and translates back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.tools.calls import Call
from codeplane.tools.handlers.admin import check_manage_index, describe, health_check, list_codebases, manage_index
from codeplane.tools.handlers.graphs import call_graph
from codeplane.tools.handlers.navigation import file_outline, map_repo
from codeplane.tools.handlers.search import search
from codeplane.tools.handlers.search_request import check_search

Check = Callable[[Mapping[str, Any]], None]
Handler = Callable[[Call, Mapping[str, Any]], Answer]

HANDLERS: Mapping[str, Handler] = {
    "call_graph": call_graph,
    "describe": describe,
    "file_outline": file_outline,
    "health_check": health_check,
    "list_codebases": list_codebases,
    "manage_index": manage_index,
    "map_repo": map_repo,
    "search": search,
}

CHECKS: Mapping[str, Check] = {"manage_index": check_manage_index, "search": check_search}
"""What can be refused by the arguments alone, before anything is noted or done."""
