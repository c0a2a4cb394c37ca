"""Parameters that several tools share."""

from __future__ import annotations

from codeplane.tools.spec import Param

PATH = Param(
    "path",
    "string",
    "File or directory, relative to the repository root. May lie in another indexed repository.",
    aliases=("root", "repo", "codebase"),
    advertised=False,
)

POLICY = Param(
    "freshness_policy",
    "string",
    "strict: wait until the index is up to date. best_effort: answer at once. Default: balanced",
    choices=("strict", "balanced", "best_effort"),
    aliases=("freshness",),
    advertised=False,
)

CURSOR = Param("cursor", "string", "From an earlier answer: continues its list.")

NO_CURSOR = "Required without a cursor."

DETAIL = Param(
    "detail_level",
    "string",
    "location: place and name. signature: also the signature. context: also the body. Default: signature",
    choices=("location", "signature", "context"),
    aliases=("detail",),
    advertised=False,
)

COMPACT = Param("compact", "boolean", "Only place, name and score of each result.", advertised=False)

EXPLAIN = Param(
    "ranking_explain_level",
    "string",
    "Show why each result ranks where it does. Default: off",
    choices=("off", "basic", "full"),
    aliases=("explain",),
    advertised=False,
)

LIMIT = Param(
    "limit",
    "integer",
    "Maximum number of results.",
    minimum=1,
    maximum=100,
    aliases=("max_results", "top_k", "k", "count", "max_count", "head_limit"),
)
