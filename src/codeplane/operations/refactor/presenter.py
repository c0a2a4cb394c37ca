"""Fields of a plan for answers: counts by tier, sites with their lines, coverage and risks. Every list is bounded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from codeplane.base.errors import CodePlaneError
from codeplane.edits.plan import PlanOptions, plan_edits
from codeplane.operations.refactor.apply import make_edits
from codeplane.operations.refactor.model import NameSite, RefactorPlan
from codeplane.operations.refactor.texts import FileTexts
from codeplane.operations.write_source.presenter import plan_diff
from codeplane.operations.write_source.write import EditContext

MAX_SITES = 60
MAX_POSSIBLE = 20
MAX_LINE = 160
_LEAD = 40


def plan_fields(plan: RefactorPlan, plan_id: str | None, lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the fields of a preview. `lines` are those of the sites, the possible and the unknown ones."""
    sites, possible = len(plan.sites), len(plan.possible)
    files = {site.path for site in plan.sites}
    fields: dict[str, Any] = {
        "applied": False,
        "symbol": plan.symbol,
        "kind": plan.kind,
        "old_name": plan.old_name,
        "new_name": plan.new_name,
        "matches": sites,
        "verification_required": not plan.is_certain,
        "fingerprint": plan.fingerprint,
        "semantic_edits": {"files_changed": len(files), "edits": list(lines[:sites][:MAX_SITES])},
        "coverage": {"tiers": plan.tiers(), "files": len(files), "epoch": plan.epoch},
    }
    if plan_id is not None:
        fields["plan_id"] = plan_id
    if plan.possible:
        fields["possible"] = list(lines[sites : sites + possible][:MAX_POSSIBLE])
    if plan.unknown:
        fields["unknown"] = list(lines[sites + possible :][:MAX_POSSIBLE])
    optional = (
        ("also_renamed", list(plan.also[:MAX_POSSIBLE])),
        ("risks", list(plan.risks)),
        ("moves", [{"from": move.path, "to": move.new_path} for move in plan.moves]),
    )
    return fields | {name: value for name, value in optional if value}


def inspect_fields(plan: RefactorPlan, lines: Sequence[Mapping[str, Any]], total: int) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "symbol": plan.symbol,
        "new_name": plan.new_name,
        "tiers": plan.tiers(),
        "sites": list(lines),
        "total": total,
    }
    return fields | ({"risks": list(plan.risks)} if plan.risks else {})


def site_lines(texts: FileTexts, sites: Sequence[NameSite]) -> list[dict[str, Any]]:
    """Return the sites with their source lines, cut around the name."""
    found = []
    for site in sites:
        row: dict[str, Any] = {
            "path": site.path,
            "line": site.line,
            "column": site.column + 1,
            "tier": site.tier.name.lower(),
        }
        if site.reason:
            row["reason"] = site.reason
        try:
            lines = texts.read(site.path).lines
        except CodePlaneError:
            lines = []
        if site.line <= len(lines):
            row["text"] = _cut(lines[site.line - 1].rstrip("\r"), site.column)
        found.append(row)
    return found


def preview_diff(context: EditContext, plan: RefactorPlan, include: Collection[str]) -> str:
    """Return the diff of what would be applied."""
    edits = make_edits(FileTexts(context.workspace.editor.root), plan, plan.chosen(include))
    with context.mutation([path for edit in edits for path in edit.paths]) as mutation:
        options = PlanOptions(True, context.workspace.editor.explain_mismatch)
        return plan_diff(plan_edits(mutation.root, edits, options), None)[0]


def _cut(line: str, column: int) -> str:
    if len(line) <= MAX_LINE:
        return line
    start = max(0, min(column - _LEAD, len(line) - MAX_LINE))
    return ("…" if start else "") + line[start : start + MAX_LINE] + ("…" if start + MAX_LINE < len(line) else "")
