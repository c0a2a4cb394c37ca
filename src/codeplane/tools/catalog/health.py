"""Catalog entry of health_check."""

from __future__ import annotations

from codeplane.tools.catalog.shared import PATH
from codeplane.tools.spec import Example, ToolSpec

HEALTH_CHECK = ToolSpec(
    "health_check",
    ("admin",),
    "State of the server: warming, ready, indexing or error, and why.",
    (PATH,),
    immediate=True,
    feature="health",
    unlisted_in=("core",),
    when=("when calls answer not_ready", "to see the progress of the first build"),
    when_not=("before every call: each answer says if it is stale",),
    examples=(Example("this repository", {}),),
)
