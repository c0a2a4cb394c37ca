"""`cpl search`: the text form of the search tool, with the match in colour."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from codeplane.cli.lines import Mark
from codeplane.cli.options import json_option, tool_option
from codeplane.cli.paths import repository_path
from codeplane.cli.terminal import Style
from codeplane.cli.tool_call import run_tool
from codeplane.tools.catalog.search import SEARCH

EXHAUSTIVE = ("lexical", "regex", "references", "files")
DEFAULT_LIMIT, MAX_LIMIT = 20, 100


@dataclass(frozen=True)
class SearchOptions:
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

    def arguments(self, root: Path, start: Path | None) -> dict[str, object]:
        return {
            "query": self.query,
            "mode": self.mode,
            # Each line by itself, as in grep.
            "result_mode": "raw" if self.exhaustive else None,
            "limit": self.limit or (MAX_LIMIT if self.exhaustive else DEFAULT_LIMIT),
            "scope": self.scope,
            "paths": [path for typed in self.paths if (path := repository_path(root, start, typed))],
            "languages": self.languages,
            "kinds": self.kinds,
            "case_sensitive": self.case_sensitive,
        }


@click.command()
@click.argument("query")
@tool_option(SEARCH, "mode", "-m", "--mode", help="auto and symbol rank the results; the others list every match")
@tool_option(SEARCH, "scope", "--scope")
@tool_option(
    SEARCH, "paths", "-p", "--path", help="Only files that match PATTERN, in .gitignore syntax", metavar="PATTERN"
)
@tool_option(SEARCH, "languages", "-l", "--lang", help="Only files of this language", metavar="LANGUAGE")
@tool_option(
    SEARCH, "kinds", "-k", "--kind", help="Only symbols of this kind, such as function or class", metavar="KIND"
)
@tool_option(
    SEARCH,
    "limit",
    "-n",
    "--limit",
    help="Maximum number of results. Default: 20, or 100 for modes that list every match",
    metavar="COUNT",
)
@click.option(
    "-i/-s",
    "--ignore-case/--case-sensitive",
    default=None,
    help="For lexical and regex. Default: case-sensitive if QUERY has an upper-case letter.",
)
@json_option
@click.pass_context
def search(
    context: click.Context,
    query: str,
    mode: str,
    scope: str | None,
    paths: tuple[str, ...],
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    limit: int | None,
    ignore_case: bool | None,
    json: bool,
) -> None:
    """Search code by words, name, text, regular expression or reference.

    \b
    Examples:
      cpl search "where is the response cached"
      cpl search TimeoutError -m lexical
      cpl search 'retry_\\w+\\(' -m regex -l python
    """
    case_sensitive = None if ignore_case is None else not ignore_case
    options = SearchOptions(query, mode, scope, paths, languages, kinds, limit, case_sensitive)
    start = context.obj.start

    def make_mark() -> Mark:
        return make_marker(options, Style.of(sys.stdout), {})

    context.exit(
        run_tool(
            "search", context.obj, "search", lambda root: options.arguments(root, start), json=json, make_mark=make_mark
        )
    )


def make_marker(options: SearchOptions, style: Style, result: Mapping[str, Any]) -> Mark:
    """Return a function that colours matches by the pattern that found them; in references, the name."""
    if not style.colour or not options.exhaustive or options.mode == "files":
        return lambda text: text
    from codeplane.operations.search.patterns import compile_query

    name = _reference_name(options, result) if options.mode == "references" else None
    if name == "":
        return lambda text: text
    query, sensitive = (options.query, options.case_sensitive) if name is None else (name, True)
    pattern = compile_query(query, regex=options.mode == "regex", case_sensitive=sensitive)

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


def _reference_name(options: SearchOptions, result: Mapping[str, Any]) -> str:
    """Return the name that the answer refers to, or the last one in the query; empty if that is only a place."""
    from codeplane.operations.search.operators import parse_query

    symbols = result.get("symbols")
    written = symbols[0] if symbols else result.get("searched_as") or parse_query(options.query).text
    if not symbols and _PLACE.search(written):
        return ""
    names = _NAME.findall(_LINE.sub("", written))
    return names[-1] if names else ""


_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_LINE = re.compile(r"@[0-9]+\s*\Z")
_PLACE = re.compile(r":[0-9]+(?::[0-9]+)?\s*\Z")


def _next_character(data: bytes, at: int) -> int:
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at
