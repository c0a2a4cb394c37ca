"""Catalog entry of rollback."""

from __future__ import annotations

from codeplane.tools.spec import Example, Param, ToolSpec

ROLLBACK = ToolSpec(
    "rollback",
    ("files",),
    "Undo one change of write_source. Refused, with the reason, if a file has changed since.",
    (Param("mutation_id", "string", required=True, aliases=("id", "mutation")),),
    read_only=False,
    destructive=True,
    idempotent=False,
    budget="mutations",
    records_intent=True,
    when=("to undo a wrong change",),
    when_not=("to undo changes by other programs: only those of write_source are recorded",),
    examples=(Example("undo a change", {"mutation_id": "m_2q5Zl1Y0"}),),
)
