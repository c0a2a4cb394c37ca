"""Text forms of refs, imports, unused, units and roles."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import RepoPath, display
from codeplane.base.symbols import short_name
from codeplane.base.text_lines import TextLine, heading, match, note, symbol, table, text
from codeplane.facts.model import Tier
from codeplane.tools.arguments import Arguments

if TYPE_CHECKING:
    from codeplane.operations.imports import FileImports
    from codeplane.operations.refs import SymbolUses
    from codeplane.query.overrides import OverrideFamily
    from codeplane.query.refs import UseRow

_MAX_OVERRIDES = 5
_MAX_NOTES = 20
_NAME_WIDTH = 40
_ROOT_WIDTH = 60
_SENTENCE_WIDTH = 78
_NO_REASON = "no other use of this name in the repository"
_NO_RULE = "no rule assigns another role"


def uses_lines(uses: SymbolUses, source_line: Callable[[str, int], str], *, several: bool) -> Iterator[TextLine]:
    """Yield the lines that use a symbol, by file."""
    if several:
        yield note(f"{display(uses.symbol.reference)}: {uses.total:,} reference{'' if uses.total == 1 else 's'}")
    elif not uses.total:
        yield text(f"no references of {display(uses.symbol.reference)}")
    by_path: dict[str, list[UseRow]] = {}
    for row in uses.rows:
        by_path.setdefault(row.path, []).append(row)
    for path, rows in by_path.items():
        yield heading(path)
        for row in rows:
            yield match(path, row.start_line, _printable(source_line(path, row.start_line)), _use_suffix(row))


def family_line(family: OverrideFamily | None) -> str:
    if family is None:
        return ""
    parts = []
    if family.overrides:
        shown = (display(member.lexical_path) for member in family.overrides[:_MAX_OVERRIDES])
        parts.append(f"overrides {', '.join(shown)}")
    if family.overridden_by:
        shown = (display(member.lexical_path) for member in family.overridden_by[:_MAX_OVERRIDES])
        more = len(family.overridden_by) - _MAX_OVERRIDES
        parts.append(f"overridden by {', '.join(shown)}" + (f" and {more:,} more" if more > 0 else ""))
    if family.open:
        parts.append("a base outside of the repository may declare it")
    return "; ".join(parts)


def import_lines(found: FileImports) -> list[TextLine]:
    return [
        *_path_lines(f"{display(found.path)} imports", found.imports),
        *_path_lines("imported by", found.imported_by),
    ]


def cycle_lines(cycles: Sequence[Sequence[RepoPath]]) -> list[TextLine]:
    lines = [line for group in cycles for line in _path_lines(f"cycle of {len(group):,} files", group)]
    return lines or [text("no import cycles")]


def render_unused(arguments: Arguments, answer: Answer) -> list[TextLine]:
    """Group the candidates by their reasons, those with the fewest first."""
    rows: Sequence[Mapping[str, Any]] = answer.result["candidates"]  # type: ignore[assignment]
    words: Mapping[str, str] = answer.result["reasons"]  # type: ignore[assignment]
    total = int(str(answer.result["total"]))
    if not rows:
        return [text("No unused definitions.")]
    lines: list[TextLine] = []
    ordered = sorted(rows, key=lambda row: (len(row["reasons"]), row["reasons"]))
    for reasons, group in groupby(ordered, key=lambda row: row["reasons"]):
        lines.append(text("; ".join(words[reason] for reason in reasons) or _NO_REASON))
        for path, found in groupby(group, key=lambda row: row["path"]):
            lines.append(heading(path))
            lines += (
                symbol(path, row["line_start"], row["line_start"], _lexical_path(row), row["kind"]) for row in found
            )
    if total > len(rows):
        lines.append(text(f"{total:,} in all; the most likely ones are shown"))
    return [*lines, note("Names built at run time and uses outside the repository are not seen.")]


def render_units(arguments: Arguments, answer: Answer) -> list[TextLine]:
    """Print the owner of a file, or a table of units; problems of marker files follow."""
    result: Mapping[str, Any] = answer.result
    if "units" not in result:
        lines = _owner_lines(result)
    elif not result["units"]:
        lines = [text("No units.")]
    else:
        rows = [("unit", "root", "family", "files", "state", ""), *map(_unit_row, result["units"])]
        lines = [text(line) for line in table(rows, right=frozenset({3}), indent="")]
        left = result["total"] - len(result["units"])
        if left > 0:
            lines.append(note(f"and {left:,} more; a path or a family narrows it down"))
    notes = result.get("notes", [])
    lines += (note(f"{display(each['path'])}: {display(each['text'])}") for each in notes[:_MAX_NOTES])
    return [*lines, note(f"and {len(notes) - _MAX_NOTES} more")] if len(notes) > _MAX_NOTES else lines


def render_roles(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Mapping[str, Any] = answer.result
    if "role" in result:
        why = display(result.get("evidence", _NO_RULE))
        return [text(f"{display(result['path'])}: {result['role']}"), text(f"  {why}")]
    rows = [("role", "files"), *((role, f"{count:,}") for role, count in result["roles"].items())]
    return (
        [text(line) for line in table(rows, right=frozenset({1}), indent="")]
        if result["total"]
        else [text("No files.")]
    )


def _use_suffix(row: UseRow) -> str:
    via = [f"via {short_name(row.via.lexical_path)}"] if row.via is not None else []
    return "  ".join([*via, *([row.tier.name.lower()] if row.tier < Tier.STRONG else [])])


def _printable(source: str) -> str:
    return "\t".join(display(part) for part in source.split("\t"))


def _path_lines(title: str, paths: Sequence[RepoPath]) -> Iterator[TextLine]:
    yield text(title if paths else f"{title}  none")
    yield from (text(f"  {display(path)}") for path in paths)


def _lexical_path(row: Mapping[str, Any]) -> str:
    return display(str(row["symbol_ref"]).partition("#")[2].rpartition("@")[0])


def _owner_lines(owner: Mapping[str, Any]) -> list[TextLine]:
    unit = owner.get("unit")
    shown = f"{display(unit['name'])} ({unit['family']}, {display(unit['root']) or '.'})" if unit else "no unit"
    why = textwrap.wrap(display(owner["why"]), _SENTENCE_WIDTH, initial_indent="  ", subsequent_indent="  ")
    return [text(f"{display(owner['path'])}: {shown}"), *map(text, why)]


def _unit_row(unit: Mapping[str, Any]) -> tuple[str, ...]:
    why = unit.get("marker", unit["why"]) if unit["state"] == "valid" else unit["why"]
    name, root = (_shorten(unit["name"], _NAME_WIDTH), _shorten(unit["root"], _ROOT_WIDTH) or ".")
    return (name, root, unit["family"], f"{unit['files']:,}", unit["state"], display(why))


def _shorten(words: str, width: int) -> str:
    shown = display(words)
    return shown if len(shown) <= width else f"{shown[: width - 1]}…"
