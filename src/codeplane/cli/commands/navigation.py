"""`cpl map` and `cpl ls`: a repository at a glance, and what lies in a directory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer, require_answer, tool_reply, warning_lines
from codeplane.cli.assemble import Assembly, Invocation, assemble
from codeplane.cli.commands.lookup import repository_path
from codeplane.cli.terminal import Style, columns, fit, number, plural, size, table

MAX_ENTRIES = 1000

_TITLES = {
    "structure": "Structure",
    "languages": "Languages",
    "entry_points": "Entry points",
    "key_files": "Key files, and how many files use each",
    "dependencies": "Dependencies",
    "test_layout": "Tests",
    "public_api": "Public API, and how many files use each",
}


def map_repo(
    invocation: Invocation, *, include: Sequence[str], depth: int | None, tokens: int | None, json: bool
) -> int:
    given = {"include": list(include), "depth": depth, "max_tokens": tokens}
    return answer("map", lambda: _map(invocation, given, as_json=json), json=False)


@dataclass(frozen=True)
class Wish:
    """A listing as it was typed."""

    path: str | None = None
    depth: int | None = None
    pattern: str | None = None
    everything: bool = False
    limit: int | None = None


def list_files(invocation: Invocation, wish: Wish, *, json: bool) -> int:
    return answer("ls", lambda: _list(invocation, wish, as_json=json), json=False)


def _call(invocation: Invocation, tool: str, arguments: Mapping[str, object]) -> tuple[Assembly, dict[str, Any]]:
    from codeplane.cli.reach import call_tool

    assembly = assemble(invocation)
    found, _ = call_tool(
        assembly.context, invocation, tool, {name: value for name, value in arguments.items() if value}
    )
    return assembly, found


def _map(invocation: Invocation, given: Mapping[str, object], *, as_json: bool) -> Reply:
    assembly, found = _call(invocation, "map_repo", given)
    if as_json:
        return tool_reply(found)
    require_answer(found)
    result, style = found["result"], Style.of(sys.stdout)
    lines: list[str] = []
    for section, title in _TITLES.items():
        if section in result:
            left_out = result.get("left_out", {}).get(section, 0)
            lines += [style.bold(title), *_SECTIONS[section](result[section], style)]
            lines += [style.dim(f"  and {number(left_out)} more")] if left_out else []
            lines.append("")
    return Reply(text="\n".join(lines[:-1]), warnings=(*assembly.warnings, *warning_lines(found)))


def _structure(found: Mapping[str, Any], style: Style) -> Iterator[str]:
    rows = [(display(path), _amount(path, count)) for path, count in found["tree"].items()]
    yield from table(rows, right=frozenset({1}))
    if found.get("left_out"):
        yield style.dim(f"  and {number(found['left_out'])} more; cpl ls shows them")


def _languages(found: Sequence[Mapping[str, Any]], style: Style) -> Iterator[str]:
    rows = [(row["language"], plural(row["file_count"], "file"), f"{row['percentage']} %") for row in found]
    yield from table(rows, right=frozenset({1, 2}))


def _places(found: Sequence[Mapping[str, Any]], style: Style) -> Iterator[str]:
    counts = [number(row["file_count"]) if "file_count" in row else "" for row in found]
    places = [fit(row.get("symbol_ref") or row["path"], columns() - 2) for row in found]
    yield from table(
        [(place, row["kind"], count) for place, row, count in zip(places, found, counts, strict=True)],
        right=frozenset({2}),
    )


def _counts(found: Mapping[str, int], style: Style) -> Iterator[str]:
    yield from table([(display(name), number(count)) for name, count in found.items()], right=frozenset({1}))


def _dependencies(found: Mapping[str, Any], style: Style) -> Iterator[str]:
    standard = found.get("standard_library_modules", 0)
    within = f"; {plural(standard, 'module')} of standard libraries" if standard else ""
    yield f"  {plural(found['import_count'], 'import')}{within}"
    yield from _counts(found["external_modules"], style)


def _tests(found: Mapping[str, Any], style: Style) -> Iterator[str]:
    inline = found.get("inline_count", 0)
    more = f", and {plural(inline, 'source')} with tests of their own" if inline else ""
    used = ", ".join(f"{name} ({number(count)})" for name, count in found.get("frameworks", {}).items())
    yield f"  {plural(found['test_count'], 'file')}{more}" + (f"; {display(used)}" if used else "")
    yield from _counts(found["test_files"], style)


_SECTIONS: Mapping[str, Callable[[Any, Style], Iterator[str]]] = {
    "structure": _structure,
    "languages": _languages,
    "entry_points": _places,
    "key_files": _counts,
    "dependencies": _dependencies,
    "test_layout": _tests,
    "public_api": _places,
}


def _list(invocation: Invocation, wish: Wish, *, as_json: bool) -> Reply:
    root = assemble(invocation).context.root
    arguments = {
        # Where a person stands is what they mean without a path.
        "path": repository_path(root, invocation.start, wish.path or "."),
        "depth": wish.depth,
        "pattern": wish.pattern,
        "include_ignored": wish.everything,
        "limit": wish.limit or MAX_ENTRIES,
    }
    assembly, found = _call(invocation, "list_files", arguments)
    if as_json:
        return tool_reply(found)
    require_answer(found)
    result, style = found["result"], Style.of(sys.stdout)
    lines = [*_folders(result["entries"], style), *_footer(result, found.get("message"), style)]
    return Reply(text="\n".join(lines), warnings=(*assembly.warnings, *warning_lines(found)))


def _folders(entries: Mapping[str, Mapping[str, Any]], style: Style) -> Iterator[str]:
    for folder, rows in entries.items():
        if len(entries) > 1:
            yield style.bold(display(folder))
        yield from table([_entry(name, value) for name, value in rows.items()], right=frozenset({1}))
        yield ""


def _entry(name: str, value: Any) -> tuple[str, str, str]:
    if isinstance(value, int):
        return display(name), _amount(name, value), ""
    amount = _amount(name, value["lines"]) if "lines" in value else size(value["bytes"]) if "bytes" in value else ""
    notes = [str(note) for key, note in value.items() if key not in ("lines", "bytes")]
    return display(name), amount, display(", ".join(notes))


def _amount(name: str, count: int) -> str:
    return plural(count, "file") if name.endswith("/") else plural(count, "line")


def _footer(result: Mapping[str, Any], message: str | None, style: Style) -> Iterator[str]:
    words = [plural(result["file_count"], "file")]
    left_out = result.get("left_out", 0) + result.get("not_listed", 0)
    words += [f"{number(left_out)} entries not shown"] if left_out else []
    words += [f"{plural(result['secrets'], 'secret')} not named"] if result.get("secrets") else []
    words += ["not all of it could be looked at"] if result.get("incomplete") else []
    yield style.dim("; ".join(words))
    if message:
        yield f"{message} --all shows what is left out."
