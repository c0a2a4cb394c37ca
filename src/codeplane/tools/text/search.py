"""Text form of search results: source lines under their path for exhaustive modes, signatures with evidence for ranked
ones.

Pages are filled with hits, not with JSON rows: a page has as many hits as fit as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from codeplane.base.symbols import short_name_in
from codeplane.base.text_lines import INDENT, LineKind, TextLine, heading, match, source, symbol, text
from codeplane.operations.search.hit_context import NO_CONTEXT, HitContext
from codeplane.operations.search.model import Hit
from codeplane.operations.search.result_rows import RowOptions, basic_reasons, full_reasons

DEFAULT_RANKED = 10
"""Maximum ranked results of a page, if the caller sets no limit."""
DEFAULT_RANKED_CHARS = 1_700
DEFAULT_MATCHES = 200
"""Maximum matching lines of a page, if the caller sets no limit."""
DEFAULT_MATCHES_CHARS = 10_000
MAX_CHARS = 22_000
"""Maximum characters of the rows of a page."""
MAX_SIGNATURE = 90
MAX_EVIDENCE = 160
MAX_WHOLE = 20
"""Maximum lines of a definition that is printed whole around a literal match; longer ones are cut to BEFORE and AFTER.
"""
BEFORE, AFTER = 5, 3

_CERTAIN = ("", "proven", "strong")
"""Tiers that are not printed."""
_LEAD = 40
"""Characters kept before the match in a truncated line."""


@dataclass(frozen=True)
class TextPage:
    lines: list[TextLine]
    shown: int
    """Number of hits on the page; the others follow on the next one."""


def by_file(hits: Iterable[Hit]) -> list[Hit]:
    """Group hits by file, files in the order of their first hit."""
    files: dict[str, list[Hit]] = {}
    for hit in hits:
        files.setdefault(hit.path, []).append(hit)
    return [hit for own in files.values() for hit in own]


def fill_matches(hits: Sequence[Hit], limit: int | None, room: int, *, grouped: bool) -> TextPage:
    """Render matching lines by file, as many as fit, at least one."""
    lines: list[TextLine] = []
    shown, path = 0, ""
    for hit in hits[: limit or DEFAULT_MATCHES]:
        rows = [*([heading(hit.path)] if hit.path != path else []), _match_line(hit, grouped)]
        room -= sum(len(row.text) + 1 for row in rows)
        if shown and room < 0:
            break
        lines += rows
        path, shown = hit.path, shown + 1
    return TextPage(lines, shown)


def fill_literal(hits: Sequence[Hit], limit: int | None, room: int) -> TextPage:
    """Render lines that contain the query, each with its enclosing symbol."""
    shown = [hit._replace(match_line=hit.evidence_line, snippet=hit.evidence, collapsed=0) for hit in hits]
    return fill_matches(shown, limit, room, grouped=True)


def fill_paths(hits: Sequence[Hit], limit: int | None, room: int) -> TextPage:
    """One path per line."""
    lines: list[TextLine] = []
    for hit in hits[: limit or DEFAULT_MATCHES]:
        room -= len(hit.path) + 1
        if lines and room < 0:
            break
        lines.append(text(heading(hit.path).text))
    return TextPage(lines, len(lines))


def fill_ranked(
    hits: Sequence[Hit], around: Sequence[HitContext], view: RowOptions, limit: int | None, room: int
) -> TextPage:
    """Render the best results, as many as fit, at least one; results of one file are grouped."""
    rendered: dict[str, list[TextLine]] = {}
    shown = 0
    members: set[tuple[str, str]] = set()
    for number, hit in enumerate(hits[: limit or DEFAULT_RANKED]):
        beside = around[number] if number < len(around) else NO_CONTEXT
        rows = _ranked_lines(hit, view, beside)
        printed = {row.line for row in rendered.get(hit.path, ()) if row.kind is LineKind.MATCH}
        rows = [row for row in rows if row.kind is not LineKind.MATCH or row.line not in printed]
        if (hit.path, hit.lexical_path) in members or (not rows and hit.kind != "file"):
            # The row of a member shows its class; a line that is already printed adds nothing.
            shown += 1
            continue
        members.update((hit.path, outer) for outer in _containers(hit))
        room -= sum(len(row.text) + 1 for row in rows) + (len(hit.path) + 1 if hit.path not in rendered else 0)
        if shown and room < 0:
            break
        rendered.setdefault(hit.path, [heading(hit.path)]).extend(rows)
        shown += 1
    return TextPage([line for lines in rendered.values() for line in lines], shown)


def literal_lines(hit: Hit, lines: Sequence[str]) -> list[TextLine]:
    """Render the only literal match, with enough context to need no second call.

    `lines` are the lines of the file. A short definition is printed whole, a longer one around the match.
    """
    first, last = hit.def_line or hit.line_start, hit.def_end or hit.line_end
    if not hit.lexical_path or last - first >= MAX_WHOLE:
        first = max(first if hit.lexical_path else 1, hit.evidence_line - BEFORE)
        last = min(last if hit.lexical_path else len(lines), hit.evidence_line + AFTER)
    name = f"[{hit.lexical_path}]" if first != hit.def_line else ""
    shown = enumerate(lines[first - 1 : last], first)
    rows = [source(hit.path, number, cut_around(line, 0, MAX_EVIDENCE)) for number, line in shown]
    return [heading(f"{hit.path}:{first}-{last}", name if hit.lexical_path else ""), *rows]


def cut_around(line: str, column: int, room: int) -> str:
    """Return a line, truncated around a column if it is too long."""
    if len(line) <= room:
        return line
    start = max(0, min(column - 1 - _LEAD, len(line) - room)) if column > room - _LEAD else 0
    part = line[start : start + room].rstrip()
    return ("…" if start else "") + part + ("…" if start + room < len(line) else "")


def _match_line(hit: Hit, grouped: bool) -> TextLine:
    if not hit.match_line and hit.lexical_path:
        # The definition that the references refer to.
        signature = cut_around(hit.signature or f"{hit.kind} {hit.name}", 0, MAX_SIGNATURE)
        return symbol(hit.path, hit.line_start, hit.line_end, signature, "(definition)")
    suffix = [f"via {short_name_in(hit.via)}"] if hit.via else []
    suffix += [hit.tier] if hit.tier not in _CERTAIN else []
    if grouped:
        suffix += [f"[{hit.lexical_path.rpartition('.')[2]}]"] if hit.lexical_path else []
        suffix += [f"+{hit.collapsed} more"] if hit.collapsed else []
    return match(hit.path, hit.match_line or hit.line_start, hit.snippet, " ".join(suffix))


def _ranked_lines(hit: Hit, view: RowOptions, around: HitContext) -> list[TextLine]:
    suffix = _suffix(hit, view)
    lines: list[TextLine] = []
    if hit.lexical_path and (view.compact or view.detail == "location"):
        lines = [symbol(hit.path, hit.line_start, hit.line_end, hit.lexical_path, suffix)]
    elif hit.lexical_path:
        signature = hit.signature or f"{hit.kind} {hit.name}"
        container = hit.lexical_path.rpartition(".")[0].rpartition(".")[2]
        shown = cut_around(signature, 0, MAX_SIGNATURE)
        lines = [
            symbol(hit.path, hit.line_start, hit.line_end, shown, f"[{container}]{suffix}" if container else suffix)
        ]
    if view.compact:
        return lines
    if view.detail == "context" and around.body:
        return [*lines, *(text(INDENT + line) for line in around.body.split("\n"))]
    number, words = (hit.evidence_line, hit.evidence) if hit.evidence_line else (hit.match_line, hit.snippet)
    if view.snippets and number and words and not (lines and number == hit.line_start):
        depth = 1 if lines else 0
        lines.append(match(hit.path, number, cut_around(words.rstrip(), 0, MAX_EVIDENCE), depth=depth))
    elif not lines and hit.kind != "file":
        lines.append(symbol(hit.path, hit.line_start, hit.line_end, hit.name, suffix))
    return lines


def _containers(hit: Hit) -> Iterator[str]:
    """Yield the lexical paths of the enclosing symbols."""
    path = hit.lexical_path
    while path := path.rpartition(".")[0]:
        yield path


def _suffix(hit: Hit, view: RowOptions) -> str:
    if view.explain == "off":
        return ""
    reasons: Mapping[str, float] = basic_reasons(hit.factors) if view.explain == "basic" else full_reasons(hit.factors)
    return " {" + ", ".join(f"{name} {value:g}" for name, value in reasons.items() if value) + "}"
