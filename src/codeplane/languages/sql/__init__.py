"""SQL: tables with their columns, views, routines, indexes, triggers, types. Read without a grammar.

Each database has a dialect of its own; CREATE statements begin alike in all of them.
"""

from __future__ import annotations

import re

from codeplane.languages.family import Family
from codeplane.languages.keys import visibility
from codeplane.languages.spec import Language
from codeplane.languages.sql.script import read

_DASHES = re.compile(r"^--+\s?")


def without_dashes(lines: list[str]) -> list[str]:
    return [_DASHES.sub("", line) for line in lines]


LANGUAGES = (
    Language(
        name="sql",
        has_code=True,
        family="sql",
        extensions=(".sql", ".ddl", ".psql", ".pgsql", ".plsql", ".tsql", ".mysql"),
        grammar="",
        distribution="",
        coverage="definitions",
        module_name=lambda path: "",
        visibility=visibility,
        comments=("--", "/*"),
        doc_prefixes=("--",),
        doc_lines=without_dashes,
        variables_are_items=True,
        read=read,
    ),
)

FAMILY = Family(name="sql", unit_files=("*.sql",), is_ambient=True)
