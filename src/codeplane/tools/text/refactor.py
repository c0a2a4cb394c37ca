"""Text form of refactorings.

plan p_3fXk20 14 edits in 6 files: 12 proven, 2 strong; 1 possible
src/cart.py
12	    def total(self):
…
possible, not changed (include=path:line):
src/view.py
20	    x.total()  receiver unknown
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, diff, heading, match, note, plural, text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import hint_lines
from codeplane.tools.text.write_source import render_delta

MAX_ROWS = 20
"""Sites of a preview; those with a definition, an import or a string first are no better than others, so by place."""


def render_preview(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Mapping[str, Any] = answer.result
    if result.get("applied") is not False or "semantic_edits" not in result:
        return render_applied(arguments, answer)
    lines = [text(_summary(result))]
    if answer.status == "needs_decision":
        uses = plural(len(result["possible"]), "possible use")
        lines.insert(0, text(f"not applied: {uses} to decide"))
    if "diff" in result:
        lines += [diff(line) for line in str(result["diff"]).removesuffix("\n").split("\n")]
    else:
        edits = result["semantic_edits"]["edits"]
        lines += _rows(edits[:MAX_ROWS])
        left = result["matches"] - len(edits[:MAX_ROWS])
        lines += [note(f"more: {left:,} edits")] if left else []
    lines += [text(f"file {display(move['from'])} -> {display(move['to'])}") for move in result.get("moves", ())]
    if result.get("also_renamed"):
        lines.append(note(f"also renamed: {', '.join(map(display, result['also_renamed'][:5]))}"))
    lines += _section("possible, not changed (include=path:line or all):", result.get("possible", ()))
    lines += _section("unknown, not changed:", result.get("unknown", ()))
    lines += [note(f"risk: {display(risk)}") for risk in result.get("risks", ())]
    return [*lines, *hint_lines(answer, "apply")]


def render_applied(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Mapping[str, Any] = answer.result
    lines = render_delta(answer)
    if result.get("broken"):
        lines += [note(f"broken: {display(line)}") for line in result["broken"]]
    return lines


def render_inspection(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Mapping[str, Any] = answer.result
    lines = [text(f"{result['symbol']} -> {result['new_name']}: {_tiers(result['tiers'])}")]
    by_tier: dict[str, list[Mapping[str, Any]]] = {}
    for site in result["sites"]:
        by_tier.setdefault(site["tier"], []).append(site)
    for tier, sites in by_tier.items():
        lines += [text(f"{tier}:"), *_rows(sites)]
    left = result["total"] - len(result["sites"])
    lines += [note(f"more: {left:,} (limit={result['total']})")] if left else []
    return [*lines, *(note(f"risk: {display(risk)}") for risk in result.get("risks", ()))]


def render_cancelled(arguments: Arguments, answer: Answer) -> list[TextLine]:
    return [text(answer.message or "")]


def _summary(result: Mapping[str, Any]) -> str:
    edits = result["semantic_edits"]
    plan = f"plan {result['plan_id']} " if "plan_id" in result else ""
    counts = f"{plural(result['matches'], 'edit')} in {plural(edits['files_changed'], 'file')}"
    return f"{plan}{counts}: {_tiers(result['coverage']['tiers'])}"


def _tiers(tiers: Mapping[str, int]) -> str:
    named = {"anchored": "possible"}
    return ", ".join(f"{count} {named.get(tier, tier)}" for tier, count in tiers.items())


def _section(title: str, sites: Sequence[Mapping[str, Any]]) -> Iterator[TextLine]:
    if sites:
        yield text(title)
        yield from _rows(sites)


def _rows(sites: Iterable[Mapping[str, Any]]) -> Iterator[TextLine]:
    path, last = "", 0
    for site in sites:
        if site["path"] != path:
            path, last = site["path"], 0
            yield heading(path)
        if site["line"] != last:
            last = site["line"]
            is_told = site["tier"] in ("anchored", "unknown")
            yield match(path, last, site.get("text", ""), site.get("reason", "") if is_told else "")
