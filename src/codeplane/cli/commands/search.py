"""`cpl search`: the text form of the search tool, with the match in colour."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.lines import Mark, lines_reply
from codeplane.cli.paths import repository_path
from codeplane.cli.terminal import Style

EXHAUSTIVE = ("lexical", "regex", "references", "files")
DEFAULT_LIMIT, MAX_LIMIT = 20, 100


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
    from codeplane.cli.connect import call_lines, call_tool

    assembly = assemble(invocation)
    root = assembly.context.root
    paths = [repository_path(root, invocation.start, path) for path in wish.paths]
    arguments = _arguments(wish, paths)
    if as_json:
        found, _ = call_tool(assembly.context, invocation, "search", arguments)
        return tool_reply(found)
    status, lines = call_lines(assembly.context, invocation, "search", arguments)
    return lines_reply(status, lines, assembly.warnings, marker(wish, Style.of(sys.stdout), {}))


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


def marker(wish: Wish, style: Style, result: Mapping[str, Any]) -> Mark:
    """Puts what matches into colour, by the same pattern that found it; of references the name that they are of."""
    if not style.colour or not wish.exhaustive or wish.mode == "files":
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
    from codeplane.operations.search.operators import parse_query

    symbols = result.get("symbols")
    said = symbols[0] if symbols else result.get("searched_as") or parse_query(wish.query).text
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
