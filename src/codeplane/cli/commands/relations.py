"""`cpl refs` and `cpl calls`: who uses a symbol, who calls whom, and how much of that is not known."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeplane.base.paths import display
from codeplane.base.symbols import short_name, symbol_ref
from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.commands.lookup import repository_path
from codeplane.cli.terminal import Style, columns, fit, number, plural

if TYPE_CHECKING:
    from codeplane.operations.relations import Uses
    from codeplane.query.overrides import Family
    from codeplane.query.refs import UseRow
    from codeplane.query.relations import Symbol

_MAYBE = "{} of the same name could not be resolved and may be among them"


def refs(invocation: Invocation, what: str, *, limit: int, json: bool) -> int:
    return answer("refs", lambda: _refs(invocation, what, limit), json=json)


def calls(
    invocation: Invocation, what: str, *, direction: str | None, depth: int, limit: int | None, json: bool
) -> int:
    return answer("calls", lambda: _calls(invocation, what, direction, depth, limit, as_json=json), json=False)


def _refs(invocation: Invocation, what: str, limit: int) -> Reply:
    from codeplane.cli.reach import reading
    from codeplane.operations.relations import find_uses

    assembly = assemble(invocation)
    with reading(assembly.context, invocation) as reads:
        read = find_uses(reads, _typed(assembly.context.root, invocation.start, what), limit)
    style = Style.of(sys.stdout)
    lines: list[str] = []
    for uses in read.value:
        lines += _uses_lines(assembly.context.root, uses, style)
    return Reply(
        result={"symbols": [_uses_json(uses) for uses in read.value]},
        text="\n".join(lines).rstrip("\n"),
        message=plural(sum(uses.total for uses in read.value), "reference"),
        meta={"epoch": read.epoch},
        warnings=assembly.warnings,
    )


def _calls(
    invocation: Invocation, what: str, direction: str | None, depth: int, limit: int | None, *, as_json: bool
) -> Reply:
    from codeplane.cli.lines import lines_reply
    from codeplane.cli.reach import call_lines, call_tool

    assembly = assemble(invocation)
    context = assembly.context
    given = {"direction": direction, "limit": limit}
    arguments: dict[str, object] = {"symbol": _typed(context.root, invocation.start, what), "depth": depth}
    arguments |= {name: value for name, value in given.items() if value is not None}
    if as_json:
        return tool_reply(call_tool(context, invocation, "call_graph", arguments)[0])
    status, lines = call_lines(context, invocation, "call_graph", arguments)
    return lines_reply(status, lines, assembly.warnings)


def _typed(root: Path, start: Path | None, what: str) -> str:
    """A place as a person types it: its path is relative to where they stand."""
    for mark in ("#", ":"):
        head, found, tail = what.partition(mark)
        if found and (mark == "#" or tail[:1].isdigit()):
            return f"{repository_path(root, start, head)}{mark}{tail}"
    return what


def _uses_lines(root: Path, uses: Uses, style: Style) -> Iterator[str]:
    symbol = uses.symbol
    place = style.dim(f"{display(symbol.path)}:{symbol.line}")
    yield f"{style.bold(display(symbol.lexical_path))}  {style.dim(symbol.kind)}  {place}"
    by_path: dict[str, list[Any]] = {}
    for row in uses.rows:
        by_path.setdefault(row.path, []).append(row)
    width = max((len(str(row.start_line)) for row in uses.rows), default=0)
    for path, rows in by_path.items():
        yield f"  {display(path)}"
        texts = _lines_of(root / path)
        for row in rows:
            text = texts[row.start_line - 1].strip() if row.start_line <= len(texts) else ""
            tier = row.tier.name.lower()
            tier = f"via {short_name(row.via.lexical_path)}  {tier}" if row.via is not None else tier
            shown = fit(display(text), columns() - width - len(tier) - 8)
            yield f"    {style.green(str(row.start_line).rjust(width))}  {shown}  {style.dim(tier)}"
    yield "  " + _summary(uses, style)
    family = _family_line(uses.family)
    if family:
        yield "  " + style.dim(family)
    yield ""


def _summary(uses: Uses, style: Style) -> str:
    tiers = ", ".join(f"{number(count)} {tier}" for tier, count in uses.tiers.items())
    words = f"{plural(uses.total, 'reference')}{f': {tiers}' if tiers else ''}" if uses.total else "no known reference"
    if uses.total > len(uses.rows):
        words += f"; the first {number(len(uses.rows))} are shown, --limit shows more"
    if uses.renamed:
        shown = ", ".join(f"{display(use.path)}:{use.start_line}" for use in uses.renamed[:3])
        words += f"; {number(len(uses.renamed))} under another name ({shown}{', …' if len(uses.renamed) > 3 else ''})"
    if uses.unresolved:
        words += f"; {_MAYBE.format(plural(uses.unresolved, 'member'))}"
    return style.dim(words)


def _family_line(family: Family | None) -> str:
    if family is None:
        return ""
    parts = []
    if family.overrides:
        parts.append("overrides " + ", ".join(display(member.lexical_path) for member in family.overrides[:5]))
    if family.overridden_by:
        shown = ", ".join(display(member.lexical_path) for member in family.overridden_by[:5])
        more = len(family.overridden_by) - 5
        parts.append(f"overridden by {shown}" + (f" and {number(more)} more" if more > 0 else ""))
    if family.open:
        parts.append("a base outside of the repository may own the name")
    return "; ".join(parts)


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return []


def _symbol_json(symbol: Symbol | None) -> dict[str, object]:
    from codeplane.operations.relations import written

    if symbol is None:
        return {"kind": "file"}
    row: dict[str, object] = {
        "symbol_ref": written(symbol),
        "path": symbol.path,
        "line_start": symbol.start_line,
        "line_end": symbol.end_line,
        "kind": symbol.kind,
        "name": symbol.name,
    }
    return row | ({"signature": symbol.signature} if symbol.signature else {})


def _use_json(use: UseRow) -> dict[str, object]:
    row: dict[str, object] = {"path": use.path, "line": use.start_line, "column": use.start_col + 1}
    row |= {"tier": use.tier.name.lower()} | ({"calls": True} if use.calls else {})
    if use.via is not None:
        row["via"] = symbol_ref(use.via.path, use.via.lexical_path, use.via.start_line)
    return row


def _uses_json(uses: Uses) -> dict[str, object]:
    row: dict[str, object] = {
        **_symbol_json(uses.symbol),
        "references": [_use_json(use) for use in uses.rows],
        "total": uses.total,
        "tiers": dict(uses.tiers),
        "unresolved": uses.unresolved,
    }
    if uses.renamed:
        row["under_another_name"] = [_use_json(use) for use in uses.renamed]
    if uses.groups:
        row["unresolved_groups"] = [
            {
                "receiver": group.receiver_shape,
                "count": group.total_count,
                "exemplars": [f"{place.path}:{place.line}" for place in group.exemplars],
            }
            for group in uses.groups
        ]
    if uses.family is not None:
        row["family"] = {
            "overrides": [_symbol_json(member) for member in uses.family.overrides],
            "overridden_by": [_symbol_json(member) for member in uses.family.overridden_by],
            "base_outside": uses.family.open,
        }
    return row
