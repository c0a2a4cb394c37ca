"""Parameters that several tools have in common."""

from __future__ import annotations

from codeplane.tools.spec import Param

PATH = Param("path", "string", "Repository root; default: this repository.", aliases=("root", "repo", "codebase"))

POLICY = Param(
    "freshness_policy",
    "string",
    "strict waits until fresh, best_effort answers at once.",
    choices=("strict", "balanced", "best_effort"),
    aliases=("freshness",),
)

CURSOR = Param("cursor", "string", "From pagination.next_cursor.")

NO_CURSOR = "Needed without a cursor."

DETAIL = Param(
    "detail_level",
    "string",
    "Default signature; context adds bodies.",
    choices=("location", "signature", "context"),
    aliases=("detail",),
)

COMPACT = Param("compact", "boolean", "Only place, name and score; path:line can be passed on.")

EXPLAIN = Param("ranking_explain_level", "string", choices=("off", "basic", "full"), aliases=("explain",))

LIMIT = Param(
    "limit",
    "integer",
    "Default 20.",
    minimum=1,
    maximum=100,
    aliases=("max_results", "top_k", "k", "count", "max_count", "head_limit"),
)
