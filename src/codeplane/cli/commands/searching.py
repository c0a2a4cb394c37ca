"""`cpl search`: what an agent finds, for people: by file, with line numbers, the match in colour."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer, require_answer, tool_reply, warning_lines
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.commands.lookup import repository_path
from codeplane.cli.terminal import Style, columns, fit, number, plural

EXHAUSTIVE = ("lexical", "regex", "references")
DEFAULT_LIMIT, MAX_LIMIT = 20, 100

_TAB = "    "
_ROLES = {"test": "tests", "fixture": "fixtures", "docs": "docs"}

Row = Mapping[str, Any]
Mark = Callable[[str], str]


@dataclass(frozen=True)
class Wish:
    """A search as it was typed."""

    query: str
    mode: str = "auto"
    scope: str | None = None
    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    limit: int | None = None
    case_sensitive: bool | None = None

    @property
    def exhaustive(self) -> bool:
        return self.mode in EXHAUSTIVE


def search(invocation: Invocation, wish: Wish, *, json: bool) -> int:
    return answer("search", lambda: _search(invocation, wish, as_json=json), json=False)


def _search(invocation: Invocation, wish: Wish, *, as_json: bool) -> Reply:
    from codeplane.cli.reach import call_tool

    assembly = assemble(invocation)
    root = assembly.context.root
    paths = [repository_path(root, invocation.start, path) for path in wish.paths]
    found, _ = call_tool(assembly.context, invocation, "search", _arguments(wish, paths))
    if as_json:
        return tool_reply(found)
    require_answer(found)
    style = Style.of(sys.stdout)
    result = found["result"]
    lines = [*_files(result["results"], wish, style, marker(wish, style, result)), *_footer(result, wish, style)]
    return Reply(text="\n".join(lines), status=found["status"], warnings=(*assembly.warnings, *warning_lines(found)))


def _arguments(wish: Wish, paths: list[str]) -> dict[str, object]:
    arguments: dict[str, object] = {"query": wish.query, "mode": wish.mode}
    # Each line by itself, as people know it from grep.
    arguments |= {"result_mode": "raw"} if wish.exhaustive else {}
    arguments["limit"] = wish.limit or _default_limit(wish)
    given = {"scope": wish.scope, "paths": [path for path in paths if path], "languages": list(wish.languages)}
    given |= {"kinds": list(wish.kinds)}
    arguments |= {name: value for name, value in given.items() if value}
    return arguments | ({"case_sensitive": wish.case_sensitive} if wish.case_sensitive is not None else {})


def _default_limit(wish: Wish) -> int:
    return MAX_LIMIT if wish.exhaustive else DEFAULT_LIMIT


def _files(rows: list[Row], wish: Wish, style: Style, mark: Mark) -> Iterator[str]:
    """Rows under their file; files in the order of their first row."""
    by_path: dict[str, list[Row]] = {}
    for row in rows:
        by_path.setdefault(row["path"], []).append(row)
    width = max((len(str(_line(row))) for row in rows), default=0)
    kinds = max((len(row["kind"]) for row in rows), default=0)
    room = columns() - width - 4
    for path, own in by_path.items():
        yield style.bold(display(path))
        for row in own:
            place = f"  {style.green(str(_line(row)).rjust(width))}  "
            if wish.exhaustive:
                yield place + _match_line(row, room, style, mark)
            else:
                yield f"{place}{style.dim(row['kind'].ljust(kinds))}  {_symbol_line(row, room - kinds - 2, style)}"
        yield ""


def _line(row: Row) -> int:
    """Where to look: a symbol begins, text matches."""
    line: int = row.get("match_line", row["line_start"]) if row["kind"] == "text" else row["line_start"]
    return line


def _match_line(row: Row, room: int, style: Style, mark: Mark) -> str:
    tier = f"  {row['tier']}" if "tier" in row else ""
    return mark(fit(_spaced(row.get("snippet", row["name"])), room - len(tier))) + style.dim(tier)


def _symbol_line(row: Row, room: int, style: Style) -> str:
    """The signature, with what it is nested in; of what is no symbol the line that was found."""
    if row["kind"] in ("text", "file"):
        return fit(_spaced(row.get("snippet", "")), room)
    signature = row.get("signature") or row["name"]
    container = row.get("symbol_ref", "").rpartition("#")[2].rpartition("@")[0].rpartition(".")[0]
    prefix = fit(f"{container}: ", room) if container else ""
    shown = fit(signature, max(0, room - len(prefix)))
    before, name, after = shown.partition(display(row["name"]))
    return style.dim(prefix) + before + style.bold(name) + after


def _footer(result: Mapping[str, Any], wish: Wish, style: Style) -> Iterator[str]:
    rows, total = result["results"], result["pagination"]["total_estimate"]
    outside = _outside(result)
    if not rows:
        where = f" in {plural(result['searched']['files'], 'file')}" if "searched" in result else ""
        yield f"Nothing found for {display(wish.query[:80])}{where}."
        if result.get("similar"):
            yield f"Names like it: {', '.join(map(display, result['similar']))}."
        if outside:
            yield style.dim(outside)
        return
    if wish.exhaustive:
        total = max(total, result["matches"])
        words = f"{plural(total, 'match', 'matches')} in {plural(result['files'], 'file')}"
    else:
        words = plural(total, "result")
    if total > len(rows):
        words = f"the first {number(len(rows))} of {words}; {_how_to_see_more(len(rows), total, wish)}"
    yield style.dim(words + (f"; {outside}" if outside else ""))


def _how_to_see_more(shown: int, total: int, wish: Wish) -> str:
    limit = wish.limit or _default_limit(wish)
    if shown == limit < MAX_LIMIT:
        return f"--limit {min(total, MAX_LIMIT)} shows more"
    return "--path, --lang and --kind narrow it down"


def _outside(result: Mapping[str, Any]) -> str:
    counts = result.get("outside_scope", {})
    if not counts:
        return ""
    named = ", ".join(f"{number(count)} more in {_ROLES.get(role, role)}" for role, count in counts.items())
    return f"{named}: --scope mixed"


def marker(wish: Wish, style: Style, result: Mapping[str, Any]) -> Mark:
    """Puts what matches into colour, by the same pattern that found it; of references the name that they are of."""
    if not style.colour or not wish.exhaustive:
        return lambda text: text
    from codeplane.operations.search.patterns import compile_query

    name = _name_of(wish, result) if wish.mode == "references" else None
    if name == "":
        return lambda text: text
    query, sensitive = (wish.query, wish.case_sensitive) if name is None else (name, True)
    pattern = compile_query(query, regex=wish.mode == "regex", case_sensitive=sensitive)

    def mark(text: str) -> str:
        data = text.encode("utf-8", "replace")
        shown, at, done = [], 0, 0
        while at <= len(data) and (span := pattern.wide(data, at, len(data))) is not None:
            start, end = span
            if end > start:
                shown += [data[done:start].decode(), style.red(data[start:end].decode())]
                done = end
            at = end if end > start else _next_character(data, start + 1)
        return "".join(shown) + data[done:].decode()

    return mark


def _name_of(wish: Wish, result: Mapping[str, Any]) -> str:
    """The name that the answer says it is of, or the last one in the query; empty where that is only a place."""
    from codeplane.operations.search.operators import parse

    symbols = result.get("symbols")
    said = symbols[0] if symbols else result.get("searched_as") or parse(wish.query).text
    if not symbols and _PLACE.search(said):
        return ""
    names = _NAME.findall(_LINE.sub("", said))
    return names[-1] if names else ""


_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_LINE = re.compile(r"@[0-9]+\s*\Z")
_PLACE = re.compile(r":[0-9]+(?::[0-9]+)?\s*\Z")


def _next_character(data: bytes, at: int) -> int:
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def _spaced(text: str) -> str:
    return text.replace("\t", _TAB)
